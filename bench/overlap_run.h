/*
 * overlap_run.h - one collective and products, each alone, in turn, and at the same time.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_OVERLAP_RUN_H
#define BENCH_OVERLAP_RUN_H

#include "form.h"
#include "nccl.h"
#include "product.h"

/* Who makes the collective, with memory and a stream of its own. */
struct overlap_side {
    const char *name;
    enum form form;               /* of MPI's call: nonblocking or persistent */
    MPI_Comm comm;                /* MPI_COMM_NULL: NCCL */
    const struct nccl_path *path; /* NULL: MPI */
    void *stream;                 /* NCCL's */
};

struct overlap_case {
    struct overlap_side side;
    struct call call;
    const struct device *device;
    const struct product *product;
    MPI_Request persistent; /* the call, where the side's form is that; made with each case */
    MPI_Comm control;
    int repetitions;
    int warmup;
};

/* What happened when in one run with both, on this rank. */
struct overlap_marks {
    /* Moments of the host, by clock_us(): the call that starts the collective, its return, the
     * products started, each of both seen to be done. */
    double call, returned, launched, collective_done, products_done;
    /* Moments of streams, for NCCL's collective and for products. */
    void *collective_begin, *collective_end, *products_begin, *products_end;
};

/* Microseconds; the same on all ranks. */
struct overlap_result {
    int products;
    double product, alone, in_turn, overlapped; /* medians */
    double hidden, slowed;                      /* shares of 1 */
    bool right;
};

/* Collective over `control`. A persistent call has been made with form_init(). */
void overlap_measure(const struct overlap_case *plan, struct overlap_result *result);

/* Collective over `control`: one run with both. The events of `marks` are the caller's. */
void overlap_run_marked(const struct overlap_case *plan, int products, int round,
                        struct overlap_marks *marks);

#endif
