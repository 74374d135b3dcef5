/*
 * host_copy/warn.c - see host_copy/warn.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/warn.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>

#include "mca/coll/symm/device/device.h"
#include "mca/coll/symm/report/counters.h"
#include "mca/coll/symm/report/verbose.h"
#include "mca/coll/symm/report/words.h"

/* The name of a collective as in "MPI_Reduce_scatter". */
static void mpi_name_format(enum symm_mpi_function function, char *name, size_t size)
{
    (void)snprintf(name, size, "MPI_%s", mca_coll_symm_function_name(function));
    name[4] = (char)toupper((unsigned char)name[4]);
}

/* Explain the first call of each collective in this process. */
static void explain(enum symm_mpi_function function, enum symm_host_copy_why why,
                    struct ompi_communicator_t *comm, size_t bytes)
{
    static _Atomic bool told[SYMM_MPI_FUNCTION_COUNT];
    if (mca_coll_symm_is_verbose(SYMM_VERBOSE_ALGORITHMS) &&
        !atomic_exchange_explicit(&told[function], true, memory_order_relaxed)) {
        mca_coll_symm_verbose_about(SYMM_VERBOSE_ALGORITHMS, comm,
                                    "%s: rank %d copies its device buffers through host memory "
                                    "for the component below (%s), %zu bytes this time",
                                    mca_coll_symm_function_name(function),
                                    ompi_comm_rank(comm),
                                    mca_coll_symm_host_copy_why_text(function, why), bytes);
    }
}

void mca_coll_symm_host_copy_warn(enum symm_mpi_function function,
                                  enum symm_host_copy_why why,
                                  const struct symm_host_copy_buffers *buffers)
{
    size_t bytes = buffers->send.copied + buffers->receive.copied;
    mca_coll_symm_count_host_copy(function, why, bytes);
    explain(function, why, buffers->comm, bytes);
}

int mca_coll_symm_host_copy_failed(enum symm_mpi_function function,
                                   struct ompi_communicator_t *comm)
{
    char name[64];
    mpi_name_format(function, name, sizeof(name));
    return mca_coll_symm_device_failed(comm, name);
}
