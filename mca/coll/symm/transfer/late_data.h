/*
 * transfer/late_data.h - how data get into lines and out of them in late calls
 * (transfer/late.h), and how ranks wait for those that bring theirs after they have posted their
 * lines.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_TRANSFER_LATE_DATA_H
#define MCA_COLL_SYMM_TRANSFER_LATE_DATA_H

#include "mca/coll/symm/base/operation.h"

/* Whether no device has a part in what this rank gives and gets. */
static inline bool mca_coll_symm_late_is_on_host(const struct symm_call *call)
{
    return call->device < 0 && !call->unusable;
}

/* The run has failed, and `error` is what MPI gets. */
void mca_coll_symm_late_fail(struct symm_operation *operation, int error);

/* A block of `sender` is longer than its place, which has `room` bytes: the program's error. */
void mca_coll_symm_late_truncated(struct symm_operation *operation, int sender, size_t bytes,
                                   size_t room);

/*
 * Pack elements, in any memory, and unpack them to any memory.  Of more elements than `layout` has
 * bytes for, the first ones.  A failure is the run's.
 */
void mca_coll_symm_late_bring(struct symm_operation *operation, const struct symm_layout *layout,
                               const void *buffer, void *packed);
void mca_coll_symm_late_deliver(struct symm_operation *operation,
                                 const struct symm_layout *layout, const void *packed,
                                 void *buffer);

/* This rank has brought what it gives, or has failed to. */
void mca_coll_symm_late_tell(struct symm_run *run);

/*
 * Begin to wait for the ranks that bring their data: in a scan those before this one, and at a root
 * all others.  Then ask whether all have, until they have.
 */
void mca_coll_symm_late_await(struct symm_operation *operation);
bool mca_coll_symm_late_have_brought(struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_TRANSFER_LATE_DATA_H */
