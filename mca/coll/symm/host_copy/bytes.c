/*
 * host_copy/bytes.c - see host_copy/bytes.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/bytes.h"

#include <limits.h>
#include <stdlib.h>

#include "mca/coll/symm/data/pack.h"
#include "mca/coll/symm/host_copy/describe.h"

static size_t piece_count(const struct symm_host_copy *copy, size_t i)
{
    return mca_coll_symm_side_count(&copy->side, i);
}

static ptrdiff_t extent_of(const struct symm_host_copy *copy)
{
    ptrdiff_t lower, extent;
    ompi_datatype_get_extent(copy->side.dtype, &lower, &extent);
    return extent;
}

/* The elements of all pieces, as far as it matters whether they fill their bytes. */
static void layout_get(const struct symm_host_copy *copy, struct symm_layout *layout)
{
    size_t count = copy->side.shape == SYMM_SIDE_SPREAD ? 2 : copy->side.count * copy->pieces;
    struct ompi_datatype_t *dtype = copy->side.dtype;
    size_t bytes = mca_coll_symm_bytes(dtype, count);
    if (ompi_datatype_is_predefined(dtype) && /* most are, and this takes less time */
        dtype->super.ub - dtype->super.lb == (ptrdiff_t)dtype->super.size) {
        *layout = (struct symm_layout){.dtype = dtype, .count = count, .bytes = bytes,
                                       .dense = true, .repeats = true};
        return;
    }
    mca_coll_symm_layout_describe(layout, dtype, count);
}

/* ---- the unit -------------------------------------------------------------------------------- */

/*
 * The type to count in.  All ranks know the same bytes of the same blocks, and choose alike: bytes,
 * or, where counts of them do not fit an int, the largest type that divides all blocks.  NULL:
 * there is none, and the call goes below as the program has made it, on all ranks.
 */
static struct ompi_datatype_t *unit_choose(const struct symm_host_copy_buffers *buffers)
{
    if (!buffers->moves || !buffers->are_served) {
        return NULL;
    }
    struct ompi_datatype_t *const units[] = {MPI_C_DOUBLE_COMPLEX, MPI_INT64_T, MPI_INT32_T,
                                             MPI_INT16_T};
    const struct symm_host_copy *copy =
        mca_coll_symm_host_copy_is_used(&buffers->receive) ? &buffers->receive : &buffers->send;
    size_t ranks = (size_t)ompi_comm_size(buffers->comm), total = 0, bits = 0;
    for (size_t i = 0; i < (copy->side.shape == SYMM_SIDE_SPREAD ? copy->pieces : 1); i++) {
        size_t bytes = mca_coll_symm_bytes(copy->side.dtype, piece_count(copy, i));
        total += bytes;
        bits |= bytes;
    }
    total *= copy->side.shape == SYMM_SIDE_SPREAD || buffers->is_one_block ? 1 : ranks;
    if (total <= INT_MAX) {
        return MPI_BYTE;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
        size_t size = mca_coll_symm_bytes(units[i], 1);
        if (size > 0 && bits % size == 0) {
            return total / size <= INT_MAX ? units[i] : NULL;
        }
    }
    return NULL;
}

/* ---- what is handed over --------------------------------------------------------------------- */

static int row_make(struct symm_bytes *bytes, size_t size)
{
    bytes->packed = malloc(size > 0 ? size : 1);
    bytes->address = bytes->packed;
    return bytes->packed == NULL ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
}

static int even_open(const struct symm_host_copy *copy, struct symm_bytes *bytes, size_t unit)
{
    struct symm_layout layout;
    layout_get(copy, &layout);
    bytes->count = (symm_count_t)(mca_coll_symm_bytes(copy->side.dtype, copy->side.count) / unit);
    if (!layout.dense) {
        return row_make(bytes, layout.bytes);
    }
    bytes->address = mca_coll_symm_at(copy->address, layout.start);
    return OMPI_SUCCESS;
}

/* Bytes from the buffer's start to piece i. */
static ptrdiff_t place_of(const struct symm_host_copy *copy, size_t i, ptrdiff_t extent)
{
    const struct symm_side *side = &copy->side;
    return symm_count_at(side->counts, i) > 0 ? extent * symm_disp_at(side->disps, i) : 0;
}

/* Whether displacements in units say where the pieces lie. */
static bool places_fit(const struct symm_host_copy *copy, size_t unit)
{
    ptrdiff_t extent = extent_of(copy), size = (ptrdiff_t)unit;
    bool fit = true;
    for (size_t i = 0; i < copy->pieces; i++) {
        ptrdiff_t at = place_of(copy, i, extent);
        fit = fit && at % size == 0 && at / size >= INT_MIN && at / size <= INT_MAX;
    }
    return fit;
}

/* The counts of the pieces, and their displacements if those fit, in units. */
static void places_find(const struct symm_host_copy *copy, size_t unit, size_t *counts,
                        ptrdiff_t *disps)
{
    ptrdiff_t extent = extent_of(copy);
    for (size_t i = 0; i < copy->pieces; i++) {
        counts[i] = mca_coll_symm_bytes(copy->side.dtype, piece_count(copy, i)) / unit;
        disps[i] = place_of(copy, i, extent) / (ptrdiff_t)unit;
    }
}

bool mca_coll_symm_bytes_are_apart(const struct symm_host_copy_buffers *buffers,
                                   const struct symm_host_copy *copy)
{
    bool is_used = mca_coll_symm_host_copy_is_used(copy);
    struct ompi_datatype_t *unit = is_used ? unit_choose(buffers) : NULL;
    struct symm_layout layout;
    if (unit == NULL) {
        return false;
    }
    layout_get(copy, &layout);
    return !layout.dense || (copy->side.shape == SYMM_SIDE_SPREAD &&
                             !places_fit(copy, mca_coll_symm_bytes(unit, 1)));
}

/* The pieces follow each other in the row.  Returns its bytes. */
static size_t places_line_up(const struct symm_host_copy *copy, size_t unit, const size_t *counts,
                             ptrdiff_t *disps)
{
    size_t at = 0;
    for (size_t i = 0; i < copy->pieces; i++) {
        disps[i] = (ptrdiff_t)at;
        at += counts[i];
    }
    return at * unit;
}

/* Counts, displacements, and both once more as int. */
struct places {
    size_t *counts;
    ptrdiff_t *disps;
    int *small;
};

static struct places places_in(size_t *room, size_t pieces)
{
    return (struct places){room, (ptrdiff_t *)(room + pieces), (int *)(room + 2 * pieces)};
}

static void places_pass(const struct places *places, size_t pieces, symm_counts_t *counts,
                        symm_disps_t *disps)
{
    *counts = symm_counts_make(places->counts, pieces, places->small);
    (void)symm_disps_make(places->disps, pieces, places->small + pieces, disps);
}

static int spread_open(const struct symm_host_copy *copy, struct symm_bytes *bytes, size_t unit)
{
    struct symm_layout two;
    int rc = OMPI_SUCCESS;
    layout_get(copy, &two);
    bytes->address = mca_coll_symm_at(copy->address, two.start);
    if (two.dense && two.bytes == 2 * unit) {
        return rc; /* the program counts in units */
    }
    bytes->arrays = malloc(SYMM_BYTES_ARRAYS * copy->pieces * sizeof(*bytes->arrays));
    if (bytes->arrays == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    struct places places = places_in(bytes->arrays, copy->pieces);
    places_find(copy, unit, places.counts, places.disps);
    if (!two.dense || !places_fit(copy, unit)) {
        rc = row_make(bytes, places_line_up(copy, unit, places.counts, places.disps));
    }
    places_pass(&places, copy->pieces, &bytes->counts, &bytes->disps);
    return rc;
}

void mca_coll_symm_bytes_spread(struct symm_arguments *a, size_t ranks, void *room)
{
    const struct symm_host_copy copy = {
        .side = {.shape = SYMM_SIDE_SPREAD, .dtype = a->rdtype, .counts = a->rcounts,
                 .disps = a->rdisps},
        .pieces = ranks};
    struct places places = places_in(room, ranks);
    struct symm_layout two;
    size_t total = 0;
    layout_get(&copy, &two);
    if (!two.dense || !places_fit(&copy, 1)) {
        return;
    }
    places_find(&copy, 1, places.counts, places.disps);
    for (size_t i = 0; i < ranks; i++) {
        total += places.counts[i];
    }
    if (total <= INT_MAX) {
        a->rbuf = mca_coll_symm_at(a->rbuf, two.start);
        a->rdtype = MPI_BYTE;
        places_pass(&places, ranks, &a->rcounts, &a->rdisps);
    }
}

static int side_open(const struct symm_host_copy *copy, struct symm_bytes *bytes, size_t unit)
{
    return !mca_coll_symm_host_copy_is_used(copy)                      ? OMPI_SUCCESS
           : copy->side.shape == SYMM_SIDE_SPREAD ? spread_open(copy, bytes, unit)
                                               : even_open(copy, bytes, unit);
}

int mca_coll_symm_bytes_open(struct symm_host_copy_buffers *buffers)
{
    struct symm_bytes *sent = &buffers->sent, *received = &buffers->received;
    sent->address = buffers->send.address;
    received->address = buffers->receive.address;
    struct ompi_datatype_t *unit = unit_choose(buffers);
    if (unit == NULL) {
        return OMPI_SUCCESS;
    }
    size_t size = mca_coll_symm_bytes(unit, 1);
    sent->dtype = received->dtype = unit;
    int rc = side_open(&buffers->send, sent, size);
    if (rc == OMPI_SUCCESS) {
        rc = side_open(&buffers->receive, received, size);
    }
    /* Components read also what means nothing: that of a rank in place, or without a buffer. */
    if (!mca_coll_symm_host_copy_is_used(&buffers->send)) {
        sent->count = received->count;
    } else if (!mca_coll_symm_host_copy_is_used(&buffers->receive)) {
        received->count = sent->count;
    }
    return rc;
}

bool mca_coll_symm_bytes_are_held(const struct symm_host_copy_buffers *buffers)
{
    return buffers->moves && (buffers->sent.packed != NULL || buffers->received.packed != NULL ||
                              buffers->received.arrays != NULL);
}

void mca_coll_symm_bytes_close(struct symm_host_copy_buffers *buffers)
{
    if (buffers->moves) { /* else there is nothing to see */
        free(buffers->sent.packed);
        free(buffers->received.packed);
        free(buffers->received.arrays);
    }
}

/* ---- contents -------------------------------------------------------------------------------- */

typedef void piece_move(const struct symm_layout *layout, void *elements, unsigned char *packed);

static void move_in(const struct symm_layout *layout, void *elements, unsigned char *packed)
{
    mca_coll_symm_pack(layout, elements, packed);
}

static void move_out(const struct symm_layout *layout, void *elements, unsigned char *packed)
{
    mca_coll_symm_unpack(layout, packed, elements);
}

/* Move the pieces of a range between the buffer, or its host copy, and the row. */
static void pieces_move(const struct symm_host_copy *copy, const struct symm_bytes *bytes,
                        struct symm_pieces range, piece_move *move)
{
    if (!mca_coll_symm_host_copy_is_used(copy) || bytes->packed == NULL) {
        return;
    }
    size_t unit = mca_coll_symm_bytes(bytes->dtype, 1);
    ptrdiff_t extent = extent_of(copy);
    for (size_t i = range.begin; i < range.end; i++) {
        struct symm_layout layout;
        bool is_spread = copy->side.shape == SYMM_SIDE_SPREAD;
        ptrdiff_t at = is_spread ? symm_disp_at(copy->side.disps, i)
                                 : (ptrdiff_t)(i * copy->side.count);
        mca_coll_symm_layout_describe(&layout, copy->side.dtype, piece_count(copy, i));
        size_t begin = is_spread ? (size_t)symm_disp_at(bytes->disps, i) * unit : i * layout.bytes;
        if (layout.bytes > 0) {
            move(&layout, mca_coll_symm_at(copy->address, extent * at), bytes->packed + begin);
        }
    }
}

void mca_coll_symm_bytes_pack(const struct symm_host_copy_buffers *buffers)
{
    if (buffers->moves) {
        pieces_move(&buffers->send, &buffers->sent, buffers->send.read, move_in);
        pieces_move(&buffers->receive, &buffers->received, buffers->receive.read, move_in);
    }
}

void mca_coll_symm_bytes_unpack(const struct symm_host_copy_buffers *buffers)
{
    if (buffers->moves) {
        pieces_move(&buffers->receive, &buffers->received, buffers->receive.written, move_out);
    }
}
