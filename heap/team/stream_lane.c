/*
 * stream_lane.c - see stream_lane.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "heap/team/stream_lane.h"

/* ---- the own blocks -------------------------------------------------------------------------- */

/* A block that has been allocated: where it is, and zeros. */
static enum symm_status block_begin(struct symm_process *process, void *block, size_t bytes,
                                    struct symm_location *place)
{
    enum symm_status status = symm_process_locate(process, block, bytes, place);
    return status == SYMM_OK
               ? symm_heap_clear(symm_process_heap_at(process, place->heap), block, bytes) : status;
}

static enum symm_status blocks_take(struct symm_stream_lane *lane, int device, size_t bytes)
{
    struct symm_process *process = lane->process;
    void *block;
    enum symm_status status = symm_process_device_alloc(process, device, bytes, 0, &block);
    if (status != SYMM_OK) {
        return status;
    }
    lane->memory[lane->rank] = block;
    status = block_begin(process, block, bytes, &lane->place.memory);
    if (status == SYMM_OK) {
        status = symm_heap_alloc(symm_process_heap(process), sizeof(struct symm_stream_shared), 0,
                                 &block);
    }
    if (status == SYMM_OK) {
        lane->shared[lane->rank] = block;
        status = block_begin(process, block, sizeof(struct symm_stream_shared),
                             &lane->place.shared);
    }
    return status;
}

enum symm_status symm_stream_lane_take(struct symm_stream_lane *lane, struct symm_process *process,
                                       int device, int rank, int size, size_t bytes)
{
    *lane = (struct symm_stream_lane){.process = process, .rank = rank, .size = size};
    if (size < 1 || size > SYMM_STREAM_LANE_RANKS || rank < 0 || rank >= size) {
        return SYMM_ERR_ARGUMENT;
    }
    enum symm_status status = blocks_take(lane, device, bytes);
    if (status != SYMM_OK) {
        symm_stream_lane_leave(lane);
    }
    return status;
}

/* ---- those of the others --------------------------------------------------------------------- */

static enum symm_status block_reach(const struct symm_stream_lane *lane, const char *name,
                                    const struct symm_location *place, struct symm_peer **peer,
                                    void **block)
{
    enum symm_status status = SYMM_OK;
    if (*peer == NULL) {
        status = symm_process_get_peer(lane->process, name, place->heap, peer);
    }
    if (status == SYMM_OK) {
        status = symm_peer_map(*peer, place);
    }
    if (status == SYMM_OK) {
        *block = symm_peer_address(*peer, place->offset);
    }
    return status;
}

enum symm_status symm_stream_lane_reach(struct symm_stream_lane *lane, int rank, const char *name,
                                        const struct symm_stream_place *place)
{
    enum symm_status status = SYMM_OK;
    if (lane->memory[rank] == NULL) {
        status = block_reach(lane, name, &place->memory, &lane->peers[rank][0],
                             &lane->memory[rank]);
    }
    if (status == SYMM_OK && lane->shared[rank] == NULL) {
        void *block = NULL;
        status = block_reach(lane, name, &place->shared, &lane->peers[rank][1], &block);
        lane->shared[rank] = block;
    }
    return status;
}

static void peer_release(struct symm_stream_lane *lane, int rank)
{
    for (int i = 0; i < 2; i++) {
        if (lane->peers[rank][i] != NULL) {
            symm_process_put_peer(lane->process, lane->peers[rank][i]);
        }
        lane->peers[rank][i] = NULL;
    }
    if (rank != lane->rank) {
        lane->memory[rank] = NULL;
        lane->shared[rank] = NULL;
    }
}

void symm_stream_lane_tell(struct symm_stream_lane *lane, uint32_t why)
{
    for (int rank = 0; rank < lane->size; rank++) {
        uint32_t none = 0;
        if (rank != lane->rank && lane->shared[rank] != NULL) {
            (void)atomic_compare_exchange_strong(&lane->shared[rank]->failed[lane->rank], &none,
                                                 why);
        }
    }
}

uint32_t symm_stream_lane_told(const struct symm_stream_lane *lane, int *rank)
{
    uint32_t why = 0;
    for (*rank = 0; *rank < lane->size; ++*rank) {
        why = atomic_load_explicit(&lane->shared[lane->rank]->failed[*rank], memory_order_acquire);
        if (why != 0) {
            break;
        }
    }
    return why;
}

void symm_stream_lane_depart(struct symm_stream_lane *lane)
{
    for (int rank = 0; rank < lane->size; rank++) {
        if (rank != lane->rank && lane->shared[rank] != NULL) {
            atomic_store_explicit(&lane->shared[rank]->departed[lane->rank], 1,
                                  memory_order_release);
        }
    }
}

bool symm_stream_lane_has_departed(const struct symm_stream_lane *lane, int rank)
{
    return atomic_load_explicit(&lane->shared[lane->rank]->departed[rank],
                                memory_order_acquire) != 0;
}

bool symm_stream_lane_is_left(const struct symm_stream_lane *lane)
{
    for (int rank = 0; rank < lane->size; rank++) {
        if (rank != lane->rank && !symm_stream_lane_has_departed(lane, rank)) {
            return false;
        }
    }
    return true;
}

void symm_stream_lane_leave(struct symm_stream_lane *lane)
{
    struct symm_process *process = lane->process;
    for (int rank = 0; rank < lane->size; rank++) {
        peer_release(lane, rank);
    }
    if (lane->shared[lane->rank] != NULL) {
        (void)symm_heap_free(symm_process_heap(process), lane->shared[lane->rank]);
    }
    if (lane->memory[lane->rank] != NULL) {
        (void)symm_heap_free(symm_process_heap_at(process, lane->place.memory.heap),
                             lane->memory[lane->rank]);
    }
    *lane = (struct symm_stream_lane){.process = process};
}
