/*
 * Limits and namespaces for the calling process; see deprive.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "tests/harness/deprive.h"

#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { DESCRIPTORS = 1024, MIB = 1 << 20, OTHER_USER = 65534 };

static char taken[DESCRIPTORS]; /* descriptors that are ours */
static char *mapped;            /* memory in many mappings */
static size_t mapped_size;

int test_open_descriptors(void)
{
    int count = 0;
    for (int descriptor = 0; descriptor < DESCRIPTORS; descriptor++) {
        count += fcntl(descriptor, F_GETFD) >= 0;
    }
    return count;
}

static bool limit(int resource, rlim_t value)
{
    struct rlimit now;
    getrlimit(resource, &now);
    now.rlim_cur = now.rlim_max < value ? now.rlim_max : value;
    return setrlimit(resource, &now) == 0;
}

static bool take_descriptors(void)
{
    int descriptor;
    limit(RLIMIT_NOFILE, DESCRIPTORS);
    while ((descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) {
        taken[descriptor] = 1;
    }
    return true;
}

static size_t space_in_use(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%lu", &pages) != 1) {
        pages = 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/*
 * Every other page of a reservation gets another protection, so that each is a mapping. `left`
 * pages, an even number, are given back.
 */
static bool take_mappings(size_t left)
{
    enum { MOST = 1 << 20 };
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t i = 1;
    if (left == 0) { /* the test's own memory is to be had without mappings */
        mallopt(M_MMAP_MAX, 0);
        mallopt(M_TRIM_THRESHOLD, INT_MAX);
        void *volatile store = malloc(32 * MIB); /* volatile: not to be optimised away */
        free(store);
    }
    mapped_size = MOST * page;
    mapped = mmap(NULL, mapped_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
        return false;
    }
    while (i + 1 < MOST && mprotect(mapped + i * page, page, PROT_READ) == 0) {
        i += 2;
    }
    if (left > 0 && i > left + 1) {
        mprotect(mapped + (i - 1 - left) * page, left * page, PROT_NONE);
    }
    return i + 1 < MOST; /* the system may allow more than that */
}

static bool take(const char *what)
{
    if (strcmp(what, "nothing") == 0) {
        return true;
    }
    if (strcmp(what, "network") == 0) {
        return unshare(CLONE_NEWNET) == 0;
    }
    if (strcmp(what, "user") == 0) {
        return seteuid(OTHER_USER) == 0;
    }
    if (strcmp(what, "descriptors") == 0) {
        return take_descriptors();
    }
    if (strcmp(what, "space") == 0) {
        return limit(RLIMIT_AS, space_in_use() + 24 * MIB);
    }
    if (strcmp(what, "file-size") == 0) {
        return limit(RLIMIT_FSIZE, 4096);
    }
    if (strcmp(what, "mappings") == 0) {
        return take_mappings(0);
    }
    if (strcmp(what, "most-mappings") == 0) {
        return take_mappings(400);
    }
    fprintf(stderr, "'%s' is nothing that can be taken; see deprive.h\n", what);
    exit(2);
}

bool test_deprive(const char *what)
{
    bool done = take(what);
    if (!done) {
        perror(what);
    }
    return done;
}

void test_deprive_end(void)
{
    for (int descriptor = 0; descriptor < DESCRIPTORS; descriptor++) {
        if (taken[descriptor]) {
            close(descriptor);
        }
    }
    if (mapped != NULL && mapped != MAP_FAILED) {
        munmap(mapped, mapped_size);
    }
    limit(RLIMIT_AS, RLIM_INFINITY);
    limit(RLIMIT_FSIZE, RLIM_INFINITY);
    if (geteuid() == OTHER_USER) {
        seteuid(getuid());
    }
}
