/*
 * host_copy/copies.c - see host_copy/copies.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/copies.h"

#include <stdatomic.h>

#include "heap/gpu/cuda_device.h"
#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/host_copy/bytes.h"
#include "mca/coll/symm/host_copy/ucx.h"
#include "mca/coll/symm/report/verbose.h"

/* ---- whether there are to be any ------------------------------------------------------------- */

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
    switch (mca_coll_symm_component.host_copies) {
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
    _Atomic int *known = &mca_coll_symm_component.has_host_copies;
    int answer = atomic_load_explicit(known, memory_order_relaxed);
    if (answer == 0) {
        answer = is_wanted() ? 1 : -1;
        atomic_store_explicit(known, answer, memory_order_relaxed);
    }
    return answer > 0;
}

static bool is_later_reduction(enum symm_mpi_function function)
{
    const struct symm_collective_row *row = mca_coll_symm_function_row(function);
    return row != NULL && row->reduces &&
           mca_coll_symm_function_form(function) != SYMM_CALL_BLOCKING;
}

bool mca_coll_symm_host_copy_is_for(enum symm_mpi_function function)
{
    bool never = mca_coll_symm_component.host_copies == MCA_COLL_SYMM_HOST_COPY_NEVER;
    return mca_coll_symm_function_has_data(function) &&
           (mca_coll_symm_host_copy_is_on() ||
            (!never && symm_cuda_is_built() && is_later_reduction(function)));
}

bool mca_coll_symm_host_copy_is_between(enum symm_mpi_function function)
{
    return mca_coll_symm_host_copy_is_for(function) || mca_coll_symm_has_bytes(function);
}

bool mca_coll_symm_host_copy_is_wanted(const struct symm_host_copy_buffers *buffers,
                                       const struct symm_host_copy *copy,
                                       enum symm_mpi_function function)
{
    return buffers->need_host || mca_coll_symm_host_copy_is_for(function) ||
           mca_coll_symm_bytes_are_apart(buffers, copy);
}

/* ---- what is handed over -------------------------------------------------------------------- */

/* The displacements of typed pieces in a copy. */
static void places_replace(const struct symm_host_copy *copy, symm_disps_t *disps,
                           symm_byte_disps_t *bytes)
{
    if (!mca_coll_symm_side_is_typed(&copy->side) || copy->device < 0) {
        return;
    }
    if (copy->side.shape == SYMM_SIDE_FAR) {
        *bytes = symm_byte_disps_make(copy->moved);
    } else {
        *disps = copy->moved_disps;
    }
}

struct symm_arguments mca_coll_symm_host_copy_arguments(
    const struct symm_host_copy_buffers *buffers, const struct symm_arguments *a)
{
    const struct symm_bytes *sent = &buffers->sent, *received = &buffers->received;
    struct symm_arguments handed = *a;
    if (buffers->moves) {
        handed.sbuf = sent->address;
        handed.scount = sent->count;
        handed.sdtype = sent->dtype;
        handed.rbuf = received->address;
        handed.rcount = received->count;
        handed.rcounts = received->counts;
        handed.rdisps = received->disps;
        handed.rdtype = received->dtype;
    } else {
        handed.sbuf = buffers->send.address;
        handed.rbuf = buffers->receive.address;
        places_replace(&buffers->send, &handed.sdisps, &handed.sbytes);
        places_replace(&buffers->receive, &handed.rdisps, &handed.rbytes);
    }
    return handed;
}

/* ---- those of a request ---------------------------------------------------------------------- */

static void find(struct symm_host_copy *copy, const struct symm_host_copy_buffers *buffers,
                 enum symm_mpi_function function)
{
    mca_coll_symm_host_copy_leave(copy);
    if (mca_coll_symm_host_copy_is_wanted(buffers, copy, function)) {
        (void)mca_coll_symm_host_copy_find(copy);
    }
}

static int room_make(struct symm_host_copy *copy)
{
    return copy->device >= 0 ? mca_coll_symm_host_copy_room_make(copy) : OMPI_SUCCESS;
}

int mca_coll_symm_host_copy_copies_make(struct symm_host_copy_buffers *buffers,
                                        enum symm_mpi_function function)
{
    find(&buffers->send, buffers, function);
    find(&buffers->receive, buffers, function);
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
