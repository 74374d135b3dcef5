/*
 * overlap_options.h - the command line of bench/overlap.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_OVERLAP_OPTIONS_H
#define BENCH_OVERLAP_OPTIONS_H

#include "options.h"

enum { OVERLAP_SIZES = 16, OVERLAP_COLLECTIVES = 3 };

/* Those that can be measured, in this order. */
extern const enum collective overlap_collectives[OVERLAP_COLLECTIVES];

/* Who makes the collective. */
enum overlap_way { WAY_MPI, WAY_PERSISTENT, WAY_NCCL, WAY_WINDOW, WAY_CE, OVERLAP_WAYS };

extern const char *const overlap_way_names[OVERLAP_WAYS];

struct overlap_options {
    bool chosen[COLLECTIVE_COUNT];
    size_t bytes[OVERLAP_SIZES]; /* of a result */
    int sizes;
    int order;       /* of the matrices */
    int repetitions;
    int warmup;
    bool in_place;
    bool way[OVERLAP_WAYS];
    bool algorithms; /* each one of ours that is possible, too */
    bool timeline;   /* of one run of each case */
    bool rival;              /* NCCL */
    const char *rival_file;  /* its library; NULL: where the loader finds it */
    const char *cublas_file; /* likewise */
};

/* As options_parse(). */
enum options_outcome overlap_options_parse(int argc, char **argv, struct overlap_options *options,
                                           char *message, size_t length);

extern const char overlap_help[];

#endif
