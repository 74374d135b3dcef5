/*
 * data/nests.c - see data/nests.h.
 *
 * A description is a list of items.  An element item is `count` blocks of `blocklen` numbers, at
 * distances of `extent`.  A loop item stands in front of its body, which a loop end closes, and has
 * turns at distances of its `extent`.  Each element item becomes a nest: its blocks, in the loops
 * that it stands in, in a loop over all elements.  The packed bytes of each loop are equally far
 * apart, too, as a turn has the same bytes as the one before.  Loops that continue each other are
 * one.  An element item in more loops than a nest has becomes several nests.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/data/nests.h"

#include <stdlib.h>

enum {
    NESTS_MOST = 4096, /* of a buffer: those of long lists take memory, and a launch for some */
    LOOPS_MOST = 16,   /* around an item, before those that continue each other are joined */
};

/* What is known of a place in a description. */
struct walk {
    struct symm_nests *nests;
    struct symm_cuda_loop loops[LOOPS_MOST]; /* around it, the outermost first */
    int depth;
    uintptr_t buffer;
    size_t packed; /* offset of the block */
    int block;
    uintptr_t first, end; /* of all bytes that have been seen */
};

/* ---- nests ----------------------------------------------------------------------------------- */

static bool room_make(struct symm_nests *nests)
{
    if (nests->count == NESTS_MOST) {
        return false;
    }
    if (nests->count == nests->room) {
        size_t room = nests->room == 0 ? 4 : nests->room * 2;
        struct symm_nest *items = realloc(nests->items, room * sizeof(*items));
        if (items == NULL) {
            return false;
        }
        nests->items = items;
        nests->room = room;
    }
    return true;
}

/*
 * Put a loop around a nest.  One that goes on where the loop inside it ends is no loop of its own.
 */
static bool loop_add(struct symm_cuda_nest *nest, const struct symm_cuda_loop *loop)
{
    struct symm_cuda_loop *inner = nest->depth > 0 ? &nest->loops[nest->depth - 1] : NULL;
    if (loop->turns == 1) {
        return true;
    }
    if (inner == NULL && loop->memory_step == (int64_t)nest->run &&
        loop->packed_step == nest->run) {
        nest->run *= loop->turns;
        return true;
    }
    if (inner != NULL && loop->memory_step == (int64_t)inner->turns * inner->memory_step &&
        loop->packed_step == inner->turns * inner->packed_step) {
        inner->turns *= loop->turns;
        return true;
    }
    if (nest->depth == SYMM_CUDA_NEST_LOOPS) {
        return false;
    }
    nest->loops[nest->depth++] = *loop;
    return true;
}

/* Widen what has been seen by all runs of a nest. */
static void span_note(struct walk *walk, const struct symm_cuda_nest *nest)
{
    uintptr_t first = (uintptr_t)nest->memory, end = first + nest->run;
    for (uint32_t i = 0; i < nest->depth; i++) {
        int64_t way = nest->loops[i].memory_step * (int64_t)(nest->loops[i].turns - 1);
        if (way < 0) {
            first += (uintptr_t)way;
        } else {
            end += (uintptr_t)way;
        }
    }
    walk->first = first < walk->first ? first : walk->first;
    walk->end = end > walk->end ? end : walk->end;
}

/* ---- descriptions ---------------------------------------------------------------------------- */

/* The bytes of an element item in one turn of the loops around it. */
static size_t elem_bytes(const ddt_elem_desc_t *elem)
{
    return elem->blocklen * opal_datatype_basicDatatypes[elem->common.type]->size * elem->count;
}

static bool item_append(struct walk *walk, const struct symm_nest *item)
{
    if (!room_make(walk->nests)) {
        return false;
    }
    span_note(walk, &item->nest);
    walk->nests->items[walk->nests->count++] = *item;
    return true;
}

/*
 * Put the loops of the walk around a nest, from loop `inner` outwards.  Each turn of one for which
 * the nest has no room becomes a nest of its own.
 */
static bool item_add(struct walk *walk, struct symm_nest item, int inner)
{
    while (inner >= 0 && loop_add(&item.nest, &walk->loops[inner])) {
        inner--;
    }
    if (inner < 0) {
        return item_append(walk, &item);
    }
    const struct symm_cuda_loop *loop = &walk->loops[inner];
    bool fits = true;
    for (uint64_t turn = 0; turn < loop->turns && fits; turn++) {
        struct symm_nest one = item;
        size_t at = turn * loop->packed_step;
        one.nest.memory =
            mca_coll_symm_at(item.nest.memory, (int64_t)turn * loop->memory_step);
        one.nest.packed = (void *)((uintptr_t)item.nest.packed + at);
        one.at += at;
        fits = item_add(walk, one, inner - 1);
    }
    return fits;
}

static bool elem_add(struct walk *walk, const ddt_elem_desc_t *elem, size_t at)
{
    size_t run = elem_bytes(elem) / (elem->count > 0 ? elem->count : 1);
    struct symm_cuda_loop blocks = {elem->count, elem->extent, run};
    struct symm_nest item = {
        .nest = {.memory = (void *)(walk->buffer + (uintptr_t)elem->disp),
                 .packed = (void *)(uintptr_t)(walk->packed + at), .run = run,
                 .limit = SYMM_CUDA_NEST_ALL},
        .at = at, .block = walk->block};
    return run == 0 || elem->count == 0 ||
           (loop_add(&item.nest, &blocks) && item_add(walk, item, walk->depth - 1));
}

/* Walk the items from `next` on, `count` of them, whose packed bytes begin at *at and end there. */
static bool items_walk(struct walk *walk, const union dt_elem_desc *next, size_t count, size_t *at)
{
    const union dt_elem_desc *end = next + count;
    while (next < end) {
        if (next->elem.common.type == OPAL_DATATYPE_LOOP) {
            const ddt_loop_desc_t *loop = &next->loop;
            const ddt_endloop_desc_t *close = &next[loop->items].end_loop;
            size_t inside = *at;
            if (walk->depth == LOOPS_MOST) {
                return false;
            }
            walk->loops[walk->depth++] =
                (struct symm_cuda_loop){loop->loops, loop->extent, close->size};
            if (!items_walk(walk, next + 1, loop->items - 1, &inside) ||
                inside - *at != close->size) {
                return false;
            }
            walk->depth--;
            *at += close->size * loop->loops;
            next += loop->items + 1;
        } else {
            if ((next->elem.common.flags & OPAL_DATATYPE_FLAG_DATA) == 0 ||
                !elem_add(walk, &next->elem, *at)) {
                return false;
            }
            *at += elem_bytes(&next->elem);
            next++;
        }
    }
    return true;
}

/* Whether the nests have exactly the bytes that Open MPI says the elements have. */
static bool is_whole(const struct walk *walk, const struct symm_layout *layout, size_t walked)
{
    ptrdiff_t lower, extent, start, true_extent;
    ompi_datatype_get_extent(layout->dtype, &lower, &extent);
    ompi_datatype_get_true_extent(layout->dtype, &start, &true_extent);
    ptrdiff_t way = extent * (ptrdiff_t)(layout->count - 1);
    uintptr_t first = walk->buffer + (uintptr_t)(start + (way < 0 ? way : 0));
    return walked * layout->count == layout->bytes && walk->first == first &&
           walk->end == first + (uintptr_t)(true_extent + (way < 0 ? -way : way));
}

static bool dense_add(struct symm_nests *nests, const struct symm_layout *layout,
                      const void *buffer, size_t at, int block)
{
    if (!room_make(nests)) {
        return false;
    }
    nests->items[nests->count++] = (struct symm_nest){
        .nest = {.memory = mca_coll_symm_at(buffer, layout->start),
                 .packed = (void *)(uintptr_t)at,
                 .run = layout->bytes, .limit = SYMM_CUDA_NEST_ALL},
        .block = block};
    return true;
}

bool mca_coll_symm_nests_add(struct symm_nests *nests, const struct symm_layout *layout,
                             const void *buffer, size_t at, int block)
{
    ptrdiff_t lower, extent;
    size_t walked = 0;
    if (layout->bytes == 0) {
        return true;
    }
    if (layout->dense) {
        return dense_add(nests, layout, buffer, at, block);
    }
    const opal_datatype_t *dtype = &layout->dtype->super;
    const dt_type_desc_t *description = dtype->opt_desc.desc != NULL ? &dtype->opt_desc
                                                                     : &dtype->desc;
    ompi_datatype_get_extent(layout->dtype, &lower, &extent);
    struct walk walk = {
        .nests = nests, .depth = 1, .buffer = (uintptr_t)buffer, .packed = at,
        .loops = {{layout->count, extent, layout->bytes / layout->count}},
        .block = block, .first = UINTPTR_MAX};
    return items_walk(&walk, description->desc, description->used, &walked) &&
           is_whole(&walk, layout, walked);
}

void mca_coll_symm_nests_free(struct symm_nests *nests)
{
    free(nests->items);
    *nests = (struct symm_nests){.items = NULL};
}
