/*
 * entry/reduction.c - see entry/reduction.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/reduction.h"

#include "mca/coll/symm/data/cuda_types.h"

void mca_coll_symm_reduction_reduce(void *context, const void *source, void *target, size_t count)
{
    const struct symm_call *call = context;
    ompi_op_reduce(call->op, mca_coll_symm_at(source, -call->shift),
                   mca_coll_symm_at(target, -call->shift), count, call->dtype);
}

/*
 * This is right for predefined operations only: for others Open MPI's function swaps the operands.
 */
void mca_coll_symm_reduction_combine(void *context, const void *left, const void *right,
                                     void *target, size_t count)
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

enum symm_reason mca_coll_symm_reduction_device_veto(struct symm_call *call)
{
    if (call->unusable) {
        return SYMM_REASON_ELSEWHERE;
    }
    if (call->asymmetric) {
        return SYMM_REASON_ASYMMETRIC;
    }
    if (call->gaps != 0) {
        return SYMM_REASON_GAPS;
    }
    if (mca_coll_symm_cuda_type(call->op, call->dtype, &call->cuda_type, &call->cuda_op)) {
        return SYMM_REASON_NONE; /* operations of ours included, to Open MPI user-defined ones */
    }
    return ompi_op_is_intrinsic(call->op) ? SYMM_REASON_KERNEL : SYMM_REASON_USER;
}

/* ---- nonblocking and persistent calls -------------------------------------------------------- */

static int request_make(mca_coll_symm_request_t **request, bool persistent,
                        enum symm_collective collective, const struct symm_request_below *below,
                        const struct symm_arguments *arguments, size_t results,
                        struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    int rc = mca_coll_symm_request_open(request, below, persistent, comm, module);
    if (rc == OMPI_SUCCESS) {
        (*request)->arguments = *arguments;
        mca_coll_symm_reduction_describe(&(*request)->call, collective,
                                         (*request)->module->super.kinds, arguments->sbuf,
                                         arguments->rbuf, (size_t)arguments->scount, results, 0,
                                         arguments->sdtype, arguments->op);
    }
    return rc;
}

static bool is_empty(const struct symm_arguments *arguments)
{
    return mca_coll_symm_bytes(arguments->sdtype, (size_t)arguments->scount) == 0;
}

int mca_coll_symm_reduction_start(enum symm_collective collective,
                                  const struct symm_request_below *below,
                                  const struct symm_arguments *arguments, size_t results,
                                  struct ompi_communicator_t *comm, ompi_request_t **handle,
                                  mca_coll_base_module_t *module)
{
    mca_coll_symm_request_t *request;
    if (is_empty(arguments)) {
        *handle = &ompi_request_empty;
        return OMPI_SUCCESS;
    }
    int rc = request_make(&request, false, collective, below, arguments, results, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_submit(request, handle) : rc;
}

int mca_coll_symm_reduction_init(enum symm_collective collective,
                                 const struct symm_request_below *below,
                                 const struct symm_arguments *arguments, size_t results,
                                 struct ompi_communicator_t *comm, struct ompi_info_t *info,
                                 ompi_request_t **handle, mca_coll_base_module_t *module)
{
    mca_coll_symm_request_t *request;
    if (is_empty(arguments)) {
        return ompi_request_persistent_noop_create(handle); /* see entry/entry.h */
    }
    int rc = request_make(&request, true, collective, below, arguments, results, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_init(request, info, handle) : rc;
}
