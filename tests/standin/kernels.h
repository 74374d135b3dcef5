/*
 * kernels.h - what the stand-in driver has that the real one has not: a kernel of its own, for
 * tests of the driver itself, and a switch for programs that use it beside what they test.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_STANDIN_KERNELS_H
#define SYMM_TESTS_STANDIN_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* The argument of "symm_standin_add": target[i] = source[i] + number, then *flag = sequence. */
struct symm_standin_add {
    uint32_t *target;
    const uint32_t *source;
    uint64_t count;
    uint32_t number;
    uint32_t sequence;
    uint32_t *flag; /* may be NULL */
};

/*
 * The type of the function "symm_standin_watch", for dlsym().  What the calling thread does after
 * watch(0) is neither counted nor made to fail nor delayed, nor is what streams then do for it;
 * watch(1) ends that.
 */
typedef void symm_standin_watch_function(int on);
symm_standin_watch_function symm_standin_watch;

/*
 * The types of two more.  fail(list) takes the list in place of SYMM_STANDIN_FAIL's ("": nothing
 * fails) and counts from 0 again.  uses(i, &number) is the name of the i-th function that has been
 * used since, and how often; NULL behind the last.
 */
typedef void symm_standin_fail_function(const char *list);
typedef const char *symm_standin_uses_function(size_t i, unsigned long *number);
symm_standin_fail_function symm_standin_fail;
symm_standin_uses_function symm_standin_uses;

/* The type of another: how many things of a sort exist now, which exit.c would count at the end. */
typedef size_t symm_standin_left_function(const char *sort);
symm_standin_left_function symm_standin_left;

#endif /* SYMM_TESTS_STANDIN_KERNELS_H */
