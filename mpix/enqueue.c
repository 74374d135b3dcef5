/*
 * enqueue.c - collectives that are queued on a communicator's stream.
 *
 * Each function of MPI's form turns its arguments into a call of libsymm.  What is wrong with them
 * is found here, on this rank: nothing is queued then.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <math.h>

#include "heap/gpu/cuda_device.h"
#include "heap/nvtx.h"
#include "mpix/mpix.h"

/* ---- what all have in common ----------------------------------------------------------------- */

/* A call on its way: nothing is looked at behind the first error. */
struct enqueue {
    const char *name;
    MPI_Comm comm;
    struct symm_mpix_comm *state;
    struct symm_mpix_call made;   /* as the program makes it */
    struct symm_stream_call call; /* for kernels; of an array that is packed, the packed one */
    bool by_host;   /* the host makes it: kernels do not meet, or do not know the operation */
    void *unpacked; /* what the kernel writes has to be unpacked from here; NULL: it has not */
    size_t bytes; /* of an array, or of a block */
    int error;
};

/* A duplicate's first call begins its lane. */
static struct enqueue enqueue_begin(const char *name, MPI_Comm comm,
                                    enum symm_collective collective)
{
    struct enqueue self = {.name = name, .comm = comm, .call = {.collective = collective},
                           .made = {.collective = collective, .op = MPI_OP_NULL}};
    self.error = symm_mpix_comm_get(comm, &self.state);
    if (self.error != MPI_SUCCESS) {
        return self;
    }
    if (self.state == NULL || self.state->stream == NULL || !self.state->stream->has_gpu) {
        self.error = symm_mpix_error(MPI_ERR_OTHER, "%s: the communicator has no GPU stream; "
                                     "MPIX_Stream_comm_create() makes one that has", name);
    } else if (!symm_mpix_comm_has_begun(self.state)) {
        self.error = symm_mpix_lane_begin(comm, self.state, name);
    }
    self.by_host = self.error == MPI_SUCCESS && self.state->member == NULL;
    return self;
}

/* Blocks that this rank sends or receives. */
static MPI_Count blocks_of(const struct enqueue *self, bool is_received)
{
    const enum symm_collective collective = self->call.collective;
    const bool has_all =
        collective == SYMM_ALLTOALL ||
        (is_received ? collective == SYMM_ALLGATHER || collective == SYMM_GATHER
                     : collective == SYMM_SCATTER || collective == SYMM_REDUCE_SCATTER_BLOCK);
    return has_all && self->error == MPI_SUCCESS ? self->state->size : 1;
}

static void root_set(struct enqueue *self, int root)
{
    self->call.root = self->made.root = root;
    if (self->error == MPI_SUCCESS && (root < 0 || root >= self->state->size)) {
        self->error = symm_mpix_error(MPI_ERR_ROOT, "%s: root %d; the communicator has ranks 0 to "
                                      "%d", self->name, root, self->state->size - 1);
    }
}

static void count_check(struct enqueue *self, MPI_Count count)
{
    if (self->error == MPI_SUCCESS && count < 0) {
        self->error = symm_mpix_error(MPI_ERR_COUNT, "%s: count %lld is negative", self->name,
                                      (long long)count);
    }
}

/* The bytes of `count` elements.  Blocks of all ranks have addresses as well. */
static size_t bytes_multiply(struct enqueue *self, MPI_Count count, size_t extent)
{
    size_t bytes = 0, all;
    if (self->error == MPI_SUCCESS &&
        (__builtin_mul_overflow((size_t)count, extent, &bytes) ||
         __builtin_mul_overflow(bytes, (size_t)self->state->size, &all))) {
        self->error = symm_mpix_error(MPI_ERR_COUNT, "%s: %lld elements of %zu bytes are too many",
                                      self->name, (long long)count, extent);
    }
    return bytes;
}

/* The bytes of a block that is copied: its array is this rank's. */
static size_t bytes_of(struct enqueue *self, struct symm_mpix_array *array, MPI_Count count,
                       MPI_Datatype datatype)
{
    size_t bytes = 0;
    bool is_whole = true;
    array->count = count;
    array->datatype = datatype;
    array->blocks = blocks_of(self, array == &self->made.received);
    count_check(self, count);
    if (self->error == MPI_SUCCESS) {
        self->error = symm_mpix_bytes(self->name, datatype, &bytes, &is_whole);
    }
    array->is_packed = !is_whole;
    return self->bytes = bytes_multiply(self, count, bytes);
}

static size_t sent_bytes(struct enqueue *self, MPI_Count count, MPI_Datatype datatype)
{
    return bytes_of(self, &self->made.sent, count, datatype);
}

static size_t received_bytes(struct enqueue *self, MPI_Count count, MPI_Datatype datatype)
{
    return bytes_of(self, &self->made.received, count, datatype);
}

/* A block as it is sent is as long as one that is received. */
static void blocks_compare(struct enqueue *self, size_t sent, size_t received)
{
    if (self->error == MPI_SUCCESS && sent != received) {
        self->error = symm_mpix_error(MPI_ERR_TRUNCATE, "%s: this rank sends blocks of %zu bytes, "
                                      "and receives blocks of %zu", self->name, sent, received);
    }
}

/* Only sums of floats have factors.  1: none, as 0 is for libsymm. */
static void factor_set(struct enqueue *self, bool has_kernel, double factor)
{
    if (self->error != MPI_SUCCESS || factor == 1) {
        return;
    }
    const double used = self->call.type == SYMM_CUDA_DOUBLE ? factor : (double)(float)factor;
    if (!isfinite(used) || used == 0) {
        self->error = symm_mpix_error(MPI_ERR_ARG, "%s: the factor is %g, which sums of this type "
                                      "cannot have", self->name, factor);
    } else if (!has_kernel || !symm_stream_can_scale(self->call.type, self->call.op)) {
        self->error = symm_mpix_error(MPI_ERR_OP, "%s: has factors for sums of MPI_FLOAT, "
                                      "MPI_DOUBLE and the 16-bit floats of symm.h alone",
                                      self->name);
    }
    self->call.factor = self->made.factor = factor;
    self->made.scaled = self->call.type;
    self->by_host |= self->error == MPI_SUCCESS && self->state->size == 1; /* kernels copy then */
}

static void reduction_set(struct enqueue *self, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                          double factor)
{
    bool has_kernel = true;
    count_check(self, count);
    if (self->error == MPI_SUCCESS) {
        self->error = symm_mpix_reduction(self->name, datatype, op, &self->call, &has_kernel);
    }
    if (self->error == MPI_SUCCESS) {
        MPI_Count lower, extent = 0;
        (void)PMPI_Type_get_extent_x(datatype, &lower, &extent);
        self->bytes = bytes_multiply(self, count, (size_t)extent);
    }
    factor_set(self, has_kernel, factor);
    self->by_host |= !has_kernel;
    self->call.count = (size_t)count;
    self->made.op = op;
    self->made.sent = (struct symm_mpix_array){
        .count = count, .datatype = datatype, .blocks = blocks_of(self, false)};
    self->made.received =
        (struct symm_mpix_array){.count = count, .datatype = datatype, .blocks = 1};
}

/* ---- buffers --------------------------------------------------------------------------------- */

static bool is_reached(const struct symm_mpix_comm *state, const void *buffer)
{
    return state->member != NULL ? symm_stream_member_reaches(state->member, buffer)
                                 : symm_mpix_host_reaches(state->host, buffer);
}

/* A buffer that is significant on this rank, and not in place.  Without data it may be anything. */
static void buffer_check(struct enqueue *self, const void *buffer, const char *which)
{
    char failure[SYMM_CUDA_TEXT_SIZE];
    if (self->error == MPI_SUCCESS && buffer == MPI_IN_PLACE) {
        self->error = symm_mpix_error(MPI_ERR_BUFFER, "%s: MPI_IN_PLACE is no %s buffer here",
                                      self->name, which);
    }
    symm_cuda_forget_failure();
    if (self->error != MPI_SUCCESS || self->call.count == 0 ||
        (buffer != NULL && is_reached(self->state, buffer))) {
        return;
    }
    symm_cuda_last_failure(failure, sizeof(failure));
    if (buffer == NULL) {
        self->error = symm_mpix_error(MPI_ERR_BUFFER, "%s: the %s buffer is NULL", self->name,
                                      which);
    } else if (failure[0] != '\0') {
        self->error = symm_mpix_refused(symm_mpix_err_stream(), self->name, SYMM_ERR_SYSTEM);
    } else {
        self->error = symm_mpix_error(MPI_ERR_BUFFER, "%s: the %s buffer is no memory that work "
                                      "on the stream's GPU reaches; take device memory, managed or "
                                      "pinned memory", self->name, which);
    }
}

/*
 * Elements with gaps are packed for kernels.  Returns where the kernel has the array, and whose
 * elements it copies.
 */
static void *packed_of(struct enqueue *self, const struct symm_mpix_array *array, bool is_output,
                       bool is_read)
{
    void *packed = array->at;
    if (self->error != MPI_SUCCESS || self->by_host || !array->is_packed ||
        self->call.count == 0) {
        return packed;
    }
    self->error = symm_mpix_host_room(self->comm, self->state, self->name, array, is_output,
                                      &packed);
    if (self->error == MPI_SUCCESS && is_read) {
        self->error = symm_mpix_host_pack(self->state, self->name, array, is_output, packed);
    }
    if (is_output) {
        self->unpacked = packed;
    }
    return packed;
}

static const void *input_of(struct enqueue *self, const void *sendbuf)
{
    buffer_check(self, sendbuf, "send");
    self->made.sent.at = (void *)(uintptr_t)sendbuf;
    return packed_of(self, &self->made.sent, false, true);
}

/* In place, it has the input as well. */
static void *output_of(struct enqueue *self, void *recvbuf, bool in_place)
{
    buffer_check(self, recvbuf, "receive");
    self->made.received.at = recvbuf;
    if (in_place) {
        self->made.sent.at = MPI_IN_PLACE;
    }
    return packed_of(self, &self->made.received, true, in_place);
}

/* This rank's block of an array; nowhere, if there is no array. */
static void *own_block(const struct enqueue *self, const void *array)
{
    return self->error == MPI_SUCCESS && array != NULL
               ? (unsigned char *)(uintptr_t)array + (size_t)self->state->rank * self->call.count
               : NULL;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void kernel_add(struct enqueue *self)
{
    self->error = symm_mpix_lane_check(self->state->member, self->name);
    if (self->error != MPI_SUCCESS) {
        return;
    }
    symm_cuda_forget_failure();
    enum symm_status status = symm_stream_member_add(self->state->member, &self->call);
    if (status != SYMM_OK) {
        self->error = symm_mpix_refused(symm_mpix_err_stream(), self->name, status);
    } else if (self->unpacked != NULL) {
        self->error = symm_mpix_host_unpack(self->state, self->name, &self->made.received,
                                            self->unpacked);
    }
}

/* NULL: this rank has no such buffer, or there are no data. */
static int enqueue_end(struct enqueue *self, const void *input, void *output)
{
    const char *way = self->by_host ? "host" : "kernels";
    uint64_t range = symm_nvtx_is_wanted ? symm_nvtx_begin(self->name, way, self->bytes) : 0;
    self->call.input = input;
    self->call.output = output;
    if (self->error == MPI_SUCCESS && self->by_host) {
        self->error = symm_mpix_host_call(self->comm, self->state, self->name, &self->made);
    } else if (self->error == MPI_SUCCESS) {
        kernel_add(self);
    }
    if (range != 0) {
        symm_nvtx_end(range);
    }
    return symm_mpix_raise(self->comm, self->error);
}

/* A rank that sends and receives; in place, it sends what the receive buffer has. */
static int enqueue_end_alike(struct enqueue *self, const void *sendbuf, void *recvbuf)
{
    const bool in_place = sendbuf == MPI_IN_PLACE;
    void *output = output_of(self, recvbuf, in_place);
    return enqueue_end(self, in_place ? output : input_of(self, sendbuf), output);
}

static bool is_root(const struct enqueue *self)
{
    return self->error == MPI_SUCCESS && self->state->rank == self->call.root;
}

/* ---- reductions ------------------------------------------------------------------------------ */

/* In a reduce, the root alone receives; `root` is of no meaning to the others. */
static int reduction(const char *name, enum symm_collective collective, const void *sendbuf,
                     void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                     double factor, int root, MPI_Comm comm)
{
    const bool has_root = collective == SYMM_REDUCE;
    struct enqueue self = enqueue_begin(name, comm, collective);
    root_set(&self, has_root ? root : 0);
    reduction_set(&self, count, datatype, op, factor);
    return !has_root || is_root(&self) ? enqueue_end_alike(&self, sendbuf, recvbuf)
                                       : enqueue_end(&self, input_of(&self, sendbuf), NULL);
}

int MPIX_Allreduce_enqueue_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return reduction("MPIX_Allreduce_enqueue", SYMM_ALLREDUCE, sendbuf, recvbuf, count, datatype,
                     op, 1, 0, comm);
}

int symm_mpix_allreduce_scaled(const void *sendbuf, void *recvbuf, MPI_Count count,
                               MPI_Datatype datatype, MPI_Op op, double factor, MPI_Comm comm)
{
    return reduction("symm_mpix_allreduce_scaled", SYMM_ALLREDUCE, sendbuf, recvbuf, count,
                     datatype, op, factor, 0, comm);
}

int MPIX_Reduce_enqueue_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                          MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
    return reduction("MPIX_Reduce_enqueue", SYMM_REDUCE, sendbuf, recvbuf, count, datatype, op, 1,
                     root, comm);
}

int symm_mpix_reduce_scaled(const void *sendbuf, void *recvbuf, MPI_Count count,
                            MPI_Datatype datatype, MPI_Op op, double factor, int root,
                            MPI_Comm comm)
{
    return reduction("symm_mpix_reduce_scaled", SYMM_REDUCE, sendbuf, recvbuf, count, datatype,
                     op, factor, root, comm);
}

int MPIX_Reduce_scatter_block_enqueue_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
                                        MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return reduction("MPIX_Reduce_scatter_block_enqueue", SYMM_REDUCE_SCATTER_BLOCK, sendbuf,
                     recvbuf, recvcount, datatype, op, 1, 0, comm);
}

int symm_mpix_reduce_scatter_block_scaled(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
                                          MPI_Datatype datatype, MPI_Op op, double factor,
                                          MPI_Comm comm)
{
    return reduction("symm_mpix_reduce_scatter_block_scaled", SYMM_REDUCE_SCATTER_BLOCK, sendbuf,
                     recvbuf, recvcount, datatype, op, factor, 0, comm);
}

/* ---- copies ---------------------------------------------------------------------------------- */

int MPIX_Bcast_enqueue_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root,
                         MPI_Comm comm)
{
    struct enqueue self = enqueue_begin("MPIX_Bcast_enqueue", comm, SYMM_BCAST);
    root_set(&self, root);
    self.call.count = received_bytes(&self, count, datatype);
    void *packed = output_of(&self, buffer, is_root(&self));
    self.made.sent.at = NULL; /* of a broadcast's root, the array is one that receives */
    self.unpacked = is_root(&self) ? NULL : self.unpacked;
    return enqueue_end(&self, packed, packed);
}

int MPIX_Allgather_enqueue_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                             void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                             MPI_Comm comm)
{
    struct enqueue self = enqueue_begin("MPIX_Allgather_enqueue", comm, SYMM_ALLGATHER);
    self.call.count = received_bytes(&self, recvcount, recvtype);
    if (sendbuf != MPI_IN_PLACE) {
        blocks_compare(&self, sent_bytes(&self, sendcount, sendtype), self.call.count);
        return enqueue_end_alike(&self, sendbuf, recvbuf);
    }
    void *output = output_of(&self, recvbuf, true);
    return enqueue_end(&self, own_block(&self, output), output);
}

int MPIX_Alltoall_enqueue_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                            void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                            MPI_Comm comm)
{
    struct enqueue self = enqueue_begin("MPIX_Alltoall_enqueue", comm, SYMM_ALLTOALL);
    self.call.count = received_bytes(&self, recvcount, recvtype);
    if (sendbuf != MPI_IN_PLACE) {
        blocks_compare(&self, sent_bytes(&self, sendcount, sendtype), self.call.count);
    }
    return enqueue_end_alike(&self, sendbuf, recvbuf);
}

/* The root's block does not move if it is in place. */
int MPIX_Gather_enqueue_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                          void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                          MPI_Comm comm)
{
    struct enqueue self = enqueue_begin("MPIX_Gather_enqueue", comm, SYMM_GATHER);
    root_set(&self, root);
    if (!is_root(&self)) {
        self.call.count = sent_bytes(&self, sendcount, sendtype);
        return enqueue_end(&self, input_of(&self, sendbuf), NULL);
    }
    self.call.count = received_bytes(&self, recvcount, recvtype);
    if (sendbuf != MPI_IN_PLACE) {
        blocks_compare(&self, sent_bytes(&self, sendcount, sendtype), self.call.count);
        return enqueue_end_alike(&self, sendbuf, recvbuf);
    }
    void *output = output_of(&self, recvbuf, true);
    return enqueue_end(&self, own_block(&self, output), output);
}

int MPIX_Scatter_enqueue_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                           void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                           MPI_Comm comm)
{
    struct enqueue self = enqueue_begin("MPIX_Scatter_enqueue", comm, SYMM_SCATTER);
    root_set(&self, root);
    if (!is_root(&self)) {
        self.call.count = received_bytes(&self, recvcount, recvtype);
        return enqueue_end(&self, NULL, output_of(&self, recvbuf, false));
    }
    self.call.count = sent_bytes(&self, sendcount, sendtype);
    if (recvbuf != MPI_IN_PLACE) {
        blocks_compare(&self, self.call.count, received_bytes(&self, recvcount, recvtype));
        const void *sent = input_of(&self, sendbuf);
        return enqueue_end(&self, sent, output_of(&self, recvbuf, false));
    }
    const void *input = input_of(&self, sendbuf);
    self.made.received.at = MPI_IN_PLACE;
    return enqueue_end(&self, input, own_block(&self, input));
}

int MPIX_Barrier_enqueue(MPI_Comm comm)
{
    struct enqueue self = enqueue_begin("MPIX_Barrier_enqueue", comm, SYMM_BARRIER);
    return enqueue_end(&self, NULL, NULL);
}
