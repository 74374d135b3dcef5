/*
 * pads.h - pads: device memory of a lane, to which peers send packets.
 *
 * A pad has a row for each rank of the team.  It lies in the device's heap, so peers map it like
 * any buffer, and a peer's kernel that stores to it finds it there even if its owner has died.
 * Packets are known by a flag, the low half of the number of their call.  A pad reads as zero at
 * first, and is wiped long before a flag comes again.
 *
 * A pad belongs to a lane, and its functions to the thread that makes the lane's call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_TEAM_PADS_H
#define SYMM_HEAP_TEAM_PADS_H

#include <stdbool.h>

#include "heap/private.h"
#include "heap/symm.h"

enum {
    SYMM_PAD_ROW_FIRST = 128 << 10, /* bytes of a row at first; half of them are data */
    SYMM_PAD_ROW_MOST = 4 << 20,    /* those of a row once a call has more data */
    SYMM_PADS = 2,                  /* of a lane: programs may use two devices by turns */
};

/* All zero: there is none. */
struct symm_pad {
    struct symm_heap *heap;
    void *memory; /* NULL: not allocated yet */
    size_t size;
    struct symm_location location;
    int device;
    uint64_t identity;  /* of the device: symm_cuda_device_identity() */
    uint64_t wiped;      /* in this call it was all zero */
    uint64_t offer_from; /* no offer before this call; a round number, so that ranks agree later */
    uint64_t large_from; /* the same for calls that want rows of SYMM_PAD_ROW_MOST */
};

/* The pad of a lane for this device; a new one takes the place of another device's. */
SYMM_PRIVATE struct symm_pad *symm_pad_find(struct symm_pad pads[SYMM_PADS], int device);

/* The bytes of a row for so many bytes of data from one rank to another; 0: none is so long. */
static inline size_t symm_pad_row(uint64_t data)
{
    return data <= SYMM_PAD_ROW_FIRST / 2  ? SYMM_PAD_ROW_FIRST
           : data <= SYMM_PAD_ROW_MOST / 2 ? SYMM_PAD_ROW_MOST : 0;
}

/*
 * Whether peers may send packets to this rank in call `sequence` of a team of `ranks`, with buffers
 * on `device` and `data` bytes from one rank to another.  All pads of the process have at most
 * `most` bytes, and half of that when one with long rows is taken, so that others find room.  False
 * also where it is not worth trying now.  What is allocated or wiped for it takes milliseconds,
 * once; a pad that is too small gives way to a larger one, if that can be had.  The calls before it
 * have ended here.
 */
SYMM_PRIVATE bool symm_pad_offer(struct symm_pad *pad, struct symm_process *process, int device,
                                 int ranks, uint64_t data, uint64_t sequence, size_t most);

/*
 * The offer for `data` bytes in call `sequence` was in vain: nobody sends, and no offer is made for
 * some calls, or none of long rows if it was one.  `is_useless`: for many, and the memory is freed.
 */
SYMM_PRIVATE void symm_pad_is_vain(struct symm_pad *pad, uint64_t data, uint64_t sequence,
                                   bool is_useless);

/*
 * Call `sequence` has failed, and a peer may still send.  The memory is left as it is for the rest
 * of the process's life.
 */
SYMM_PRIVATE void symm_pad_lose(struct symm_pad *pad, uint64_t sequence);

/* Nobody sends any more. */
SYMM_PRIVATE void symm_pad_free(struct symm_pad *pad);

#endif /* SYMM_HEAP_TEAM_PADS_H */
