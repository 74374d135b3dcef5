/*
 * fast/prompt_blocks.c - see fast/prompt.h: scattervs and gathervs, whose lines have a table.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/fast/prompt_line.h"

#include <string.h>

#include "mca/coll/symm/agree/blocks_line.h"
#include "mca/coll/symm/choose/before.h"
#include "mca/coll/symm/device/place.h"

/* ---- lines ----------------------------------------------------------------------------------- */

/*
 * Write the blocks for the others behind the table that says where they begin.  The side is a copy,
 * which what is written cannot change, for all the compiler knows.
 */
static void others_write(struct symm_side sending, size_t ranks, size_t me, struct symm_line *line)
{
    struct line_along *along = along_of(line);
    unsigned char *to = line->payload + along_head((int)ranks);
    size_t written = 0, largest = 0;
    for (size_t rank = 0; rank < ranks; rank++) {
        uintptr_t first;
        size_t bytes = rank == me ? 0 : mca_coll_symm_side_plain_block(&sending, rank, &first);
        along->at[rank] = (uint32_t)written;
        if (bytes > 0) {
            memcpy(to + written, (const void *)first, bytes);
        }
        largest = bytes > largest ? bytes : largest;
        written += bytes;
    }
    along->at[ranks] = (uint32_t)written;
    along->largest = (uint32_t)largest;
}

/* Post a line without blocks. */
static void empty_post(const struct prompt *prompt)
{
    int ranks = prompt->team->size;
    memset(along_of(prompt_line(prompt, prompt->team->rank)), 0, along_head(ranks));
    prompt_line_post(prompt);
}

/* prompt_end(), of a call whose data are in host memory. */
static void blocks_end(const struct prompt *prompt, size_t bytes, size_t written)
{
    mca_coll_symm_device_note(prompt->collective, -1);
    prompt_end(prompt, bytes, written);
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

static bool blocks_give(const struct prompt *prompt, struct symm_side *sending,
                        struct symm_side *receiving)
{
    struct symm_team *team = prompt->team;
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
        !prompt_is_on_host(prompt, (const void *)first) ||
        (own > 0 && !prompt_is_on_host(prompt, (const void *)to))) {
        return false;
    }
    others_write(*sending, ranks, me, prompt_line(prompt, team->rank));
    prompt_line_post(prompt);
    if (own > 0) {
        memcpy((void *)to, (const void *)from, own);
    }
    blocks_end(prompt, others + own, others);
    return true;
}

static bool block_take(const struct prompt *prompt, struct symm_side *receiving)
{
    const struct symm_line *from = prompt_line_from(prompt, prompt->root);
    const struct symm_team *team = prompt->team;
    uintptr_t to;
    if (from == NULL || receiving->count == 0) {
        return false;
    }
    size_t bytes;
    const unsigned char *block = along_block(from, team->size, team->rank, &bytes);
    mca_coll_symm_side_elements(receiving, NULL);
    if (!receiving->plain || bytes == 0 ||
        bytes > mca_coll_symm_side_plain_block(receiving, (size_t)prompt->root, &to) ||
        !prompt_is_on_host(prompt, (const void *)to)) {
        return false;
    }
    empty_post(prompt);
    memcpy((void *)to, block, bytes);
    blocks_end(prompt, 0, 0);
    return true;
}

bool mca_coll_symm_prompt_scatterv(mca_coll_symm_module_t *module)
{
    struct symm_call *call = &module->call;
    if (!prompt_is_ready(module)) {
        return false;
    }
    struct prompt prompt = prompt_of(module, SYMM_SCATTERV, call->root, 0);
    return prompt_is_root(&prompt) ? blocks_give(&prompt, &call->sending, &call->receiving)
                                   : block_take(&prompt, &call->receiving);
}

/* ---- gatherv --------------------------------------------------------------------------------- */

/* The block for the root, behind the table that says where it begins. */
static bool one_block_give(const struct prompt *prompt, struct symm_side *sending)
{
    const struct symm_team *team = prompt->team;
    uintptr_t first;
    if (sending->count == 0) { /* such a rank does not leave: agree/loose.h */
        return false;
    }
    mca_coll_symm_side_elements(sending, NULL);
    size_t bytes = mca_coll_symm_side_plain_block(sending, (size_t)prompt->root, &first);
    if (!sending->plain || bytes == 0 || !mca_coll_symm_blocks_have_room(team) ||
        !mca_coll_symm_choose_inline(SYMM_GATHERV, team, along_head(team->size) + bytes) ||
        !prompt_is_on_host(prompt, (const void *)first)) {
        return false;
    }
    others_write(*sending, (size_t)team->size, (size_t)team->rank, prompt_line(prompt, team->rank));
    prompt_line_post(prompt);
    blocks_end(prompt, bytes, bytes);
    return true;
}

/* Whether the root has a place for the block in each line; *some: one that is not empty. */
static bool blocks_have_places(const struct prompt *prompt, const struct symm_side *receiving,
                               uintptr_t *some)
{
    int ranks = prompt->team->size, root = prompt->root;
    *some = 0;
    for (int rank = 0; rank < ranks; rank++) {
        uintptr_t first;
        size_t bytes, room = mca_coll_symm_side_plain_block(receiving, (size_t)rank, &first);
        if (rank == root) {
            continue;
        }
        (void)along_block(prompt_line(prompt, rank), ranks, root, &bytes);
        if (bytes > room) {
            return false;
        }
        *some = room > 0 ? first : *some;
    }
    return *some != 0;
}

static bool blocks_take(const struct prompt *prompt, struct symm_side *sending,
                        struct symm_side *receiving)
{
    const struct symm_team *team = prompt->team;
    uintptr_t own_from, own_to, some;
    if (sending->count == 0 || receiving->shape == SYMM_SIDE_OTHERS) { /* it may be in place */
        return false;
    }
    mca_coll_symm_side_elements(receiving, NULL);
    mca_coll_symm_side_elements(sending, receiving);
    if (!sending->plain || !receiving->plain || !mca_coll_symm_blocks_have_room(team) ||
        !prompt_have_given(prompt, team->size)) {
        return false;
    }
    size_t own = mca_coll_symm_side_plain_block(sending, (size_t)team->rank, &own_from);
    if (own > mca_coll_symm_side_plain_block(receiving, (size_t)team->rank, &own_to) ||
        !blocks_have_places(prompt, receiving, &some) ||
        !prompt_is_on_host(prompt, (const void *)some) ||
        (own > 0 && !prompt_is_on_host(prompt, (const void *)own_from))) {
        return false;
    }
    for (int rank = 0; rank < team->size; rank++) {
        uintptr_t to;
        size_t bytes;
        const unsigned char *block =
            along_block(prompt_line(prompt, rank), team->size, prompt->root, &bytes);
        if (rank != prompt->root && bytes > 0) {
            (void)mca_coll_symm_side_plain_block(receiving, (size_t)rank, &to);
            memcpy((void *)to, block, bytes);
        }
    }
    if (own > 0 && own_from != own_to) {
        memcpy((void *)own_to, (const void *)own_from, own);
    }
    empty_post(prompt);
    blocks_end(prompt, own, 0);
    return true;
}

bool mca_coll_symm_prompt_gatherv(mca_coll_symm_module_t *module)
{
    struct symm_call *call = &module->call;
    if (!prompt_is_ready(module)) {
        return false;
    }
    struct prompt prompt = prompt_of(module, SYMM_GATHERV, call->root, 0);
    return prompt_is_root(&prompt) ? blocks_take(&prompt, &call->sending, &call->receiving)
                                   : one_block_give(&prompt, &call->sending);
}
