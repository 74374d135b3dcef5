/*
 * base/line.h - the content of the lines of calls (heap/team/control.h), for the code that writes
 * and reads them.
 *
 * Each rank posts a line and reads those of the others.  All ranks then know the same facts, so all
 * come to the same decisions without another message.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_BASE_LINE_H
#define MCA_COLL_SYMM_BASE_LINE_H

#include "heap/gpu/cuda_ipc.h"
#include "mca/coll/symm/base/module.h"

/* Flags of a line: what may differ between ranks. */
enum {
    LINE_VETO = 1 << 0,
    LINE_INPUT_IN_HEAP = 1 << 1,
    LINE_OUTPUT_IN_HEAP = 1 << 2,
    LINE_IN_PLACE = 1 << 3,
    LINE_GAPS = 1 << 4,
    LINE_DEVICE = 1 << 5,
    LINE_SCRATCH = 1 << 6,
    LINE_WITHHELD = 1 << 7,    /* a buffer from elsewhere that peers are not to open */
    LINE_ASKED = 1 << 8,       /* the rank offers what scratch it has for relaying */
    LINE_SLICES = 1 << 9,      /* scratch is offered for slices */
    LINE_SMALL_PAGES = 1 << 10, /* peers see the output, which is from elsewhere, in small pages */
    LINE_ALONG = 1 << 11,      /* the data have come with the line, beside a table of blocks */
    LINE_NO_INPUT = 1 << 12,   /* the rank has none: it is no root, or its blocks are empty */
    LINE_NO_OUTPUT = 1 << 13,
    LINE_IDLE = LINE_NO_INPUT | LINE_NO_OUTPUT,
    LINE_LOOSE = 1 << 14,      /* of a loose call: the rank may not have read all lines */
    /* Fields behind the flags. */
    LINE_BAR_SHIFT = 15, /* the rank's reason against multicast; 0: none */
    LINE_BAR_BITS = 3,
    LINE_REASON_SHIFT = 18, /* enum symm_reason of a veto, for verbose output */
    LINE_REASON_BITS = 6,
    LINE_DEVICE_SHIFT = 24, /* the rank's device, plus 1; 0 for the host's */
    LINE_DEVICE_BITS = 8,
};

_Static_assert(LINE_LOOSE < 1 << LINE_BAR_SHIFT &&
                   LINE_BAR_SHIFT + LINE_BAR_BITS <= LINE_REASON_SHIFT &&
                   LINE_REASON_SHIFT + LINE_REASON_BITS <= LINE_DEVICE_SHIFT &&
                   LINE_DEVICE_SHIFT + LINE_DEVICE_BITS <= 32,
               "flags and fields have bits of their own");
_Static_assert(SYMM_REASON_COUNT <= 1 << LINE_REASON_BITS, "a line has room for every reason");
_Static_assert(SYMM_CUDA_DEVICES_MAX < 1 << LINE_DEVICE_BITS, "a line has room for every device");

enum { LINE_ELEMENT_MOST = INT32_MAX }; /* no element that is reduced has so many bytes */

/* The payload of a line whose data does not travel in it. */
struct line_buffers {
    struct symm_location input, output;
    uint32_t heap;    /* the heap of both, where they are in one */
    uint32_t retired; /* segments of the heap that this rank has given back so far */
    uint32_t element : 31; /* bytes, as ranks cut arrays: alike only where these are alike */
    uint32_t shifted : 1;  /* elements that are reduced do not begin at their addresses */
    uint32_t dropped; /* how often the rank has closed what it had open: symm_team_note_dropped() */
};

/*
 * This follows struct line_buffers if LINE_SCRATCH is set, in a cache line that is not read
 * otherwise.
 */
struct line_scratch {
    struct symm_location where;
    uint64_t size;
    uint64_t identity; /* of the device; see symm_cuda_device_identity() */
    uint64_t is_pad;   /* it is a pad (resources/pads.c), and no scratch */
};

/*
 * This follows struct line_scratch where a buffer is in heap SYMM_HEAP_IPC.  Ranks that have yet to
 * open the buffer read it.
 */
struct line_handles {
    struct symm_ipc_handle input, output;
};

_Static_assert(sizeof(struct line_buffers) <= SYMM_CACHE_LINE, "one cache line");
_Static_assert(sizeof(struct line_scratch) <= SYMM_CACHE_LINE, "one cache line");
_Static_assert(2 * SYMM_CACHE_LINE + sizeof(struct line_handles) <= SYMM_PAYLOAD_LEAST,
               "every line has room for it");

/* The line of a rank for the operation's call. */
static inline struct symm_line *mca_coll_symm_line(const struct symm_operation *operation, int rank)
{
    return symm_control_line(&operation->lane->team->control, operation->work.sequence, rank);
}

/* Whether the rank has made another call than one with this signature and count. */
static inline bool line_differs(const struct symm_line *line, uint64_t signature, uint64_t count)
{
    return line->signature != signature || line->count != count;
}

/*
 * The lines of call `now` tell how far their ranks have got: keep account of the one that is
 * furthest behind.  The counters wrap, so what is compared is how far behind this call they are.
 */
static inline uint32_t line_finished_least(const struct symm_line *line, uint32_t now,
                                           uint32_t least)
{
    return now - line->finished > now - least ? line->finished : least;
}

static inline void line_finished_note(struct symm_operation *operation,
                                      const struct symm_line *line, uint32_t now)
{
    operation->least_finished = line_finished_least(line, now, operation->least_finished);
}

/* All lines of a call have been looked at. */
static inline void line_finished_known(struct symm_team *team, uint64_t sequence, uint32_t least)
{
    team->finished_by_all = sequence - (uint32_t)((uint32_t)sequence - least);
}

/* All lines of the call have been noted. */
static inline void line_finished_settle(const struct symm_operation *operation)
{
    line_finished_known(operation->lane->team, operation->work.sequence, operation->least_finished);
}

static inline uint32_t line_field(const struct symm_line *line, unsigned shift, unsigned bits)
{
    return line->flags >> shift & ((UINT32_C(1) << bits) - 1);
}

/* The rank's reason against multicast. */
static inline int line_bar(const struct symm_line *line)
{
    return (int)line_field(line, LINE_BAR_SHIFT, LINE_BAR_BITS);
}

/*
 * Why the rank has vetoed the call.  The reason may be unknown here, because the ranks may have
 * different releases of this library.
 */
static inline enum symm_reason line_reason(const struct symm_line *line)
{
    uint32_t reason = line_field(line, LINE_REASON_SHIFT, LINE_REASON_BITS);
    return reason < SYMM_REASON_COUNT ? (enum symm_reason)reason : SYMM_REASON_PEER;
}

/* The rank's device as symm_team_note_device() wants it. */
static inline uint8_t line_device(const struct symm_line *line)
{
    return (uint8_t)line_field(line, LINE_DEVICE_SHIFT, LINE_DEVICE_BITS);
}

static inline struct line_buffers *buffers_of(const struct symm_line *line)
{
    return (struct line_buffers *)(void *)symm_ompi_unconst(line->payload);
}

static inline struct line_scratch *scratch_of(const struct symm_line *line)
{
    return (struct line_scratch *)(void *)(symm_ompi_unconst(line->payload + SYMM_CACHE_LINE));
}

static inline struct line_handles *handles_of(const struct symm_line *line)
{
    return (struct line_handles *)(void *)(symm_ompi_unconst(line->payload + 2 * SYMM_CACHE_LINE));
}

#endif /* MCA_COLL_SYMM_BASE_LINE_H */
