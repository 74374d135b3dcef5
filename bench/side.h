/*
 * side.h - the sides that are compared in one run. MPI on a communicator or a rival makes the calls
 * of a side.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_SIDE_H
#define BENCH_SIDE_H

#include "compute.h"
#include "nccl.h"

/* MPI and a rival's ways, or all algorithms of a collective and the choice among them. */
enum { SIDES_MOST = 16 };

/* What of a call that is not blocking is timed. */
enum side_part {
    SIDE_CALL,   /* all of it; blocking calls know nothing else */
    SIDE_BESIDE, /* with a computation between its start and waiting for it */
    SIDE_COMPUTE /* this computation alone */
};

/* Sides of a run of calls that are not blocking. */
enum {
    SIDES_CALL,
    SIDES_BESIDE,
    SIDES_COMPUTE,
    SIDES_BLOCKING,                  /* the blocking call, if nothing is compared, or */
    SIDES_WITHOUT = SIDES_BLOCKING,  /* without the component, */
    SIDES_WITHOUT_BESIDE             /* beside the same computation */
};

struct side {
    const char *head;              /* of its column */
    const char *words;             /* in messages; "" if there are no others */
    MPI_Comm comm;                 /* MPI's calls, */
    const struct nccl_path *rival; /* or, if not NULL, NCCL's */
    const struct buffers *buffers;
    enum form form;
    enum side_part part;
    const struct compute *compute; /* of a part that has it */
    MPI_Request persistent;        /* MPI_REQUEST_NULL: none */
};

struct sides {
    int count;
    struct side side[SIDES_MOST];
    struct nccl_path path[NCCL_WAYS]; /* of the rival's sides, from side 1 on */
    struct compute compute;           /* its length is that of the longest SIDE_CALL */
    struct {
        char head[24], words[24];
    } beside[2];                      /* what the sides of two kinds of memory are called */
};

/* What the sides are made of; everything is borrowed. */
struct sides_origin {
    MPI_Comm with;
    MPI_Comm without;        /* MPI_COMM_NULL if not compared */
    const struct nccl *nccl; /* NULL: no rival */
    const struct buffers *buffers;
    const struct buffers *beside; /* other memory for calls with the component; NULL: none */
    enum form form;
    int tests;
};

/* Collective. The bytes are those of the largest call. */
void sides_open(struct sides *sides, const struct sides_origin *origin, const struct call *largest);
void sides_close(struct sides *sides);

/* Collective: makes persistent calls for calls of this size, and frees them. */
void sides_prepare(struct sides *sides, const struct call *call);
void sides_release(struct sides *sides);

/* `call` with the buffers of this side, and in place as this side has it. */
struct call side_call(const struct side *side, const struct call *call);

/* Makes a call that has this side's buffers. */
void side_run(const struct side *side, const struct call *call);

#endif
