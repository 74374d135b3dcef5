/*
 * host_copy/copies.h - the copies of a call's buffers: of those on devices, and of bytes that are
 * held for the call (host_copy/bytes.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_COPIES_H
#define MCA_COLL_SYMM_HOST_COPY_COPIES_H

#include "mca/coll/symm/host_copy/describe.h"

/* Make the copies that the buffers need; also after an error they are to be closed. */
int mca_coll_symm_host_copy_copies_make(struct symm_host_copy_buffers *buffers,
                                        enum symm_host_copy_collective collective);

/* Copy what the call is to send.  After an error the rest has been copied all the same. */
int mca_coll_symm_host_copy_copies_fill(struct symm_host_copy_buffers *buffers);

void mca_coll_symm_host_copy_copies_close(struct symm_host_copy_buffers *buffers);

#endif /* MCA_COLL_SYMM_HOST_COPY_COPIES_H */
