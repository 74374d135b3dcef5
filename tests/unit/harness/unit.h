/*
 * unit.h - what every unit test has: cmocka, random numbers from a printed seed, a watchdog, and
 * counts of what the process holds.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_UNIT_H
#define SYMM_TESTS_UNIT_H

/* cmocka.h wants these before itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>

#include "heap/symm.h"

/*
 * First thing in main(): print the seed (SYMM_TEST_SEED, or a fresh one) and see to it that the
 * program ends after `seconds`, whatever it waits for.  SYMM_TEST_FILTER may name the tests to run,
 * as "test_l*".
 */
void unit_begin(const char *name, unsigned seconds);

/* A main() that has nothing to do but that, and runs the tests whose rows follow. */
#define UNIT_MAIN(name, seconds, ...)                                                              \
    int main(void)                                                                                 \
    {                                                                                              \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                           \
        unit_begin(name, seconds);                                                                 \
        return cmocka_run_group_tests(tests, NULL, NULL);                                          \
    }

/* A time, times SYMM_TEST_PATIENCE, for checkers that make everything slow. */
unsigned unit_patience(unsigned seconds);

/*
 * How many uses of each function are to fail, in tests that try some: SYMM_TEST_USES, or
 * `otherwise`.
 */
int unit_uses(int otherwise);

/*
 * Whether the default run leaves this one of many alike cases out: it takes one of numbers 0 to 3,
 * one of 4 to 7 and so on, others with each seed; with SYMM_TEST_ALL all.  The same in all
 * processes of a test.
 */
bool unit_leaves_out(uint64_t number);

/* ---- random numbers -------------------------------------------------------------------------- */

struct unit_random {
    uint64_t state;
};

/* A sequence of its own for every (a, b) under the seed of this run, in all its processes. */
struct unit_random unit_random_start(uint64_t a, uint64_t b);

uint64_t unit_random_next(struct unit_random *random);

/* From 0 to bound - 1. */
size_t unit_random_below(struct unit_random *random, size_t bound);

/* Fill memory with random bytes, and tell whether it still has what the same sequence put there. */
void unit_fill(void *memory, size_t size, struct unit_random random);
bool unit_is_filled(const void *memory, size_t size, struct unit_random random);

/* ---- time ------------------------------------------------------------------------------------ */

double unit_seconds(void);

/* To be called by a loop that waits for another process or thread. */
void unit_pause(unsigned *polls);

/* ---- the process ----------------------------------------------------------------------------- */

size_t unit_open_descriptors(void);

/* A limit of open files (RLIMIT_NOFILE) under which so many are unused. */
size_t unit_descriptor_limit(size_t unused);

/* Mappings of this process whose name in /proc/self/maps contains `name`. */
size_t unit_mappings(const char *name);

/* Bytes of address space in use. */
size_t unit_address_space(void);

/* Whether all bytes are the same as `byte`, or are 0. */
bool unit_is_all(const void *memory, size_t size, unsigned char byte);
bool unit_is_zero(const void *memory, size_t size);

/* ---- assertions ------------------------------------------------------------------------------ */

#define assert_status(got, wanted) unit_assert_status((got), (wanted), #got, __FILE__, __LINE__)

void unit_assert_status(enum symm_status got, enum symm_status wanted, const char *expression,
                        const char *file, int line);

#endif /* SYMM_TESTS_UNIT_H */
