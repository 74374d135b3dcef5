/*
 * host_copy/call.c - see host_copy/call.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/call.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>

#include "heap/cuda_device.h"
#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/serve/below.h"
#include "mca/coll/symm/report/counters.h"
#include "mca/coll/symm/device/device.h"
#include "mca/coll/symm/report/verbose.h"
#include "mca/coll/symm/host_copy/ucx.h"
#include "mca/coll/symm/report/words.h"

static bool ucx_is_blind(void)
{
    if (!mca_coll_symm_ucx_is_blind()) {
        return false;
    }
    mca_coll_symm_verbose(SYMM_VERBOSE_TROUBLE,
                          "UCX has not loaded libucm_cuda.so, and takes device memory for host memory: "
                          "collectives below are made on host copies");
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
    _Atomic int *known = &mca_coll_symm_component.host_copies; /* threads set it to the same value */
    int answer = atomic_load_explicit(known, memory_order_relaxed);
    if (answer == 0) {
        answer = is_wanted() ? 1 : -1;
        atomic_store_explicit(known, answer, memory_order_relaxed);
    }
    return answer > 0;
}

bool mca_coll_symm_host_copy_call_copies_make(struct symm_host_copy_call *call)
{
    int sent = mca_coll_symm_host_copy_open(&call->send);
    int received = mca_coll_symm_host_copy_open(&call->receive);
    call->error = sent != OMPI_SUCCESS ? sent : received;
    const struct symm_below *below = ((const mca_coll_symm_layer_t *)call->module)->below;
    if (call->error == OMPI_ERROR && below != NULL) {
        mca_coll_symm_below_spoil(below);
    }
    return sent != OMPI_ERR_OUT_OF_RESOURCE && received != OMPI_ERR_OUT_OF_RESOURCE;
}

/* The name of a collective as in "MPI_Reduce_scatter". */
static void function_name(enum symm_host_copy_collective collective, char *name, size_t size)
{
    (void)snprintf(name, size, "MPI_%s", mca_coll_symm_host_copy_text(collective));
    name[4] = (char)toupper((unsigned char)name[4]);
}

/* Explain the first call of each collective in this process. */
static void explain(const struct symm_host_copy_call *call)
{
    static _Atomic uint32_t told;
    uint32_t bit = UINT32_C(1) << call->collective;
    _Static_assert(SYMM_HOST_COPY_COUNT <= 32, "there is a bit for each collective");
    if (mca_coll_symm_is_verbose(SYMM_VERBOSE_ALGORITHMS) &&
        (atomic_fetch_or_explicit(&told, bit, memory_order_relaxed) & bit) == 0) {
        mca_coll_symm_verbose_about(SYMM_VERBOSE_ALGORITHMS, call->comm,
                                    "%s: rank %d copies its device buffers through host memory "
                                    "for the component below (%s), %zu bytes this time",
                                    mca_coll_symm_host_copy_text(call->collective),
                                    ompi_comm_rank(call->comm),
                                    mca_coll_symm_host_copy_why_text(call->why),
                                    call->send.copied + call->receive.copied);
    }
}

int mca_coll_symm_host_copy_call_end(struct symm_host_copy_call *call)
{
    char name[64];
    if (call->error == OMPI_SUCCESS) {
        call->error = mca_coll_symm_host_copy_store(&call->receive);
    }
    mca_coll_symm_count_host_copy(call->collective, call->why,
                               call->send.copied + call->receive.copied);
    explain(call);
    mca_coll_symm_host_copy_close(&call->send);
    mca_coll_symm_host_copy_close(&call->receive);
    if (call->error != OMPI_ERROR) {
        return call->error;
    }
    function_name(call->collective, name, sizeof(name));
    return mca_coll_symm_device_failed(call->comm, name);
}
