/*
 * arguments.h - what the host hands to a kernel on a device.
 *
 * Plain C, read by the launch layer, by nvcc, and by g++ where the kernels are compiled for the
 * host.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_ARGUMENTS_H
#define SYMM_KERNELS_CUDA_DEVICE_CODE_ARGUMENTS_H

#include <stdint.h>

/* Element types, with their layout in memory. */
enum symm_cuda_type {
    SYMM_CUDA_INT8,
    SYMM_CUDA_INT16,
    SYMM_CUDA_INT32,
    SYMM_CUDA_INT64,
    SYMM_CUDA_UINT8,
    SYMM_CUDA_UINT16,
    SYMM_CUDA_UINT32,
    SYMM_CUDA_UINT64,
    SYMM_CUDA_FLOAT,
    SYMM_CUDA_DOUBLE,
    SYMM_CUDA_HALF,           /* IEEE binary16 */
    SYMM_CUDA_BFLOAT16,
    SYMM_CUDA_FLOAT_COMPLEX,  /* real part, imaginary part */
    SYMM_CUDA_DOUBLE_COMPLEX,
    SYMM_CUDA_BOOL,           /* C and C++: a byte, anything but 0 is true */
    SYMM_CUDA_BYTE,
    SYMM_CUDA_FLOAT_INT,      /* pairs: structs of the two, with the padding that C gives them */
    SYMM_CUDA_DOUBLE_INT,
    SYMM_CUDA_LONG_INT,
    SYMM_CUDA_2INT,
    SYMM_CUDA_SHORT_INT,
    SYMM_CUDA_TYPE_COUNT
};

enum symm_cuda_op {
    SYMM_CUDA_SUM,
    SYMM_CUDA_PROD,
    SYMM_CUDA_MIN,
    SYMM_CUDA_MAX,
    SYMM_CUDA_LAND,
    SYMM_CUDA_LOR,
    SYMM_CUDA_LXOR,
    SYMM_CUDA_BAND,
    SYMM_CUDA_BOR,
    SYMM_CUDA_BXOR,
    SYMM_CUDA_MINLOC,
    SYMM_CUDA_MAXLOC,
    SYMM_CUDA_OP_COUNT
};

enum {
    SYMM_CUDA_RANKS_MAX = 32,      /* buffers that a kernel can be given; arguments have 4 KiB */
    SYMM_CUDA_SLOTS = 64,          /* kernels of a device that can be under way at a time */
    SYMM_CUDA_FLAGS = 32,          /* words of a slot: two cache lines */
    SYMM_CUDA_BLOCK_THREADS = 512, /* at most; kernels are compiled for that many */
    SYMM_CUDA_SMALL_RANKS = 8,     /* buffers that a kernel for little data can be given */
    SYMM_CUDA_FEW_RANKS = 4,       /* ranks that kernels for packets of few have rows for */
    SYMM_CUDA_RING_TRACKS = 264,   /* that go from rank to rank side by side; a block each */
    SYMM_CUDA_RING_STEP = 2 * SYMM_CUDA_BLOCK_THREADS, /* vectors of a track, at most */
    SYMM_CUDA_NEST_LOOPS = 6,      /* that a nest can have */
    SYMM_CUDA_NESTS = 20,          /* nests that a kernel can be given */
    SYMM_CUDA_FEW_NESTS = 4,       /* the same of one whose arguments are short */
    SYMM_CUDA_HANDOVER_WORDS = 128, /* of a rank: for each block that waits one, or more */
    SYMM_CUDA_HELD_TOLD = 24,      /* ranks that a kernel which holds its result can tell */
    SYMM_CUDA_EXCHANGE_WORDS = 32, /* of these, for a part of a block */
    SYMM_CUDA_FEW_TURNS = 8,       /* of an exchange whose arguments are short */
    SYMM_CUDA_LATE = 1 << 30,      /* in a flag: its block has given up; no sequence has this bit */
};

/*
 * How a kernel tells the host that it is done: by storing `sequence`.  Up to SYMM_CUDA_FLAGS blocks
 * have a flag each, which saves them counting each other (1 us and more).  Of more blocks the last
 * one raises the first flag.
 */
struct symm_cuda_finish {
    uint32_t *flags;   /* [SYMM_CUDA_FLAGS] in pinned host memory, where the device sees them */
    uint32_t sequence;
    uint32_t slot;     /* its counter of blocks; < SYMM_CUDA_SLOTS; no other kernel has it */
};

/* How many flags a kernel of so many blocks raises. */
static inline unsigned symm_cuda_finish_flags(unsigned blocks)
{
    return blocks <= SYMM_CUDA_FLAGS ? blocks : 1;
}

/* A block to copy.  Input and output do not overlap.  With 0 bytes there is nothing to do. */
struct symm_cuda_push {
    const void *input;
    void *output;
    uint64_t bytes;
};

/* Whether a reduction holds its result, and until when. */
enum symm_cuda_hold {
    SYMM_CUDA_NOT_HELD,
    SYMM_CUDA_HELD,           /* until all blocks of the ranks that it waits for are done */
    SYMM_CUDA_HELD_BY_BLOCKS, /* a block's part, until the block of its number there is done */
};

/*
 * What a reduction does with a result that is held (held.cuh): tell others that it has read their
 * inputs, wait until the `sources` have said so to this rank, and copy the result to its place.
 * Words are 0 before a call and behind it.
 */
struct symm_cuda_held {
    struct symm_cuda_push copy;
    uint64_t *words;      /* [ranks][SYMM_CUDA_HANDOVER_WORDS], of others at this rank */
    uint64_t sources;     /* a bit for each rank that this one waits for */
    uint64_t patience;    /* ns that a thread waits before its block gives up */
    uint64_t told_count;
    uint64_t *told[SYMM_CUDA_HELD_TOLD]; /* this rank's words at others */
};

/*
 * outputs[0 ...][i] = inputs[0][i] op inputs[1][i] op ..., in this order, for elements begin <= i <
 * end.  An element is read from all inputs before it is stored anywhere, so an output may be an
 * input.  If it is held, there is one output, and `one.held` says what follows.
 */
struct symm_cuda_reduce {
    const void *inputs[SYMM_CUDA_RANKS_MAX];
    union {
        void *outputs[SYMM_CUDA_RANKS_MAX];
        struct {
            void *output;
            struct symm_cuda_held held;
        } one;
    };
    uint64_t begin, end;
    int ranks;        /* inputs */
    int output_count;
    uint64_t hold;    /* enum symm_cuda_hold */
    struct symm_cuda_finish finish;
};

/*
 * For a kernel of scans the same struct means: outputs[k][i] = inputs[0][i] op ... op inputs[k][i],
 * with as many outputs as inputs.  Inputs 0 to k + 1 of an element are read before outputs[k] is
 * stored, so outputs[k] may be inputs[k], or inputs[k + 1].
 */

/*
 * A reduction of little data; inputs and outputs begin with its first element.  The first units are
 * `vectors` of sixteen bytes at multiples of sixteen, and the others are `rest` elements; there is
 * a thread for each unit.
 */
struct symm_cuda_small {
    const void *inputs[SYMM_CUDA_SMALL_RANKS];
    void *outputs[SYMM_CUDA_SMALL_RANKS];
    uint32_t vectors;
    int ranks;
    uint32_t rest; /* in this order no two members look like an address to the stand-in driver */
    int output_count;
    struct symm_cuda_finish finish;
};

/* Copy `bytes` from `input` to all outputs, none of which overlaps it. */
struct symm_cuda_copy {
    const void *input;
    void *outputs[SYMM_CUDA_RANKS_MAX];
    uint64_t bytes;
    int output_count;
    struct symm_cuda_finish finish;
};

/*
 * Blocks to copy one after the other.  `apart`: so many threads, the last ones, copy the last block
 * and nothing else, and the others copy the rest; 0: all threads copy all.
 */
struct symm_cuda_pushes {
    struct symm_cuda_push pushes[SYMM_CUDA_RANKS_MAX];
    uint64_t apart;
    int count;
    struct symm_cuda_finish finish;
};

/*
 * Runs of `run` bytes in loops, as elements with gaps have them, and the same bytes packed.  The
 * run in turn t0 of loop 0, t1 of loop 1 and so on begins t0 * loops[0].memory_step + t1 *
 * loops[1].memory_step + ... bytes behind `memory`, and packed likewise behind `packed`.  Of the
 * packed bytes only the first `limit` are copied.  Addresses, steps, `run` and `limit` are
 * multiples of `unit`, which is 1, 2, 4, 8 or 16.
 */
#define SYMM_CUDA_NEST_ALL (UINT64_C(1) << 44) /* a limit that no nest reaches */

struct symm_cuda_loop {
    uint64_t turns;
    int64_t memory_step;
    uint64_t packed_step;
};

struct symm_cuda_nest {
    void *memory;
    void *packed;
    uint64_t run;
    uint64_t limit;
    uint32_t depth; /* loops, the innermost first */
    uint32_t unit;
    struct symm_cuda_loop loops[SYMM_CUDA_NEST_LOOPS];
};

/* Nests to pack one after the other, or to unpack.  No two have bytes in common. */
struct symm_cuda_nests {
    struct symm_cuda_finish finish;
    uint64_t count;
    uint64_t unpacks;
    struct symm_cuda_nest nests[SYMM_CUDA_NESTS];
};

/* The same of few nests: a launch takes 2 us less. */
struct symm_cuda_few_nests {
    struct symm_cuda_finish finish;
    uint64_t count;
    uint64_t unpacks;
    struct symm_cuda_nest nests[SYMM_CUDA_FEW_NESTS];
};

/*
 * The same of little data: `threads` for each block, as many as it has units, or more.  Units are
 * `vectors` at multiples of sixteen, and then single bytes.
 */
struct symm_cuda_small_push {
    const void *input;
    void *output;
    uint32_t vectors, rest;
};

struct symm_cuda_small_pushes {
    struct symm_cuda_small_push pushes[SYMM_CUDA_SMALL_RANKS];
    uint32_t threads;
    struct symm_cuda_finish finish;
};

/*
 * Send this rank's data as packets (packets.cuh) to the rows that the ranks have for it, and take
 * what the others have sent from its own pad.  A packet has half as many bytes of data as it is
 * long, and data begin with a row.
 *
 * Rank r gets the `bytes` at input + r * input_step.  What comes from rank r goes to output + r *
 * output_step, or all of it is reduced, in rank order, and goes to `output`.  An output may be the
 * input of a reduction whose blocks do not overlap, or of copies with the same steps.
 */
struct symm_cuda_packets {
    const void *input;
    uint64_t input_step;  /* 0: all get the same */
    void *rows[SYMM_CUDA_SMALL_RANKS]; /* in the pad of each rank; NULL: it gets nothing */
    const void *pad;      /* this rank's: a row for each rank, pad_row bytes apart */
    uint64_t pad_row;
    void *output;
    uint64_t output_step;
    uint64_t bytes;       /* from one rank to another */
    uint64_t sources;     /* a bit for each rank that sends something to this one */
    uint64_t flag;        /* 32 bits, of all packets of this call; not 0 */
    uint64_t patience;    /* ns that a thread waits before its block gives up */
    uint64_t is_between_two; /* neither rows nor sources of ranks from 2 on; set at the launch */
    struct symm_cuda_finish finish;
};

/*
 * The same for few ranks, with a thread for each unit: all addresses and steps are multiples of
 * eight, and `bytes` is one of four.
 */
struct symm_cuda_few_packets {
    const void *input;
    void *rows[SYMM_CUDA_FEW_RANKS];
    const void *pad;
    void *output;
    uint64_t input_step, output_step;
    uint32_t flag, sources;
    uint32_t bytes, pad_row;
    uint64_t patience;
    struct symm_cuda_finish finish;
};

/*
 * An array on its way from rank to rank (ring.cuh): what has come in `sum` and `own` are reduced,
 * with `own` as the second operand or as the first, and stored to `output`.  Words count the steps
 * of a track, and are 0 in the beginning; step k of track t has the vectors from
 * (k * tracks + t) * step on.
 */
struct symm_cuda_ring {
    const void *own;
    const void *sum;      /* slots, where the rank before stores; NULL: this rank is the first */
    void *output;         /* the next rank's slots, or the result */
    uint64_t *come;       /* [tracks]: steps that have come; NULL without `sum` */
    uint64_t *room;       /* [tracks], the rank before's: how many were taken; NULL likewise */
    uint64_t *passed;     /* [tracks], the next rank's; NULL: `output` is the result */
    uint64_t *taken;      /* [tracks]: by the next rank; NULL likewise */
    uint64_t *done;       /* [tracks]: by this rank, in kernels before this one */
    uint64_t vectors;     /* of sixteen bytes, at addresses that are multiples of sixteen */
    uint64_t step;        /* vectors; <= SYMM_CUDA_RING_STEP */
    uint64_t tracks;      /* <= SYMM_CUDA_RING_TRACKS */
    uint64_t slots;       /* of a track */
    uint64_t own_first;
    uint64_t patience;    /* ns that a thread waits for a step before its block gives up */
    struct symm_cuda_finish finish;
};

/*
 * A turn of an exchange through scratch (exchange.cuh): what goes to another rank, and what comes
 * from it meanwhile, or a block of this rank for itself.
 */
struct symm_cuda_turn {
    const void *input;
    void *row;            /* in the other rank's scratch */
    uint64_t bytes;
    uint64_t *told;       /* SYMM_CUDA_EXCHANGE_WORDS words there; NULL: nothing goes out */
    const void *come;     /* a row of own scratch, or the own block */
    void *output;
    uint64_t come_bytes;
    uint64_t *words;      /* of the other rank at this one; NULL: what is copied is there */
};

/*
 * Turns one after the other.  Of several blocks the first `pushers` push, and the others copy.
 * Words are 0 before a call and behind it.
 */
struct symm_cuda_exchange {
    struct symm_cuda_finish finish;
    uint64_t pushers;
    uint64_t patience;    /* ns that a thread waits before its block gives up */
    uint64_t count;
    struct symm_cuda_turn turns[SYMM_CUDA_RANKS_MAX];
};

/* The same of few turns: a launch takes less time. */
struct symm_cuda_few_exchange {
    struct symm_cuda_finish finish;
    uint64_t pushers;
    uint64_t patience;
    uint64_t count;
    struct symm_cuda_turn turns[SYMM_CUDA_FEW_TURNS];
};

/*
 * A reduction by multicast.  `input` and `output` are multicast addresses.  One access through them
 * reaches all of unicast.inputs[] or unicast.outputs[], which are in the same order on all ranks.
 * Without an `output` the result goes to unicast.outputs[0] alone (one-shot).  Elements that do not
 * fill vectors are accessed at the unicast addresses, which therefore are equal to the multicast
 * addresses modulo 16.  unicast.finish is not used.
 */
struct symm_cuda_multimem {
    struct symm_cuda_reduce unicast;
    const void *input;
    void *output;
    struct symm_cuda_finish finish;
};

/*
 * Copy by multicast: one store at `output` goes to all of unicast.outputs[].  An output may be the
 * input.
 */
struct symm_cuda_multimem_copy {
    struct symm_cuda_copy unicast;
    void *output;
    struct symm_cuda_finish finish;
};

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_ARGUMENTS_H */
