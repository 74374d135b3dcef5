/*
 * report/counters.c - see report/counters.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/report/counters.h"

#include "mca/coll/symm/base/module.h"
#include "mca/coll/symm/report/words.h"

static struct symm_counters own_counters;
static _Atomic(struct symm_counters *) counters = &own_counters;

/* ---- counting -------------------------------------------------------------------------------- */

static const int shared_tally = SYMM_TALLIES - 1;

/* Which tally the calling thread counts in. */
static int tally_of_thread(void)
{
    static atomic_int threads;
    static _Thread_local int tally = -1;
    if (!symm_ompi_has_threads()) {
        return 0; /* one thread at a time is in MPI */
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
    int tally = tally_of_thread();
    struct symm_outcomes *counted = &current()->tallies[tally].outcomes[operation->call->form];
    struct symm_count *count = NULL;
    switch (operation->outcome) {
    case SYMM_OUTCOME_SERVED:
        count = &counted->served[operation->work.algorithm];
        break;
    case SYMM_OUTCOME_FALLBACK:
        count = &counted->fallback[operation->call->collective][operation->reason];
        break;
    case SYMM_OUTCOME_ERROR:
        count = &counted->failed[operation->call->collective];
        break;
    }
    add(&count->calls, 1, tally);
    add(&count->bytes, operation->call->payload_bytes, tally);
}

void mca_coll_symm_count_served(const struct symm_call *call, enum symm_algorithm algorithm)
{
    int tally = tally_of_thread();
    struct symm_count *count =
        &current()->tallies[tally].outcomes[call->form].served[algorithm];
    add(&count->calls, 1, tally);
    add(&count->bytes, call->payload_bytes, tally);
}

static void count_call(struct symm_count *count, size_t bytes, int tally)
{
    add(&count->calls, 1, tally);
    add(&count->bytes, bytes, tally);
}

void mca_coll_symm_count_host_copy(enum symm_mpi_function function, enum symm_host_copy_why why,
                                   size_t bytes)
{
    int tally = tally_of_thread();
    struct symm_tally *counted = &current()->tallies[tally];
    count_call(&counted->host_copy[function], bytes, tally);
    if (why != SYMM_HOST_COPY_KIND) { /* a blocking call of a collective that is served */
        int collective = (int)function / SYMM_CALL_FORM_COUNT;
        count_call(&counted->host_copy_why[collective][why], bytes, tally);
    }
}

void mca_coll_symm_count_nodes(enum symm_collective collective, enum symm_nodes_plan plan,
                               size_t bytes)
{
    int tally = tally_of_thread();
    count_call(&current()->tallies[tally].nodes[collective][plan], bytes, tally);
}

void mca_coll_symm_count_between(enum symm_collective collective, size_t bytes)
{
    int tally = tally_of_thread();
    count_call(&current()->tallies[tally].between[collective], bytes, tally);
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

/* A tally is an array of counters, for code that does not need their names. */
enum { COUNTERS_IN_TALLY = sizeof(struct symm_tally) / sizeof(uint64_t) };

/* What all tallies have in one place. */
static uint64_t sum_of(const struct symm_counters *from, size_t place)
{
    uint64_t sum = 0;
    for (int tally = 0; tally < SYMM_TALLIES; tally++) {
        const _Atomic uint64_t *counter = (const _Atomic uint64_t *)&from->tallies[tally];
        sum += atomic_load_explicit(&counter[place], memory_order_relaxed);
    }
    return sum;
}

uint64_t mca_coll_symm_counter_get(size_t offset)
{
    return sum_of(current(), offset / sizeof(uint64_t));
}

/* Nobody else adds to the sum, so no addition is locked. */
void mca_coll_symm_counters_add(struct symm_tally *sum, const struct symm_counters *from)
{
    _Atomic uint64_t *to = (_Atomic uint64_t *)sum;
    for (size_t i = 0; i < COUNTERS_IN_TALLY; i++) {
        add(&to[i], sum_of(from, i), 0);
    }
}

void mca_coll_symm_counters_move(struct symm_counters *to)
{
    struct symm_counters *from = current();
    if (to == NULL) {
        to = &own_counters;
        memset(to, 0, sizeof(*to));
    }
    /*
     * Other threads will count in tallies of their own, so what was counted goes to the shared one.
     */
    struct symm_tally sum;
    memset(&sum, 0, sizeof(sum));
    mca_coll_symm_counters_add(&sum, from);
    const _Atomic uint64_t *counted = (const _Atomic uint64_t *)&sum;
    _Atomic uint64_t *shared = (_Atomic uint64_t *)&to->tallies[shared_tally];
    for (int i = 0; i < COUNTERS_IN_TALLY; i++) {
        (void)atomic_fetch_add_explicit(&shared[i], counted[i], memory_order_relaxed);
    }
    atomic_store_explicit(&counters, to, memory_order_release);
}
