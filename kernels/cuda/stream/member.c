/*
 * member.c - see member.h; members.c has their end.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/collective.h"
#include "kernels/cuda/launch/device.h"
#include "kernels/cuda/stream/member_state.h"

/* ---- the offer ------------------------------------------------------------------------------- */

/* What went wrong, in the words of the driver if they are known. */
static void explain(char *why, const char *what, enum symm_status status)
{
    char failure[SYMM_CUDA_TEXT_SIZE];
    symm_cuda_last_failure(failure, sizeof(failure));
    (void)snprintf(why, SYMM_STREAM_WHY_SIZE, "%s: %s", what,
                   failure[0] != '\0' ? failure : symm_status_string(status));
}

static bool is_known(uint64_t identity, int device, char *why)
{
    char text[SYMM_CUDA_TEXT_SIZE];
    symm_cuda_last_failure(text, sizeof(text));
    if (identity == 0 && text[0] != '\0') {
        explain(why, "the GPU cannot be told from others", SYMM_ERR_SYSTEM);
    } else if (identity == 0) {
        symm_cuda_device_describe(device, text, sizeof(text));
        (void)snprintf(why, SYMM_STREAM_WHY_SIZE,
                       "%s is a part of a GPU (MIG), or shared through MPS: kernels that wait "
                       "for each other need a GPU each", text);
    }
    return identity != 0;
}

/* All blocks of a kernel have to be at work at a time, since each waits for one of each peer. */
static bool has_room(struct symm_stream_member *member, char *why)
{
    uint32_t blocks;
    char text[SYMM_CUDA_TEXT_SIZE];
    enum symm_status status = symm_stream_device_blocks(member->device, &blocks);
    if (status != SYMM_OK) {
        explain(why, "it is not known how many blocks of a kernel the GPU has room for", status);
        return false;
    }
    if (blocks < SYMM_STREAM_BLOCKS_LEAST) {
        symm_cuda_device_describe(member->device, text, sizeof(text));
        (void)snprintf(why, SYMM_STREAM_WHY_SIZE,
                       "%s has room for %u blocks of a kernel at a time; kernels that wait for "
                       "each other need room for %d", text, blocks, SYMM_STREAM_BLOCKS_LEAST);
        return false;
    }
    if (blocks < member->limits.blocks) {
        member->limits.blocks = blocks;
    }
    if (member->setup.blocks > 0 && member->setup.blocks < member->limits.blocks) {
        member->limits.blocks = (uint32_t)member->setup.blocks;
    }
    const size_t bytes = member->setup.bytes;
    if (bytes > 0 && !symm_stream_limits_fit(&member->limits, bytes)) {
        member->limits.region = SYMM_STREAM_REGION_STEP;
        (void)snprintf(why, SYMM_STREAM_WHY_SIZE,
                       "%zu bytes of device memory are too few: it takes %zu at least", bytes,
                       symm_stream_memory_bytes(&member->limits));
        return false;
    }
    return true;
}

static enum symm_status memory_take(struct symm_stream_member *member)
{
    const struct symm_stream_setup *setup = &member->setup;
    return setup->ranks == 1 ? SYMM_OK
                             : symm_stream_lane_take(&member->lane, setup->process, member->device,
                                                     setup->rank, setup->ranks,
                                                     symm_stream_memory_bytes(&member->limits));
}

/* False: `why` says it. */
static bool begin(struct symm_stream_member *member, struct symm_stream_offer *offer)
{
    const struct symm_stream_setup *setup = &member->setup;
    if (setup->ranks > SYMM_STREAM_RANKS) {
        (void)snprintf(offer->why, sizeof(offer->why),
                       "%d ranks are too many: kernels meet among up to %d", setup->ranks,
                       SYMM_STREAM_RANKS);
        return false;
    }
    symm_cuda_forget_failure();
    enum symm_status status = symm_stream_device(setup->stream, &member->device);
    if (status != SYMM_OK) {
        explain(offer->why, "the stream cannot be used", status);
        return false;
    }
    member->generation = symm_cuda_device_generation(member->device);
    offer->device = symm_cuda_device_identity(member->device);
    if (!setup->shares_devices && !is_known(offer->device, member->device, offer->why)) {
        return false;
    }
    member->limits = symm_stream_limits_default(setup->ranks);
    if (setup->ranks > 1 && !has_room(member, offer->why)) {
        return false;
    }
    status = memory_take(member);
    if (status != SYMM_OK) {
        explain(offer->why, "no device memory for it", status);
        return false;
    }
    offer->place = member->lane.place;
    offer->limits = member->limits;
    (void)snprintf(offer->name, sizeof(offer->name), "%s", symm_process_name(setup->process));
    return true;
}

void symm_stream_member_create(const struct symm_stream_setup *setup,
                               struct symm_stream_member **created,
                               struct symm_stream_offer *offer)
{
    struct symm_stream_member *member = calloc(1, sizeof(*member));
    memset(offer, 0, sizeof(*offer)); /* its gaps travel as well */
    offer->version = SYMM_VERSION;
    *created = NULL;
    symm_stream_members_sweep();
    if (member == NULL) {
        explain(offer->why, "no memory", SYMM_ERR_NO_MEMORY);
        return;
    }
    member->setup = *setup;
    atomic_init(&member->stream, setup->stream);
    offer->is_good = begin(member, offer);
    if (!offer->is_good) {
        free(member);
        return;
    }
    *created = member;
}

/* ---- connecting ------------------------------------------------------------------------------ */

/* False: these offers do not go together. */
static bool offers_check(const struct symm_stream_member *member,
                         const struct symm_stream_offer *offers, char *why)
{
    for (int a = 0; a < member->setup.ranks; a++) {
        if (offers[a].version != SYMM_VERSION) {
            (void)snprintf(why, SYMM_STREAM_WHY_SIZE,
                           "rank %d has another release of the library", a);
            return false;
        }
        for (int b = 0; b < a && !member->setup.shares_devices; b++) {
            if (offers[a].device == offers[b].device) {
                (void)snprintf(why, SYMM_STREAM_WHY_SIZE,
                               "ranks %d and %d have one GPU: kernels that wait for each other "
                               "need a GPU each", b, a);
                return false;
            }
        }
    }
    return true;
}

static struct symm_stream_limits limits_of(const struct symm_stream_offer *offers, int ranks)
{
    struct symm_stream_limits limits = offers[0].limits;
    for (int rank = 1; rank < ranks; rank++) {
        const struct symm_stream_limits *other = &offers[rank].limits;
        limits.blocks = other->blocks < limits.blocks ? other->blocks : limits.blocks;
        limits.region = other->region < limits.region ? other->region : limits.region;
    }
    return limits;
}

enum symm_status symm_stream_member_connect(struct symm_stream_member *member,
                                            const struct symm_stream_offer *offers, char *why)
{
    const struct symm_stream_setup *setup = &member->setup;
    if (setup->ranks == 1) {
        symm_stream_members_add(member);
        return SYMM_OK;
    }
    if (!offers_check(member, offers, why)) {
        return SYMM_ERR_NOT_FOUND;
    }
    symm_cuda_forget_failure();
    for (int rank = 0; rank < setup->ranks; rank++) {
        enum symm_status status = symm_stream_lane_reach(&member->lane, rank, offers[rank].name,
                                                         &offers[rank].place);
        if (status == SYMM_PENDING) {
            return status;
        }
        if (status != SYMM_OK) {
            char what[SYMM_CUDA_TEXT_SIZE];
            (void)snprintf(what, sizeof(what), "the memory of rank %d is out of reach", rank);
            explain(why, what, status);
            return status;
        }
    }
    enum symm_status status = symm_stream_queue_create(member->device, setup->rank, setup->ranks,
                                                       member->lane.memory, &member->queue);
    if (status != SYMM_OK) {
        explain(why, "kernels cannot be started", status);
        return status;
    }
    member->limits = limits_of(offers, setup->ranks);
    for (int rank = 0; rank < setup->ranks; rank++) {
        member->peers[rank] = rank != setup->rank ? symm_alive_hold(offers[rank].name) : NULL;
    }
    symm_stream_members_add(member);
    return SYMM_OK;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Of one rank: its input is its result. */
static enum symm_status copy(struct symm_stream_member *member,
                             const struct symm_stream_call *call, void *stream)
{
    const struct symm_collective_row *row = symm_collective_get(call->collective);
    const size_t extent = row->reduces ? symm_cuda_type_extent(call->type) : 1;
    const size_t bytes = call->count * extent;
    const size_t padding = row->reduces && bytes > 0 ? symm_cuda_type_padding(call->type) : 0;
    if (row->reduces && !symm_device_can_reduce(call->type, call->op)) {
        return SYMM_ERR_ARGUMENT;
    }
    if (bytes == 0 || call->input == call->output || call->collective == SYMM_BCAST) {
        return SYMM_OK;
    }
    return symm_stream_copy(member->device, call->output, call->input, bytes - padding, stream);
}

enum symm_status symm_stream_member_add(struct symm_stream_member *member,
                                        const struct symm_stream_call *call)
{
    void *stream = atomic_load_explicit(&member->stream, memory_order_relaxed);
    return member->queue == NULL
               ? copy(member, call, stream)
               : symm_stream_queue_add(member->queue, call, &member->limits, stream);
}

bool symm_stream_member_reaches(const struct symm_stream_member *member, const void *address)
{
    return symm_stream_reaches(member->device, address);
}

/* Within a scope.  Streams of a context that has been reset hold nothing. */
static enum symm_status stream_change(struct symm_stream_member *member,
                                      const struct symm_cuda_scope *scope, void *stream)
{
    enum symm_status status = SYMM_OK;
    void *before = atomic_load_explicit(&member->stream, memory_order_relaxed);
    if (scope->generation == member->generation) {
        status = symm_stream_order(scope->cuda, before, stream);
    } else if (member->queue != NULL) {
        status = symm_cuda_unusable("the device has been reset since the lane was made");
    }
    if (status == SYMM_OK) {
        member->generation = scope->generation;
        atomic_store_explicit(&member->stream, stream, memory_order_relaxed);
    }
    return status;
}

enum symm_status symm_stream_member_set_stream(struct symm_stream_member *member, void *stream)
{
    struct symm_cuda_scope scope;
    enum symm_status status = symm_stream_is_on(stream, member->device);
    if (status == SYMM_OK &&
        stream != atomic_load_explicit(&member->stream, memory_order_relaxed)) {
        status = symm_cuda_enter(member->device, &scope);
        if (status == SYMM_OK) {
            status = stream_change(member, &scope, stream);
            symm_cuda_leave(&scope);
        }
    }
    return status;
}

void symm_stream_member_abort(struct symm_stream_member *member)
{
    if (member->queue != NULL) {
        symm_stream_queue_abort(member->queue, SYMM_STREAM_ABORTED);
        symm_stream_lane_tell(&member->lane, SYMM_STREAM_ABORTED);
    }
}
