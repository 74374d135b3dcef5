/*
 * test_headroom.c - how much of its limits a process is left; __wrap_open() knows another limit of
 * mappings.
 *
 * All of it in forked processes, which have counted nothing yet.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/fork_ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "heap/headroom.h"

static const size_t mib = (size_t)1 << 20;

/* ---- the file with the limit ----------------------------------------------------------------- */

static size_t limit_told; /* 0: the file cannot be opened */
static int counts;        /* openings of the list of mappings */

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
    if (strcmp(path, "/proc/sys/vm/max_map_count") == 0) {
        char text[32];
        int length = snprintf(text, sizeof(text), "%zu\n", limit_told);
        int fd = limit_told > 0 ? memfd_create("limit", MFD_CLOEXEC) : -1;
        return fd < 0 || pwrite(fd, text, (size_t)length, 0) != length ? -1 : fd;
    }
    counts += strcmp(path, "/proc/self/maps") == 0;
    return __real_open(path, flags, 0);
}

/* ---- mappings -------------------------------------------------------------------------------- */

enum { PAGE = 4096, MOST = 20000 };

static void *taken[MOST]; /* each a mapping of its own */
static int taken_count;

/* How many are granted, of at most `most`. */
static int take(int most)
{
    int before = taken_count;
    while (taken_count < MOST && taken_count - before < most &&
           symm_headroom_take(PAGE) == SYMM_OK) {
        taken[taken_count++] =
            mmap(NULL, PAGE, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    }
    return taken_count - before;
}

static void give(int count)
{
    while (count-- > 0) {
        (void)munmap(taken[--taken_count], PAGE);
        symm_headroom_give();
    }
}

/* So many mappings of a page each, of the program's. */
static char *map_pages(struct fork_rank *self, size_t count)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, count * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    FORK_CHECK(self, pages != MAP_FAILED);
    for (size_t i = 0; i < count; i += 2) {
        FORK_CHECK(self, mprotect(pages + i * page, page, PROT_READ) == 0);
    }
    return pages;
}

/* A quarter is never taken; what is given back can be had again. */
static void test_stop_short(struct fork_rank *self, void *context)
{
    enum { OTHERS = 1000, OURS = 500, LEFT = 20 };
    (void)context;
    (void)map_pages(self, OTHERS);
    limit_told = (unit_mappings("") + OURS) * 4 / 3;
    int granted = take(10 * OURS);
    FORK_CHECK(self, granted > OURS - LEFT && granted <= OURS);
    errno = 0;
    FORK_STATUS(self, symm_headroom_take(PAGE), SYMM_ERR_NO_MEMORY);
    FORK_CHECK(self, errno == ENOMEM);
    give(100);
    FORK_CHECK(self, take(10 * OURS) == 100);
}

/* The program makes mappings as well, which is found out after some questions. */
static void test_notice_others(struct fork_rank *self, void *context)
{
    (void)context;
    limit_told = 8000;
    FORK_CHECK(self, take(10) == 10);
    (void)map_pages(self, 7000);
    FORK_CHECK(self, take(1000) < 200);
}

/* And that it has let go of them: refused questions count, too. */
static void test_notice_room(struct fork_rank *self, void *context)
{
    (void)context;
    enum { OTHERS = 7000 };
    limit_told = 8000;
    char *pages = map_pages(self, OTHERS);
    FORK_CHECK(self, take(1) == 0);
    FORK_CHECK(self, munmap(pages, OTHERS * (size_t)sysconf(_SC_PAGESIZE)) == 0);
    int refused = 0;
    while (refused < 2000 && take(1) == 0) {
        refused++;
    }
    FORK_CHECK(self, refused > 100 && refused < 2000);
    FORK_CHECK(self, counts == 2);
}

/* Counting takes milliseconds where there are many: it is done rarely. */
static void test_count_rarely(struct fork_rank *self, void *context)
{
    enum { OTHERS = 20000, QUESTIONS = 15000 };
    (void)context;
    limit_told = 1 << 20;
    (void)map_pages(self, OTHERS);
    FORK_CHECK(self, take(QUESTIONS) == QUESTIONS);
    FORK_CHECK(self, counts >= 2 && counts <= 10);
}

/* Without the file, the usual limit is taken for granted. */
static void test_guess_the_limit(struct fork_rank *self, void *context)
{
    (void)context;
    FORK_CHECK(self, take(1000) == 1000);
    (void)map_pages(self, 50000);
    FORK_CHECK(self, take(1000) < 700);
}

/* ---- address space --------------------------------------------------------------------------- */

static void limit_to(struct fork_rank *self, int resource, rlim_t value)
{
    struct rlimit limit;
    FORK_CHECK(self, getrlimit(resource, &limit) == 0);
    limit.rlim_cur = value < limit.rlim_max ? value : limit.rlim_max;
    FORK_CHECK(self, setrlimit(resource, &limit) == 0);
}

/* What the process has of it; /proc/self/statm has the pages in its first and its sixth number. */
static size_t bytes_used(struct fork_rank *self, int resource)
{
    unsigned long all, data;
    FILE *file = fopen("/proc/self/statm", "r");
    FORK_CHECK(self, file != NULL);
    FORK_CHECK(self, fscanf(file, "%lu %*u %*u %*u %*u %lu", &all, &data) == 2);
    (void)fclose(file);
    return (resource == RLIMIT_AS ? all : data) * (size_t)sysconf(_SC_PAGESIZE);
}

static void test_address_space(struct fork_rank *self, void *context)
{
    int resource = *(const int *)context;
    size_t used = bytes_used(self, resource);
    limit_told = 1 << 20;
    FORK_STATUS(self, symm_headroom_to_begin(), SYMM_OK);
    limit_to(self, resource, used + 1000 * mib);
    FORK_STATUS(self, symm_headroom_to_begin(), SYMM_OK);
    FORK_STATUS(self, symm_headroom_take(900 * mib), SYMM_OK);
    limit_to(self, resource, used + 200 * mib);
    errno = 0;
    FORK_STATUS(self, symm_headroom_to_begin(), SYMM_ERR_NO_MEMORY);
    FORK_CHECK(self, errno == ENOMEM);
    FORK_STATUS(self, symm_headroom_take(150 * mib), SYMM_OK);
    FORK_STATUS(self, symm_headroom_take(190 * mib), SYMM_ERR_NO_MEMORY);
    FORK_STATUS(self, symm_headroom_take(SIZE_MAX), SYMM_ERR_NO_MEMORY);
    limit_to(self, resource, used / 2);
    FORK_STATUS(self, symm_headroom_take(1), SYMM_ERR_NO_MEMORY);
}

/* ---- descriptors ----------------------------------------------------------------------------- */

static void test_have_descriptors(struct fork_rank *self, void *context)
{
    rlim_t end = unit_descriptor_limit(SYMM_HEADROOM_DESCRIPTORS_FIRST);
    (void)context;
    limit_to(self, RLIMIT_NOFILE, end);
    FORK_STATUS(self, symm_headroom_to_begin(), SYMM_OK);
    limit_to(self, RLIMIT_NOFILE, end - 1);
    errno = 0;
    FORK_STATUS(self, symm_headroom_to_begin(), SYMM_ERR_NO_MEMORY);
    FORK_CHECK(self, errno == EMFILE);
}

/* How many descriptors are granted and opened, high ones being in use as well as low ones. */
static int open_all(struct fork_rank *self, enum symm_descriptor_use use)
{
    int opened = 0;
    while (symm_headroom_descriptor(use) == SYMM_OK) {
        FORK_CHECK(self, open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0);
        opened++;
    }
    FORK_CHECK(self, errno == EMFILE);
    return opened;
}

static void test_leave_descriptors(struct fork_rank *self, void *context)
{
    enum { WANTED = 300, HIGH = 20 };
    rlim_t end = unit_descriptor_limit(WANTED);
    (void)context;
    limit_to(self, RLIMIT_NOFILE, end);
    for (int i = 1; i <= HIGH; i++) {
        FORK_CHECK(self, fcntl(self->channel, F_DUPFD, (int)end - 5 * i) >= 0);
    }
    int unused = WANTED - HIGH - open_all(self, SYMM_DESCRIPTOR_LASTING);
    FORK_CHECK(self, unused == SYMM_HEADROOM_DESCRIPTORS + SYMM_HEADROOM_PASSING + 1);
    unused -= open_all(self, SYMM_DESCRIPTOR_PASSING);
    FORK_CHECK(self, unused == SYMM_HEADROOM_DESCRIPTORS + 1);
    limit_to(self, RLIMIT_NOFILE, 0);
    FORK_STATUS(self, symm_headroom_descriptor(SYMM_DESCRIPTOR_PASSING), SYMM_ERR_NO_MEMORY);
}

UNIT_MAIN("test_headroom", 100,
    FORK_TEST(test_stop_short, 1),
    FORK_TEST(test_notice_others, 1),
    FORK_TEST(test_notice_room, 1),
    FORK_TEST(test_count_rarely, 1),
    FORK_TEST(test_guess_the_limit, 1),
    FORK_TEST_WITH(test_address_space, 1, &(int){RLIMIT_AS}),
    FORK_TEST_WITH(test_address_space, 1, &(int){RLIMIT_DATA}),
    FORK_TEST(test_have_descriptors, 1),
    FORK_TEST(test_leave_descriptors, 1))
