/*
 * data/sides.c - see data/sides.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/data/sides.h"

static struct ompi_datatype_t *dtype_of(const struct symm_side *side, size_t rank)
{
    return mca_coll_symm_side_is_typed(side) ? side->dtypes[rank] : side->dtype;
}

/* The layout of a block that has data. */
static void layout_get(const struct symm_side *side, size_t rank, size_t count,
                       struct symm_layout *layout)
{
    if (side->shape != SYMM_SIDE_TYPED && side->plain) {
        *layout = (struct symm_layout){
            .dtype = side->dtype, .count = count, .bytes = count * side->size,
            .start = side->start, .dense = true, .repeats = true};
    } else {
        mca_coll_symm_layout_describe(layout, dtype_of(side, rank), count);
    }
}

static ptrdiff_t offset_of(const struct symm_side *side, size_t rank)
{
    ptrdiff_t lower, extent;
    if (side->shape == SYMM_SIDE_SAME || side->shape == SYMM_SIDE_ONE) {
        return 0;
    }
    if (side->shape == SYMM_SIDE_TYPED) {
        return symm_disp_at(side->disps, rank);
    }
    if (side->shape == SYMM_SIDE_FAR) {
        return symm_byte_disp_at(side->byte_disps, rank);
    }
    if (side->shape == SYMM_SIDE_PACKED) {
        return (ptrdiff_t)side->packed[rank].at;
    }
    extent = (ptrdiff_t)side->size;
    if (!side->plain) {
        ompi_datatype_get_extent(side->dtype, &lower, &extent);
    }
    return extent * (side->shape == SYMM_SIDE_EVEN ? (ptrdiff_t)(rank * side->count)
                                                   : symm_disp_at(side->disps, rank));
}

struct symm_elements mca_coll_symm_side_elements_of(const struct symm_side *side, size_t rank)
{
    struct symm_elements elements = {
        .buffer = side->buffer, .count = mca_coll_symm_side_count(side, rank)};
    if (elements.count == 0 || mca_coll_symm_bytes(dtype_of(side, rank), elements.count) == 0) {
        elements.count = 0;
        return elements;
    }
    elements.dtype = dtype_of(side, rank);
    elements.buffer = mca_coll_symm_at(side->buffer, offset_of(side, rank));
    return elements;
}

void mca_coll_symm_side_block(const struct symm_side *side, size_t rank,
                              struct symm_layout *layout, void **address)
{
    const struct symm_elements elements = mca_coll_symm_side_elements_of(side, rank);
    *address = symm_ompi_unconst(elements.buffer);
    if (elements.count == 0) {
        *layout = (struct symm_layout){.dense = true, .repeats = true};
    } else {
        layout_get(side, rank, elements.count, layout);
    }
}

/* A layout of two elements tells whether they follow each other. */
void mca_coll_symm_side_elements(struct symm_side *side, const struct symm_side *other)
{
    struct symm_layout two;
    if (other != NULL && other->is_measured && other->dtype == side->dtype) {
        side->size = other->size;
        side->start = other->start;
        side->plain = other->plain;
        side->is_measured = true;
        return;
    }
    mca_coll_symm_layout_describe(&two, side->dtype, 2);
    side->size = two.bytes / 2;
    side->start = two.start;
    side->plain = two.dense && two.repeats;
    side->is_measured = true;
}

/* Plain blocks that are spread: all is counted in elements. */
static void spread_measure(const struct symm_side *side, size_t ranks,
                           struct symm_side_measure *measure)
{
    ptrdiff_t lowest = PTRDIFF_MAX, highest = PTRDIFF_MIN;
    size_t elements = 0, most = 0;
    for (size_t rank = 0; rank < ranks; rank++) {
        size_t count = symm_count_at(side->counts, rank);
        ptrdiff_t at = symm_disp_at(side->disps, rank), end = at + (ptrdiff_t)count;
        if (count > 0) {
            lowest = at < lowest ? at : lowest;
            highest = end > highest ? end : highest;
            most = count > most ? count : most;
            elements += count;
        }
    }
    if (elements > 0 && side->size > 0) {
        measure->first =
            (uintptr_t)side->buffer + (uintptr_t)lowest * side->size + (uintptr_t)side->start;
        measure->span = (size_t)(highest - lowest) * side->size;
        measure->bytes = elements * side->size;
        measure->largest = most * side->size;
    }
}

size_t mca_coll_symm_side_any_block(const struct symm_side *side, size_t rank, uintptr_t *first,
                                    bool *dense)
{
    struct symm_layout layout;
    void *address;
    mca_coll_symm_side_block(side, rank, &layout, &address);
    *first = (uintptr_t)mca_coll_symm_at(address, layout.start);
    *dense = layout.dense;
    return layout.bytes;
}

static void block_measure(const struct symm_side *side, size_t rank, uintptr_t *end,
                          struct symm_side_measure *measure)
{
    uintptr_t first;
    bool dense = true;
    size_t bytes = side->plain ? mca_coll_symm_side_plain_block(side, rank, &first)
                               : mca_coll_symm_side_any_block(side, rank, &first, &dense);
    measure->gaps |= !dense;
    if (bytes == 0) {
        return;
    }
    if (measure->bytes == 0 || first < measure->first) {
        measure->first = first;
    }
    if (measure->bytes == 0 || first + bytes > *end) {
        *end = first + bytes;
    }
    measure->bytes += bytes;
    measure->largest = bytes > measure->largest ? bytes : measure->largest;
}

void mca_coll_symm_side_measure(struct symm_side *side, const struct symm_side *other,
                                size_t ranks, struct symm_side_measure *measure)
{
    uintptr_t end = 0;
    *measure = (struct symm_side_measure){.first = 0};
    side->plain = side->shape == SYMM_SIDE_ONE && side->count == 0;
    if (side->plain) { /* empty, as one side is of most ranks of a call with a root */
        side->size = 0;
        side->start = 0;
        return;
    }
    if (side->shape != SYMM_SIDE_TYPED) {
        mca_coll_symm_side_elements(side, other);
    }
    if (side->shape == SYMM_SIDE_EVEN) { /* no block needs to be looked at */
        measure->first = (uintptr_t)mca_coll_symm_at(side->buffer, side->start);
        measure->largest = side->size * side->count;
        measure->bytes = measure->largest * ranks;
        measure->span = side->plain ? measure->bytes : 0;
        measure->gaps = !side->plain;
        return;
    }
    if (side->shape == SYMM_SIDE_SPREAD && side->plain) {
        spread_measure(side, ranks, measure);
        return;
    }
    bool is_single = side->shape == SYMM_SIDE_ONE || side->shape == SYMM_SIDE_SAME;
    size_t begin = side->shape == SYMM_SIDE_ONE ? side->one : 0;
    for (size_t rank = begin; rank < (is_single ? begin + 1 : ranks); rank++) {
        block_measure(side, rank, &end, measure);
    }
    measure->span = measure->gaps ? 0 : end - measure->first;
}
