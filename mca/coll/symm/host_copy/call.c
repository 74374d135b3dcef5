/*
 * host_copy/call.c - see host_copy/call.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/call.h"

#include "mca/coll/symm/host_copy/copies.h"
#include "mca/coll/symm/host_copy/warn.h"
#include "mca/coll/symm/serve/below.h"

struct call {
    enum symm_mpi_function function;
    mca_coll_base_module_t *module;
    struct symm_host_copy_buffers buffers; /* messages name their communicator */
    int error;
};

static void begin(struct call *call, struct ompi_communicator_t *comm)
{
    const mca_coll_symm_layer_t *layer = (const mca_coll_symm_layer_t *)call->module;
    if (call->function == SYMM_MPI_FUNCTION_reduce_local) { /* of no communicator's promise */
        mca_coll_symm_host_copy_buffers_begin(&call->buffers, &ompi_mpi_comm_self.comm,
                                              SYMM_KINDS_ANY, false);
    } else {
        mca_coll_symm_host_copy_buffers_begin(&call->buffers, comm, layer->kinds,
                                              mca_coll_symm_host_copy_is_served(call->module));
        call->buffers.need_host = layer->needs_host;
    }
}

static int copy_open(const struct call *call, struct symm_host_copy *copy)
{
    if (!mca_coll_symm_host_copy_is_wanted(&call->buffers, copy, call->function)) {
        mca_coll_symm_host_copy_leave(copy);
        return OMPI_SUCCESS;
    }
    return mca_coll_symm_host_copy_open(copy);
}

/* Make the copies that are needed.  False: the call cannot be made at all. */
static bool copies_make(struct call *call)
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

/* Make the bytes that are handed over, after the copies. */
static bool bytes_make(struct call *call)
{
    if (mca_coll_symm_bytes_open(&call->buffers) != OMPI_SUCCESS) {
        call->error = OMPI_ERR_OUT_OF_RESOURCE;
        return false;
    }
    mca_coll_symm_bytes_pack(&call->buffers);
    return true;
}

static int below_make(struct call *call, const struct symm_arguments *arguments)
{
    struct symm_host_copy_buffers *buffers = &call->buffers;
    call->error = OMPI_SUCCESS;
    if ((!mca_coll_symm_host_copy_buffers_are_needless(buffers) && !copies_make(call)) ||
        (buffers->moves && !bytes_make(call))) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    const struct symm_arguments handed = mca_coll_symm_host_copy_arguments(buffers, arguments);
    return mca_coll_symm_layer_call_blocking(call->function, &handed, call->module);
}

/* Bring back the results, count the call and explain it. */
static int copies_end(struct call *call)
{
    struct symm_host_copy_buffers *buffers = &call->buffers;
    if (call->error == OMPI_SUCCESS) {
        mca_coll_symm_bytes_unpack(buffers);
        call->error = mca_coll_symm_host_copy_store(&buffers->receive);
    }
    if (mca_coll_symm_host_copy_is_made(buffers)) {
        mca_coll_symm_host_copy_warn(call->function,
                                     mca_coll_symm_host_copy_why_of(call->function, call->module),
                                     buffers);
    }
    mca_coll_symm_host_copy_copies_close(buffers);
    if (call->error == OMPI_ERROR) {
        return mca_coll_symm_host_copy_failed(call->function, buffers->comm);
    }
    return call->error;
}

int mca_coll_symm_host_copy_call(enum symm_mpi_function function,
                                 const struct symm_arguments *arguments,
                                 mca_coll_base_module_t *module)
{
    struct call call; /* the buffers take 700 bytes */
    call.function = function;
    call.module = module;
    begin(&call, arguments->comm);
    mca_coll_symm_host_copy_describe(function, &call.buffers, arguments);
    if (mca_coll_symm_host_copy_hands_on(&call.buffers)) {
        return mca_coll_symm_layer_call_blocking(function, arguments, module);
    }
    int rc = below_make(&call, arguments);
    if (call.error == OMPI_SUCCESS) {
        call.error = rc;
    }
    bool ends = mca_coll_symm_host_copy_is_made(&call.buffers) ||
                mca_coll_symm_bytes_are_held(&call.buffers);
    return ends ? copies_end(&call) : call.error;
}
