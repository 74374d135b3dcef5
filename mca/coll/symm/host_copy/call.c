/*
 * host_copy/call.c - see host_copy/call.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/call.h"

#include <stdatomic.h>

#include "heap/gpu/cuda_device.h"
#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/host_copy/tell.h"
#include "mca/coll/symm/host_copy/ucx.h"
#include "mca/coll/symm/report/verbose.h"
#include "mca/coll/symm/serve/below.h"

static bool ucx_is_blind(void)
{
    if (!mca_coll_symm_ucx_is_blind()) {
        return false;
    }
    mca_coll_symm_verbose(SYMM_VERBOSE_TROUBLE,
                          "UCX has not loaded libucm_cuda.so, and takes device memory for host "
                          "memory: collectives below are made on host copies");
    return true;
}

static bool is_wanted(void)
{
    switch (mca_coll_symm_component.host_staging) {
    case MCA_COLL_SYMM_HOST_COPY_ALWAYS:
        return symm_cuda_is_built();
    case MCA_COLL_SYMM_HOST_COPY_NEVER:
        return false;
    default:
        return symm_cuda_is_built() && (!symm_ompi_knows_cuda() || ucx_is_blind());
    }
}

/*
 * Every call that goes below asks for this.  Open MPI is asked once, because it searches by name.
 */
bool mca_coll_symm_host_copy_is_on(void)
{
    /* threads set it to the same value */
    _Atomic int *known = &mca_coll_symm_component.host_copies;
    int answer = atomic_load_explicit(known, memory_order_relaxed);
    if (answer == 0) {
        answer = is_wanted() ? 1 : -1;
        atomic_store_explicit(known, answer, memory_order_relaxed);
    }
    return answer > 0;
}

bool mca_coll_symm_host_copy_is_for(enum symm_host_copy_collective collective)
{
    bool never = mca_coll_symm_component.host_staging == MCA_COLL_SYMM_HOST_COPY_NEVER;
    return mca_coll_symm_host_copy_is_on() ||
           (!never && symm_cuda_is_built() && mca_coll_symm_is_later_reduction(collective));
}

/*
 * Where no copies are to be made, Open MPI reads device memory itself.  Data with gaps are packed
 * here, and so are copied.
 */
static int copy_open(const struct symm_host_copy_call *call, struct symm_host_copy *copy)
{
    if (!mca_coll_symm_host_copy_is_for(call->collective) &&
        !mca_coll_symm_bytes_are_apart(&call->buffers, copy)) {
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
    mca_coll_symm_bytes_close(buffers);
    mca_coll_symm_host_copy_close(&buffers->send);
    mca_coll_symm_host_copy_close(&buffers->receive);
    if (call->error == OMPI_ERROR) {
        return mca_coll_symm_host_copy_failed(call->collective, buffers->comm);
    }
    return call->error;
}
