/*
 * host_copy/call.c - see host_copy/call.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/call.h"

#include "mca/coll/symm/host_copy/tell.h"
#include "mca/coll/symm/serve/below.h"

static int copy_open(const struct symm_host_copy_call *call, struct symm_host_copy *copy)
{
    if (!mca_coll_symm_host_copy_is_wanted(&call->buffers, copy, call->collective)) {
        mca_coll_symm_host_copy_leave(copy);
        return OMPI_SUCCESS;
    }
    return mca_coll_symm_host_copy_open(copy);
}

bool mca_coll_symm_host_copy_call_copies_make(struct symm_host_copy_call *call)
{
    int sent = copy_open(call, &call->buffers.send);
    int received = copy_open(call, &call->buffers.receive);
    call->error = sent != OMPI_SUCCESS ? sent : received;
    const struct symm_below *below = ((const mca_coll_symm_layer_t *)call->module)->below;
    if (call->error == OMPI_ERROR && below != NULL) {
        mca_coll_symm_below_spoil(below);
    }
    return sent != OMPI_ERR_OUT_OF_RESOURCE && received != OMPI_ERR_OUT_OF_RESOURCE;
}

bool mca_coll_symm_host_copy_call_bytes_make(struct symm_host_copy_call *call)
{
    if (mca_coll_symm_bytes_open(&call->buffers) != OMPI_SUCCESS) {
        call->error = OMPI_ERR_OUT_OF_RESOURCE;
        return false;
    }
    mca_coll_symm_bytes_pack(&call->buffers);
    return true;
}

int mca_coll_symm_host_copy_call_end(struct symm_host_copy_call *call)
{
    struct symm_host_copy_buffers *buffers = &call->buffers;
    if (call->error == OMPI_SUCCESS) {
        mca_coll_symm_bytes_unpack(buffers);
        call->error = mca_coll_symm_host_copy_store(&buffers->receive);
    }
    if (mca_coll_symm_host_copy_is_made(buffers)) {
        mca_coll_symm_host_copy_tell(call->collective, call->why, buffers);
    }
    mca_coll_symm_host_copy_copies_close(buffers);
    if (call->error == OMPI_ERROR) {
        return mca_coll_symm_host_copy_failed(call->collective, buffers->comm);
    }
    return call->error;
}
