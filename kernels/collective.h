/*
 * collective.h - the table of collectives: what each one is called, and what it does with its data.
 *
 * The row of a collective holds everything that depends on which collective a call is.  The rows
 * are listed in kernels/lists.h.  The table knows nothing of MPI's arguments.  Of the algorithms it
 * knows only the one that sends data along in the ranks' lines.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_COLLECTIVE_H
#define SYMM_KERNELS_COLLECTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "heap/private.h"
#include "heap/symm.h"
#include "kernels/lists.h"

enum symm_collective {
#define SYMM_COLLECTIVE_NUMBER(NUMBER, ...) SYMM_##NUMBER,
    SYMM_COLLECTIVES(SYMM_COLLECTIVE_NUMBER)
#undef SYMM_COLLECTIVE_NUMBER
    SYMM_COLLECTIVE_COUNT
};

struct symm_collective_row {
    const char *name;      /* in parameters, tables of choices and reports: "allreduce" */
    const char *mpi_name;  /* in messages: "MPI_Allreduce" */
    bool reduces;          /* elements are combined by an operation: type and operation matter */
    bool is_rooted;        /* one rank's buffers differ from those of the others */
    bool from_root;        /* the root alone has an input; the others read it */
    bool to_root;          /* the root alone has an output */
    bool has_counts;       /* each rank has a count of its own */
    bool reads_inputs;     /* every rank has an input, unless the root alone has one */
    bool writes_outputs;   /* every rank has an output, unless the root alone has one */
    bool gathers;          /* a result holds a block of each rank */
    bool scatters;         /* an input holds a block for each rank, and its result is that block */
    bool is_prefix;        /* a rank's result comes from this rank and those before it */
    bool has_blocks;       /* ranks exchange blocks with each other: struct symm_block */
    bool has_tables;       /* only the two ranks of a block know it: lines carry tables of them */
    bool own_stays;        /* the block of a rank for itself does not travel in the slot */
    int inline_algorithm;    /* enum symm_algorithm of calls whose data travel in the lines */
    bool in_place_by_copy; /* once the input is copied to the output, a call is in place */
    bool device_reads_peers; /* on devices, ranks read peers' inputs, not only store to outputs */
    int calls_before_set_up; /* calls that go below before the ranks set up shared memory */
};

SYMM_PRIVATE extern const struct symm_collective_row symm_collectives[SYMM_COLLECTIVE_COUNT];

static inline const struct symm_collective_row *symm_collective_get(enum symm_collective collective)
{
    return &symm_collectives[collective];
}

/*
 * Whether a rank in place writes where other ranks still read: on devices such a call goes through
 * scratch.
 */
static inline bool symm_collective_swaps(const struct symm_collective_row *collective)
{
    return collective->is_prefix ||
           (collective->has_blocks && !collective->gathers && !collective->is_rooted);
}

/* Bytes of the result of a call to which each of so many ranks contributes `bytes`. */
static inline uint64_t symm_collective_result(const struct symm_collective_row *collective,
                                              uint64_t bytes, int ranks)
{
    return collective->gathers ? bytes * (uint64_t)ranks : bytes;
}

/* Whether what a rank contributes is divided among the ranks, equally as a rule. */
static inline bool symm_collective_is_divided(const struct symm_collective_row *collective)
{
    return collective->scatters || (collective->own_stays && !collective->gathers);
}

/*
 * Bytes from one rank to another in a call to which each of so many ranks contributes `bytes`: all
 * of them, or a block.
 */
static inline uint64_t symm_collective_share(const struct symm_collective_row *collective,
                                             uint64_t bytes, int ranks)
{
    return symm_collective_is_divided(collective) ? bytes / (uint64_t)ranks : bytes;
}

#endif /* SYMM_KERNELS_COLLECTIVE_H */
