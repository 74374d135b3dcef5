/*
 * overlap_run.h - one collective and products, each alone, in turn, and at the same time.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_OVERLAP_RUN_H
#define BENCH_OVERLAP_RUN_H

#include "call.h"
#include "nccl.h"
#include "product.h"

/* Who makes the collective, with memory and a stream of its own. */
struct overlap_side {
    const char *name;
    MPI_Comm comm;                /* MPI_COMM_NULL: NCCL */
    const struct nccl_path *path; /* NULL: MPI */
    void *stream;                 /* NCCL's */
};

struct overlap_case {
    struct overlap_side side;
    struct call call;
    const struct device *device;
    const struct product *product;
    MPI_Comm control;
    int repetitions;
    int warmup;
};

/* Microseconds; the same on all ranks. */
struct overlap_result {
    int products;
    double product, alone, in_turn, overlapped; /* medians */
    double hidden, slowed;                      /* shares of 1 */
    bool right;
};

/* Collective over `control`. */
void overlap_measure(const struct overlap_case *plan, struct overlap_result *result);

#endif
