/*
 * The component's performance variables: a known number of calls of known sizes, and every variable
 * has gone up by exactly what they should add; those not named here, not at all.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * SYMM_TEST_THREADS  besides, that many threads, with a communicator each, make calls
 * SYMM_TEST_EARLY    MPI_T is initialised before MPI as well
 * SYMM_TEST_REFUSE   (see refuse.c) shared memory is refused, so that all calls must fall back
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/counted_calls.h"
#include "tests/harness/harness.h"
#include "tests/harness/variables.h"

enum { REDUCED = 200000, GATHERED = 100000, BLOCK = 70000, MOST_THREADS = 8, THREAD_CALLS = 4000 };
/* elements and bytes: too much to be packed */
enum { GAPS_MOST = 2000, PACKED_MOST = GAPS_MOST * 200 };

struct expectation {
    const char *name; /* without coll_symm_ and _calls, _bytes; *: all that begin so, together */
    unsigned long long calls, bytes;
};

/* What the calls of make_calls() add on every rank but, with one, the last. */
static const struct expectation served[] = {
    {"allreduce_inline", 7, 7 * 1000},
    {"allreduce_two_shot", 3, 3 * REDUCED},
    {"allreduce_staged*", 2, 2 * REDUCED},
    {"allreduce_fallback_element", 2, 2 * BLOCK},
    {"allreduce_failed", 1, 40},
    {"allgather_inline", 8, 5 * 500 + 3 * 600},
    {"allgather_pu*", 4, 4 * GATHERED},
    {"allgather_staged*", 3, 3 * GATHERED},
    {"allgather_fallback_gaps", 6, 6 * PACKED_MOST},
    {"allgather_fallback_peer", 2, 2 * PACKED_MOST},
    {NULL, 0, 0},
};

static const struct expectation served_last[] = {
    {"allreduce_inline", 7, 7 * 1000},
    {"allreduce_two_shot", 3, 3 * REDUCED},
    {"allreduce_staged*", 2, 2 * REDUCED},
    {"allreduce_fallback_element", 2, 2 * BLOCK},
    {"allreduce_failed", 1, 44},
    {"allgather_inline", 8, 5 * 500 + 3 * 600},
    {"allgather_pu*", 4, 4 * GATHERED},
    {"allgather_staged*", 3, 3 * GATHERED},
    {"allgather_fallback_gaps", 8, 8 * PACKED_MOST},
    {NULL, 0, 0},
};

static const struct expectation refused[] = {
    {"allreduce_fallback_disabled", 14, 7 * 1000 + 5 * REDUCED + 2 * BLOCK},
    {"allgather_fallback_disabled", 23, 5 * 500 + 3 * 600 + 7 * GATHERED + 8 * PACKED_MOST},
    {NULL, 0, 0},
};

static const struct expectation *expectations(void)
{
    if (getenv("SYMM_TEST_REFUSE") != NULL) {
        return refused;
    }
    return test_rank == test_size - 1 ? served_last : served;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void take_left(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    memcpy(inout, in, (size_t)*count * BLOCK);
}

/* Twice: elements larger than what one is reduced in. */
static void reduce_blocks(void *send, void *receive)
{
    MPI_Datatype block;
    MPI_Op left;
    MPI_Type_contiguous(BLOCK, MPI_BYTE, &block);
    MPI_Type_commit(&block);
    MPI_Op_create(take_left, 0, &left);
    for (int i = 0; i < 2; i++) {
        MPI_Allreduce(send, receive, 1, block, left, MPI_COMM_WORLD);
    }
    MPI_Op_free(&left);
    MPI_Type_free(&block);
}

/*
 * Three times little, and more than is packed: six times on all ranks, twice on the last one while
 * the others send the same bytes plainly.
 */
static void gather_gaps(void *send, void *receive)
{
    MPI_Datatype gaps, plain;
    bool last = test_rank == test_size - 1;
    MPI_Type_vector(50, 1, 2, MPI_INT, &gaps);
    MPI_Type_contiguous(50, MPI_INT, &plain);
    MPI_Type_commit(&gaps);
    MPI_Type_commit(&plain);
    counted_gather(3, send, receive, 3, gaps);
    counted_gather(6, send, receive, GAPS_MOST, gaps);
    counted_gather(2, send, receive, GAPS_MOST, last ? gaps : plain);
    MPI_Type_free(&plain);
    MPI_Type_free(&gaps);
}

/* The last rank passes one element more: an error on all, and a message from rank 0. */
static void disagree(void *send, void *receive)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int count = test_rank == test_size - 1 ? 11 : 10;
    int rc = MPI_Allreduce(send, receive, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    test_check(rc != MPI_SUCCESS, "an error, since the counts differ");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void make_calls(void)
{
    size_t most = 2 * (size_t)test_size * PACKED_MOST;
    void *heap[2] = {counted_new_zeros(most, true), counted_new_zeros(most, true)};
    void *plain[2] = {counted_new_zeros(most, false), counted_new_zeros(most, false)};
    counted_reduce(7, MPI_IN_PLACE, plain[1], 1000);
    counted_reduce(3, heap[0], heap[1], REDUCED);
    counted_reduce(2, plain[0], plain[1], REDUCED);
    reduce_blocks(plain[0], plain[1]);
    counted_gather(5, plain[0], plain[1], 500, MPI_BYTE);
    counted_gather(4, heap[0], heap[1], GATHERED, MPI_BYTE);
    counted_gather(3, plain[0], plain[1], GATHERED, MPI_BYTE);
    gather_gaps(plain[0], plain[1]);
    if (expectations() != refused) {
        disagree(plain[0], plain[1]);
    }
    for (int i = 0; i < 2; i++) {
        MPI_Free_mem(heap[i]);
        free(plain[i]);
    }
}

/* ---- threads --------------------------------------------------------------------------------- */

static void *work(void *argument)
{
    const MPI_Comm *comm = argument;
    int64_t one = 1, sum = 0;
    for (int i = 0; i < THREAD_CALLS; i++) {
        MPI_Allreduce(&one, &sum, 1, MPI_INT64_T, MPI_SUM, *comm);
    }
    return NULL;
}

/* While they count, this thread reads: what it reads never goes back. */
static void watch(unsigned long long until)
{
    int calls = variables_find("coll_symm_allreduce_inline_calls");
    unsigned long long before = calls >= 0 ? variables_read(calls) : until;
    while (before < until) {
        unsigned long long now = variables_read(calls);
        if (now < before) {
            test_fail("calls went back from %llu to %llu", before, now);
            return;
        }
        before = now;
        test_delay(1000);
    }
}

/* Returns the number of calls that threads have made on this rank. */
static unsigned long long count_in_threads(int threads)
{
    pthread_t thread[MOST_THREADS];
    MPI_Comm comm[MOST_THREADS];
    for (int i = 0; i < threads; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    }
    for (int i = 0; i < threads; i++) {
        if (pthread_create(&thread[i], NULL, work, &comm[i]) != 0) {
            fprintf(stderr, "check_counters: cannot start thread %d\n", i);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
    unsigned long long calls = (unsigned long long)threads * THREAD_CALLS;
    watch(calls / 2);
    for (int i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
        MPI_Comm_free(&comm[i]);
    }
    return calls;
}

/* ---- comparison ------------------------------------------------------------------------------ */

/* Whether the variable is one of those that the expectation is about. */
static bool is_about(const struct expectation *expectation, const char *name, const char *end)
{
    char full[128];
    size_t length = strlen(expectation->name);
    if (expectation->name[length - 1] == '*') {
        snprintf(full, sizeof full, "coll_symm_%.*s", (int)length - 1, expectation->name);
        return strncmp(name, full, strlen(full)) == 0 && strstr(name, end) != NULL;
    }
    snprintf(full, sizeof full, "coll_symm_%s%s", expectation->name, end);
    return strcmp(name, full) == 0;
}

static void check_sum(const struct expectation *expectation, const char *end,
                      unsigned long long expected, unsigned long long *difference)
{
    unsigned long long sum = 0;
    int found = 0;
    test_case("%s%s", expectation->name, end);
    for (int i = 0; i < variables_count(); i++) {
        if (is_about(expectation, variables_name(i), end)) {
            sum += difference[i];
            difference[i] = 0;
            found++;
        }
    }
    test_check(found > 0, "a performance variable of this name");
    if (sum != expected) {
        test_fail("went up by %llu, expected %llu", sum, expected);
    }
}

/* Calls that were not served have no bytes (report/pvars.c). */
static bool has_bytes(const char *name)
{
    return strstr(name, "_fallback_") == NULL && strstr(name, "_failed") == NULL;
}

/* Variables with a name from before 0.3 (mca/old_words.h) count what those with today's do. */
static void check_old_names(unsigned long long *difference)
{
    static const char *const words[][2] = {
        {"_slot_", "_inline_"},
        {"_cuda_pass_", "_cuda_chain_"},
        {"_fallback_foreign_", "_fallback_elsewhere_"},
    };
    int found[3] = {0};
    for (int i = 0; i < 3 * variables_count(); i++) {
        const char *name = variables_name(i / 3), *place = strstr(name, words[i % 3][0]);
        char now[128];
        if (place == NULL) {
            continue;
        }
        test_case("%s", name);
        test_check(variables_is_old(i / 3), "said to have an old name");
        snprintf(now, sizeof now, "%.*s%s%s", (int)(place - name), name, words[i % 3][1],
                 place + strlen(words[i % 3][0]));
        int index = variables_find(now);
        test_check(index >= 0 && difference[index] == difference[i / 3], "the same as today's");
        difference[i / 3] = 0;
        found[i % 3]++;
    }
    test_case("old names");
    test_check(found[0] > 0 && found[1] > 0 && found[2] > 0, "all are there");
}

/* `difference` is how much each variable has gone up; threads count all-reduces of 8 bytes. */
static void check_values(unsigned long long *difference, unsigned long long in_threads)
{
    check_old_names(difference);
    for (const struct expectation *e = expectations(); e->name != NULL; e++) {
        unsigned long long more = strcmp(e->name, "allreduce_inline") == 0 ? in_threads : 0;
        check_sum(e, "_calls", e->calls + more, difference);
        if (has_bytes(e->name)) {
            check_sum(e, "_bytes", e->bytes + more * 8, difference);
        }
    }
    for (int i = 0; i < variables_count(); i++) {
        test_case("%s", variables_name(i));
        if (difference[i] != 0) {
            test_fail("went up by %llu, expected nothing", difference[i]);
        }
        test_check(!variables_can_be_written(i), "a variable that programs cannot write to");
    }
}

/* Each is counted once by each of its processes. */
static void check_inter(void)
{
    int index = variables_find("coll_symm_communicators_unserved_inter");
    MPI_Comm half, inter;
    test_case("inter-communicators");
    if (!test_check(index >= 0, "a variable that counts them") || test_size < 2) {
        return;
    }
    unsigned long long before = variables_read(index);
    MPI_Comm_split(MPI_COMM_WORLD, test_rank % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - test_rank % 2, 1, &inter);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    test_check(variables_read(index) - before == 1, "one more");
}

/* ---- times ----------------------------------------------------------------------------------- */

static void read_value(int index)
{
    (void)variables_read(index);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const double patience = 20; /* each access is checked */
#else
static const double patience = 1;
#endif

/* A tool may read all variables a hundred times a second.  The shortest of some rounds counts. */
static void check_time(const char *what, void (*use)(int))
{
    enum { ROUNDS = 10 };
    const double most = 8 * 0.2e-6 * patience; /* each of the tallies is read */
    double shortest = 1;
    test_case("time of %s", what);
    for (int round = 0; round < ROUNDS; round++) {
        double begin = MPI_Wtime();
        for (int i = 0; i < variables_count(); i++) {
            use(i);
        }
        double seconds = (MPI_Wtime() - begin) / variables_count();
        shortest = seconds < shortest ? seconds : shortest;
    }
    if (shortest > most) {
        test_fail("%.2f us a variable, expected at most %.2f", shortest * 1e6, most * 1e6);
    }
}

int main(int argc, char **argv)
{
    const char *text = getenv("SYMM_TEST_THREADS");
    int threads = text != NULL ? atoi(text) : 0;
    threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    int level = threads > 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    bool early = getenv("SYMM_TEST_EARLY") != NULL;
    if (early) {
        int provided;
        MPI_T_init_thread(level, &provided);
    }
    if (test_begin(argc, argv, "check_counters", level) < level) {
        return test_skip("this Open MPI does not provide MPI_THREAD_MULTIPLE");
    }
    variables_open();
    size_t size = sizeof(unsigned long long) * (size_t)(variables_count() + 1);
    unsigned long long *values = counted_new_zeros(size, false);
    for (int i = 0; i < variables_count(); i++) {
        values[i] = variables_read(i);
    }
    make_calls();
    unsigned long long in_threads = count_in_threads(threads);
    for (int i = 0; i < variables_count(); i++) {
        values[i] = variables_read(i) - values[i];
    }
    check_values(values, in_threads);
    check_inter();
    check_time("reading", read_value);
    check_time("another handle", variables_handle);
    check_time("resetting", variables_reset);
    free(values);
    variables_close();
    if (early) {
        MPI_T_finalize();
    }
    return test_end();
}
