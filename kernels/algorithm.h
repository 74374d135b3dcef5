/*
 * algorithm.h - the table of algorithms: names, needs and step functions.
 *
 * An algorithm is a row of this table.  The row stands in the algorithm's own file, beside the step
 * function.  Everything that depends on which algorithm serves a call comes from the row: whether
 * the algorithm is possible, what users read and write for it, and which time the model expects.
 *
 * The list of all algorithms is in kernels/lists.h.  To add one, write a file with its row, and add
 * a line to that list, a line to kernels/local.mk, and measured rows to
 * mca/coll/symm/choose/built_in.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_ALGORITHM_H
#define SYMM_KERNELS_ALGORITHM_H

#include <stdbool.h>
#include <stddef.h>

#include "heap/private.h"
#include "heap/symm.h"
#include "kernels/collective.h"
#include "kernels/lists.h"

struct symm_run;
struct symm_work;
struct symm_kernel;

/* Sets the kernel that this rank starts (cuda/launch/kernel.h), and returns it. */
typedef struct symm_kernel *symm_kernel_maker(const struct symm_work *work,
                                              struct symm_kernel *kernel);

enum symm_algorithm {
#define SYMM_ALGORITHM_NUMBER(number, row) number,
    SYMM_ALGORITHMS(SYMM_ALGORITHM_NUMBER)
#undef SYMM_ALGORITHM_NUMBER
    SYMM_ALGORITHM_COUNT
};

/* The memory that an algorithm works on. */
enum symm_algorithm_memory {
    SYMM_ALGORITHM_HOST,
    SYMM_ALGORITHM_DEVICE,
    SYMM_ALGORITHM_MEMORIES
};

/* What an algorithm needs from all ranks. */
enum symm_algorithm_need {
    SYMM_NEEDS_INPUTS = 1,            /* all ranks reach all inputs */
    SYMM_NEEDS_OUTPUTS = 2,           /* all ranks reach all outputs */
    SYMM_NEEDS_OUT_OF_PLACE = 4,      /* no rank's input is its output */
    SYMM_NEEDS_SLICE_SCRATCH = 8,     /* scratch on the devices that is offered for slices */
    SYMM_NEEDS_RELAY_SCRATCH = 16,    /* scratch on the devices that all data go through */
    SYMM_NEEDS_INPUT_MULTICAST = 32,  /* a multicast address of the inputs, and a reduction by it */
    SYMM_NEEDS_OUTPUT_MULTICAST = 64, /* a multicast address of the outputs */
    SYMM_NEEDS_EXACT_REDUCTION = 128, /* each rank gets the same bits by multicast */
    SYMM_NEEDS_PADS = 256,            /* scratch on the devices that packets are sent to */
};

/* Where an algorithm is slow.  It is not used there unless a user forces it. */
enum symm_algorithm_slowness {
    SYMM_SLOW_LARGE_BLOCKS = 1, /* blocks of more bytes than coll_symm_allgather_staged_max says */
    SYMM_SLOW_SMALL_PAGES = 2,  /* more than the most bytes below to outputs in small pages */
    SYMM_SLOW_SHARED_DEVICES = 4, /* ranks share a device, where kernels that wait stop others */
    SYMM_SLOW_LARGE_BLOCKS_OF_MANY = 8, /* with many ranks, also where the user sets no limit */
    SYMM_SLOW_TWO_COPIES = 16, /* large blocks where one copy by the kernel is quicker */
};

/* Which data with gaps in host memory mca/coll/symm/transfer/packed.c packs for an algorithm. */
enum symm_algorithm_packing {
    SYMM_PACKS_NOT,   /* none; data in the slot are packed before the choice */
    SYMM_PACKS_PIECE, /* blocks of up to the size of a staging buffer */
    SYMM_PACKS_SHIFTED, /* all, but slowly: where elements do not begin at their addresses */
    SYMM_PACKS_ALL,
};

/*
 * The time of an algorithm on devices, for mca/coll/symm/choose/model.h.  Times are in
 * microseconds; times that end in _rank are per rank.  Rates are in bytes per microsecond: rate_two
 * is between two devices, rate between more.
 */
struct symm_algorithm_cost {
    double floor, floor_rank, start, start_rank;
    double rate_two, rate; /* 0: the model does not know the algorithm */
    double own;            /* added to floor out of place: a kernel copies the rank's own block */
    bool is_guess;         /* nobody has measured it */
    double (*link_bytes)(double ranks, double bytes); /* over a link in its busier direction */
};

struct symm_algorithm_row {
    enum symm_algorithm number;
    const char *name; /* in reports, counters and messages; on devices, "cuda_" and the word */
    enum symm_collective collective;
    enum symm_algorithm_memory memory;
    unsigned needs;  /* enum symm_algorithm_need */
    unsigned slow;   /* enum symm_algorithm_slowness */
    size_t small_pages_most;
    size_t small_pages_most_of_more; /* of more than two ranks; 0: the same */
    /*
     * For an algorithm by relay: more than two ranks use it although they reach all outputs, if
     * these are in small pages and the call has so many bytes.  0: they do not.
     */
    size_t small_pages_least;
    enum symm_algorithm_packing packing;
    bool in_slot;     /* the data travel in the ranks' lines */
    bool spares_multiprocessors; /* on devices: takes none where work->beside says so */
    bool keeps_order; /* operands stay in rank order: right for operations that do not commute */
    /*
     * In a row of host memory: the algorithm that calls on devices use when a user forces this row.
     * 0: none, because number 0 is an algorithm on host memory.
     */
    enum symm_algorithm on_device;

    /* Do a bounded part of a run: see symm_run_step(). */
    enum symm_status (*step)(struct symm_run *run);

    /* Of an algorithm on devices that is one kernel of each rank: makes it (cuda/steps.h). */
    symm_kernel_maker *make;

    /*
     * Bytes of scratch on a device with which a call of `bytes` per rank is quickest.  NULL: no
     * scratch.
     */
    size_t (*scratch_wanted)(size_t bytes, int ranks);
    /*
     * With SYMM_NEEDS_SLICE_SCRATCH: scratch_least bytes make the algorithm possible; with
     * scratch_fair bytes it is not slow.
     */
    size_t (*scratch_least)(int ranks);
    size_t (*scratch_fair)(int ranks);

    struct symm_algorithm_cost cost;
};

SYMM_PRIVATE extern const struct symm_algorithm_row *const symm_algorithms[SYMM_ALGORITHM_COUNT];

static inline const struct symm_algorithm_row *symm_algorithm_get(enum symm_algorithm algorithm)
{
    return symm_algorithms[algorithm];
}

/* Whether `algorithm` is the number of an algorithm for that collective and memory. */
SYMM_PRIVATE bool symm_algorithm_is_for(int algorithm, enum symm_collective collective,
                                        enum symm_algorithm_memory memory);

/* The first algorithm of a collective in a memory with all of these needs; NULL: there is none. */
SYMM_PRIVATE const struct symm_algorithm_row *
symm_algorithm_find(enum symm_collective collective, enum symm_algorithm_memory memory,
                        unsigned needs);

/* What users write for it, in parameters and tables of choices: the name without "cuda_". */
SYMM_PRIVATE const char *symm_algorithm_word(const struct symm_algorithm_row *row);

/* Whether `algorithm` has one of these needs.  A number that no algorithm has is without needs. */
static inline bool symm_algorithm_has(int algorithm, unsigned needs)
{
    return algorithm >= 0 && algorithm < SYMM_ALGORITHM_COUNT &&
           (symm_algorithms[algorithm]->needs & needs) != 0;
}

/* Whether it works on device memory. */
static inline bool symm_algorithm_is_cuda(enum symm_algorithm algorithm)
{
    return symm_algorithm_get(algorithm)->memory == SYMM_ALGORITHM_DEVICE;
}

/* Whether it works through a multicast address of the inputs; of the outputs; of either. */
static inline bool symm_algorithm_multicasts_inputs(enum symm_algorithm algorithm)
{
    return symm_algorithm_has((int)algorithm, SYMM_NEEDS_INPUT_MULTICAST);
}

static inline bool symm_algorithm_multicasts_outputs(enum symm_algorithm algorithm)
{
    return symm_algorithm_has((int)algorithm, SYMM_NEEDS_OUTPUT_MULTICAST);
}

static inline bool symm_algorithm_is_multimem(enum symm_algorithm algorithm)
{
    return symm_algorithm_has((int)algorithm,
                              SYMM_NEEDS_INPUT_MULTICAST | SYMM_NEEDS_OUTPUT_MULTICAST);
}

static inline const char *symm_algorithm_name(enum symm_algorithm algorithm)
{
    return symm_algorithm_get(algorithm)->name;
}

/* ---- for the algorithms' files --------------------------------------------------------------- */

#define SYMM_ALGORITHM_DECLARE(number, row) extern const struct symm_algorithm_row row;
SYMM_ALGORITHMS(SYMM_ALGORITHM_DECLARE)
#undef SYMM_ALGORITHM_DECLARE

/*
 * The row of an algorithm `way` of a collective; the other members follow.  And the rows of two
 * collectives, which differ in nothing else.
 */
#define SYMM_ALGORITHM_ROW(collective_, COLLECTIVE, way, WAY, ...)                                 \
    const struct symm_algorithm_row symm_##collective_##_##way = {                                 \
        .number = SYMM_##COLLECTIVE##_##WAY, .collective = SYMM_##COLLECTIVE, __VA_ARGS__}

#define SYMM_ALGORITHM_ROWS(one, ONE, two, TWO, way, WAY, ...)                                     \
    SYMM_ALGORITHM_ROW(one, ONE, way, WAY, __VA_ARGS__);                                           \
    SYMM_ALGORITHM_ROW(two, TWO, way, WAY, __VA_ARGS__)

#endif /* SYMM_KERNELS_ALGORITHM_H */
