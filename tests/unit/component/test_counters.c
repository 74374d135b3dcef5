/*
 * test_counters.c - the collective component's counters: what counts where, moving them, and
 * several threads at once.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/report/words.h"

#include "tests/unit/harness/unit.h"

#include <pthread.h>
#include <string.h>

static struct symm_operation operation_of(enum symm_collective collective, size_t count,
                                          size_t extent)
{
    static _Thread_local struct symm_call call; /* of the operation that is counted next */
    struct symm_operation operation;
    memset(&operation, 0, sizeof(operation));
    call = (struct symm_call){.collective = collective, .count = count, .extent = extent,
                              .payload_bytes = count * extent};
    operation.call = &call;
    return operation;
}

static struct symm_tally sum_of(const struct symm_counters *counters)
{
    struct symm_tally sum;
    memset(&sum, 0, sizeof(sum));
    mca_coll_symm_counters_add(&sum, counters);
    return sum;
}

static struct symm_tally own_sum(void)
{
    return sum_of(mca_coll_symm_counters());
}

/* Some outcomes of each sort, and all else stays as it was. */
static void test_places(void **state)
{
    struct symm_tally expected = own_sum();
    (void)state;

    struct symm_operation operation = operation_of(SYMM_ALLREDUCE, 10, 8);
    operation.outcome = SYMM_OUTCOME_SERVED;
    operation.work.algorithm = SYMM_ALLREDUCE_ONE_SHOT;
    mca_coll_symm_count_operation(&operation);
    mca_coll_symm_count_operation(&operation);
    expected.outcomes[SYMM_CALL_BLOCKING].served[SYMM_ALLREDUCE_ONE_SHOT].calls += 2;
    expected.outcomes[SYMM_CALL_BLOCKING].served[SYMM_ALLREDUCE_ONE_SHOT].bytes += 160;

    operation = operation_of(SYMM_ALLGATHER, (size_t)5 << 30, 1);
    operation.outcome = SYMM_OUTCOME_FALLBACK;
    operation.reason = SYMM_REASON_PEER;
    mca_coll_symm_count_operation(&operation);
    expected.outcomes[SYMM_CALL_BLOCKING].fallback[SYMM_ALLGATHER][SYMM_REASON_PEER].calls += 1;
    expected.outcomes[SYMM_CALL_BLOCKING].fallback[SYMM_ALLGATHER][SYMM_REASON_PEER].bytes +=
        (uint64_t)5 << 30;

    operation.outcome = SYMM_OUTCOME_ERROR;
    mca_coll_symm_count_operation(&operation);
    expected.outcomes[SYMM_CALL_BLOCKING].failed[SYMM_ALLGATHER].calls += 1;
    expected.outcomes[SYMM_CALL_BLOCKING].failed[SYMM_ALLGATHER].bytes += (uint64_t)5 << 30;

    mca_coll_symm_count_unserved(SYMM_UNSERVED_INTER);
    expected.unserved[SYMM_UNSERVED_INTER] += 1;
    struct symm_tally found = own_sum();
    assert_memory_equal(&found, &expected, sizeof(expected));
}

static void test_move(void **state)
{
    static struct symm_counters elsewhere;
    const struct symm_counters *own = mca_coll_symm_counters();
    uint64_t before = own_sum().unserved[SYMM_UNSERVED_NODES];
    (void)state;
    mca_coll_symm_count_unserved(SYMM_UNSERVED_NODES);
    mca_coll_symm_counters_move(&elsewhere);
    assert_ptr_equal(mca_coll_symm_counters(), &elsewhere);
    mca_coll_symm_count_unserved(SYMM_UNSERVED_NODES);
    assert_int_equal(sum_of(&elsewhere).unserved[SYMM_UNSERVED_NODES], before + 2);
    mca_coll_symm_counters_move(NULL);
    assert_ptr_equal(mca_coll_symm_counters(), own);
    assert_int_equal(own_sum().unserved[SYMM_UNSERVED_NODES], before + 2);
}

/* More than there are tallies: some share one. */
enum { THREADS = SYMM_TALLIES + 3, CALLS = 1000000 };

static void *count_calls(void *argument)
{
    struct symm_operation operation = operation_of(SYMM_ALLREDUCE, 3, 4);
    (void)argument;
    operation.outcome = SYMM_OUTCOME_SERVED;
    operation.work.algorithm = SYMM_ALLREDUCE_INLINE;
    for (int i = 0; i < CALLS; i++) {
        mca_coll_symm_count_operation(&operation);
    }
    return NULL;
}

/* With MPI_THREAD_MULTIPLE nothing may be lost. */
static void test_threads(void **state)
{
    pthread_t threads[THREADS];
    struct symm_tally before = own_sum();
    (void)state;
    (void)opal_set_using_threads(true);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, count_calls, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    (void)opal_set_using_threads(false);
    struct symm_tally after = own_sum();
    const struct symm_count *was =
        &before.outcomes[SYMM_CALL_BLOCKING].served[SYMM_ALLREDUCE_INLINE];
    const struct symm_count *is = &after.outcomes[SYMM_CALL_BLOCKING].served[SYMM_ALLREDUCE_INLINE];
    assert_int_equal(is->calls - was->calls, THREADS * CALLS);
    assert_int_equal(is->bytes - was->bytes, THREADS * CALLS * 12);
}

static void test_words(void **state)
{
    (void)state;
    for (int i = 0; i < SYMM_COLLECTIVE_COUNT; i++) {
        enum symm_collective collective = (enum symm_collective)i;
        enum symm_mpi_function function = mca_coll_symm_function_of(collective, SYMM_CALL_BLOCKING);
        const struct symm_collective_row *row = symm_collective_get(collective);
        assert_ptr_equal(mca_coll_symm_function_row(function), row);
        assert_string_equal(mca_coll_symm_function_name(function), row->name);
        assert_int_equal(mca_coll_symm_function_has_data(function), row->writes_outputs);
    }
    for (int i = 0; i < SYMM_REASON_COUNT; i++) {
        assert_non_null(mca_coll_symm_reason_name((enum symm_reason)i));
        assert_non_null(mca_coll_symm_reason_text((enum symm_reason)i));
    }
    for (int i = 0; i < SYMM_UNSERVED_COUNT; i++) {
        assert_non_null(mca_coll_symm_unserved_name((enum symm_unserved)i));
        assert_non_null(mca_coll_symm_unserved_text((enum symm_unserved)i));
    }
}

UNIT_MAIN("test_counters", 60,
    cmocka_unit_test(test_places),
    cmocka_unit_test(test_move),
    cmocka_unit_test(test_threads),
    cmocka_unit_test(test_words))
