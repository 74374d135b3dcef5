/*
 * side.h - the sides that are compared in one run. MPI on a communicator or a rival makes the calls
 * of a side.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_SIDE_H
#define BENCH_SIDE_H

#include "nccl.h"

/* MPI and a rival's ways, or all algorithms of a collective and the choice among them. */
enum { SIDES_MOST = 16 };

struct side {
    const char *head;              /* of its column */
    const char *words;             /* in messages; "" if there are no others */
    MPI_Comm comm;                 /* MPI's calls, */
    const struct nccl_path *rival; /* or, if not NULL, NCCL's */
    const struct buffers *buffers;
};

struct sides {
    int count;
    struct side side[SIDES_MOST];
    struct nccl_path path[NCCL_WAYS]; /* of the rival's sides, from side 1 on */
};

/* What the sides are made of; everything is borrowed. */
struct sides_origin {
    MPI_Comm with;
    MPI_Comm without;        /* MPI_COMM_NULL if not compared */
    const struct nccl *nccl; /* NULL: no rival */
    const struct buffers *buffers;
};

/* Collective. The bytes are those of the largest call. */
void sides_open(struct sides *sides, const struct sides_origin *origin, const struct call *largest);
void sides_close(struct sides *sides);

/* `call` with the buffers of this side. */
struct call side_call(const struct side *side, const struct call *call);

/* Makes a call that has this side's buffers. */
void side_run(const struct side *side, const struct call *call);

#endif
