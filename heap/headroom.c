/*
 * headroom.c - see headroom.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "heap/headroom.h"

static enum symm_status refuse(int error)
{
    errno = error;
    return SYMM_ERR_NO_MEMORY;
}

/* The first bytes of a file as a string; whether it could be read. */
static bool file_read(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    ssize_t got = read(fd, text, size - 1);
    (void)close(fd);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/* ---- address space --------------------------------------------------------------------------- */

/* Once MPI has started, for lists of Open MPI that grow. */
static const size_t space_to_leave = (size_t)16 << 20;

/* What is left of a limit of which so many pages are used. */
static size_t limit_left(int resource, unsigned long pages)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return SIZE_MAX;
    }
    size_t used = pages * (size_t)sysconf(_SC_PAGESIZE);
    return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

static bool is_limited(int resource)
{
    return limit_left(resource, 0) != SIZE_MAX;
}

/* Whether `bytes` can be mapped so that `rest` remain. */
static bool space_suffices(size_t bytes, size_t rest)
{
    unsigned long all, data;
    char text[128];
    if ((!is_limited(RLIMIT_AS) && !is_limited(RLIMIT_DATA)) ||
        !file_read("/proc/self/statm", text, sizeof(text)) ||
        sscanf(text, "%lu %*u %*u %*u %*u %lu", &all, &data) != 2) {
        return true;
    }
    size_t space = limit_left(RLIMIT_AS, all), of_data = limit_left(RLIMIT_DATA, data);
    size_t left = space < of_data ? space : of_data;
    return left >= rest && left - rest >= bytes;
}

/* ---- descriptors ----------------------------------------------------------------------------- */

enum { LOOKED_AT = 64 }; /* descriptors at a time */

/* How many of the `count` descriptors from `first` on are unused: one system call, 1 µs. */
static size_t unused_among(int first, int count)
{
    struct pollfd polled[LOOKED_AT];
    size_t unused = 0;
    int found;
    for (int i = 0; i < count; i++) {
        polled[i] = (struct pollfd){.fd = first + i};
    }
    do {
        found = poll(polled, (nfds_t)count, 0);
    } while (found < 0 && errno == EINTR);
    for (int i = 0; i < count && found > 0; i++) {
        unused += (polled[i].revents & POLLNVAL) != 0;
    }
    return unused;
}

/* From the highest down, since the kernel gives away the lowest first. */
static bool descriptors_suffice(size_t wanted)
{
    struct rlimit limit;
    size_t unused = 0;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return true;
    }
    int end = limit.rlim_cur < INT_MAX ? (int)limit.rlim_cur : INT_MAX;
    while (end > 0 && unused < wanted) {
        int count = end < LOOKED_AT ? end : LOOKED_AT;
        end -= count;
        unused += unused_among(end, count);
    }
    return unused >= wanted;
}

enum symm_status symm_headroom_descriptor(enum symm_descriptor_use use)
{
    size_t rest = SYMM_HEADROOM_DESCRIPTORS;
    rest += use == SYMM_DESCRIPTOR_LASTING ? SYMM_HEADROOM_PASSING : 0;
    enum { MOST = 2 }; /* a connection brings another one */
    return descriptors_suffice(rest + MOST) ? SYMM_OK : refuse(EMFILE);
}

enum symm_status symm_headroom_to_begin(void)
{
    if (!descriptors_suffice(SYMM_HEADROOM_DESCRIPTORS_FIRST)) {
        return refuse(EMFILE);
    }
    return space_suffices(0, SYMM_HEADROOM_SPACE) ? SYMM_OK : refuse(ENOMEM);
}

/* ---- mappings -------------------------------------------------------------------------------- */

/* One in so many of the mappings that a process may have is never ours. */
enum { PART_LEFT = 4 };

/*
 * A line takes 1.2 µs to read.  So mappings are counted again after half as many questions as there
 * were lines, which makes two lines a question, but before unknown mappings could use up what is
 * left.
 */
enum { STEP_LEAST = 64, STEP_PART = 2, STEP_MOST_PART = 8 };

static const size_t mappings_usual = 65530; /* the kernel's own default */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct {
    size_t limit;    /* 0: not known yet */
    size_t counted;  /* of the whole process, when that was last done */
    int64_t since;   /* taken and not given back since then; may be negative */
    size_t questions; /* since then */
    bool valid;      /* it has been done */
} mappings;

static size_t mappings_limit(void)
{
    char text[32];
    if (mappings.limit == 0 && file_read("/proc/sys/vm/max_map_count", text, sizeof(text))) {
        mappings.limit = (size_t)strtoull(text, NULL, 10);
    }
    return mappings.limit > 0 ? mappings.limit : mappings_usual;
}

static void mappings_count(void)
{
    char text[4096];
    size_t lines = 0;
    ssize_t got;
    mappings.questions = 0;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    while ((got = read(fd, text, sizeof(text))) > 0) {
        for (ssize_t i = 0; i < got; i++) {
            lines += text[i] == '\n';
        }
    }
    (void)close(fd);
    mappings.counted = lines;
    mappings.since = 0;
    mappings.valid = true;
}

static bool count_is_old(size_t limit)
{
    size_t step = mappings.counted / STEP_PART, most = limit / STEP_MOST_PART;
    step = step < most ? step : most;
    return !mappings.valid || mappings.questions >= (step > STEP_LEAST ? step : STEP_LEAST);
}

static bool mapping_take(void)
{
    (void)pthread_mutex_lock(&mutex);
    size_t limit = mappings_limit();
    if (count_is_old(limit)) {
        mappings_count();
    }
    mappings.questions++;
    int64_t taken = (int64_t)mappings.counted + mappings.since;
    bool granted = taken < (int64_t)(limit - limit / PART_LEFT);
    mappings.since += granted;
    (void)pthread_mutex_unlock(&mutex);
    return granted;
}

enum symm_status symm_headroom_take(size_t bytes)
{
    return space_suffices(bytes, space_to_leave) && mapping_take() ? SYMM_OK : refuse(ENOMEM);
}

void symm_headroom_give(void)
{
    (void)pthread_mutex_lock(&mutex);
    mappings.since--;
    (void)pthread_mutex_unlock(&mutex);
}
