/*
 * host_copy/copies.c - see host_copy/copies.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/copies.h"

#include "mca/coll/symm/host_copy/bytes.h"
#include "mca/coll/symm/host_copy/call.h"

/*
 * Find out whether the buffer needs a copy.  If Open MPI knows devices (host_copy/layer.c), the
 * component below gets the buffer itself, wherever it is, unless it has to be packed.
 */
static void find(struct symm_host_copy *copy, const struct symm_host_copy_buffers *buffers,
                 enum symm_host_copy_collective collective)
{
    mca_coll_symm_host_copy_leave(copy);
    if (mca_coll_symm_host_copy_is_for(collective) ||
        mca_coll_symm_bytes_are_apart(buffers, copy)) {
        (void)mca_coll_symm_host_copy_find(copy);
    }
}

static int room_make(struct symm_host_copy *copy)
{
    return copy->device >= 0 ? mca_coll_symm_host_copy_room_make(copy) : OMPI_SUCCESS;
}

int mca_coll_symm_host_copy_copies_make(struct symm_host_copy_buffers *buffers,
                                        enum symm_host_copy_collective collective)
{
    find(&buffers->send, buffers, collective);
    find(&buffers->receive, buffers, collective);
    int rc = room_make(&buffers->send);
    rc = rc == OMPI_SUCCESS ? room_make(&buffers->receive) : rc;
    return rc == OMPI_SUCCESS && buffers->moves ? mca_coll_symm_bytes_open(buffers) : rc;
}

static int fill(struct symm_host_copy *copy)
{
    copy->copied = 0;
    return copy->device >= 0 ? mca_coll_symm_host_copy_fill(copy) : OMPI_SUCCESS;
}

int mca_coll_symm_host_copy_copies_fill(struct symm_host_copy_buffers *buffers)
{
    int sent = fill(&buffers->send);
    int received = fill(&buffers->receive);
    mca_coll_symm_bytes_pack(buffers);
    return sent != OMPI_SUCCESS ? sent : received;
}

void mca_coll_symm_host_copy_copies_close(struct symm_host_copy_buffers *buffers)
{
    mca_coll_symm_bytes_close(buffers);
    mca_coll_symm_host_copy_close(&buffers->send);
    mca_coll_symm_host_copy_close(&buffers->receive);
}
