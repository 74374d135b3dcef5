/*
 * exchange_sides.h - what ranks exchange in check_exchange, and where the blocks lie in the
 * buffers.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_EXCHANGE_SIDES_H
#define SYMM_TESTS_EXCHANGE_SIDES_H

#include "tests/harness/buffers.h"
#include "tests/harness/calls.h"
#include "tests/harness/exchange_types.h"

#include <stdbool.h>
#include <stdint.h>

enum { RANKS_MAX = 64, POISON = 0xdb };

/* How many elements blocks have. */
enum shape {
    SHAPE_EQUAL,
    SHAPE_RANDOM, /* nothing for about every third block */
    SHAPE_STEEP,  /* less and less, the higher the ranks */
    SHAPE_ONE,    /* one block has everything */
    SHAPES
};

/* What types the blocks have. */
enum mixture { MIXTURE_BYTES, MIXTURE_DENSE, MIXTURE_ANY, MIXTURES };

/* One buffer: where its blocks lie, and how. */
struct side {
    const struct exchange_type *type[RANKS_MAX];
    MPI_Datatype handles[RANKS_MAX];
    int blocks;                              /* 0: the rank does not need the buffer */
    int counts[RANKS_MAX], disps[RANKS_MAX]; /* displacements as the collective has them */
    ptrdiff_t at[RANKS_MAX];                 /* in bytes, from the first byte of the buffer */
    size_t bytes;                            /* from the first to the last */
    ptrdiff_t origin;                        /* of the address for MPI, seen from the first byte */
};

struct call {
    enum test_collective collective;
    enum test_call_form form;
    enum shape shape;
    enum mixture mixture;
    enum test_spread spread;
    bool in_place;
    size_t quanta; /* the usual length of a block */
    MPI_Comm comm;
    int rank, size, root;
    struct side send, receive;
};

extern uint64_t exchange_number; /* of the call: what makes its data and places unique */

size_t exchange_quantum(const struct call *call);
bool exchange_is_rooted(const struct call *call);

/* Whether each rank has one block for others, or from others. */
bool exchange_sends_one(const struct call *call);

/* Whether this rank leaves out its send buffer, or, at the root of MPI_Scatterv, the other one. */
bool exchange_sends_in_place(const struct call *call);
bool exchange_receives_in_place(const struct call *call);

/* Whether Open MPI may make the calls. */
bool exchange_may_be_below(const struct call *call);

/* Whose blocks those of the buffers are. */
int exchange_target_of(const struct call *call, int block);
int exchange_source_of(const struct call *call, int block);

/* Draw a buffer's blocks, and the data of one of them. */
void exchange_side_draw(struct call *call, struct side *side, bool sends);
void exchange_block_put(const struct call *call, const struct side *side, unsigned char *data,
                      int block, int source, int target);

#endif
