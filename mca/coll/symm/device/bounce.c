/*
 * device/bounce.c - see device/bounce.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/device/bounce.h"

#include <stdlib.h>

#include "kernels/cuda/launch/copy.h"
#include "mca/coll/symm/data/runs.h"

/* ---- pieces ---------------------------------------------------------------------------------- */

/*
 * The next pieces that lie one behind the other, as one piece.  *next is the index of the first
 * one, and is set to the index behind the last one.
 */
static struct symm_elements pieces_next(const struct symm_host_copy *copy, size_t *next, size_t end)
{
    struct symm_elements piece = mca_coll_symm_side_elements_of(&copy->side, *next);
    if (copy->side.shape == SYMM_SIDE_EVEN) {
        piece.count *= end - *next;
        *next = end;
    } else {
        ++*next;
    }
    return piece;
}

static bool piece_span(const struct symm_elements *piece, struct symm_span *span)
{
    return piece->count > 0 && mca_coll_symm_span(piece->buffer, piece->count, piece->dtype, span);
}

/* ---- copying --------------------------------------------------------------------------------- */

struct transfer {
    struct symm_host_copy *copy;
    bool to_host;
    uintptr_t delta; /* from an address in the program's buffer to the one in the copy */
    int device;      /* -1: the piece is in host memory */
    enum symm_status status;
};

static void rows_move(void *context, const struct symm_rows *rows)
{
    struct transfer *transfer = context;
    void *program = (void *)rows->address, *copy = (void *)(rows->address + transfer->delta);
    void *target = transfer->to_host ? copy : program;
    const void *source = transfer->to_host ? program : copy;
    if (transfer->status != SYMM_OK) {
        return;
    }
    if (transfer->device < 0) {
        for (size_t row = 0; row < rows->rows; row++) {
            memcpy((unsigned char *)target + row * rows->pitch,
                   (const unsigned char *)source + row * rows->pitch, rows->bytes);
        }
        return;
    }
    transfer->status = symm_cuda_rows_copy(transfer->device, target, source, rows->bytes,
                                           rows->pitch, rows->rows);
    transfer->copy->copied += rows->bytes * rows->rows;
}

/*
 * Whether to copy a piece to the host with its gaps.  Reading a gap does no harm, and one copy
 * takes less time than many.
 */
static bool gaps_are_small(const struct symm_elements *piece, size_t span)
{
    enum { MOST = 4 }; /* times the bytes that are needed */
    return span / MOST <= mca_coll_symm_bytes(piece->dtype, piece->count);
}

static void piece_move(struct transfer *transfer, struct symm_runs *runs,
                       const struct symm_elements *piece)
{
    struct symm_span span;
    if (!piece_span(piece, &span)) {
        return;
    }
    if (transfer->to_host && !mca_coll_symm_is_solid(piece->dtype, piece->count) &&
        gaps_are_small(piece, span.bytes)) {
        struct symm_rows whole = {span.first, span.bytes, span.bytes, 1};
        mca_coll_symm_runs_flush(runs);
        rows_move(transfer, &whole);
        return;
    }
    mca_coll_symm_runs_add(runs, piece->buffer, piece->count, piece->dtype);
}

/*
 * Wait until all copies to and from a device have ended.  If that fails, wait a second time,
 * because no copy may be under way afterwards.
 */
static void device_finish(struct transfer *transfer, int device)
{
    if (device >= 0) {
        enum symm_status status = symm_cuda_rows_finish(device);
        if (status != SYMM_OK) {
            (void)symm_cuda_rows_finish(device);
        }
        transfer->status = transfer->status == SYMM_OK ? status : transfer->status;
    }
}

/*
 * Turn to the i-th piece of a typed buffer, which may be in host memory or on another device than
 * the piece before it.
 */
static void typed_turn(struct transfer *transfer, struct symm_runs *runs,
                       const struct symm_elements *piece, size_t i)
{
    struct symm_span span;
    if (!piece_span(piece, &span)) {
        return;
    }
    mca_coll_symm_runs_flush(runs);
    const struct symm_host_copy *copy = transfer->copy;
    transfer->delta = (uintptr_t)copy->address + (uintptr_t)copy->moved[i] -
                      (uintptr_t)piece->buffer;
    int device = mca_coll_symm_device_of((const void *)span.first, copy->kinds);
    if (device != transfer->device) {
        device_finish(transfer, transfer->device);
        symm_cuda_memory_settle(device);
        transfer->device = device;
    }
}

/*
 * Queue copies of pieces.  *device is set to the device whose copies may be under way; after an
 * error none are.
 */
static int pieces_queue(struct symm_host_copy *copy, const struct symm_pieces *range, bool to_host,
                        int *device)
{
    struct transfer transfer = {.copy = copy, .to_host = to_host, .device = copy->device,
                                .delta = (uintptr_t)copy->block.memory - copy->first};
    struct symm_runs runs = {.use = rows_move, .context = &transfer};
    for (size_t next = range->begin; next < range->end;) {
        size_t i = next;
        struct symm_elements piece = pieces_next(copy, &next, range->end);
        if (mca_coll_symm_side_is_typed(&copy->side)) {
            typed_turn(&transfer, &runs, &piece, i);
        }
        piece_move(&transfer, &runs, &piece);
    }
    mca_coll_symm_runs_flush(&runs);
    *device = transfer.device;
    if (transfer.status != SYMM_OK) {
        device_finish(&transfer, transfer.device);
        return OMPI_ERROR;
    }
    return OMPI_SUCCESS;
}

static int pieces_move(struct symm_host_copy *copy, const struct symm_pieces *range, bool to_host)
{
    struct transfer transfer = {.status = SYMM_OK};
    int device;
    int rc = pieces_queue(copy, range, to_host, &device);
    if (rc == OMPI_SUCCESS) {
        device_finish(&transfer, device);
        rc = transfer.status == SYMM_OK ? OMPI_SUCCESS : OMPI_ERROR;
    }
    return rc;
}

/* ---- opening --------------------------------------------------------------------------------- */

/*
 * The device of the first piece that is on one, or -1.  Only typed pieces may lie in different
 * memory, so otherwise the first piece with data decides.
 */
static int device_find(const struct symm_host_copy *copy)
{
    for (size_t next = 0; next < copy->pieces;) {
        struct symm_span span;
        struct symm_elements piece = pieces_next(copy, &next, copy->pieces);
        if (piece_span(&piece, &span)) {
            int device = mca_coll_symm_device_of((const void *)span.first, copy->kinds);
            if (device >= 0 || !mca_coll_symm_side_is_typed(&copy->side)) {
                return device;
            }
        }
    }
    return -1;
}

static const size_t cache_line = 64;

static int room_make(struct symm_host_copy *copy)
{
    struct symm_span span;
    uintptr_t first = UINTPTR_MAX, end = 0;
    for (size_t next = 0; next < copy->pieces;) {
        struct symm_elements piece = pieces_next(copy, &next, copy->pieces);
        if (piece_span(&piece, &span)) {
            first = span.first < first ? span.first : first;
            end = span.first + span.bytes > end ? span.first + span.bytes : end;
        }
    }
    first -= first % cache_line; /* the copy keeps the alignment of its members */
    if (symm_host_block_get(copy->device, end - first, &copy->block) != SYMM_OK) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    copy->first = first;
    copy->address = (void *)((uintptr_t)copy->side.buffer + (uintptr_t)copy->block.memory - first);
    return OMPI_SUCCESS;
}

/*
 * Typed pieces go one behind the other, each in cache lines of its own.  Displacements count from
 * the first piece: coll/self counts that of a single one in extents (4.1.4), and absolute types
 * would need large ones.
 */
static int typed_room_make(struct symm_host_copy *copy)
{
    struct symm_span span;
    size_t total = 0;
    ptrdiff_t origin = 0; /* of the first piece */
    bool is_first = true;
    copy->moved = calloc(copy->pieces, sizeof(*copy->moved) + sizeof(int));
    if (copy->moved == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (size_t i = 0; i < copy->pieces; i++) {
        struct symm_elements piece = mca_coll_symm_side_elements_of(&copy->side, i);
        if (piece_span(&piece, &span)) {
            size_t misaligned = span.first % cache_line;
            ptrdiff_t place = (ptrdiff_t)(total + misaligned) +
                              (ptrdiff_t)((uintptr_t)piece.buffer - span.first);
            origin = is_first ? place : origin;
            is_first = false;
            copy->moved[i] = place - origin;
            total += (misaligned + span.bytes + cache_line - 1) / cache_line * cache_line;
        }
    }
    int *room = (int *)(copy->moved + copy->pieces);
    if ((copy->side.shape != SYMM_SIDE_FAR &&
         !symm_disps_make(copy->moved, copy->pieces, room, &copy->moved_disps)) ||
        symm_host_block_get(copy->device, total, &copy->block) != SYMM_OK) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    copy->address = mca_coll_symm_at(copy->block.memory, origin);
    return OMPI_SUCCESS;
}

void mca_coll_symm_host_copy_leave(struct symm_host_copy *copy)
{
    copy->device = -1;
    copy->address = symm_ompi_unconst(copy->side.buffer);
    copy->moved = NULL;
    copy->copied = 0;
    copy->block.memory = NULL;
    copy->storing = -1;
}

bool mca_coll_symm_host_copy_find(struct symm_host_copy *copy)
{
    mca_coll_symm_host_copy_leave(copy);
    if (copy->side.shape != SYMM_SIDE_NONE && copy->side.buffer != MPI_IN_PLACE) {
        copy->device = device_find(copy);
    }
    return copy->device >= 0;
}

int mca_coll_symm_host_copy_room_make(struct symm_host_copy *copy)
{
    return mca_coll_symm_side_is_typed(&copy->side) ? typed_room_make(copy) : room_make(copy);
}

int mca_coll_symm_host_copy_fill(struct symm_host_copy *copy)
{
    symm_cuda_memory_settle(copy->device);
    return copy->read.begin < copy->read.end ? pieces_move(copy, &copy->read, true) : OMPI_SUCCESS;
}

int mca_coll_symm_host_copy_open(struct symm_host_copy *copy)
{
    if (!mca_coll_symm_host_copy_find(copy)) {
        return OMPI_SUCCESS;
    }
    int rc = mca_coll_symm_host_copy_room_make(copy);
    return rc == OMPI_SUCCESS ? mca_coll_symm_host_copy_fill(copy) : rc;
}

int mca_coll_symm_host_copy_store(struct symm_host_copy *copy)
{
    if (copy->device < 0 || copy->written.begin >= copy->written.end) {
        return OMPI_SUCCESS;
    }
    return pieces_move(copy, &copy->written, false);
}

int mca_coll_symm_host_copy_store_begin(struct symm_host_copy *copy)
{
    int rc = OMPI_SUCCESS;
    if (copy->device >= 0 && copy->written.begin < copy->written.end) {
        rc = pieces_queue(copy, &copy->written, false, &copy->storing);
        copy->storing = rc == OMPI_SUCCESS ? copy->storing : -1;
    }
    return rc;
}

int mca_coll_symm_host_copy_store_test(struct symm_host_copy *copy)
{
    if (copy->storing < 0) {
        return OMPI_SUCCESS;
    }
    enum symm_status status = symm_cuda_rows_test(copy->storing);
    if (status == SYMM_PENDING) {
        return OMPI_ERR_WOULD_BLOCK;
    }
    copy->storing = -1;
    return status == SYMM_OK ? OMPI_SUCCESS : OMPI_ERROR;
}

void mca_coll_symm_host_copy_close(struct symm_host_copy *copy)
{
    if (copy->device >= 0) {
        symm_host_block_put(&copy->block);
        free(copy->moved);
    }
}
