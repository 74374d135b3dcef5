/*
 * stream_arguments.h - a stream lane: device memory of each rank of a communicator, by which the
 * kernels of a rank, in a CUDA stream or a graph, meet those of its peers without the host; and
 * what such a kernel is given.
 *
 * The host writes to a lane once, before anybody knows it.  From then on only kernels do: they
 * count calls themselves, so a graph that is launched again goes on where the last kernel of the
 * lane has ended, whoever has started that.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_ARGUMENTS_H
#define SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_ARGUMENTS_H

#include <stdint.h>

enum {
    SYMM_STREAM_RANKS = 8,
    /*
     * Up to so many blocks a kernel may be resident while the one before it in its stream, of as
     * few, is at work: both together are no more than SYMM_STREAM_BLOCKS.
     */
    SYMM_STREAM_EARLY_BLOCKS = 64,
    SYMM_STREAM_BLOCKS = 128,  /* of a kernel, all at work at a time: they wait for peers' blocks */
    SYMM_STREAM_THREADS = 512, /* of a block, at most */
    SYMM_STREAM_REGION = 32 << 10, /* bytes of packets for a block, in each slot */
    SYMM_STREAM_SLOTS = 2,      /* packets of a turn go to the slot of its epoch's last bit */
    SYMM_STREAM_PIECE_SLOTS = 4, /* of pieces that are pushed */
    SYMM_STREAM_EPOCH_AGAIN = 2, /* behind the last one; the first is 1, as no packet has 0 */
    SYMM_STREAM_EPOCH_LAST = 0xfffff,
    SYMM_STREAM_ROOTED = 1 << 30, /* in `word`: the turn before had a root, or the last epoch */
    SYMM_STREAM_CALL_BITS = 24, /* of a call's signature; the lower 12 are in each packet */
};

#define SYMM_STREAM_BUSY (UINT32_C(1) << 31) /* in `word`: a kernel is at work */

/* How data go: in packets once, or as slices and results; or in pieces. */
enum symm_stream_form {
    SYMM_STREAM_FORM_ONE_SHOT,
    SYMM_STREAM_FORM_TWO_SHOT,
    SYMM_STREAM_FORM_PUSH,
    SYMM_STREAM_FORM_COUNT
};

/* Why a lane is of no use any more: bits of `poison`. */
enum symm_stream_poison {
    SYMM_STREAM_SOUND = 0,
    SYMM_STREAM_ABORTED = 1,    /* this rank's program has said so, or has ended */
    SYMM_STREAM_MISMATCHED = 2, /* a peer has made another call */
    SYMM_STREAM_OVERLAPPED = 4, /* two kernels of the lane were at work at a time */
    SYMM_STREAM_TOLD = 8,       /* of a peer's fault, by it or by the host: tell nobody else */
};

/* What the kernels of a lane and its host tell each other, in pinned memory of the host. */
struct symm_stream_words {
    uint32_t abort;    /* the host's: why kernels are to end, enum symm_stream_poison */
    uint32_t fault;    /* that a kernel has found first: enum symm_stream_poison; stored last */
    uint64_t found_by; /* which call that was, as in `calls` of the lane */
    uint32_t told;     /* the word of that name in the lane, then */
    uint32_t late;     /* a rank that is waited for, and one; 0: none is for long */
    uint64_t begun;    /* what that rank has begun, as in `calls` */
    uint64_t waits;    /* which call waits for it */
    unsigned char apart[216];
};

/* What a block has of its own; read and written at once.  At first it is zero. */
struct symm_stream_block {
    uint32_t word;  /* the epoch of the next turn, less one, and the two bits */
    uint32_t turns; /* kernels of packets that this block was in */
    uint32_t pushed; /* the epoch of the last piece */
    uint32_t unused;
    uint64_t apart[2]; /* so that no two blocks share a sector */
};

struct symm_stream_own {
    uint32_t poison; /* enum symm_stream_poison */
    uint32_t told;   /* of a peer: its poison << 8 | its rank + 1 */
    uint64_t calls;  /* kernels that have ended */
    uint64_t apart[2];
};

/*
 * The lane of a rank.  Its peers write packets, hellos, flags, calls and `told`; the rest is its
 * own.  Behind it is room for pieces, which are its peers' to write as well:
 * [SYMM_STREAM_PIECE_SLOTS][SYMM_STREAM_BLOCKS] of so many bytes as the lane was made with.
 */
struct symm_stream_memory {
    unsigned char packets[SYMM_STREAM_SLOTS][SYMM_STREAM_BLOCKS][SYMM_STREAM_REGION];
    uint32_t hellos[SYMM_STREAM_BLOCKS][SYMM_STREAM_RANKS]; /* turns that others have begun */
    /* Of what has been pushed: epoch << 32 | signature; the blocks' are in sectors of their own. */
    uint64_t flags[SYMM_STREAM_BLOCKS][SYMM_STREAM_RANKS];
    /* Which call a rank has begun: its number << SYMM_STREAM_CALL_BITS | its signature. */
    uint64_t calls[SYMM_STREAM_RANKS];
    struct symm_stream_block blocks[SYMM_STREAM_BLOCKS];
    struct symm_stream_own own;
    uint64_t apart[20]; /* so that pieces, which are whole lines, begin at one */
};

/*
 * Rank r gets the `bytes` at input + r * input_step, if it is one of `targets`.  What the `sources`
 * have sent, this rank itself perhaps among them, goes to output + r * output_step, or is reduced
 * in rank order and goes to `output`.  All ranks give the same numbers of blocks, threads and units
 * to a call.  An output may be the input of a reduction whose blocks do not overlap, or of copies
 * with the same steps.  A call without data has neither input nor output.
 *
 * Of a reduction in two shots, or in two legs, rank r reduces the r-th slice of `bytes`, and sends
 * the result to all: what lies behind `total` bytes is neither read nor written.
 */
struct symm_cuda_stream {
    /* First what two ranks read to send packets, so that few lines of constants are waited for. */
    struct symm_stream_memory *own; /* lane */
    const void *input;
    void *output;
    uint64_t bytes;         /* from one rank to another */
    uint32_t row;           /* bytes of a region, or of a piece, for what comes from one rank */
    uint32_t units;         /* of each thread, in packets */
    uint32_t call;          /* signature, SYMM_STREAM_CALL_BITS */
    uint32_t rank, ranks;
    uint32_t targets, sources; /* a bit for each rank; this one is no target */
    uint32_t is_rooted;     /* some rank sends packets to one from which it gets none */
    uint64_t input_step;
    struct symm_stream_memory *lanes[SYMM_STREAM_RANKS]; /* as this rank's device reaches them */

    struct symm_stream_words *words;
    uint64_t output_step;
    uint64_t total;         /* UINT64_MAX, unless there are slices */
    uint32_t region;        /* bytes for the pieces of a block, in each slot */
    uint32_t legs;          /* of what is pushed */
    uint32_t blocks;        /* of the grid */
    uint32_t type, op;      /* for kernels that are for all */
    uint32_t unused;
    uint64_t factor; /* of the result: bits of a float, or of a double for doubles; 0: none */
};

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_ARGUMENTS_H */
