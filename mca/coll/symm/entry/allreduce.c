/*
 * entry/allreduce.c - MPI_Allreduce: from MPI's arguments to an operation and back.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/allreduce.h"

#include "mca/coll/symm/base/signature.h"
#include "mca/coll/symm/data/cuda_types.h"
#include "mca/coll/symm/device/place.h"
#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/host_copy/reduce.h"

/* ---- the reduction, through Open MPI's op framework ------------------------------------------ */

/* The functions of struct symm_reduction.  Their context is the call. */
static void reduce(void *context, const void *source, void *target, size_t count)
{
    const struct symm_call *call = context;
    ompi_op_reduce(call->op, mca_coll_symm_at(source, -call->shift),
                   mca_coll_symm_at(target, -call->shift), count, call->dtype);
}

/*
 * This is right for predefined operations only: for others Open MPI's function swaps the operands.
 */
static void combine(void *context, const void *left, const void *right, void *target, size_t count)
{
    const struct symm_call *call = context;
    const size_t most = INT_MAX; /* elements that ompi_3buff_op_reduce() takes at a time */
    const unsigned char *from_left = left, *from_right = right;
    unsigned char *to = target;
    while (count > 0) {
        size_t some = count < most ? count : most;
        ompi_3buff_op_reduce(call->op, symm_ompi_unconst(from_left), symm_ompi_unconst(from_right),
                             to, (int)some, call->dtype);
        count -= some;
        from_left += some * call->extent;
        from_right += some * call->extent;
        to += some * call->extent;
    }
}

static bool has_combine(const struct ompi_op_t *op, const struct ompi_datatype_t *dtype)
{
    return ompi_op_is_intrinsic((ompi_op_t *)(uintptr_t)op) && ompi_datatype_is_predefined(dtype) &&
           op->o_3buff_intrinsic.fns[ompi_op_ddt_map[dtype->id]] != NULL;
}

/* ---- the call -------------------------------------------------------------------------------- */

/*
 * Elements are copied whole, from one to the next.  For predefined types, pair types included, C's
 * structs are copied in the same way.  A derived type may have gaps, which are the program's and
 * must not be touched.  In the slot, where it costs little, elements travel without their gaps.
 */
__attribute__((always_inline))
static inline void elements_describe(struct symm_call *call)
{
    bool predefined = ompi_datatype_is_predefined(call->dtype);
    call->gaps = 0;
    call->shift = 0;
    if (ompi_op_is_intrinsic(call->op) && predefined) {
        call->payload_bytes = call->count * call->extent;
        return;
    }
    mca_coll_symm_layout_describe(&call->target, call->dtype, call->count);
    call->payload_bytes = call->target.bytes;
    if (!call->target.dense || !call->target.repeats) {
        call->gaps = SYMM_GAPS_INPUT | SYMM_GAPS_OUTPUT;
        call->source = call->target;
        call->send = call->input;
        call->receive = call->output;
    }
    if (!predefined) {
        call->shift = call->target.start;
        call->input = mca_coll_symm_at(call->input, call->shift);
        call->output = mca_coll_symm_at(call->output, call->shift);
    }
}

static enum symm_reason device_veto_reason(struct symm_call *call)
{
    if (call->unusable) {
        return SYMM_REASON_ELSEWHERE;
    }
    if (call->mixed) {
        return SYMM_REASON_MIXED;
    }
    if (call->gaps != 0) {
        return SYMM_REASON_GAPS;
    }
    if (mca_coll_symm_cuda_type(call->op, call->dtype, &call->cuda_type, &call->cuda_op)) {
        return SYMM_REASON_NONE; /* operations of ours included, to Open MPI user-defined ones */
    }
    return ompi_op_is_intrinsic(call->op) ? SYMM_REASON_KERNEL : SYMM_REASON_USER;
}

__attribute__((always_inline))
static inline enum symm_reason veto_reason(struct symm_call *call)
{
    if (call->device >= 0 || call->mixed) {
        return device_veto_reason(call);
    }
    if (call->gaps != 0 &&
        mca_coll_symm_layout_span(&call->target) > SYMM_SCRATCH_SIZE - SYMM_CACHE_LINE) {
        return SYMM_REASON_GAPS;
    }
    if (call->extent > SYMM_SCRATCH_SIZE) { /* no piece of a staging buffer is smaller */
        return SYMM_REASON_ELEMENT;
    }
    return SYMM_REASON_NONE;
}

/*
 * The class of an element: integer, floating point, complex or something else.  Handles and ids
 * tell too much apart: MPI_LONG, MPI_LONG_LONG and MPI_INT64_T are different ones and may meet in
 * practice.
 */
_Static_assert(OMPI_DATATYPE_FLAG_DATA_TYPE / OMPI_DATATYPE_FLAG_DATA_INT <
                   1 << SYMM_SIGNATURE_ELEMENT_BITS, "a signature has room for it");

static unsigned element_class(const struct ompi_datatype_t *dtype)
{
    return (unsigned)(dtype->super.flags & OMPI_DATATYPE_FLAG_DATA_TYPE) /
           OMPI_DATATYPE_FLAG_DATA_INT; /* the lowest of these flags */
}

/*
 * This and what it calls are inlined also where they are used more than once: else a small blocking
 * call takes 30 instructions more.
 */
__attribute__((always_inline))
static inline void describe(struct symm_call *call, enum symm_kinds kinds, const void *sbuf,
                            void *rbuf, size_t count, struct ompi_datatype_t *dtype,
                            struct ompi_op_t *op)
{
    ptrdiff_t lower, extent;
    bool intrinsic = ompi_op_is_intrinsic(op);
    ompi_datatype_get_extent(dtype, &lower, &extent);
    call->collective = SYMM_ALLREDUCE;
    call->in_place = sbuf == MPI_IN_PLACE || sbuf == rbuf;
    call->input = call->in_place ? rbuf : sbuf;
    call->output = rbuf;
    call->count = count;
    call->extent = (size_t)extent;
    call->op = op;
    call->dtype = dtype;
    elements_describe(call);
    call->output_bytes = call->count * call->extent;
    mca_coll_symm_device_describe(call, kinds);
    call->veto = veto_reason(call);
    if (intrinsic) {
        call->agreed_count = count;
        call->signature = symm_signature_pack((struct symm_signature){
            .collective = SYMM_ALLREDUCE, .op = (unsigned)op->op_type,
            .element = element_class(dtype), .extent = (size_t)extent});
    } else {
        call->agreed_count = call->payload_bytes;
        call->signature = symm_signature_pack((struct symm_signature){
            .collective = SYMM_ALLREDUCE, .op = SYMM_SIGNATURE_USER_OP, .extent = 1});
    }
    call->reduction = (struct symm_reduction){
        .context = call,
        .extent = call->extent,
        .ordered = !intrinsic,
        .reduce = reduce,
        .combine = has_combine(op, dtype) ? combine : NULL,
    };
}

int mca_coll_symm_allreduce(const void *sbuf, void *rbuf, symm_count_t count,
                            struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                            struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    struct symm_entry entry;
    if (mca_coll_symm_bytes(dtype, (size_t)count) == 0) {
        return OMPI_SUCCESS; /* as the binding does for a count of 0: see data/pack.h */
    }
    if (!mca_coll_symm_entry_open(&entry, SYMM_ALLREDUCE, comm, module)) {
        return MPI_ERR_OTHER;
    }
    describe(&entry.module->call, entry.module->super.kinds, sbuf, rbuf, (size_t)count, dtype, op);
    return SYMM_ENTRY_MAKE(&entry, comm, allreduce, sbuf, rbuf, count, dtype, op);
}

/* ---- nonblocking and persistent -------------------------------------------------------------- */

static int start_below(mca_coll_symm_request_t *request, ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, iallreduce, a->sbuf, a->rbuf, a->scount, a->sdtype,
                                    a->op, mca_coll_symm_request_comm(request), below);
}

static int init_below(mca_coll_symm_request_t *request, struct ompi_info_t *info,
                      ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, allreduce_init, a->sbuf, a->rbuf, a->scount,
                                    a->sdtype, a->op, mca_coll_symm_request_comm(request), info,
                                    below);
}

static const struct symm_request_below below_makes = {start_below, init_below};

static int request_make(mca_coll_symm_request_t **request, bool persistent, const void *sbuf,
                        void *rbuf, symm_count_t count, struct ompi_datatype_t *dtype,
                        struct ompi_op_t *op, struct ompi_communicator_t *comm,
                        mca_coll_base_module_t *module)
{
    int rc = mca_coll_symm_request_open(request, &below_makes, persistent, comm, module);
    if (rc == OMPI_SUCCESS) {
        (*request)->arguments = (struct symm_arguments){
            .sbuf = sbuf, .rbuf = rbuf, .scount = count, .sdtype = dtype, .op = op};
        describe(&(*request)->call, (*request)->module->super.kinds, sbuf, rbuf, (size_t)count,
                 dtype, op);
    }
    return rc;
}

/*
 * Open MPI makes communicators by nonblocking all-reduces of one int on their parent.  Those of
 * MPI_Comm_idup it starts from within opal_progress(), at other moments on other ranks, beside
 * those of other communicators and beside the program's calls.  So the ranks' orders differ, and ours
 * would meet another's.  All calls that look like them go below in the program's call, as they
 * would without us.  They are not counted: reports are about the program's calls.
 */
static bool is_like_own(size_t count, const struct ompi_datatype_t *dtype,
                        const struct ompi_op_t *op)
{
    return count == 1 && ompi_op_is_intrinsic((struct ompi_op_t *)(uintptr_t)op) &&
           (op->op_type == OMPI_OP_MAX || op->op_type == OMPI_OP_MIN) &&
           ompi_datatype_is_predefined(dtype) && dtype->super.size == sizeof(int) &&
           (dtype->super.flags & OMPI_DATATYPE_FLAG_DATA_TYPE) == OMPI_DATATYPE_FLAG_DATA_INT;
}

int mca_coll_symm_iallreduce(const void *sbuf, void *rbuf, symm_count_t count,
                             struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                             struct ompi_communicator_t *comm, ompi_request_t **handle,
                             mca_coll_base_module_t *module)
{
    mca_coll_symm_request_t *request;
    if (mca_coll_symm_bytes(dtype, (size_t)count) == 0) {
        *handle = &ompi_request_empty;
        return OMPI_SUCCESS;
    }
    if (is_like_own((size_t)count, dtype, op)) {
        return mca_coll_symm_host_copy_iallreduce(sbuf, rbuf, count, dtype, op, comm, handle,
                                                  module);
    }
    int rc = request_make(&request, false, sbuf, rbuf, count, dtype, op, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_submit(request, handle) : rc;
}

int mca_coll_symm_allreduce_init(const void *sbuf, void *rbuf, symm_count_t count,
                                 struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                 struct ompi_communicator_t *comm, struct ompi_info_t *info,
                                 ompi_request_t **handle, mca_coll_base_module_t *module)
{
    mca_coll_symm_request_t *request;
    if (mca_coll_symm_bytes(dtype, (size_t)count) == 0) {
        return ompi_request_persistent_noop_create(handle); /* see entry/entry.h */
    }
    int rc = request_make(&request, true, sbuf, rbuf, count, dtype, op, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_init(request, info, handle) : rc;
}
