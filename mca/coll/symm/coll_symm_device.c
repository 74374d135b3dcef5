/*
 * coll_symm_device.c - see coll_symm_device.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/coll_symm_device.h"

#include <stdlib.h>

#include "heap/cuda_device.h"
#include "kernels/cuda/copy.h"
#include "kernels/cuda/steps.h"
#include "mca/help.h"

/* ---- where buffers lie --------------------------------------------------------------------------- */

/* The device on which `bytes` at `address` lie in one segment of a heap of ours; -1: on none. */
static int device_of(const void *address, size_t bytes)
{
    struct symm_process *process = mca_coll_symm_component.process;
    struct symm_location location;
    if (symm_process_locate(process, address, bytes > 0 ? bytes : 1, &location) != SYMM_OK) {
        return symm_cuda_plain_device(address);
    }
    return symm_heap_device(symm_process_heap_at(process, location.heap));
}

void mca_coll_symm_device_describe(struct symm_call *call)
{
    call->device = -1;
    call->mixed = false;
    if (!symm_cuda_is_used()) {
        return; /* there is no memory but the host's */
    }
    /* The first byte decides: buffers lie in one allocation each. */
    int output = device_of(call->output, 1);
    int input = call->in_place ? output : device_of(call->input, 1);
    call->mixed = input != output;
    call->device = output >= 0 ? output : input;
    if (call->device >= 0) {
        symm_cuda_sync_memops(call->device);
    }
}

/* ---- host copies --------------------------------------------------------------------------------- */

/* A buffer of MPI, and the copy of it that host code may use. */
struct host_copy {
    void *memory;  /* NULL: the buffer is host memory itself */
    void *address; /* what to hand to MPI in the place of the buffer */
    void *first;   /* the first byte of data, on the device */
    size_t bytes;
    int device;
};

int mca_coll_symm_device_failed(struct ompi_communicator_t *comm, const char *call)
{
    char failure[256];
    symm_cuda_last_failure(failure, sizeof(failure));
    if (symm_cuda_last_failure_is_programs()) {
        symm_help_show("help-coll-symm.txt", "program's kernel failed", call, comm->c_name,
                       ompi_comm_rank(comm), failure);
    } else {
        symm_help_show("help-coll-symm.txt", "device failed", call, comm->c_name,
                       ompi_comm_rank(comm), failure);
    }
    return OMPI_ERROR;
}

/* `load`: what stands in the buffer matters. */
static int copy_open(struct host_copy *copy, const void *buffer, size_t count,
                     struct ompi_datatype_t *dtype, bool load)
{
    ptrdiff_t gap = 0;
    size_t span = (size_t)opal_datatype_span(&dtype->super, count, &gap);
    *copy = (struct host_copy){.address = symm_ompi_unconst(buffer), .bytes = span};
    if (buffer == MPI_IN_PLACE || span == 0) {
        return OMPI_SUCCESS;
    }
    copy->first = (unsigned char *)copy->address + gap;
    copy->device = device_of(copy->first, 1);
    if (copy->device < 0) {
        return OMPI_SUCCESS;
    }
    copy->memory = malloc(span);
    if (copy->memory == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    copy->address = (void *)((uintptr_t)copy->memory - (uintptr_t)gap);
    if (load && symm_cuda_copy(copy->device, copy->memory, copy->first, span) != SYMM_OK) {
        return OMPI_ERROR;
    }
    return OMPI_SUCCESS;
}

/* Bring the result to where it belongs. */
static int copy_store(const struct host_copy *copy)
{
    if (copy->memory == NULL) {
        return OMPI_SUCCESS;
    }
    return symm_cuda_copy(copy->device, copy->first, copy->memory, copy->bytes) == SYMM_OK
               ? OMPI_SUCCESS : OMPI_ERROR;
}

static bool is_dense(const struct ompi_datatype_t *dtype)
{
    ptrdiff_t lower, extent;
    size_t size;
    ompi_datatype_get_extent(dtype, &lower, &extent);
    ompi_datatype_type_size(dtype, &size);
    return extent >= 0 && (size_t)extent == size;
}

/*
 * A rank that cannot make its copies must not leave the others waiting in the component below, so it
 * takes part there all the same, if with memory whose contents are worth nothing, and fails afterwards.
 * (Without memory even for that, it fails at once.)  So that nobody takes the result for a right one, it
 * marks its phase of this call first: nobody has a result below to which it has not contributed.
 * Its slot is not used again before that: no rank gets eight calls ahead of another.
 */
static void failure_publish(const mca_coll_symm_module_t *module)
{
    uint64_t sequence = module->operation.sequence;
    if (sequence != 0) { /* otherwise the ranks have no memory in common to say it in */
        symm_phase_raise(&module->team->control, sequence, module->team->rank,
                         SYMM_CUDA_STEP_FAILED);
    }
}

int mca_coll_symm_device_below_end(struct symm_operation *operation, int rc)
{
    struct symm_run *run = &operation->run;
    if (rc != OMPI_SUCCESS || operation->sequence == 0) {
        return rc;
    }
    run->team = operation->module->team;
    run->sequence = operation->sequence;
    symm_cuda_failures_collect(run);
    return run->failed_rank >= 0 ? OMPI_ERROR : OMPI_SUCCESS;
}

int mca_coll_symm_device_allreduce(const void *sbuf, void *rbuf, symm_count_t count,
                                   struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                   struct ompi_communicator_t *comm,
                                   const mca_coll_symm_module_t *module)
{
    struct host_copy send, receive = {.memory = NULL};
    bool in_place = sbuf == MPI_IN_PLACE;
    int opened = copy_open(&send, sbuf, (size_t)count, dtype, true);
    if (opened != OMPI_ERR_OUT_OF_RESOURCE) {
        int rc = copy_open(&receive, rbuf, (size_t)count, dtype, in_place || !is_dense(dtype));
        opened = opened == OMPI_SUCCESS ? rc : opened;
    }
    int rc = opened;
    if (opened == OMPI_ERROR) {
        failure_publish(module);
    }
    if (opened != OMPI_ERR_OUT_OF_RESOURCE) {
        int below = module->saved_allreduce(send.address, receive.address, count, dtype, op, comm,
                                            module->saved_allreduce_module);
        rc = rc == OMPI_SUCCESS ? below : rc;
    }
    if (rc == OMPI_SUCCESS) {
        rc = copy_store(&receive);
    }
    free(send.memory);
    free(receive.memory);
    return rc == OMPI_ERROR ? mca_coll_symm_device_failed(comm, "MPI_Allreduce") : rc;
}

int mca_coll_symm_device_allgather(const void *sbuf, symm_count_t scount,
                                   struct ompi_datatype_t *sdtype, void *rbuf, symm_count_t rcount,
                                   struct ompi_datatype_t *rdtype, struct ompi_communicator_t *comm,
                                   const mca_coll_symm_module_t *module)
{
    struct host_copy send, receive = {.memory = NULL};
    bool in_place = sbuf == MPI_IN_PLACE;
    size_t received = (size_t)rcount * (size_t)ompi_comm_size(comm);
    /* In place, the type to send is not looked at and may be none. */
    int opened = copy_open(&send, sbuf, in_place ? 0 : (size_t)scount,
                           in_place ? rdtype : sdtype, true);
    if (opened != OMPI_ERR_OUT_OF_RESOURCE) {
        int rc = copy_open(&receive, rbuf, received, rdtype, in_place || !is_dense(rdtype));
        opened = opened == OMPI_SUCCESS ? rc : opened;
    }
    int rc = opened;
    if (opened == OMPI_ERROR) {
        failure_publish(module);
    }
    if (opened != OMPI_ERR_OUT_OF_RESOURCE) {
        int below = module->saved_allgather(send.address, scount, sdtype, receive.address, rcount,
                                            rdtype, comm, module->saved_allgather_module);
        rc = rc == OMPI_SUCCESS ? below : rc;
    }
    if (rc == OMPI_SUCCESS) {
        rc = copy_store(&receive);
    }
    free(send.memory);
    free(receive.memory);
    return rc == OMPI_ERROR ? mca_coll_symm_device_failed(comm, "MPI_Allgather") : rc;
}

/* ---- running ------------------------------------------------------------------------------------- */

enum symm_status mca_coll_symm_device_prepare(struct symm_operation *operation)
{
    struct symm_device *device;
    if (operation->call.device < 0) {
        return SYMM_OK;
    }
    symm_cuda_forget_failure();
    enum symm_status status = symm_device_get(operation->call.device, &device);
    if (status != SYMM_OK) {
        mca_coll_symm_device_tell_unusable(operation, status);
    }
    return status;
}

void mca_coll_symm_device_run_start(struct symm_operation *operation)
{
    const struct symm_call *call = &operation->call;
    struct symm_run *run = &operation->run;
    run->device = NULL;
    if (call->device < 0) {
        return;
    }
    /* It has been got before: then the ranks agreed on mapping these buffers. */
    (void)symm_device_get(call->device, &run->device);
    run->cuda_type = (enum symm_cuda_type)call->cuda_type;
    run->cuda_op = (enum symm_cuda_op)call->cuda_op;
    run->block_limit = (unsigned)mca_coll_symm_component.device_blocks;
    if (run->algorithm == SYMM_ALLREDUCE_CUDA_PUSH ||
        run->algorithm == SYMM_ALLREDUCE_CUDA_COPY_ENGINE) {
        run->pipeline = (struct symm_pipeline){0};
    }
}

int mca_coll_symm_device_failure(const struct symm_operation *operation)
{
    static const char *const calls[SYMM_COLLECTIVE_COUNT] = {"MPI_Allreduce", "MPI_Allgather"};
    const struct symm_run *run = &operation->run;
    if (run->failed_rank == run->team->rank) { /* the others know no more than that */
        return mca_coll_symm_device_failed(operation->comm, calls[operation->call.collective]);
    }
    return OMPI_ERROR;
}
