/*
 * device/packing.c - see device/packing.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/device/packing.h"

#include <stdlib.h>

#include "kernels/cuda/launch/kernel.h"
#include "kernels/run_steps.h"
#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/base/module.h"
#include "mca/coll/symm/data/nests.h"
#include "mca/coll/symm/data/recognise.h"
#include "mca/coll/symm/data/runs.h"
#include "mca/coll/symm/device/device.h"
#include "mca/coll/symm/device/pack_buffers.h"

/* One buffer of a call.  Blocks without a buffer of their own are in the other one's buffer. */
struct packed_buffer {
    bool packs;
    unsigned char *buffer;  /* NULL: it has none of its own */
    unsigned char *begin; /* the packed data */
    size_t bytes;
    struct symm_nests nests;
    struct symm_packed_block *blocks; /* of an exchange, one for each rank */
};

struct symm_packing {
    const struct symm_call *original;
    struct symm_call call;
    struct packed_buffer input, output;
    int rank, ranks;
    struct symm_device *device;
    struct symm_completion completion;
    size_t next; /* of the nests that are to be started */
    bool is_one; /* the root of a broadcast has one buffer, and nothing comes */
    bool is_under_way, is_packed, has_failed;
};

static bool has_sides(const struct symm_call *call)
{
    return symm_collective_get(call->collective)->has_blocks;
}

/* Whether a rank's input is its block of the output. */
static bool is_within(const struct symm_call *call)
{
    const struct symm_collective_row *row = symm_collective_get(call->collective);
    return call->in_place && row->gathers;
}

/* ---- where blocks go ------------------------------------------------------------------------- */

/*
 * The blocks of a side, one behind the other.  Those of an all-to-all are equal, and their places
 * are computed; others begin where vectors can.
 */
static size_t side_plan(const struct symm_packing *packing, const struct symm_side *side,
                        struct symm_packed_block *blocks)
{
    const size_t unit = packing->original->collective == SYMM_ALLTOALL ? 1 : 256;
    size_t at = 0;
    for (int rank = 0; rank < packing->ranks; rank++) {
        struct symm_layout layout;
        void *address;
        mca_coll_symm_side_block(side, (size_t)rank, &layout, &address);
        blocks[rank] = (struct symm_packed_block){at, layout.bytes};
        if (side->shape != SYMM_SIDE_SAME) {
            at += (layout.bytes + unit - 1) / unit * unit;
        }
    }
    return side->shape == SYMM_SIDE_SAME ? blocks[0].bytes : at;
}

/* Blocks of a buffer whose ranks' blocks are equal: those of all ranks, or one. */
static int output_blocks(const struct symm_packing *packing)
{
    return symm_collective_get(packing->original->collective)->gathers ? packing->ranks : 1;
}

static bool buffers_plan(struct symm_packing *packing)
{
    const struct symm_call *call = packing->original;
    struct packed_buffer *input = &packing->input, *output = &packing->output;
    bool both = is_within(call);
    input->packs = (call->absent & SYMM_ABSENT_INPUT) == 0 &&
                   (both || (call->gaps & SYMM_GAPS_INPUT) != 0);
    output->packs = (call->absent & SYMM_ABSENT_OUTPUT) == 0 &&
                    (both || (call->gaps & SYMM_GAPS_OUTPUT) != 0);
    packing->is_one = input->packs && output->packs && call->input.at == call->output.at &&
                      symm_collective_get(call->collective)->from_root;
    output->packs = output->packs && !packing->is_one;
    if (!has_sides(call)) {
        input->bytes = call->input.layout.bytes;
        output->bytes = call->output.layout.bytes * (size_t)output_blocks(packing);
        return true;
    }
    input->blocks = calloc(2 * (size_t)packing->ranks, sizeof(*input->blocks));
    if (input->blocks == NULL) {
        return false;
    }
    output->blocks = input->blocks + packing->ranks;
    input->bytes = side_plan(packing, &call->input.side, input->blocks);
    output->bytes = side_plan(packing, &call->output.side, output->blocks);
    return true;
}

/* ---- nests ----------------------------------------------------------------------------------- */

/* Nests are found before there are buffers, with offsets from where those will begin. */
static void nests_move(struct packed_buffer *buffer)
{
    for (size_t i = 0; i < buffer->nests.count; i++) {
        struct symm_cuda_nest *nest = &buffer->nests.items[i].nest;
        nest->packed = buffer->begin + (uintptr_t)nest->packed;
    }
}

/*
 * Whether both ends of the elements are on the call's device, as its kernels must not touch what is
 * elsewhere.  Absolute addresses may be anywhere.
 */
static bool is_on_device(const struct symm_operation *operation, const struct symm_layout *layout,
                         const void *buffer)
{
    enum symm_kinds kinds = operation->lane->module->super.kinds;
    int device = operation->call->device;
    struct symm_span span;
    return layout->bytes == 0 ||
           !mca_coll_symm_span(buffer, layout->count, layout->dtype, &span) ||
           (mca_coll_symm_device_of((const void *)span.first, kinds) == device &&
            mca_coll_symm_device_of((const void *)(span.first + span.bytes - 1), kinds) == device);
}

static bool side_nests(const struct symm_operation *operation, const struct symm_side *side,
                       struct packed_buffer *buffer)
{
    int blocks = side->shape == SYMM_SIDE_SAME ? 1 : operation->lane->team->size;
    bool is_found = true;
    for (int rank = 0; rank < blocks && is_found; rank++) {
        struct symm_layout layout;
        void *address;
        mca_coll_symm_side_block(side, (size_t)rank, &layout, &address);
        is_found = is_on_device(operation, &layout, address) &&
                   mca_coll_symm_nests_add(&buffer->nests, &layout, address,
                                           buffer->blocks[rank].at, rank);
    }
    return is_found;
}

static bool layout_nests(const struct symm_operation *operation, const struct symm_layout *layout,
                         void *address, int blocks, struct packed_buffer *buffer)
{
    bool is_found =
        is_on_device(operation, layout, address) &&
        is_on_device(operation, layout, mca_coll_symm_layout_block(layout, address, blocks - 1));
    for (int block = 0; block < blocks && is_found; block++) {
        is_found = mca_coll_symm_nests_add(
            &buffer->nests, layout, mca_coll_symm_layout_block(layout, address, block),
            (size_t)block * layout->bytes, block);
    }
    return is_found;
}

static bool nests_find(const struct symm_operation *operation, struct symm_packing *packing)
{
    const struct symm_call *call = packing->original;
    struct packed_buffer *input = &packing->input, *output = &packing->output;
    if (has_sides(call)) {
        return (!input->packs || side_nests(operation, &call->input.side, input)) &&
               (!output->packs || side_nests(operation, &call->output.side, output));
    }
    return (!input->packs ||
            layout_nests(operation, &call->input.layout, symm_ompi_unconst(call->input.address),
                                          1, input)) &&
           (!output->packs || layout_nests(operation, &call->output.layout, call->output.address,
                                           output_blocks(packing), output));
}

/* ---- buffers --------------------------------------------------------------------------------- */

/* A rank in place has its input within its output. */
static bool buffers_take(struct symm_packing *packing)
{
    const struct symm_call *call = packing->original;
    struct packed_buffer *input = &packing->input, *output = &packing->output;
    if (output->packs) {
        output->buffer = mca_coll_symm_pack_buffer_take(call->device, output->bytes);
        output->begin = output->buffer;
    }
    if (input->packs && is_within(call) && output->begin != NULL) {
        input->begin = output->begin + (has_sides(call) ? output->blocks[packing->rank].at
                                                        : (size_t)packing->rank * input->bytes);
    } else if (input->packs) {
        input->buffer = mca_coll_symm_pack_buffer_take(call->device, input->bytes);
        input->begin = input->buffer;
    }
    if (packing->is_one) {
        output->begin = input->begin;
    }
    if ((input->packs && input->begin == NULL) || (output->packs && output->begin == NULL)) {
        return false;
    }
    nests_move(input);
    nests_move(output);
    return true;
}

/* ---- the call that is served ----------------------------------------------------------------- */

static void side_replace(struct symm_side *side, const struct packed_buffer *buffer)
{
    *side = (struct symm_side){
        .shape = SYMM_SIDE_PACKED, .buffer = buffer->begin, .packed = buffer->blocks,
        .dtype = MPI_BYTE, .is_measured = true, .plain = true, .size = 1};
}

/* A buffer that this rank has not is described as the other one (base/call.h). */
static void absent_follow(struct symm_call *call, const struct symm_packing *packing)
{
    const struct symm_call *original = packing->original;
    if ((call->absent & SYMM_ABSENT_INPUT) != 0) {
        call->input.at = call->output.at;
        call->input.memory = call->output.memory;
    } else if ((call->absent & SYMM_ABSENT_OUTPUT) != 0) {
        bool keeps = original->in_place && !has_sides(original) &&
                     symm_collective_get(original->collective)->from_root;
        call->output.at = symm_ompi_unconst(call->input.at);
        call->output.memory = call->input.memory;
        if (keeps) { /* a scatter's root: its own block of its input */
            call->output.at =
                (unsigned char *)call->output.at + (size_t)packing->rank *
                    original->output.layout.bytes;
        }
    }
}

static void call_replace(struct symm_packing *packing)
{
    const struct symm_memory in_heap = {.kind = SYMM_MEMORY_HOST, .device = -1};
    const struct packed_buffer *input = &packing->input, *output = &packing->output;
    struct symm_call *call = &packing->call;
    *call = *packing->original;
    call->gaps = call->collective == SYMM_ALLTOALL ? 0 : call->gaps & SYMM_GAPS_BETWEEN;
    if (input->packs) {
        call->input.at = input->begin;
        call->input.bytes = input->bytes;
        call->input.memory = in_heap;
    }
    if (output->begin != NULL) {
        call->output.at = output->begin;
        call->output.bytes = output->bytes;
        call->output.memory = in_heap;
    }
    if (has_sides(call)) {
        call->count = input->packs ? input->bytes : call->count;
        if (input->packs) {
            side_replace(&call->input.side, input);
        }
        if (output->packs) {
            side_replace(&call->output.side, output);
        }
        /* What has been packed of an all-to-all in place does not lie where anything comes. */
        call->in_place = call->in_place && (is_within(call) || !input->packs);
    }
    absent_follow(call, packing);
}

static void packing_free(struct symm_packing *packing, bool are_lost)
{
    void (*end)(int, void *) =
        are_lost ? mca_coll_symm_pack_buffer_lose : mca_coll_symm_pack_buffer_give;
    end(packing->original->device, packing->input.buffer);
    end(packing->original->device, packing->output.buffer);
    mca_coll_symm_nests_free(&packing->input.nests);
    mca_coll_symm_nests_free(&packing->output.nests);
    free(packing->input.blocks);
    free(packing);
}

/*
 * Whether kernels take less time than copies to the host and back, where those are made.  An Open
 * MPI that gets the device buffers copies run by run.  Where only a rank itself knows how much it
 * has, little of it is no reason to send all ranks below.
 */
static bool is_worth_packing(const struct symm_operation *operation)
{
    const mca_coll_symm_component_t *component = &mca_coll_symm_component;
    const struct symm_call *call = operation->call;
    const struct symm_team *team = operation->lane->team;
    if (component->device_packing == 0 || team->size > SYMM_CUDA_RANKS_MAX) {
        return false;
    }
    return component->has_host_copies <= 0 || symm_collective_get(call->collective)->has_tables ||
           call->payload_bytes >= component->scratch_least;
}

/* What the operation has from its call. */
static void call_use(struct symm_operation *operation, const struct symm_call *call)
{
    operation->call = call;
    operation->gaps = call->gaps;
    operation->work.input = call->input.at;
    operation->in_place = call->in_place;
}

bool mca_coll_symm_packing_begin(struct symm_operation *operation)
{
    bool is_told; /* what has failed: the copy to the host tells it */
    struct symm_packing *packing =
        is_worth_packing(operation) ? calloc(1, sizeof(*packing)) : NULL;
    if (packing == NULL) {
        return false;
    }
    packing->original = operation->call;
    packing->rank = operation->lane->team->rank;
    packing->ranks = operation->lane->team->size;
    if (!buffers_plan(packing) || !nests_find(operation, packing) || !buffers_take(packing) ||
        mca_coll_symm_device_prepare(operation, &is_told) != SYMM_OK ||
        symm_device_get(operation->call->device, &packing->device) != SYMM_OK) {
        packing_free(packing, false);
        return false;
    }
    call_replace(packing);
    operation->packing = packing;
    call_use(operation, &packing->call);
    return true;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* How many bytes of a nest are there: a block may be shorter than its place. */
static uint64_t limit_of(const struct symm_operation *operation, const struct symm_nest *nest)
{
    if (!has_sides(operation->call)) {
        return nest->nest.limit;
    }
    size_t incoming = symm_block_incoming(&operation->work.blocks[nest->block]);
    return incoming > nest->at ? incoming - nest->at : 0;
}

/* Start as many nests as a kernel takes. */
static enum symm_status nests_start(struct symm_operation *operation,
                                    const struct symm_nests *nests, bool unpacks)
{
    struct symm_kernel kernel;
    struct symm_packing *packing = operation->packing;
    struct symm_cuda_nest some[SYMM_CUDA_NESTS];
    size_t next = packing->next;
    int count = 0;
    for (; next < nests->count && count < SYMM_CUDA_NESTS; next++) {
        some[count] = nests->items[next].nest;
        if (unpacks) {
            some[count].limit = limit_of(operation, &nests->items[next]);
        }
        count++;
    }
    enum symm_status status = symm_device_start(
        packing->device, symm_kernel_nests(&kernel, some, count, unpacks,
                                           (unsigned)mca_coll_symm_component.device_blocks),
        &packing->completion);
    if (status == SYMM_OK) {
        packing->next = next;
        packing->is_under_way = true;
    }
    return status;
}

static enum symm_status nests_step(struct symm_operation *operation,
                                   const struct symm_nests *nests, bool unpacks)
{
    struct symm_packing *packing = operation->packing;
    enum symm_status status = SYMM_OK;
    while (status == SYMM_OK && (packing->is_under_way || packing->next < nests->count)) {
        if (packing->is_under_way) {
            status = symm_completion_test(packing->device, &packing->completion);
            packing->is_under_way = status == SYMM_PENDING;
        } else {
            status = nests_start(operation, nests, unpacks);
        }
    }
    packing->has_failed = status != SYMM_OK && status != SYMM_PENDING;
    return status;
}

enum symm_status mca_coll_symm_packing_pack(struct symm_operation *operation)
{
    struct symm_packing *packing = operation->packing;
    enum symm_status status = SYMM_OK;
    if (!packing->is_packed) {
        status = nests_step(operation, &packing->input.nests, false);
        packing->is_packed = status == SYMM_OK;
        packing->next = status == SYMM_OK ? 0 : packing->next;
    }
    return status;
}

enum symm_status mca_coll_symm_packing_unpack(struct symm_operation *operation)
{
    return nests_step(operation, &operation->packing->output.nests, true);
}

bool mca_coll_symm_packing_is_at_work(struct symm_operation *operation)
{
    struct symm_packing *packing = operation->packing;
    if (packing->is_under_way) {
        enum symm_status status = symm_completion_test(packing->device, &packing->completion);
        packing->is_under_way = status == SYMM_PENDING;
        packing->has_failed = packing->has_failed || (status != SYMM_OK && status != SYMM_PENDING);
    }
    return packing->is_under_way;
}

/* Whether something may still be at work on buffers: a device has failed, or a rank has gone. */
static bool are_lost(const struct symm_operation *operation)
{
    bool is_truncated = operation->run.failure == SYMM_ERR_ARGUMENT;
    return operation->packing->has_failed ||
           (operation->state == SYMM_OPERATION_DONE && operation->steps != NULL &&
            operation->outcome == SYMM_OUTCOME_ERROR && !is_truncated);
}

void mca_coll_symm_packing_end(struct symm_operation *operation)
{
    struct symm_packing *packing = operation->packing;
    while (mca_coll_symm_packing_is_at_work(operation)) {
    }
    bool lost = are_lost(operation);
    call_use(operation, packing->original);
    operation->packing = NULL;
    packing_free(packing, lost);
}
