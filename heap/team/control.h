/*
 * control.h - control memory of a lane: what the ranks of a team share to agree and to synchronise.
 *
 * A block of rank 0's arena (arena.h), which all ranks have mapped.  The caller that places it
 * says where it is.  Per rank r and slot s of the ring it holds
 *   line   what rank r says about its s-th call: a header and up to `payload_size` bytes
 *   phase  a counter that rank r raises as it gets through the steps of that call
 * and, per rank, `finished` (its newest call that reads nothing of others any more) and staging
 * buffers for the pieces of user data that cannot be reached directly.
 *
 * Memory ordering.  Every word that others wait for is written with release and read with acquire,
 * by one writer only; everything else is plain memory that such a word publishes:
 *   - A line is written before its `sequence` (release).  A rank that reads that sequence
 *     (acquire) sees the line.
 *   - Slot s serves calls s, s + ring, s + 2 ring ...  Before rank r overwrites its line for call
 *     n + ring it has seen, from every rank, a `finished` of at least n: in a line's header
 *     (published by that line's sequence) or in `finished` itself (release/acquire).  A rank raises
 *     its `finished` after its last read for call n, so those reads happen before the overwriting.
 *   - A phase is raised (release) after the reads and writes of the step it closes; a rank that has
 *     seen it (acquire) from all ranks may use what they wrote and overwrite what they read.
 *   - A block serves one team after another, and is not cleared in between.  A team's first call
 *     has a number above all that the block has seen, so older lines and phases are never taken for
 *     its own.  Every rank counts itself out (release) after its last access; rank 0 hands the
 *     block to the next team when it has seen all counted out (acquire).
 * This needs C11 atomics only and holds on weakly ordered processors.
 *
 * It knows neither MPI nor what the calls mean.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_TEAM_CONTROL_H
#define SYMM_HEAP_TEAM_CONTROL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/prefetch.h"
#include "heap/symm.h"

enum {
    SYMM_RING_LEAST = 8,   /* calls that can be under way at a time, in a power of two of slots */
    SYMM_RING_MOST = 64,
    SYMM_RING_LINES = 256, /* of a ring that has more slots than the least */
    SYMM_RING_CALLS = 1024, /* of a team; from then on it uses all slots */
    SYMM_PAYLOAD_LEAST = 320, /* bytes of payload that every line has room for */
    SYMM_HEADER_SIZE = 32, /* so that small payloads share the header's cache line */
    SYMM_PREFETCH_MOST = 2048, /* bytes; processors keep track of no more at a time */
    SYMM_FETCH_AHEAD = 4, /* calls; 2 to 8 are as good */
    SYMM_FETCH_MOST = 512, /* bytes of a line; the processor itself fetches the rest */
    SYMM_STAGE_BUFFERS = 4, /* of a rank */
    SYMM_EXTRA_MOST = 32 << 10, /* bytes */
    SYMM_CONTROL_PAGE = 4096,  /* words and staging buffers of a block begin at multiples of it */
};

/* The head of a line.  The meaning of the plain words is their user's, except `finished`. */
struct symm_line {
    _Atomic uint64_t sequence; /* number of the call, 1, 2, …; written last */
    uint64_t signature;        /* what all ranks must say alike */
    uint64_t count;            /* what all ranks must say alike */
    uint32_t flags;
    uint32_t finished;         /* low half of the rank's newest finished call */
    unsigned char payload[];
};

_Static_assert(sizeof(struct symm_line) == SYMM_HEADER_SIZE, "the payload follows the header");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "64-bit atomics work between processes");
_Static_assert(sizeof(size_t) == 8, "windows of many gigabytes need 64-bit addresses");

/* A word in a cache line of its own. */
struct symm_word {
    _Atomic uint64_t value;
    unsigned char fill[SYMM_CACHE_LINE - sizeof(uint64_t)];
};

/* First in the words of a block.  Written by rank 0 for each team. */
struct symm_control_header {
    _Atomic uint64_t serial; /* of the team's use of the block; written last */
    uint64_t start;          /* the team's calls are numbered from the next one on */
    uint64_t payload_size, piece_size;
    uint64_t stages;         /* where the staging buffers begin; all offsets are the chunk's */
    uint64_t extra;
    uint32_t extra_size;
    uint32_t size;
    uint32_t magic;
    uint32_t ring;
    uint64_t grown;
    _Alignas(SYMM_CACHE_LINE) _Atomic uint64_t last; /* newest call of those who have left */
    _Atomic uint32_t left;   /* ranks that have */
};

/* Where control memory is, as rank 0 tells the others. */
struct symm_control_place {
    uint64_t serial; /* of this use of the block; no other in rank 0's process has it */
    uint64_t start;
    uint64_t offset; /* of the words in the chunk */
    uint32_t chunk;  /* of rank 0's arena */
    uint32_t fill;
};

struct symm_control {
    int size;              /* ranks */
    unsigned ring;         /* slots: calls that can be under way at a time */
    unsigned ring_calls;   /* the first so many use the least of slots */
    uint64_t grown;        /* the first call that uses all; known once it has begun or attached */
    size_t payload_size;   /* bytes a line can carry */
    size_t line_stride;
    size_t piece_size;     /* bytes of a staging buffer */
    const void *extra;     /* rank 0's, for its user: what all ranks must go by alike */
    size_t extra_size;
    unsigned char *lines;  /* [ring][size], line_stride apart */
    struct symm_word *phases;   /* [ring][size] */
    struct symm_word *finished; /* [size] */
    unsigned char *stages; /* [size][SYMM_STAGE_BUFFERS], piece_size apart */
    struct symm_control_header *header; /* the words begin with it; NULL: not placed */
    size_t words_size, stages_size;     /* bytes of the two parts */
};

struct symm_control_config {
    size_t payload_size; /* bytes of data; rounded up to a multiple of 64, at least 64 */
    size_t piece_size;   /* bytes; rounded up to a multiple of 4096 */
    const void *extra;   /* handed to all ranks as it is; borrowed until the memory has been made */
    size_t extra_size;   /* up to SYMM_EXTRA_MOST */
    unsigned ring;       /* slots, if that is not too many lines; a power of two; 0: the most */
    unsigned ring_calls; /* instead of SYMM_RING_CALLS; 0: those */
};

/*
 * Calls of a block's first team are numbered from 64 on, those of later ones from a multiple of 64.
 * So all begin in slot 0, which shares a page with the words.
 */
static const uint64_t symm_control_first_start = SYMM_RING_MOST - 1;

/*
 * The sizes of control memory for `size` ranks.  Everything lies in two parts, of words_size and
 * stages_size bytes, because the first is small and much used, and the second the other way round.
 * The layout follows from the number of ranks and the two sizes of `config`.
 */
void symm_control_plan(struct symm_control *control, int size,
                       const struct symm_control_config *config);

/* Place planned memory: both parts begin at multiples of SYMM_CONTROL_PAGE.  Writes nothing. */
void symm_control_set(struct symm_control *control, void *words, void *stages);

/*
 * Rank 0: make placed memory ready for a team whose calls follow call `place->start`.  `chunk` is
 * what the offsets count from.
 */
void symm_control_begin(struct symm_control *control,
                        const struct symm_control_place *place, const void *chunk);

/*
 * Control memory outside of an arena, for a process and those that it forks from then on: placed
 * and begun.  Errors: NO_MEMORY, SYSTEM.
 */
enum symm_status symm_control_create(struct symm_control *control, int size,
                                     const struct symm_control_config *config);
void symm_control_destroy(struct symm_control *control);

/*
 * The other ranks: find what rank 0 has placed, in its chunk of `chunk_size` bytes, which is mapped
 * at `chunk`.  Errors: PROTOCOL (not control memory for `size` ranks, or not that of this place).
 */
enum symm_status symm_control_attach(struct symm_control *control, int size, void *chunk,
                                     size_t chunk_size,
                                     const struct symm_control_place *place);

/*
 * This rank makes no access any more; its newest call was `last`.  Once all ranks have said so, the
 * memory may serve another team, whose start symm_control_next_start() gives.
 */
void symm_control_count_out(const struct symm_control *control, uint64_t last);
bool symm_control_is_left(const struct symm_control_header *header);
uint64_t symm_control_next_start(const struct symm_control_header *header);

/* ---- lines --------------------------------------------------------------------------------- */

/* The slots of a ring that has not grown are the first ones. */
static inline size_t symm_control_slot(const struct symm_control *control, uint64_t sequence)
{
    return sequence & ((sequence < control->grown ? (unsigned)SYMM_RING_LEAST : control->ring) - 1);
}

/*
 * The call that all ranks must have finished before somebody posts a line of call `sequence`.  Once
 * the ring has grown, the first calls in it find slots that the last ones before have used.
 */
static inline uint64_t symm_control_before(const struct symm_control *control, uint64_t sequence)
{
    return sequence - (sequence < control->grown + control->ring ? (unsigned)SYMM_RING_LEAST
                                                                  : control->ring);
}

static inline struct symm_line *symm_control_line(const struct symm_control *control,
                                                  uint64_t sequence, int rank)
{
    size_t index = symm_control_slot(control, sequence) * (size_t)control->size + (size_t)rank;
    return (struct symm_line *)(void *)(control->lines + index * control->line_stride);
}

/*
 * Fetch the first `bytes` of the payload of this rank's next line for writing, which costs nothing
 * now and saves the next call the wait for cache lines that the other ranks have read a whole ring
 * ago.
 */
static inline void symm_line_prefetch(const struct symm_control *control, uint64_t sequence,
                                      int rank, size_t bytes)
{
    size_t size = SYMM_HEADER_SIZE + (bytes < SYMM_PREFETCH_MOST ? bytes : SYMM_PREFETCH_MOST);
    symm_prefetch_for_writing(symm_control_line(control, sequence, rank), size);
}

/*
 * Fetch the payload of a line that has been posted for reading, as far as it is not in the header's
 * cache line: those of all ranks are then on their way at the same time.  A loop that also knows of
 * other parts than the first makes all-to-alls of two ranks a tenth slower.
 */
static inline void symm_line_fetch(const struct symm_line *line, size_t bytes)
{
    enum { BESIDE_HEADER = SYMM_CACHE_LINE - SYMM_HEADER_SIZE };
    for (size_t at = BESIDE_HEADER; at < bytes && at < SYMM_FETCH_MOST; at += SYMM_CACHE_LINE) {
        __builtin_prefetch(line->payload + at, 0, 3);
    }
}

/*
 * Fetch the beginning of the line of a later call.  A rank that finds a line at once is behind, in
 * a row of calls, and later lines are there, too, most often.  Cores that have no cache between
 * them but the last level's take 0.09 us instead of 0.17 for a small broadcast in a row
 * (bench/results/host-rows-fetch.txt).
 */
static inline void symm_line_fetch_ahead(const struct symm_control *control, uint64_t sequence,
                                         int rank)
{
    __builtin_prefetch(symm_control_line(control, sequence + SYMM_FETCH_AHEAD, rank), 0, 3);
}

/* The same as symm_line_fetch() for `bytes` bytes of the payload from byte `begin` on. */
static inline void symm_line_fetch_part(const struct symm_line *line, size_t begin, size_t bytes)
{
    size_t first = (SYMM_HEADER_SIZE + begin) / SYMM_CACHE_LINE * SYMM_CACHE_LINE;
    size_t from = first > 0 ? first : SYMM_CACHE_LINE;
    size_t end = SYMM_HEADER_SIZE + begin + (bytes < SYMM_FETCH_MOST ? bytes : SYMM_FETCH_MOST);
    if (bytes > 0 && from < end) {
        symm_prefetch_for_reading((const unsigned char *)line + from, end - from);
    }
}

static inline void symm_line_post(struct symm_line *line, uint64_t sequence)
{
    atomic_store_explicit(&line->sequence, sequence, memory_order_release);
}

static inline bool symm_line_is_posted(struct symm_line *line, uint64_t sequence)
{
    return atomic_load_explicit(&line->sequence, memory_order_acquire) == sequence;
}

/* ---- phases -------------------------------------------------------------------------------- */

/*
 * A phase word is the number of the call (its low 40 bits) and the step it has got to.  It needs no
 * reset: as long as some rank still waits in a call, no rank can reuse its slot, so a word either
 * belongs to that call or to an older one.
 */
enum { SYMM_PHASE_BITS = 24 };

static inline struct symm_word *symm_control_phases(const struct symm_control *control,
                                                    uint64_t sequence)
{
    return control->phases + symm_control_slot(control, sequence) * (size_t)control->size;
}

static inline void symm_phase_raise(const struct symm_control *control, uint64_t sequence, int rank,
                                    uint64_t step)
{
    atomic_store_explicit(&symm_control_phases(control, sequence)[rank].value,
                          (sequence << SYMM_PHASE_BITS) + step, memory_order_release);
}

/*
 * Whether every rank has got to `step` (1, 2, ...).  *seen counts the ranks known to have; start it
 * at 0 and keep it between calls for the same step.
 */
static inline bool symm_phase_reached(const struct symm_control *control, uint64_t sequence,
                                      uint64_t step, int *seen)
{
    struct symm_word *phases = symm_control_phases(control, sequence);
    uint64_t start = sequence << SYMM_PHASE_BITS;
    while (*seen < control->size) {
        uint64_t steps =
            atomic_load_explicit(&phases[*seen].value, memory_order_acquire) - start;
        if (steps >> SYMM_PHASE_BITS != 0 || steps < step) {
            return false;
        }
        (*seen)++;
    }
    return true;
}

/* The step that one rank has got to; 0 while it has not raised its word in this call. */
static inline uint64_t symm_phase_of(const struct symm_control *control, uint64_t sequence,
                                     int rank)
{
    uint64_t steps = atomic_load_explicit(&symm_control_phases(control, sequence)[rank].value,
                                          memory_order_acquire) - (sequence << SYMM_PHASE_BITS);
    return steps >> SYMM_PHASE_BITS != 0 ? 0 : steps;
}

/*
 * The step that every rank has got to; 0 while one has not raised its word in this call.  For calls
 * that wait for several steps at a time.
 */
static inline uint64_t symm_phase_least(const struct symm_control *control, uint64_t sequence)
{
    struct symm_word *phases = symm_control_phases(control, sequence);
    uint64_t start = sequence << SYMM_PHASE_BITS, least = UINT64_MAX;
    for (int rank = 0; rank < control->size; rank++) {
        uint64_t steps =
            atomic_load_explicit(&phases[rank].value, memory_order_acquire) - start;
        steps = steps >> SYMM_PHASE_BITS != 0 ? 0 : steps;
        least = steps < least ? steps : least;
    }
    return least;
}

/* ---- leaving --------------------------------------------------------------------------------- */

/*
 * A rank whose team cannot go on, because a rank has died, leaves for good.  Others may be at work
 * on its memory then, or about to.  So a rank says first, by its phase, that it will touch others'
 * memory, and looks then whether somebody has left; a rank that leaves says that first, and looks
 * then who is at work.  All four are sequentially consistent: one of the two sees the other.  (Only
 * teams that may lose ranks need to enter.)  A `finished` of the highest number says that a rank
 * has left.
 */
static inline void symm_control_leave(const struct symm_control *control, int rank)
{
    atomic_store(&control->finished[rank].value, UINT64_MAX);
}

/* Before the run of a call, whose lines are all there.  False: somebody has left, touch nothing. */
static inline bool symm_control_enter(const struct symm_control *control, uint64_t sequence,
                                      int rank)
{
    atomic_store(&symm_control_phases(control, sequence)[rank].value, sequence << SYMM_PHASE_BITS);
    for (int other = 0; other < control->size; other++) {
        if (atomic_load(&control->finished[other].value) == UINT64_MAX) {
            return false;
        }
    }
    return true;
}

/*
 * For a rank that has left: whether the rank may be at work on others' memory in this call, which
 * ends.
 */
static inline bool symm_control_is_inside(const struct symm_control *control, uint64_t sequence,
                                          int rank)
{
    uint64_t phase = atomic_load(&symm_control_phases(control, sequence)[rank].value);
    return (phase - (sequence << SYMM_PHASE_BITS)) >> SYMM_PHASE_BITS == 0 &&
           atomic_load(&control->finished[rank].value) < sequence;
}

/* ---- staging buffers ------------------------------------------------------------------------- */

/* The algorithm that uses a buffer decides what the buffer is for. */
static inline unsigned char *symm_stage_buffer(const struct symm_control *control, int rank,
                                               uint64_t buffer)
{
    size_t index = (size_t)rank * SYMM_STAGE_BUFFERS + buffer % SYMM_STAGE_BUFFERS;
    return control->stages + index * control->piece_size;
}

/* Bytes of a row, where a buffer has a row for each rank. */
static inline size_t symm_stage_row(const struct symm_control *control)
{
    return control->piece_size / (size_t)control->size / SYMM_CACHE_LINE * SYMM_CACHE_LINE;
}

#endif /* SYMM_HEAP_TEAM_CONTROL_H */
