/*
 * stream_lane.c - see stream_lane.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "heap/stream_lane.h"

static struct symm_heap *heap_of(const struct symm_stream_lane *lane)
{
    return symm_process_heap_at(lane->process, lane->place.heap);
}

enum symm_status symm_stream_lane_take(struct symm_stream_lane *lane, struct symm_process *process,
                                       int device, int rank, int size, size_t bytes)
{
    *lane = (struct symm_stream_lane){.process = process, .rank = rank, .size = size};
    if (size < 1 || size > SYMM_STREAM_LANE_RANKS || rank < 0 || rank >= size) {
        return SYMM_ERR_ARGUMENT;
    }
    void *memory;
    enum symm_status status = symm_process_device_alloc(process, device, bytes, 0, &memory);
    if (status == SYMM_OK) {
        lane->memory[rank] = memory;
        status = symm_process_locate(process, memory, bytes, &lane->place);
    }
    if (status == SYMM_OK) {
        status = symm_heap_clear(heap_of(lane), memory, bytes);
    }
    if (status != SYMM_OK) {
        symm_stream_lane_leave(lane);
    }
    return status;
}

enum symm_status symm_stream_lane_reach(struct symm_stream_lane *lane, int rank, const char *name,
                                        const struct symm_location *place)
{
    enum symm_status status = SYMM_OK;
    if (lane->memory[rank] != NULL) {
        return SYMM_OK;
    }
    if (lane->peers[rank] == NULL) {
        status = symm_process_get_peer(lane->process, name, place->heap, &lane->peers[rank]);
    }
    if (status == SYMM_OK) {
        status = symm_peer_map(lane->peers[rank], place);
    }
    if (status == SYMM_OK) {
        lane->memory[rank] = symm_peer_address(lane->peers[rank], place->offset);
    }
    return status;
}

void symm_stream_lane_leave(struct symm_stream_lane *lane)
{
    for (int rank = 0; rank < lane->size; rank++) {
        if (lane->peers[rank] != NULL) {
            symm_process_put_peer(lane->process, lane->peers[rank]);
        }
    }
    if (lane->memory[lane->rank] != NULL) {
        (void)symm_heap_free(heap_of(lane), lane->memory[lane->rank]);
    }
    *lane = (struct symm_stream_lane){.process = lane->process};
}
