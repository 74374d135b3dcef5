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
 * Whether they are copied for this function's calls.  Nonblocking and persistent reductions get
 * copies from an Open MPI that knows devices, too: libnbc reduces with the host whatever memory it
 * finds.
 */
bool mca_coll_symm_host_copy_is_for(enum symm_mpi_function function);

/* Whether calls of this function go below by way of call.h and request.h, for copies or bytes. */
bool mca_coll_symm_host_copy_is_between(enum symm_mpi_function function);

/*
 * Whether the component below gets a copy of this buffer, if it is on a device.  If Open MPI knows
 * devices (host_copy/layer.c), it gets the buffer itself, unless that has to be packed.
 */
bool mca_coll_symm_host_copy_is_wanted(const struct symm_host_copy_buffers *buffers,
                                       const struct symm_host_copy *copy,
                                       enum symm_mpi_function function);

/* Make the copies that the buffers of a request need; also after an error they are to be closed. */
int mca_coll_symm_host_copy_copies_make(struct symm_host_copy_buffers *buffers,
                                        enum symm_mpi_function function);

/*
 * Whether the program's arguments can be handed on as they are: both buffers are known to be in
 * host memory, and nothing is handed over as bytes.  Otherwise the rest has to find out.
 */
static inline bool mca_coll_symm_host_copy_hands_on(struct symm_host_copy_buffers *buffers)
{
    return mca_coll_symm_host_copy_buffers_are_needless(buffers) &&
           !(buffers->moves && buffers->are_served);
}

/* The arguments of the function below, once the copies are made.  `a` are the program's. */
struct symm_arguments mca_coll_symm_host_copy_arguments(
    const struct symm_host_copy_buffers *buffers, const struct symm_arguments *a);

/* Copy what the call is to send.  After an error the rest has been copied all the same. */
int mca_coll_symm_host_copy_copies_fill(struct symm_host_copy_buffers *buffers);

void mca_coll_symm_host_copy_copies_close(struct symm_host_copy_buffers *buffers);

#endif /* MCA_COLL_SYMM_HOST_COPY_COPIES_H */
