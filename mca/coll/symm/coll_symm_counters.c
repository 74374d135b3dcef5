/*
 * coll_symm_counters.c - see coll_symm_counters.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/coll_symm_counters.h"

#include "mca/coll/symm/coll_symm.h"

static struct symm_counters own_counters;
static struct symm_counters *counters = &own_counters;

/* ---- words ----------------------------------------------------------------------------------- */

const char *mca_coll_symm_collective_text(enum symm_collective collective)
{
    static const char *const texts[SYMM_COLLECTIVE_COUNT] = {
        [SYMM_ALLREDUCE] = "allreduce",
        [SYMM_ALLGATHER] = "allgather",
    };
    return texts[collective];
}

const char *mca_coll_symm_reason_text(enum symm_reason reason)
{
    static const char *const texts[SYMM_REASON_COUNT] = {
        [SYMM_REASON_NONE] = "",
        [SYMM_REASON_GAPS] = "datatype with gaps",
        [SYMM_REASON_ELEMENT] = "elements of more than 64 KiB",
        [SYMM_REASON_SLOWER] = "large, and not from MPI_Alloc_mem",
        [SYMM_REASON_PEER] = "another rank's part cannot be served",
        [SYMM_REASON_DISABLED] = "ranks cannot share memory",
    };
    return texts[reason];
}

const char *mca_coll_symm_unserved_text(enum symm_unserved why)
{
    static const char *const texts[SYMM_UNSERVED_COUNT] = {
        [SYMM_UNSERVED_NODES] = "ranks on several nodes",
        [SYMM_UNSERVED_INTER] = "inter-communicators",
        [SYMM_UNSERVED_COMPONENT] = "some processes run without the component",
    };
    return texts[why];
}

enum symm_collective mca_coll_symm_algorithm_collective(enum symm_algorithm algorithm)
{
    return algorithm < SYMM_ALLGATHER_SLOT ? SYMM_ALLREDUCE : SYMM_ALLGATHER;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* A locked addition is needed only where several threads count. */
static inline void add(_Atomic uint64_t *counter, uint64_t number)
{
    if (ompi_mpi_thread_multiple) {
        (void)atomic_fetch_add_explicit(counter, number, memory_order_relaxed);
    } else {
        uint64_t before = atomic_load_explicit(counter, memory_order_relaxed);
        atomic_store_explicit(counter, before + number, memory_order_relaxed);
    }
}

void mca_coll_symm_count_operation(const struct symm_operation *operation)
{
    const struct symm_call *call = &operation->call;
    struct symm_count *count = NULL;
    switch (operation->outcome) {
    case SYMM_OUTCOME_SERVED:
        count = &counters->served[operation->run.algorithm];
        break;
    case SYMM_OUTCOME_FALLBACK:
        count = &counters->fallback[call->collective][operation->reason];
        break;
    case SYMM_OUTCOME_ERROR:
        count = &counters->failed[call->collective];
        break;
    }
    add(&count->calls, 1);
    add(&count->bytes, call->count * call->extent);
}

void mca_coll_symm_count_unserved(enum symm_unserved why)
{
    add(&counters->unserved[why], 1);
}

/* ---- where ----------------------------------------------------------------------------------- */

const struct symm_counters *mca_coll_symm_counters(void)
{
    return counters;
}

void mca_coll_symm_counters_move(struct symm_counters *to)
{
    struct symm_counters *from = counters;
    counters = to != NULL ? to : &own_counters;
    if (from != counters) {
        memcpy(counters, from, sizeof(*from));
    }
}
