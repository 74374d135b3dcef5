/*
 * host_copy/staging.c - see host_copy/staging.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/staging.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>

#include "heap/cuda_device.h"
#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/serve/below.h"
#include "mca/coll/symm/report/counters.h"
#include "mca/coll/symm/device/device.h"
#include "mca/coll/symm/report/verbose.h"
#include "mca/coll/symm/report/words.h"

static bool is_wanted(void)
{
    switch (mca_coll_symm_component.host_staging) {
    case MCA_COLL_SYMM_HOST_COPY_ALWAYS:
        return symm_cuda_is_built();
    case MCA_COLL_SYMM_HOST_COPY_NEVER:
        return false;
    default:
        return symm_cuda_is_built() && !symm_ompi_knows_cuda();
    }
}

/* Every call that goes below asks; Open MPI is asked once, since that is a search by name. */
bool mca_coll_symm_staging_is_on(void)
{
    static _Atomic int known = -1; /* threads may find it out at the same time */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer < 0) {
        answer = is_wanted();
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer > 0;
}

bool mca_coll_symm_staging_make_copies(struct symm_staging *staging)
{
    int sent = mca_coll_symm_host_copy_open(&staging->send);
    int received = mca_coll_symm_host_copy_open(&staging->receive);
    staging->error = sent != OMPI_SUCCESS ? sent : received;
    const struct symm_below *below = ((const mca_coll_symm_layer_t *)staging->module)->below;
    if (staging->error == OMPI_ERROR && below != NULL) {
        mca_coll_symm_below_spoil(below);
    }
    return sent != OMPI_ERR_OUT_OF_RESOURCE && received != OMPI_ERR_OUT_OF_RESOURCE;
}

/* "MPI_Reduce_scatter" */
static void function_name(enum symm_staged collective, char *name, size_t size)
{
    (void)snprintf(name, size, "MPI_%s", mca_coll_symm_staged_text(collective));
    name[4] = (char)toupper((unsigned char)name[4]);
}

/* Once for each collective in a process: the reason does not change. */
static void explain(const struct symm_staging *staging)
{
    static _Atomic uint32_t told;
    uint32_t bit = UINT32_C(1) << staging->collective;
    _Static_assert(SYMM_STAGED_COUNT <= 32, "there is a bit for each collective");
    if (mca_coll_symm_is_verbose(SYMM_VERBOSE_ALGORITHMS) &&
        (atomic_fetch_or_explicit(&told, bit, memory_order_relaxed) & bit) == 0) {
        mca_coll_symm_verbose_about(SYMM_VERBOSE_ALGORITHMS, staging->comm,
                                    "%s: rank %d copies its device buffers through host memory "
                                    "for the component before (%s), %zu bytes this time",
                                    mca_coll_symm_staged_text(staging->collective),
                                    ompi_comm_rank(staging->comm),
                                    mca_coll_symm_staged_why_text(staging->why),
                                    staging->send.copied + staging->receive.copied);
    }
}

int mca_coll_symm_staging_end(struct symm_staging *staging)
{
    char name[64];
    if (staging->error == OMPI_SUCCESS) {
        staging->error = mca_coll_symm_host_copy_store(&staging->receive);
    }
    mca_coll_symm_count_staged(staging->collective, staging->why,
                               staging->send.copied + staging->receive.copied);
    explain(staging);
    mca_coll_symm_host_copy_close(&staging->send);
    mca_coll_symm_host_copy_close(&staging->receive);
    if (staging->error != OMPI_ERROR) {
        return staging->error;
    }
    function_name(staging->collective, name, sizeof(name));
    return mca_coll_symm_device_failed(staging->comm, name);
}
