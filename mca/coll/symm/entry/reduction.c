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
