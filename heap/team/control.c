/*
 * control.c - where the parts of control memory lie, and its passing from team to team; control.h
 * has its use.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "heap/server/socket.h"
#include "heap/team/control.h"

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

/* Where the words lie in their part. */
struct layout {
    size_t finished, lines, phases, end;
};

/*
 * Ranks that give data without waiting for those who get them, as in a row of broadcasts, get ahead
 * by the length of the ring.
 */
static unsigned ring_for(int size, unsigned wanted)
{
    unsigned ring = SYMM_RING_MOST;
    while (ring > SYMM_RING_LEAST && ((wanted != 0 && ring > wanted) ||
                                      ring * (size_t)size > SYMM_RING_LINES)) {
        ring /= 2;
    }
    return ring;
}

/*
 * What a small call touches comes first: with two ranks that is two pages, of which the second
 * holds the other rank's line.  The phases of all slots come last, as small calls have none.
 */
static struct layout lay_out(const struct symm_control *control)
{
    size_t ranks = (size_t)control->size;
    struct layout layout = {.finished = sizeof(struct symm_control_header)};
    layout.lines = layout.finished + ranks * sizeof(struct symm_word);
    layout.phases = layout.lines + control->ring * ranks * control->line_stride;
    layout.end = layout.phases + control->ring * ranks * sizeof(struct symm_word);
    return layout;
}

static void sizes_set(struct symm_control *control)
{
    size_t payload = control->payload_size > SYMM_PAYLOAD_LEAST ? control->payload_size
                                                                 : SYMM_PAYLOAD_LEAST;
    control->line_stride = round_up(SYMM_HEADER_SIZE + payload, SYMM_CACHE_LINE);
    control->words_size = round_up(lay_out(control).end, SYMM_CONTROL_PAGE);
    control->stages_size = (size_t)control->size * SYMM_STAGE_BUFFERS * control->piece_size;
}

void symm_control_plan(struct symm_control *control, int size,
                       const struct symm_control_config *config)
{
    *control = (struct symm_control){
        .size = size,
        .ring = ring_for(size, config->ring),
        .ring_calls = config->ring_calls != 0 ? config->ring_calls : SYMM_RING_CALLS,
        .payload_size = round_up(config->payload_size + (config->payload_size == 0),
                                 SYMM_CACHE_LINE),
        .piece_size = round_up(config->piece_size + (config->piece_size == 0), SYMM_CONTROL_PAGE),
        .extra_size = config->extra_size < SYMM_EXTRA_MOST ? config->extra_size : SYMM_EXTRA_MOST,
    };
    sizes_set(control);
}

void symm_control_set(struct symm_control *control, void *words, void *stages)
{
    struct layout layout = lay_out(control);
    unsigned char *base = words;
    control->header = words;
    control->finished = (struct symm_word *)(void *)(base + layout.finished);
    control->phases = (struct symm_word *)(void *)(base + layout.phases);
    control->lines = base + layout.lines;
    control->stages = stages;
}

static uint64_t offset_in(const void *chunk, const void *address)
{
    return (uint64_t)((const unsigned char *)address - (const unsigned char *)chunk);
}

void symm_control_begin(struct symm_control *control, const struct symm_control_place *place,
                        const void *chunk)
{
    struct symm_control_header *header = control->header;
    header->start = place->start;
    header->payload_size = control->payload_size;
    header->piece_size = control->piece_size;
    header->stages = offset_in(chunk, control->stages);
    header->extra = control->extra_size > 0 ? offset_in(chunk, control->extra) : 0;
    header->extra_size = (uint32_t)control->extra_size;
    header->size = (uint32_t)control->size;
    header->ring = control->ring;
    header->grown = control->grown = place->start + 1 + control->ring_calls;
    header->magic = symm_socket_magic;
    atomic_store_explicit(&header->last, place->start, memory_order_relaxed);
    atomic_store_explicit(&header->left, 0, memory_order_relaxed);
    /* This also undoes symm_control_leave() of the team before. */
    for (int rank = 0; rank < control->size; rank++) {
        atomic_store_explicit(&control->finished[rank].value, place->start, memory_order_relaxed);
    }
    atomic_store_explicit(&header->serial, place->serial, memory_order_release);
}

/* ---- without an arena ------------------------------------------------------------------------ */

static size_t memory_size(const struct symm_control *control)
{
    return control->words_size + control->stages_size + SYMM_EXTRA_MOST;
}

enum symm_status symm_control_create(struct symm_control *control, int size,
                                     const struct symm_control_config *config)
{
    const struct symm_control_place place = {.serial = 1, .start = symm_control_first_start};
    symm_control_plan(control, size, config);
    unsigned char *memory = mmap(NULL, memory_size(control), PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return errno == ENOMEM ? SYMM_ERR_NO_MEMORY : SYMM_ERR_SYSTEM;
    }
    unsigned char *stages = memory + control->words_size;
    unsigned char *extra = stages + control->stages_size;
    if (control->extra_size > 0) {
        memcpy(extra, config->extra, control->extra_size);
    }
    control->extra = extra;
    symm_control_set(control, memory, stages);
    symm_control_begin(control, &place, memory);
    return SYMM_OK;
}

void symm_control_destroy(struct symm_control *control)
{
    if (control->header != NULL) {
        (void)munmap(control->header, memory_size(control));
        *control = (struct symm_control){.size = control->size};
    }
}

/* ---- other ranks ----------------------------------------------------------------------------- */

/* Whether `size` bytes at `offset` lie in a chunk. */
static bool is_within(uint64_t offset, size_t size, size_t chunk_size)
{
    return offset <= chunk_size && size <= chunk_size - offset;
}

static bool ring_is_sound(uint32_t ring)
{
    return ring >= SYMM_RING_LEAST && ring <= SYMM_RING_MOST && (ring & (ring - 1)) == 0;
}

static bool header_is_sound(const struct symm_control_header *header, int size, size_t chunk_size,
                            const struct symm_control_place *place)
{
    return header->magic == symm_socket_magic && header->size == (uint32_t)size &&
           header->start == place->start && ring_is_sound(header->ring) &&
           header->grown > header->start &&
           header->payload_size <= chunk_size && header->piece_size <= chunk_size &&
           header->payload_size % SYMM_CACHE_LINE == 0 &&
           header->piece_size % SYMM_CONTROL_PAGE == 0 && header->extra_size <= SYMM_EXTRA_MOST &&
           header->stages % SYMM_CONTROL_PAGE == 0 && header->extra % SYMM_CACHE_LINE == 0 &&
           is_within(header->extra, header->extra_size, chunk_size);
}

enum symm_status symm_control_attach(struct symm_control *control, int size, void *chunk,
                                     size_t chunk_size, const struct symm_control_place *place)
{
    unsigned char *base = chunk;
    *control = (struct symm_control){.size = size};
    if (place->offset % SYMM_CONTROL_PAGE != 0 ||
        !is_within(place->offset, sizeof(struct symm_control_header), chunk_size)) {
        return SYMM_ERR_PROTOCOL;
    }
    struct symm_control_header *header =
        (struct symm_control_header *)(void *)(base + place->offset);
    if (atomic_load_explicit(&header->serial, memory_order_acquire) != place->serial ||
        !header_is_sound(header, size, chunk_size, place)) {
        return SYMM_ERR_PROTOCOL;
    }
    control->ring = header->ring;
    control->grown = header->grown;
    control->payload_size = header->payload_size;
    control->piece_size = header->piece_size;
    control->extra_size = header->extra_size;
    sizes_set(control);
    if (!is_within(place->offset, control->words_size, chunk_size) ||
        !is_within(header->stages, control->stages_size, chunk_size)) {
        return SYMM_ERR_PROTOCOL;
    }
    control->extra = base + header->extra;
    symm_control_set(control, header, base + header->stages);
    return SYMM_OK;
}

/* ---- from one team to the next --------------------------------------------------------------- */

void symm_control_count_out(const struct symm_control *control, uint64_t last)
{
    struct symm_control_header *header = control->header;
    uint64_t seen = atomic_load_explicit(&header->last, memory_order_relaxed);
    /* In teams that have failed ranks may have got to different calls. */
    while (seen < last && !atomic_compare_exchange_weak_explicit(&header->last, &seen, last,
                                                                 memory_order_relaxed,
                                                                 memory_order_relaxed)) {
    }
    (void)atomic_fetch_add_explicit(&header->left, 1, memory_order_release);
}

bool symm_control_is_left(const struct symm_control_header *header)
{
    return atomic_load_explicit(&header->left, memory_order_acquire) == header->size;
}

uint64_t symm_control_next_start(const struct symm_control_header *header)
{
    return atomic_load_explicit(&header->last, memory_order_relaxed) | (SYMM_RING_MOST - 1);
}
