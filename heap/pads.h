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
#ifndef SYMM_HEAP_PADS_H
#define SYMM_HEAP_PADS_H

#include <stdbool.h>

#include "heap/symm.h"

enum { SYMM_PAD_ROW = 128 << 10 }; /* bytes; half of them are data */

/* All zero: there is none. */
struct symm_pad {
    struct symm_heap *heap;
    void *memory; /* NULL: not allocated yet */
    size_t size;
    struct symm_location location;
    int device;
    uint64_t identity;  /* of the device: symm_cuda_device_identity() */
    uint64_t wiped;     /* in this call it was all zero */
    unsigned calls_until_offer;
};

/*
 * Whether peers may send packets to this rank in call `sequence` of a team of `ranks`, with buffers
 * on `device`.  All pads of the process have at most `most` bytes.  False also where it is not
 * worth trying now.  What is allocated or wiped for it takes milliseconds, once.  The calls before
 * it have ended here.
 */
SYMM_API bool symm_pad_offer(struct symm_pad *pad, struct symm_process *process, int device,
                             int ranks, uint64_t sequence, size_t most);

/* The offer was in vain: no rank could use it.  `for_ever`: nor will one. */
SYMM_API void symm_pad_is_vain(struct symm_pad *pad, bool for_ever);

/*
 * A call has failed, and a peer may still send.  The memory is left as it is for the rest of the
 * process's life.
 */
SYMM_API void symm_pad_lose(struct symm_pad *pad);

/* Nobody sends any more. */
SYMM_API void symm_pad_free(struct symm_pad *pad);

#endif /* SYMM_HEAP_PADS_H */
