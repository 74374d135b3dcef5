/*
 * entry/allreduce.c - MPI_Allreduce: from MPI's arguments to an operation and back.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/coll_symm.h"
#include "mca/coll/symm/data/cuda_types.h"
#include "mca/coll/symm/serve/below.h"
#include "mca/coll/symm/device/device.h"
#include "mca/coll/symm/host_copy/call.h"
#include "mca/coll/symm/host_copy/reduce.h"

/* ---- the reduction, through Open MPI's op framework ------------------------------------------ */

/* struct symm_reduction's functions; the context is the call. */
static void reduce(void *context, const void *source, void *target, size_t count)
{
    const struct symm_call *call = context;
    ompi_op_reduce(call->op, mca_coll_symm_at(source, -call->shift),
                   mca_coll_symm_at(target, -call->shift), count, call->dtype);
}

/* Right for predefined operations only: for others Open MPI's function swaps the operands. */
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
 * Elements are copied whole, from one to the next.  For predefined types, pair types included, that is
 * what C's structs do; a derived type may have gaps, which are the program's, and must not be touched.
 * In the slot, where it costs little, elements travel without their gaps.
 */
static void elements_describe(struct symm_call *call)
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
    if (call->foreign) {
        return SYMM_REASON_FOREIGN;
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

static enum symm_reason veto_reason(struct symm_call *call)
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
 * Integer, floating point, complex or something else.  Handles and ids say too much: MPI_LONG,
 * MPI_LONG_LONG and MPI_INT64_T are different ones and may meet in practice.
 */
static uint16_t element_class(const struct ompi_datatype_t *dtype)
{
    return (uint16_t)((dtype->super.flags & OMPI_DATATYPE_FLAG_DATA_TYPE) >> 12);
}

static void describe(struct symm_call *call, const void *sbuf, void *rbuf, size_t count,
                     struct ompi_datatype_t *dtype, struct ompi_op_t *op)
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
    mca_coll_symm_device_describe(call);
    call->veto = veto_reason(call);
    if (intrinsic) {
        call->agreed_count = count;
        call->signature = mca_coll_symm_signature(SYMM_ALLREDUCE, (uint8_t)op->op_type,
                                                  element_class(dtype), (uint32_t)extent);
    } else {
        call->agreed_count = call->payload_bytes;
        call->signature = mca_coll_symm_signature(SYMM_ALLREDUCE, MCA_COLL_SYMM_USER_OP, 0, 1);
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
    mca_coll_symm_module_t *symm = (mca_coll_symm_module_t *)module;
    struct symm_operation *operation = &symm->operation;
    struct symm_below below;
    int rc;
    if (mca_coll_symm_bytes(dtype, (size_t)count) == 0) {
        return OMPI_SUCCESS; /* as the binding does for a count of 0: see data/pack.h */
    }
    if (operation->state != SYMM_OPERATION_DONE) { /* a call within a call */
        if (!mca_coll_symm_below_interrupt(operation, comm, "MPI_Allreduce")) {
            return MPI_ERR_OTHER;
        }
        rc = mca_coll_symm_allreduce(sbuf, rbuf, count, dtype, op, comm, module);
        mca_coll_symm_below_resume(operation);
        return rc;
    }
    describe(&operation->call, sbuf, rbuf, (size_t)count, dtype, op);
    if (mca_coll_symm_operation_serve(operation, comm, &rc)) {
        return rc;
    }
    mca_coll_symm_below_begin(&below, operation);
    if (mca_coll_symm_host_copy_is_on()) {
        rc = mca_coll_symm_host_copy_allreduce(sbuf, rbuf, count, dtype, op, comm, module);
    } else {
        const mca_coll_base_comm_coll_t *before = mca_coll_symm_below_table(module);
        struct symm_aside aside;
        mca_coll_symm_layer_step_aside(&aside, SYMM_HOST_COPY_allreduce, comm, module);
        rc = before->coll_allreduce(sbuf, rbuf, count, dtype, op, comm,
                                    before->coll_allreduce_module);
        mca_coll_symm_layer_step_back(&aside);
    }
    return mca_coll_symm_below_end(&below, rc);
}
