/*
 * agree/line.h - what stands in the lines of calls (heap/control.h), for those who write and read them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_AGREE_LINE_H
#define MCA_COLL_SYMM_AGREE_LINE_H

#include "heap/cuda_ipc.h"
#include "mca/coll/symm/agree/agree.h"

/* Flags of a line: what may differ between ranks. */
enum {
    LINE_VETO = 1,
    LINE_INPUT_IN_HEAP = 2,
    LINE_OUTPUT_IN_HEAP = 4,
    LINE_IN_PLACE = 8,
    LINE_GAPS = 16,
    LINE_DEVICE = 32,
    LINE_SCRATCH = 64,
    LINE_KEPT = 128, /* a buffer from elsewhere that peers are not to open */
    LINE_VETO_SHIFT = 8, /* from this bit on: the reason of a veto, for verbose output */
    LINE_ASKED = 256,    /* without a veto: what scratch the rank has for stages is offered */
    LINE_SLICES = 512,   /* likewise: it is offered for slices */
    LINE_SMALL_PAGES = 1024, /* likewise: peers see the output, which is from elsewhere, in small pages */
    LINE_BAR_SHIFT = 11, /* without a veto, 3 bits: what the rank has against multicast; 0: nothing */
    LINE_BAR_MASK = 7,
    LINE_DEVICE_SHIFT = 16, /* without a veto, 8 bits: the rank's device, plus 1; 0 for the host's */
};

/* The payload of a line whose data does not travel in it. */
struct line_buffers {
    struct symm_location input, output;
    uint32_t heap;    /* of both, where they are in one */
    uint32_t retired; /* segments of it that this rank has given back so far */
    uint32_t extent;  /* of an element: ranks cut arrays alike only where it is */
    uint32_t dropped; /* of what this rank had open of others; see symm_team_note_dropped() */
};

/* Behind it, with LINE_SCRATCH, in a cache line that is not read otherwise. */
struct line_scratch {
    struct symm_location where;
    uint64_t size;
};

/* Behind that, where a buffer is in heap SYMM_HEAP_IPC; read by those who have yet to open it. */
struct line_handles {
    struct symm_ipc_handle input, output;
};

_Static_assert(sizeof(struct line_buffers) <= SYMM_CACHE_LINE, "one cache line");
_Static_assert(sizeof(struct line_scratch) <= SYMM_CACHE_LINE, "one cache line");
_Static_assert(2 * SYMM_CACHE_LINE + sizeof(struct line_handles) <= SYMM_PAYLOAD_LEAST,
               "every line has room for it");

static inline const struct line_buffers *buffers_of(const struct symm_line *line)
{
    return (const struct line_buffers *)(const void *)line->payload;
}

static inline struct line_scratch *scratch_of(const struct symm_line *line)
{
    return (struct line_scratch *)(void *)(symm_ompi_unconst(line->payload + SYMM_CACHE_LINE));
}

static inline struct line_handles *handles_of(const struct symm_line *line)
{
    return (struct line_handles *)(void *)(symm_ompi_unconst(line->payload + 2 * SYMM_CACHE_LINE));
}

#endif /* MCA_COLL_SYMM_AGREE_LINE_H */
