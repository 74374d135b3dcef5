/*
 * unit.c - see unit.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static uint64_t seed;

/* Forked ranks are killed by the kernel when this process ends. */
static void give_up(int signal_number)
{
    static const char text[] = "\nBail out! the watchdog has ended this program\n";
    (void)signal_number;
    ssize_t written = write(STDOUT_FILENO, text, sizeof(text) - 1);
    (void)written;
    _exit(99);
}

unsigned unit_patience(unsigned seconds)
{
    const char *given = getenv("SYMM_TEST_PATIENCE");
    unsigned long factor = given != NULL ? strtoul(given, NULL, 0) : 1;
    return factor > 1 ? seconds * (unsigned)factor : seconds;
}

void unit_begin(const char *name, unsigned seconds)
{
    const char *given = getenv("SYMM_TEST_SEED");
    if (given != NULL) {
        seed = strtoull(given, NULL, 0);
    } else if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed)) {
        seed = (uint64_t)time(NULL);
    }
    (void)printf("# %s: SYMM_TEST_SEED=%llu\n", name, (unsigned long long)seed);
    (void)fflush(stdout);
    if (getenv("SYMM_TEST_FILTER") != NULL) {
        cmocka_set_test_filter(getenv("SYMM_TEST_FILTER"));
    }
    cmocka_set_skip_filter(getenv("SYMM_TEST_SKIP"));
    (void)signal(SIGALRM, give_up);
    (void)alarm(unit_patience(seconds));
}

int unit_uses(int otherwise)
{
    const char *given = getenv("SYMM_TEST_USES");
    return given != NULL ? atoi(given) : otherwise;
}

/* ---- random numbers -------------------------------------------------------------------------- */

bool unit_leaves_out(uint64_t number)
{
    enum { SHARE = 4 };
    struct unit_random random = unit_random_start(number / SHARE, SHARE);
    return getenv("SYMM_TEST_ALL") == NULL && unit_random_below(&random, SHARE) != number % SHARE;
}

/* splitmix64 */
uint64_t unit_random_next(struct unit_random *random)
{
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t word = random->state;
    word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
    return word ^ word >> 31;
}

struct unit_random unit_random_start(uint64_t a, uint64_t b)
{
    struct unit_random random = {.state = seed};
    random.state = unit_random_next(&random) + a;
    random.state = unit_random_next(&random) + b;
    return random;
}

size_t unit_random_below(struct unit_random *random, size_t bound)
{
    return (size_t)(unit_random_next(random) % bound);
}

void unit_fill(void *memory, size_t size, struct unit_random random)
{
    unsigned char *byte = memory;
    for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
        uint64_t word = unit_random_next(&random);
        memcpy(byte + i, &word, size - i < sizeof(word) ? size - i : sizeof(word));
    }
}

bool unit_is_filled(const void *memory, size_t size, struct unit_random random)
{
    const unsigned char *byte = memory;
    for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
        uint64_t word = unit_random_next(&random);
        if (memcmp(byte + i, &word, size - i < sizeof(word) ? size - i : sizeof(word)) != 0) {
            return false;
        }
    }
    return true;
}

/* ---- time ------------------------------------------------------------------------------------ */

double unit_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Yielding is quickest when the machine is idle; a sleeper is preferred when it is busy. */
void unit_pause(unsigned *polls)
{
    const struct timespec moment = {.tv_nsec = 20000};
    if (++*polls % 64 < 8) {
        (void)sched_yield();
    } else {
        (void)nanosleep(&moment, NULL);
    }
}

/* ---- the process ----------------------------------------------------------------------------- */

size_t unit_open_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    size_t count = 0;
    assert_non_null(folder);
    while (readdir(folder) != NULL) {
        count++;
    }
    (void)closedir(folder);
    return count;
}

size_t unit_descriptor_limit(size_t unused)
{
    int end = 0;
    for (size_t found = 0; found < unused; end++) {
        found += fcntl(end, F_GETFD) < 0;
    }
    return (size_t)end;
}

size_t unit_mappings(const char *name)
{
    char text[512];
    size_t count = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    assert_non_null(file);
    while (fgets(text, sizeof(text), file) != NULL) {
        count += strstr(text, name) != NULL;
    }
    (void)fclose(file);
    return count;
}

size_t unit_address_space(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    int got = fscanf(file, "%lu", &pages);
    (void)fclose(file);
    assert_int_equal(got, 1);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

bool unit_is_all(const void *memory, size_t size, unsigned char byte)
{
    const unsigned char *bytes = memory;
    return size == 0 || (bytes[0] == byte && memcmp(bytes, bytes + 1, size - 1) == 0);
}

bool unit_is_zero(const void *memory, size_t size)
{
    return unit_is_all(memory, size, 0);
}

/* ---- assertions ------------------------------------------------------------------------------ */

void unit_assert_status(enum symm_status got, enum symm_status wanted, const char *expression,
                        const char *file, int line)
{
    if (got != wanted) {
        (void)printf("# %s: \"%s\", not \"%s\"\n", expression, symm_status_string(got),
                     symm_status_string(wanted));
        _fail(file, line);
    }
}
