/*
 * coll_symm_counters.c - see coll_symm_counters.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/coll_symm_counters.h"

#include "mca/coll/symm/coll_symm.h"

static struct symm_counters own_counters;
static _Atomic(struct symm_counters *) counters = &own_counters;

/* ---- words ----------------------------------------------------------------------------------- */

const char *mca_coll_symm_collective_text(enum symm_collective collective)
{
    static const char *const texts[SYMM_COLLECTIVE_COUNT] = {
        [SYMM_ALLREDUCE] = "allreduce",
        [SYMM_ALLGATHER] = "allgather",
    };
    return texts[collective];
}

struct words {
    const char *name, *text;
};

static const struct words reasons[SYMM_REASON_COUNT] = {
    [SYMM_REASON_NONE] = {"none", ""},
    [SYMM_REASON_GAPS] = {"gaps", "datatype with gaps, too large to be packed"},
    [SYMM_REASON_UNEQUAL] = {"unequal", "sent and received sizes differ"},
    [SYMM_REASON_ELEMENT] = {"element", "elements of more than 64 KiB"},
    [SYMM_REASON_PEER] = {"peer", "another rank's part cannot be served"},
    [SYMM_REASON_SLOWER] = {"slower", "large, and not from MPI_Alloc_mem"},
    [SYMM_REASON_DISABLED] = {"disabled", "ranks cannot share memory"},
};

const char *mca_coll_symm_reason_name(enum symm_reason reason)
{
    return reasons[reason].name;
}

const char *mca_coll_symm_reason_text(enum symm_reason reason)
{
    return reasons[reason].text;
}

static const struct words unserved[SYMM_UNSERVED_COUNT] = {
    [SYMM_UNSERVED_NODES] = {"nodes", "ranks on several nodes"},
    [SYMM_UNSERVED_INTER] = {"inter", "inter-communicators"},
    [SYMM_UNSERVED_COMPONENT] = {"component", "some processes run without the component"},
};

const char *mca_coll_symm_unserved_name(enum symm_unserved why)
{
    return unserved[why].name;
}

const char *mca_coll_symm_unserved_text(enum symm_unserved why)
{
    return unserved[why].text;
}

enum symm_collective mca_coll_symm_algorithm_collective(enum symm_algorithm algorithm)
{
    return algorithm < SYMM_ALLGATHER_SLOT ? SYMM_ALLREDUCE : SYMM_ALLGATHER;
}

/* ---- counting -------------------------------------------------------------------------------- */

static const int shared_tally = SYMM_TALLIES - 1;

/* Which tally the calling thread counts in. */
static int tally_of_thread(void)
{
    static atomic_int threads;
    static _Thread_local int tally = -1;
    if (!ompi_mpi_thread_multiple) {
        return 0; /* one at a time */
    }
    if (tally < 0) {
        int number = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed);
        tally = number < shared_tally ? number : shared_tally;
    }
    return tally;
}

static inline struct symm_counters *current(void)
{
    return atomic_load_explicit(&counters, memory_order_acquire);
}

static inline void add(_Atomic uint64_t *counter, uint64_t number, int tally)
{
    if (tally == shared_tally) {
        (void)atomic_fetch_add_explicit(counter, number, memory_order_relaxed);
    } else {
        uint64_t before = atomic_load_explicit(counter, memory_order_relaxed);
        atomic_store_explicit(counter, before + number, memory_order_relaxed);
    }
}

void mca_coll_symm_count_operation(const struct symm_operation *operation)
{
    const struct symm_call *call = &operation->call;
    int tally = tally_of_thread();
    struct symm_tally *counted = &current()->tallies[tally];
    struct symm_count *count = NULL;
    switch (operation->outcome) {
    case SYMM_OUTCOME_SERVED:
        count = &counted->served[operation->run.algorithm];
        break;
    case SYMM_OUTCOME_FALLBACK:
        count = &counted->fallback[call->collective][operation->reason];
        break;
    case SYMM_OUTCOME_ERROR:
        count = &counted->failed[call->collective];
        break;
    }
    add(&count->calls, 1, tally);
    add(&count->bytes, call->payload_bytes, tally);
}

void mca_coll_symm_count_unserved(enum symm_unserved why)
{
    int tally = tally_of_thread();
    add(&current()->tallies[tally].unserved[why], 1, tally);
}

/* ---- where they are -------------------------------------------------------------------------- */

const struct symm_counters *mca_coll_symm_counters(void)
{
    return current();
}

/* A tally is an array of counters, to those who do not look at their names. */
enum { COUNTERS_IN_TALLY = sizeof(struct symm_tally) / sizeof(uint64_t) };

void mca_coll_symm_counters_add(struct symm_tally *sum, const struct symm_counters *from)
{
    _Atomic uint64_t *to = (_Atomic uint64_t *)sum;
    for (int tally = 0; tally < SYMM_TALLIES; tally++) {
        const _Atomic uint64_t *counter = (const _Atomic uint64_t *)&from->tallies[tally];
        for (int i = 0; i < COUNTERS_IN_TALLY; i++) {
            to[i] += atomic_load_explicit(&counter[i], memory_order_relaxed);
        }
    }
}

void mca_coll_symm_counters_move(struct symm_counters *to)
{
    struct symm_counters *from = current();
    if (to == NULL) {
        to = &own_counters;
        memset(to, 0, sizeof(*to));
    }
    atomic_store_explicit(&counters, to, memory_order_release);
    /* Other threads count in tallies of their own by now, so what was counted goes to the shared one. */
    struct symm_tally sum;
    memset(&sum, 0, sizeof(sum));
    mca_coll_symm_counters_add(&sum, from);
    const _Atomic uint64_t *counted = (const _Atomic uint64_t *)&sum;
    _Atomic uint64_t *shared = (_Atomic uint64_t *)&to->tallies[shared_tally];
    for (int i = 0; i < COUNTERS_IN_TALLY; i++) {
        (void)atomic_fetch_add_explicit(&shared[i], counted[i], memory_order_relaxed);
    }
}
