/*
 * One call of the randomised test, drawn from the seed and its number alone: every rank of a
 * communicator draws the same one, and a run can begin at any number.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_RANDOM_CALL_H
#define SYMM_TESTS_RANDOM_CALL_H

#include "tests/harness/buffers.h"
#include "tests/harness/calls.h"
#include "tests/results/random/random_comms.h"
#include "tests/results/random/random_types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANDOM_RANKS_MAX = 16 };

/* What happens on the communicator just before the call, or is under way during it. */
enum random_before { BEFORE_NOTHING, BEFORE_BARRIER, BEFORE_BROADCAST, BEFORE_MESSAGE };
enum random_meanwhile {
    MEANWHILE_NOTHING,
    MEANWHILE_MESSAGE,
    MEANWHILE_LONG_MESSAGE,
    MEANWHILE_IALLREDUCE,
    MEANWHILE_IBROADCAST,
    MEANWHILE_IBARRIER
};

/* A buffer of an exchange: a block for each rank, one, or none on a rank that is not the root. */
struct random_side {
    int blocks;
    struct test_layout layouts[RANDOM_RANKS_MAX];
    MPI_Datatype types[RANDOM_RANKS_MAX]; /* those of the layouts */
    int counts[RANDOM_RANKS_MAX], displacements[RANDOM_RANKS_MAX];
    size_t at[RANDOM_RANKS_MAX]; /* where blocks begin, in bytes from the first one */
    size_t bytes;                /* from the first to the last */
    ptrdiff_t origin;            /* from the first one to the address for MPI */
};

struct random_call {
    uint64_t index;  /* of the call in the run */
    uint64_t number; /* names its random data; different for groups that act at the same time */
    int place;       /* of the communicator */
    const struct random_comm *comm;
    enum test_collective collective;

    const struct test_element *element;        /* predefined reduction */
    enum test_op op;
    bool exact;                                /* its result needs no rounding */
    const struct random_operation *operation;  /* user-defined reduction */

    struct test_layout send; /* the same as receive but for all-gather */
    struct test_layout receive;
    size_t send_count;
    size_t count;                    /* of elements; all-gather: of a block; exchange: about */
    int counts[RANDOM_RANKS_MAX];    /* reduce-scatter: of the ranks' blocks */
    size_t begin, results;           /* the elements of a reduction that this rank gets */
    struct random_side sending, receiving; /* exchange: the buffers; in place twice the same */
    const char *shape;                     /* of blocks */
    bool in_place; /* this rank; with a root: only that one */
    int root;      /* of an exchange, or of the two calls that make another call; -1: of one call */
    enum test_spread spread;
    const char *source[2]; /* where this rank's buffers come from, by role; NULL: not known yet */
    unsigned offset[2];    /* from a cache line's beginning */

    enum random_before before;
    enum random_meanwhile meanwhile;
    unsigned late_us; /* this rank comes late */
    bool late_asleep; /* and sleeps until then, or computes */
    bool settle;      /* results are compared after this call, on all ranks of the world */
};

/* Fills all but what the communicator decides; the same on all ranks of the world. */
void random_call_draw_place(struct random_call *call, uint64_t index);

/* Draws the rest; the communicator of the place must be the one of this index. */
void random_call_draw(struct random_call *call, const struct random_types *types);

static inline bool random_call_scatters(const struct random_call *call)
{
    return call->collective == TEST_REDUCE_SCATTER ||
           call->collective == TEST_REDUCE_SCATTER_BLOCK;
}

static inline bool random_call_scans(const struct random_call *call)
{
    return call->collective == TEST_SCAN || call->collective == TEST_EXSCAN;
}

static inline bool random_call_exchanges(const struct random_call *call)
{
    return call->collective >= TEST_ALLTOALL;
}

/* The number of ranks, from 0 on, whose data a result of this rank consists of. */
static inline int random_call_sources(const struct random_call *call)
{
    return call->collective == TEST_SCAN     ? call->comm->rank + 1
           : call->collective == TEST_EXSCAN ? call->comm->rank : call->comm->size;
}

/*
 * Open MPI, 4.1.4 to 5.0.7, loses the end of a rank's own block, whichever component serves an
 * all-gather, and of other calls if it makes them: when its elements are one run of data and a gap,
 * are received as another type, and a border of its 64 KiB buffer lies within the last one.
 */
bool random_call_is_lost_below(const struct test_layout *send, const struct test_layout *receive,
                               size_t send_count);

/* Bytes between the first and the last byte that MPI may touch. */
size_t random_call_input_bytes(const struct random_call *call);
size_t random_call_output_bytes(const struct random_call *call);

enum { RANDOM_TEXT = 380 };

void random_call_describe(const struct random_call *call, char *text, size_t size);

#endif
