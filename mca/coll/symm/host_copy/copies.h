/*
 * host_copy/copies.h - the copies of a call's buffers: of those on devices, and of bytes that are
 * held for the call (host_copy/bytes.h); and whether there are to be any.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_COPIES_H
#define MCA_COLL_SYMM_HOST_COPY_COPIES_H

#include "mca/coll/symm/host_copy/describe.h"

/* Whether device buffers are copied for the component below. */
bool mca_coll_symm_host_copy_is_on(void);

/*
 * Whether they are copied for this entry of a communicator's table.  Nonblocking and persistent
 * reductions get copies from an Open MPI that knows devices, too: libnbc reduces with the host
 * whatever memory it finds.
 */
bool mca_coll_symm_host_copy_is_for(enum symm_host_copy_collective collective);

/*
 * Whether the component below gets a copy of this buffer, if it is on a device.  If Open MPI knows
 * devices (host_copy/layer.c), it gets the buffer itself, unless that has to be packed.
 */
bool mca_coll_symm_host_copy_is_wanted(const struct symm_host_copy_buffers *buffers,
                                       const struct symm_host_copy *copy,
                                       enum symm_host_copy_collective collective);

/* Make the copies that the buffers of a request need; also after an error they are to be closed. */
int mca_coll_symm_host_copy_copies_make(struct symm_host_copy_buffers *buffers,
                                        enum symm_host_copy_collective collective);

/* Copy what the call is to send.  After an error the rest has been copied all the same. */
int mca_coll_symm_host_copy_copies_fill(struct symm_host_copy_buffers *buffers);

void mca_coll_symm_host_copy_copies_close(struct symm_host_copy_buffers *buffers);

#endif /* MCA_COLL_SYMM_HOST_COPY_COPIES_H */
