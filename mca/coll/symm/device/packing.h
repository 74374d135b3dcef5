/*
 * device/packing.h - calls on devices whose data have gaps: kernels pack them where other ranks
 * reach them, and unpack what comes.
 *
 * A rank with gaps makes the call with packed buffers in the heap, and its peers know nothing of
 * it.  So all algorithms serve such calls, and no two ranks need to have gaps in the same calls.
 * The operation's call is replaced by one that describes the packed buffers, until it ends.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_DEVICE_PACKING_H
#define MCA_COLL_SYMM_DEVICE_PACKING_H

#include "mca/coll/symm/base/operation.h"

/* Whether a call has gaps that kernels may pack.  Reductions want elements as they are. */
static inline bool mca_coll_symm_packing_is_for(const struct symm_call *call)
{
    return call->device >= 0 && (call->gaps & SYMM_GAPS_ANY) != 0 &&
           call->veto == SYMM_REASON_NONE && !symm_collective_get(call->collective)->reduces;
}

/*
 * Replace operation->call, and what the operation has from it.  False: the data are few, there is
 * no room for them, the datatype's description is too long, or they are in different memories;
 * nothing has been done.
 */
bool mca_coll_symm_packing_begin(struct symm_operation *operation);

/*
 * Steps, before the line is posted and after the run.  PENDING, OK, or an error of the device.
 */
enum symm_status mca_coll_symm_packing_pack(struct symm_operation *operation);
enum symm_status mca_coll_symm_packing_unpack(struct symm_operation *operation);

/* Whether a kernel that packs or unpacks is under way. */
bool mca_coll_symm_packing_is_at_work(struct symm_operation *operation);

/*
 * The operation is over, or goes on without packed data: wait for a kernel that is under way, give
 * everything back, and have the call as the program has made it.
 */
void mca_coll_symm_packing_end(struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_DEVICE_PACKING_H */
