/*
 * Seed, case names, failure reports and the common verdict of the mpirun tests.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L

#include "tests/harness/harness.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DIGEST_OF_NOTHING 14695981039346656037u

enum { MAX_REPORTS = 4, SKIPPED = 77, TAG_VERDICT = 9001, TAG_BYTES = 9002 };

int test_rank;
int test_size;
bool test_quick;
bool test_whole;
uint64_t test_run_seed;

static const char *test_name;
static uint64_t digest = DIGEST_OF_NOTHING;
static MPI_Comm private_comm; /* our messages never meet those of the program under test */
static atomic_ulong cases;
static atomic_ulong failures;
static _Thread_local char case_name[384];

uint64_t test_seed(void)
{
    return test_run_seed;
}

static uint64_t choose_seed(void)
{
    const char *text = getenv("SYMM_TEST_SEED");
    if (text != NULL && *text != '\0') {
        char *end;
        uint64_t value = strtoull(text, &end, 0);
        if (*end != '\0') {
            fprintf(stderr, "%s: SYMM_TEST_SEED='%s' is not a number; use digits only\n",
                    test_name, text);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
        return value;
    }
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return test_mix((uint64_t)now.tv_nsec + (uint64_t)now.tv_sec * 1000000007u) % 1000000000u;
}

/* Rank 0's seed goes to all by plain messages. */
static void share_seed(void)
{
    if (test_rank != 0) {
        MPI_Recv(&test_run_seed, 1, MPI_UINT64_T, 0, TAG_VERDICT, private_comm, MPI_STATUS_IGNORE);
        return;
    }
    test_run_seed = choose_seed();
    for (int rank = 1; rank < test_size; rank++) {
        MPI_Send(&test_run_seed, 1, MPI_UINT64_T, rank, TAG_VERDICT, private_comm);
    }
    printf("%s: %d ranks, seed %" PRIu64 "%s\n", test_name, test_size, test_run_seed,
           test_quick ? ", quick" : "");
    fflush(stdout);
}

int test_begin(int argc, char **argv, const char *name, int thread_level)
{
    int provided = MPI_THREAD_SINGLE;
    test_name = name;
    test_whole = getenv("SYMM_TEST_ALL") != NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") != 0) {
            fprintf(stderr, "%s: unknown argument '%s'; the only one is --quick\n", name,
                    argv[i]);
            exit(2);
        }
        test_quick = true;
    }
    MPI_Init_thread(&argc, &argv, thread_level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &test_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &test_size);
    MPI_Comm_dup(MPI_COMM_WORLD, &private_comm);
    share_seed();
    return provided;
}

/* The number of failures on all ranks, known to all ranks. */
static unsigned long agree_on_failures(int *failed_ranks)
{
    unsigned long mine = atomic_load(&failures);
    unsigned long total[2] = {mine, mine != 0};
    if (test_rank == 0) {
        for (int rank = 1; rank < test_size; rank++) {
            unsigned long theirs;
            MPI_Recv(&theirs, 1, MPI_UNSIGNED_LONG, rank, TAG_VERDICT, private_comm,
                     MPI_STATUS_IGNORE);
            total[0] += theirs;
            total[1] += theirs != 0;
        }
        for (int rank = 1; rank < test_size; rank++) {
            MPI_Send(total, 2, MPI_UNSIGNED_LONG, rank, TAG_VERDICT, private_comm);
        }
    } else {
        MPI_Send(&mine, 1, MPI_UNSIGNED_LONG, 0, TAG_VERDICT, private_comm);
        MPI_Recv(total, 2, MPI_UNSIGNED_LONG, 0, TAG_VERDICT, private_comm, MPI_STATUS_IGNORE);
    }
    *failed_ranks = (int)total[1];
    return total[0];
}

uint64_t test_number(const char *option, const char *text)
{
    char *end = NULL;
    uint64_t value = text == NULL ? 0 : strtoull(text, &end, 0);
    if (text == NULL || *text == '\0' || *end != '\0') {
        fprintf(stderr, "%s needs a number\n", option);
        exit(2);
    }
    return value;
}

int test_end(void)
{
    int failed_ranks;
    unsigned long total = agree_on_failures(&failed_ranks);
    if (test_rank == 0) {
        printf("%s: %lu cases, %lu failures on %d ranks, seed %" PRIu64 "\n", test_name,
               atomic_load(&cases), total, failed_ranks, test_run_seed);
        if (getenv("SYMM_TEST_DIGEST") != NULL) {
            printf("%s: digest %016" PRIx64 "\n", test_name, digest);
        }
        if (total != 0) {
            printf("%s: repeat with SYMM_TEST_SEED=%" PRIu64 "\n", test_name, test_run_seed);
        }
    }
    /* mpirun passes on 4 KiB at a time: later this would come within a line of a long report. */
    (void)fflush(stdout);
    MPI_Comm_free(&private_comm);
    MPI_Finalize();
    return total == 0 ? 0 : 1;
}

int test_skip(const char *reason)
{
    if (test_rank == 0) {
        printf("%s: skipped: %s\n", test_name, reason);
    }
    MPI_Comm_free(&private_comm);
    MPI_Finalize();
    return SKIPPED;
}

void test_case(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(case_name, sizeof case_name, format, arguments);
    va_end(arguments);
    atomic_fetch_add(&cases, 1);
}

void test_case_again(const char *name)
{
    snprintf(case_name, sizeof case_name, "%s", name);
}

unsigned long test_failures(void)
{
    return atomic_load(&failures);
}

void test_fail(const char *format, ...)
{
    char text[512];
    va_list arguments;
    unsigned long before = atomic_fetch_add(&failures, 1);
    if (before >= MAX_REPORTS) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* One write, so that the reports of several ranks do not mix within a line. */
    fprintf(stderr, "%s: FAILED on rank %d of %d: %s: %s (seed %" PRIu64 ")%s\n", test_name,
            test_rank, test_size, case_name, text, test_run_seed,
            before + 1 == MAX_REPORTS ? "; further failures are only counted" : "");
    fflush(stderr);
}

bool test_check(bool condition, const char *what)
{
    if (!condition) {
        test_fail("expected: %s", what);
    }
    return condition;
}

size_t test_parameter(const char *name, size_t otherwise)
{
    char variable[128];
    snprintf(variable, sizeof variable, "OMPI_MCA_%s", name);
    const char *text = getenv(variable);
    return text == NULL || *text == '\0' ? otherwise : (size_t)strtoull(text, NULL, 0);
}

bool test_expects_symm(void)
{
    const char *text = getenv("SYMM_TEST_EXPECT");
    return text != NULL && *text != '\0' && strcmp(text, "0") != 0;
}

/* The first byte at which an element differs, or `used`. */
static size_t first_difference(const unsigned char *a, const unsigned char *b, size_t used)
{
    size_t i = 0;
    while (i < used && a[i] == b[i]) {
        i++;
    }
    return i;
}

static void compare_with_root(const unsigned char *mine, const unsigned char *root, size_t count,
                              size_t element, size_t used)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = first_difference(mine + i * element, root + i * element, used);
        if (at < used) {
            test_fail("element %zu, byte %zu: rank 0 has %#04x, found %#04x: "
                      "the ranks' results differ in bits",
                      i, at, root[i * element + at], mine[i * element + at]);
            return;
        }
    }
}

void test_same_on_all(const void *bytes, size_t count, size_t element, size_t used)
{
    int length = (int)(count * element);
    if (length == 0) {
        return;
    }
    if (test_rank == 0) {
        for (int rank = 1; rank < test_size; rank++) {
            MPI_Send(bytes, length, MPI_BYTE, rank, TAG_BYTES, private_comm);
        }
        return;
    }
    unsigned char *root = malloc((size_t)length);
    if (root == NULL) {
        fprintf(stderr, "%s: no memory for a copy of rank 0's result\n", test_name);
        MPI_Abort(MPI_COMM_WORLD, 2);
        return;
    }
    MPI_Recv(root, length, MPI_BYTE, 0, TAG_BYTES, private_comm, MPI_STATUS_IGNORE);
    compare_with_root(bytes, root, count, element, used);
    free(root);
}

void test_digest(const void *bytes, size_t length)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < length; i++) {
        digest = (digest ^ byte[i]) * 1099511628211u;
    }
}

uint64_t test_digest_take(void)
{
    uint64_t taken = digest;
    digest = DIGEST_OF_NOTHING;
    return taken;
}

void test_delay(unsigned microseconds)
{
    struct timespec pause = {microseconds / 1000000, (long)(microseconds % 1000000) * 1000};
    nanosleep(&pause, NULL);
}
