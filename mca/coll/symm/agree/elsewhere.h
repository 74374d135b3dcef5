/*
 * agree/elsewhere.h - buffers in device memory that is not from MPI_Alloc_mem, offered to peers by
 * CUDA IPC.
 *
 * Mapping an allocation takes milliseconds.  So a rank offers its buffer only if it has met the
 * allocation more than once and the buffer is not small.  As long as some rank does not offer its
 * buffer, the call goes through scratch on the devices.  All ranks see from the lines who offers
 * what, and treat an offered allocation like a segment of a heap (heap/gpu/cuda_ipc.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_AGREE_ELSEWHERE_H
#define MCA_COLL_SYMM_AGREE_ELSEWHERE_H

#include "mca/coll/symm/base/operation.h"

/*
 * Called before this rank posts its line for a call on device memory.  The function lets go of what
 * has been freed, here and by peers.  Unless the call is vetoed, it fills operation->input_offer
 * and output_offer.
 */
void mca_coll_symm_elsewhere_prepare(struct symm_operation *operation);

/* The call is over. */
void mca_coll_symm_elsewhere_leave(struct symm_operation *operation);
static inline void mca_coll_symm_elsewhere_end(struct symm_operation *operation)
{
    if (operation->imports != NULL) {
        mca_coll_symm_elsewhere_leave(operation);
    }
}

#endif /* MCA_COLL_SYMM_AGREE_ELSEWHERE_H */
