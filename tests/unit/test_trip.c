/*
 * test_trip.c - the round trip of a cache line between two forked ranks.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/fork_ranks.h"

#include <time.h>

#include "heap/trip.h"

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * Nothing is answered twice, and nothing that belongs to an older call counts.  Where both ranks
 * have a processor most measurements succeed.  One is enough.
 */
static void measure(struct fork_rank *self, void *context)
{
    enum { MOST = 20000 };
    const struct symm_control *control = context;
    unsigned quickest = 0;
    _Atomic uint64_t *found = &control->finished[0].value;
    for (uint64_t call = 8; call < 8 + MOST && atomic_load(found) != UINT64_MAX; call++) {
        symm_phase_raise(control, call, self->rank, 1); /* both are in the call */
        unsigned polls = 0;
        int seen = 0;
        while (!symm_phase_reached(control, call, 1, &seen)) {
            unit_pause(&polls);
        }
        if (self->rank == 0) {
            quickest = symm_trip_time(control, call);
            if (quickest > 0) {
                atomic_store(found, UINT64_MAX); /* before the next call's phase */
            }
        } else {
            symm_trip_answer(control, call);
        }
        symm_phase_raise(control, call, self->rank, 2);
        seen = 0;
        while (!symm_phase_reached(control, call, 2, &seen)) {
            unit_pause(&polls);
        }
    }
    FORK_CHECK(self, self->rank != 0 || (quickest > 0 && quickest < symm_trip_limit_ns));
}

static void test_trip(void **state)
{
    const struct symm_control_config config = {0};
    struct symm_control control;
    (void)state;
    assert_status(symm_control_create(&control, 2, &config), SYMM_OK);
    fork_ranks_run(2, measure, &control);
    symm_control_destroy(&control);
}

/* A rank whose peer is away waits for the limit, and then knows nothing. */
static void test_alone(void **state)
{
    const struct symm_control_config config = {0};
    struct symm_control control;
    (void)state;
    assert_status(symm_control_create(&control, 2, &config), SYMM_OK);
    uint64_t begin = now_ns();
    assert_int_equal(symm_trip_time(&control, 8), 0);
    uint64_t middle = now_ns();
    symm_trip_answer(&control, 9); /* the other rank's words of call 8 are not its own */
    uint64_t end = now_ns();
    assert_true(middle - begin >= symm_trip_limit_ns && middle - begin < 1000000000);
    assert_true(end - middle >= symm_trip_limit_ns && end - middle < 1000000000);
    assert_int_equal(symm_trip_time(&control, 10), 0);
    symm_control_destroy(&control);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trip),
        cmocka_unit_test(test_alone),
    };
    unit_begin("test_trip", 60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
