/*
 * ordering_stream_lanes.h - what the kernels of ordering_stream_kernels.h are made of: places in
 * the lanes of all ranks, stores, and steps.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ORDERING_STREAM_LANES_H
#define SYMM_TESTS_ORDERING_STREAM_LANES_H

#include "tests/unit/ordering/ordering_stream.h"
#include "tests/unit/ordering/ordering_stream_kernels.h"

enum {
    LANES_SLOTS = 2,
    LANES_PUSH_SLOTS = 4,
    LANES_OLD = 48, /* the value of a packet of epoch e before the first kernel, less e */
    LANES_PUSH_BEFORE = 13, /* tiles before the first kernel: soon the flags' bits come again */
};

/* Places are told apart by what is stored there. */
enum lanes_kind { LANES_PACKET, LANES_HELLO, LANES_FLAG, LANES_SLICE, LANES_RESULT, LANES_KINDS };

/* What blocks count, all ranks alike, and which places have been used so far. */
struct lanes {
    struct stream_programs *programs;
    const struct stream_shape *shape;
    uint8_t places[LANES_KINDS][STREAM_RANKS][STREAM_RANKS][LANES_PUSH_SLOTS][STREAM_UNITS];
    int kernel;   /* from 0 */
    char letter;  /* of this kernel, in the mixture */
    int digit;
    int epoch;    /* of the next turn */
    int number;   /* of this kernel, or the last one, among those of packets */
    int root;     /* of the last kernel of packets, or -1 */
    bool is_after_root; /* that kernel counted as rooted, and no push has followed */
    int turn;     /* the last one's value */
    int push;     /* epoch of the last tile */
    int tile;     /* the last one's value */
};

/* As words of few bits have it. */
int lanes_count(int number);

/* The number of a place in the lane of `owner`, for what `source` stores. */
int lanes_place(struct lanes *lanes, enum lanes_kind kind, int owner, int source, int slot,
                int unit);

/* Behind the last step of the place's thread. */
void lanes_store(struct lanes *lanes, int place, int value, bool is_ordered);

struct stream_step *lanes_step(struct lanes *lanes, int thread, enum stream_action action);
void lanes_look(struct stream_step *step, int place, int value);

/* Of all threads of a rank, if there are several; of its first one, which is the one that wipes. */
void lanes_barrier(struct lanes *lanes, int rank);
void lanes_fence(struct lanes *lanes, int rank);

/* Whether `from` has data for `to` in this kernel. */
bool lanes_sends(const struct lanes *lanes, int from, int to);

/* All threads of a rank store data to all that it has some for, or look for all that it gets. */
void lanes_send(struct lanes *lanes, enum lanes_kind kind, int rank, int slot, int value);
void lanes_receive(struct lanes *lanes, enum lanes_kind kind, int rank, int slot, int value);

#endif /* SYMM_TESTS_ORDERING_STREAM_LANES_H */
