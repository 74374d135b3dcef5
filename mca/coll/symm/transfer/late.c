/*
 * transfer/late.c - see transfer/late.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/transfer/late.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/prefix.h"
#include "kernels/rooted.h"
#include "mca/coll/symm/agree/blocks.h"
#include "mca/coll/symm/agree/loose.h"
#include "mca/coll/symm/choose/explain.h"
#include "mca/coll/symm/device/packing.h"
#include "mca/coll/symm/transfer/late_blocks.h"
#include "mca/coll/symm/transfer/late_data.h"

enum { STARTING, COLLECTING };

void mca_coll_symm_late_begin(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    struct symm_work *work = &operation->work;
    if (operation->packing != NULL) { /* the host packs what travels */
        mca_coll_symm_packing_end(operation);
        operation->own.stays = false;
    }
    const struct symm_call *call = operation->call;
    const struct symm_collective_row *row = symm_collective_get(call->collective);
    work->team = operation->lane->team;
    work->algorithm = (enum symm_algorithm)row->inline_algorithm;
    work->count = call->count;
    work->root = row->is_rooted ? call->root : -1;
    run->failure = SYMM_OK;
    run->stage = STARTING;
    operation->lane->last_algorithm = work->algorithm;
    if (row->has_tables) {
        mca_coll_symm_blocks_own_copy(operation);
    }
    mca_coll_symm_verbose_choice(operation, NULL);
}

/* ---- data and lines -------------------------------------------------------------------------- */

static unsigned char *payload_of(const struct symm_operation *operation, int rank)
{
    return mca_coll_symm_line(operation, rank)->payload;
}

/* ---- what this rank gives -------------------------------------------------------------------- */

/*
 * The elements of a reduction, of a predefined type.  Lines have them as they lie in memory, with
 * the gaps that pairs have.
 */
static struct symm_layout elements_of(const struct symm_call *call)
{
    struct symm_layout elements;
    mca_coll_symm_layout_describe(&elements, call->dtype, call->count);
    return elements;
}

static void elements_bring(struct symm_operation *operation, unsigned char *payload)
{
    const struct symm_call *call = operation->call;
    struct symm_layout elements = elements_of(call);
    unsigned char *packed = malloc(elements.bytes);
    if (packed == NULL) {
        mca_coll_symm_late_fail(operation, OMPI_ERR_OUT_OF_RESOURCE);
        return;
    }
    mca_coll_symm_late_bring(operation, &elements, call->input.at, packed);
    mca_coll_symm_unpack(&elements, packed, payload);
    free(packed);
}

static void own_bring(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    unsigned char *payload = payload_of(operation, operation->work.team->rank);
    bool is_root = symm_rooted_is_root(&operation->work);
    if (call->collective == SYMM_REDUCE) {
        elements_bring(operation, payload);
    } else if (!is_root || !call->in_place) {
        struct symm_layout block = call->input.layout;
        block.bytes = symm_least(block.bytes, call->output.layout.bytes);
        mca_coll_symm_late_bring(operation, &block, call->input.address, payload);
    }
}

/* ---- what ranks get of a gather, a reduce or a scan ------------------------------------------ */

static void blocks_deliver(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    for (int rank = 0; rank < operation->work.team->size; rank++) {
        struct symm_layout block = call->output.layout;
        bool is_own = rank == call->root;
        if (is_own && call->in_place) {
            continue;
        }
        block.bytes = is_own ? symm_least(call->input.layout.bytes, block.bytes) : block.bytes;
        mca_coll_symm_late_deliver(operation, &block, payload_of(operation, rank),
                                   mca_coll_symm_buffer_block(&call->output, rank));
    }
    if (!call->in_place && call->input.layout.bytes > call->output.layout.bytes) {
        mca_coll_symm_late_truncated(operation, call->root, call->input.layout.bytes,
                                     call->output.layout.bytes);
    }
}

/*
 * Reduce the elements of so many ranks from rank 0 on, in their order.  The operation is a
 * predefined, commutative one.
 */
static void elements_reduce(struct symm_operation *operation, int ranks)
{
    const struct symm_call *call = operation->call;
    struct symm_layout elements = elements_of(call);
    unsigned char *sum = malloc(2 * call->payload_bytes);
    if (sum == NULL) {
        mca_coll_symm_late_fail(operation, OMPI_ERR_OUT_OF_RESOURCE);
        return;
    }
    memcpy(sum, payload_of(operation, 0), call->payload_bytes);
    for (int rank = 1; rank < ranks; rank++) {
        ompi_op_reduce(call->op, payload_of(operation, rank), sum, call->count, call->dtype);
    }
    mca_coll_symm_pack(&elements, sum, sum + call->payload_bytes);
    mca_coll_symm_late_deliver(operation, &elements, sum + call->payload_bytes, call->output.at);
    free(sum);
}

static enum symm_status root_step(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    if (run->stage == STARTING) {
        bool own_stays = symm_collective_get(operation->call->collective)->own_stays;
        if (own_stays || !mca_coll_symm_line_has_data(operation, run->work->root)) {
            own_bring(operation);
        }
        mca_coll_symm_late_await(operation);
        run->stage = COLLECTING;
    }
    if (!mca_coll_symm_late_have_brought(operation)) {
        return SYMM_PENDING;
    }
    if (run->failure == SYMM_OK && operation->call->collective == SYMM_REDUCE) {
        elements_reduce(operation, run->work->team->size);
    } else if (run->failure == SYMM_OK) {
        blocks_deliver(operation);
    }
    return SYMM_OK;
}

/* A scan, at any rank but the first, which has left. */
static enum symm_status prefix_step(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    int me = run->work->team->rank;
    if (run->stage == STARTING) {
        if (!mca_coll_symm_line_has_data(operation, me)) {
            elements_bring(operation, payload_of(operation, me));
            mca_coll_symm_late_tell(run);
        }
        mca_coll_symm_late_await(operation);
        run->stage = COLLECTING;
    }
    if (!mca_coll_symm_late_have_brought(operation)) {
        return SYMM_PENDING;
    }
    if (run->failure == SYMM_OK) {
        elements_reduce(operation, symm_prefix_length(run->work, me));
    }
    return SYMM_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

enum symm_status mca_coll_symm_late_step(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    const struct symm_call *call = operation->call;
    if (symm_collective_get(call->collective)->has_tables) {
        return mca_coll_symm_late_blocks_step(operation);
    }
    if (symm_collective_get(call->collective)->is_prefix) {
        return prefix_step(operation);
    }
    if (symm_rooted_is_from_root(run->work)) {
        mca_coll_symm_late_deliver(
            operation, &call->output.layout,
            payload_of(operation, run->work->root) + symm_rooted_begin(run->work,
                                                                       run->work->team->rank),
            call->output.address);
        return SYMM_OK;
    }
    if (symm_rooted_is_root(run->work)) {
        return root_step(operation);
    }
    own_bring(operation);
    mca_coll_symm_late_tell(run);
    return SYMM_OK;
}

int mca_coll_symm_late_failure(const struct symm_operation *operation)
{
    return operation->error;
}
