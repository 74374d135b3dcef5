/*
 * fast/fast_blocks.c - see fast/fast.h: scattervs and gathervs, whose lines have a table.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/fast/fast_line.h"

#include <string.h>

#include "mca/coll/symm/agree/blocks_line.h"
#include "mca/coll/symm/choose/before.h"
#include "mca/coll/symm/device/place.h"

/* ---- lines ----------------------------------------------------------------------------------- */

/* Post a line without blocks. */
static void empty_post(const struct fast_call *fast)
{
    int ranks = fast->team->size;
    memset(along_of(fast_line(fast, fast->team->rank)), 0, along_head(ranks));
    fast_line_post(fast);
}

/* fast_end(), of a call whose data are in host memory. */
static void blocks_end(const struct fast_call *fast, size_t bytes, size_t written)
{
    mca_coll_symm_device_note(fast->collective, -1);
    fast_end(fast, bytes, written);
}

/* ---- scatterv -------------------------------------------------------------------------------- */

/* Bytes of all blocks but this rank's own; *some: the last rank of those that have any. */
static size_t others_measure(const struct symm_side *sending, size_t ranks, size_t me, size_t *some)
{
    size_t elements = 0;
    *some = me;
    for (size_t rank = 0; rank < ranks; rank++) {
        size_t count = rank == me ? 0 : symm_count_at(sending->counts, rank);
        elements += count;
        *some = count > 0 ? rank : *some;
    }
    return elements * sending->size;
}

static bool blocks_give(const struct fast_call *fast, struct symm_side *sending,
                        struct symm_side *receiving)
{
    struct symm_team *team = fast->team;
    size_t ranks = (size_t)team->size, me = (size_t)team->rank, some;
    uintptr_t first, from, to;
    if (sending->shape != SYMM_SIDE_SPREAD || receiving->count == 0) { /* it may be in place */
        return false;
    }
    mca_coll_symm_side_elements(sending, NULL);
    mca_coll_symm_side_elements(receiving, sending);
    if (!sending->plain || !receiving->plain) {
        return false;
    }
    size_t others = others_measure(sending, ranks, me, &some);
    size_t own = mca_coll_symm_side_plain_block(sending, me, &from);
    (void)mca_coll_symm_side_plain_block(sending, some, &first);
    if (others == 0 || own > mca_coll_symm_side_plain_block(receiving, me, &to) ||
        !mca_coll_symm_blocks_have_room(team) ||
        !mca_coll_symm_choose_inline(SYMM_SCATTERV, team, along_head(team->size) + others) ||
        !fast_is_on_host(fast, (const void *)first) ||
        (own > 0 && !fast_is_on_host(fast, (const void *)to))) {
        return false;
    }
    along_write(fast_line(fast, team->rank), *sending, ranks, me);
    fast_line_post(fast);
    if (own > 0) {
        memcpy((void *)to, (const void *)from, own);
    }
    blocks_end(fast, others + own, others);
    return true;
}

static bool block_take(const struct fast_call *fast, struct symm_side *receiving)
{
    const struct symm_line *from = fast_line_from(fast, fast->root);
    const struct symm_team *team = fast->team;
    uintptr_t to;
    if (from == NULL || receiving->count == 0) {
        return false;
    }
    size_t bytes;
    const unsigned char *block = along_block(from, team->size, team->rank, &bytes);
    mca_coll_symm_side_elements(receiving, NULL);
    if (!receiving->plain || bytes == 0 ||
        bytes > mca_coll_symm_side_plain_block(receiving, (size_t)fast->root, &to) ||
        !fast_is_on_host(fast, (const void *)to)) {
        return false;
    }
    empty_post(fast);
    memcpy((void *)to, block, bytes);
    blocks_end(fast, 0, 0);
    return true;
}

bool mca_coll_symm_fast_scatterv(mca_coll_symm_module_t *module)
{
    struct symm_call *call = &module->call;
    if (!fast_is_ready(module)) {
        return false;
    }
    struct fast_call fast = fast_of(module, SYMM_SCATTERV, call->root, 0);
    return fast_is_root(&fast) ? blocks_give(&fast, &call->input.side, &call->output.side)
                                   : block_take(&fast, &call->output.side);
}

/* ---- gatherv --------------------------------------------------------------------------------- */

/* The block for the root, behind the table that says where it begins. */
static bool one_block_give(const struct fast_call *fast, struct symm_side *sending)
{
    const struct symm_team *team = fast->team;
    uintptr_t first;
    if (sending->count == 0) { /* such a rank does not leave: agree/loose.h */
        return false;
    }
    mca_coll_symm_side_elements(sending, NULL);
    size_t bytes = mca_coll_symm_side_plain_block(sending, (size_t)fast->root, &first);
    if (!sending->plain || bytes == 0 || !mca_coll_symm_blocks_have_room(team) ||
        !mca_coll_symm_choose_inline(SYMM_GATHERV, team, along_head(team->size) + bytes) ||
        !fast_is_on_host(fast, (const void *)first)) {
        return false;
    }
    along_write(fast_line(fast, team->rank), *sending, (size_t)team->size, (size_t)team->rank);
    fast_line_post(fast);
    blocks_end(fast, bytes, bytes);
    return true;
}

/* Whether the root has a place for the block in each line; *some: one that is not empty. */
static bool blocks_have_places(const struct fast_call *fast, const struct symm_side *receiving,
                               uintptr_t *some)
{
    int ranks = fast->team->size, root = fast->root;
    *some = 0;
    for (int rank = 0; rank < ranks; rank++) {
        uintptr_t first;
        size_t bytes, room = mca_coll_symm_side_plain_block(receiving, (size_t)rank, &first);
        if (rank == root) {
            continue;
        }
        (void)along_block(fast_line(fast, rank), ranks, root, &bytes);
        if (bytes > room) {
            return false;
        }
        *some = room > 0 ? first : *some;
    }
    return *some != 0;
}

static bool blocks_take(const struct fast_call *fast, struct symm_side *sending,
                        struct symm_side *receiving)
{
    const struct symm_team *team = fast->team;
    uintptr_t own_from, own_to, some;
    if (sending->count == 0 || receiving->shape == SYMM_SIDE_OTHERS) { /* it may be in place */
        return false;
    }
    mca_coll_symm_side_elements(receiving, NULL);
    mca_coll_symm_side_elements(sending, receiving);
    if (!sending->plain || !receiving->plain || !mca_coll_symm_blocks_have_room(team) ||
        !fast_have_given(fast, team->size)) {
        return false;
    }
    size_t own = mca_coll_symm_side_plain_block(sending, (size_t)team->rank, &own_from);
    if (own > mca_coll_symm_side_plain_block(receiving, (size_t)team->rank, &own_to) ||
        !blocks_have_places(fast, receiving, &some) ||
        !fast_is_on_host(fast, (const void *)some) ||
        (own > 0 && !fast_is_on_host(fast, (const void *)own_from))) {
        return false;
    }
    for (int rank = 0; rank < team->size; rank++) {
        uintptr_t to;
        size_t bytes;
        const unsigned char *block =
            along_block(fast_line(fast, rank), team->size, fast->root, &bytes);
        if (rank != fast->root && bytes > 0) {
            (void)mca_coll_symm_side_plain_block(receiving, (size_t)rank, &to);
            memcpy((void *)to, block, bytes);
        }
    }
    if (own > 0 && own_from != own_to) {
        memcpy((void *)own_to, (const void *)own_from, own);
    }
    empty_post(fast);
    blocks_end(fast, own, 0);
    return true;
}

bool mca_coll_symm_fast_gatherv(mca_coll_symm_module_t *module)
{
    struct symm_call *call = &module->call;
    if (!fast_is_ready(module)) {
        return false;
    }
    struct fast_call fast = fast_of(module, SYMM_GATHERV, call->root, 0);
    return fast_is_root(&fast) ? blocks_take(&fast, &call->input.side, &call->output.side)
                                   : one_block_give(&fast, &call->input.side);
}
