/*
 * alloc_time.c - what MPI_Alloc_mem and MPI_Free_mem cost: the average and the worst call, and the
 * memory that stays resident when all blocks have been freed. Sizes are drawn from a seed, evenly
 * in their logarithm, so that runs with and without the component make the same calls.
 * tests/processes/mpool.tap alternates the two.
 *
 *     bench/alloc_time [LIVE [TOUCH [BLOCKS [SEED [MOST]]]]]
 *
 * LIVE     blocks that are allocated at a time (1: each is freed before the next one is allocated)
 * TOUCH    all: every byte is written; ends: the first and the last one
 * BLOCKS   how many are allocated
 * MOST     size of the largest one, in bytes
 *
 * All ranks do the same, and each prints a line.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <mpi.h>

#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench/clock.h"

enum { LIVE_MOST = 4096, LINE_SIZE = 256 };

struct options {
    size_t live, blocks, most;
    bool all;
    uint64_t seed;
};

/* Microseconds. */
struct cost {
    double total, worst;
};

/* splitmix64 */
static uint64_t random_next(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static size_t random_size(uint64_t *state, size_t most)
{
    double part = (double)(random_next(state) >> 11) / 9007199254740992.0; /* 2^53 */
    return (size_t)exp(part * log((double)most));
}

/* ---- resident memory ------------------------------------------------------------------------- */

static double status_kib(const char *name)
{
    char line[LINE_SIZE];
    double kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof(line), status) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0) {
            kib = strtod(line + strlen(name), NULL);
        }
    }
    if (status != NULL) {
        (void)fclose(status);
    }
    return kib;
}

/*
 * Pages of memory files that are open here, mapped or not, each file once. The file of a segment
 * that has been given back is no longer open.
 */
static double memory_files_kib(void)
{
    ino_t seen[LIVE_MOST];
    size_t count = 0;
    double kib = 0;
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        char path[LINE_SIZE], target[LINE_SIZE];
        struct stat file;
        (void)snprintf(path, sizeof(path), "/proc/self/fd/%.20s", entry->d_name);
        ssize_t length = readlink(path, target, sizeof(target) - 1);
        if (length < 0 || strncmp(target, "/memfd:symm-segment", 19) != 0 ||
            stat(path, &file) != 0) {
            continue;
        }
        size_t i = 0;
        while (i < count && seen[i] != file.st_ino) {
            i++;
        }
        if (i == count && count < LIVE_MOST) {
            seen[count++] = file.st_ino;
            kib += (double)file.st_blocks / 2;
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return kib;
}

/*
 * Memory of this process alone, and what it has in memory files; shared libraries are not counted.
 */
static double resident_mib(void)
{
    return (status_kib("RssAnon:") + memory_files_kib()) / 1024;
}

/* ---- the calls ------------------------------------------------------------------------------- */

static void cost_add(struct cost *cost, double start)
{
    double took = clock_us() - start;
    cost->total += took;
    cost->worst = took > cost->worst ? took : cost->worst;
}

static unsigned char *block_alloc(size_t size, struct cost *cost)
{
    unsigned char *block = NULL;
    double start = clock_us();
    MPI_Alloc_mem((MPI_Aint)size, MPI_INFO_NULL, &block);
    cost_add(cost, start);
    return block;
}

static void block_free(unsigned char *block, struct cost *cost)
{
    double start = clock_us();
    MPI_Free_mem(block);
    cost_add(cost, start);
}

static void block_touch(unsigned char *block, size_t size, bool all)
{
    if (all) {
        memset(block, 0x5a, size);
    } else {
        *(volatile unsigned char *)block = 1;
        *(volatile unsigned char *)(block + size - 1) = 1;
    }
}

static void run(const struct options *options, struct cost costs[2], double *took)
{
    static unsigned char *blocks[LIVE_MOST];
    uint64_t random = options->seed;
    double start = clock_us();
    for (size_t i = 0; i < options->blocks; i++) {
        size_t place = random_next(&random) % options->live;
        if (blocks[place] != NULL) {
            block_free(blocks[place], &costs[1]);
        }
        size_t size = random_size(&random, options->most);
        blocks[place] = block_alloc(size, &costs[0]);
        block_touch(blocks[place], size, options->all);
        if (options->live == 1) {
            block_free(blocks[place], &costs[1]);
            blocks[place] = NULL;
        }
    }
    for (size_t place = 0; place < options->live; place++) {
        if (blocks[place] != NULL) {
            block_free(blocks[place], &costs[1]);
        }
    }
    *took = clock_us() - start;
}

static void report(const struct options *options)
{
    struct cost costs[2] = {{0, 0}, {0, 0}};
    const struct timespec pause = {.tv_sec = 2};
    double took, before = resident_mib();
    run(options, costs, &took);
    double count = (double)options->blocks;
    double at_once = resident_mib();
    (void)nanosleep(&pause, NULL);
    double after = resident_mib();
    (void)printf("live %4zu %s: average us alloc %.2f free %.2f, worst us alloc %.0f free %.0f, "
                 "all %.0f ms, resident MiB at once %.1f after 2 s %.1f\n",
                 options->live, options->all ? "all " : "ends", costs[0].total / count,
                 costs[1].total / count, costs[0].worst, costs[1].worst, took / 1000,
                 at_once - before, after - before);
}

int main(int argc, char **argv)
{
    struct options options = {.live = 64, .blocks = 4000, .most = (size_t)64 << 20, .seed = 1};
    MPI_Init(&argc, &argv);
    options.live = argc > 1 ? strtoul(argv[1], NULL, 10) : options.live;
    options.all = argc <= 2 || strcmp(argv[2], "all") == 0;
    options.blocks = argc > 3 ? strtoul(argv[3], NULL, 10) : options.blocks;
    options.seed = argc > 4 ? strtoul(argv[4], NULL, 10) : options.seed;
    options.most = argc > 5 ? strtoul(argv[5], NULL, 10) : options.most;
    if (options.live < 1 || options.live > LIVE_MOST || options.most < 1) {
        (void)fprintf(stderr, "alloc_time: LIVE is 1 to %d, MOST at least 1\n", LIVE_MOST);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    report(&options);
    MPI_Finalize();
    return 0;
}
