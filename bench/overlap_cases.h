/*
 * overlap_cases.h - which collectives, sizes and sides bench/overlap measures, and the table that
 * it prints of them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_OVERLAP_CASES_H
#define BENCH_OVERLAP_CASES_H

#include "nccl.h"
#include "overlap_options.h"
#include "product.h"

struct overlap_session {
    struct overlap_options options;
    int rank, ranks;
    MPI_Comm control; /* barriers and bookkeeping, without the component */
    MPI_Comm comm;
    struct gpus gpus;
    struct nccl *nccl; /* NULL: none */
    struct product *product;
    void *stream;      /* NCCL's */
    bool right;        /* all results so far */
};

/* Collective over `control`; rank 0 prints. */
void overlap_cases_measure(struct overlap_session *session);

#endif
