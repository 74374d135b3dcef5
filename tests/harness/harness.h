/*
 * What all mpirun tests share: a seed, the name of the running case, failure reports, and a
 * verdict on which all ranks agree.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A test program calls test_begin, then for every case test_case, the MPI calls under test and
 * its own checks, which call test_fail, and returns the value of test_end from main. A failed
 * check never leaves the program: the other ranks would hang in the next collective.
 *
 * The harness itself uses point-to-point messages only, so that a broken collective cannot make
 * a test pass. All functions may be called by several threads if MPI_THREAD_MULTIPLE is there.
 */
#ifndef SYMM_TESTS_HARNESS_H
#define SYMM_TESTS_HARNESS_H

#include <mpi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern int test_rank; /* in MPI_COMM_WORLD */
extern int test_size;
extern bool test_quick; /* --quick: the reduced matrix, for slow machines and second layers */
extern bool test_whole; /* SYMM_TEST_ALL: what the default run leaves out is made as well */

/* Initialises MPI, reads the seed from SYMM_TEST_SEED (or draws one), tells all ranks, prints it.
 * Returns the thread level that MPI provides. Exits with status 2 on an unknown argument. */
int test_begin(int argc, char **argv, const char *name, int thread_level);

/* Gathers the verdicts, prints one summary line on rank 0, finalizes MPI. Returns the exit status,
 * the same on all ranks. */
int test_end(void);

/* The number behind an option of a test's own. Exits with status 2 if there is none. */
uint64_t test_number(const char *option, const char *text);

/* Ends the program as skipped, with status 77 and the reason, on all ranks. */
int test_skip(const char *reason);

/* Names the case that the calling thread works on from now on; reports carry the name. */
void test_case(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Back to a case that has been counted before. */
void test_case_again(const char *name);

/* Failures on this rank so far. */
unsigned long test_failures(void);

/* Reports a failure of the current case. After some reports a rank only counts. */
void test_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reports a failure unless the condition holds; returns the condition. */
bool test_check(bool condition, const char *what);

extern uint64_t test_run_seed;

/* The finaliser of splitmix64: every bit of the input changes about half of the output. */
static inline uint64_t test_mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* The random number at a place: a pure function of the seed, the stream and the index, so that
 * every rank can compute what every other rank has sent. (Here, because tests call it most.) */
static inline uint64_t test_random(uint64_t stream, uint64_t index)
{
    return test_mix(test_mix(test_run_seed + stream) + (index + 1) * 0x9e3779b97f4a7c15u);
}

/* What --seed or SYMM_TEST_SEED would have to be for the same run. */
uint64_t test_seed(void);

/* A stream number for (case, rank, role); different arguments give different streams. */
static inline uint64_t test_stream(uint64_t number, uint64_t rank, uint64_t role)
{
    return test_mix(number * 4096 + rank * 8 + role + 1);
}

/* An MCA parameter as mpirun put it into the environment, in bytes, or the value given. */
size_t test_parameter(const char *name, size_t otherwise);

/* True if SYMM_TEST_EXPECT is set: the script knows that our components serve, so that what
 * plain Open MPI does not promise may be checked as well. */
bool test_expects_symm(void);

/* Reports a failure if the bytes are not those of rank 0 of MPI_COMM_WORLD; all ranks call it.
 * `element` is the distance of two elements, of which the first `used` bytes are compared. */
void test_same_on_all(const void *bytes, size_t count, size_t element, size_t used);

/* Adds bytes to the digest of all results that test_end prints if SYMM_TEST_DIGEST is set. */
void test_digest(const void *bytes, size_t length);

/* The digest so far; it begins anew. */
uint64_t test_digest_take(void);

/* Keeps the calling rank busy for that long without any MPI call: it comes late. */
void test_delay(unsigned microseconds);

#endif
