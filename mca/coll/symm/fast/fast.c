/*
 * fast/fast.c - see fast/fast.h: broadcasts, scatters and gathers, whose blocks are equal.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/fast/fast_line.h"

#include <string.h>

#include "mca/coll/symm/choose/before.h"

/* ---- broadcast and scatter ------------------------------------------------------------------- */

/* What the root sends has `bytes` bytes, of which a rank gets a block. */
struct vector {
    const unsigned char *input; /* of the root */
    unsigned char *output;
    size_t bytes, block;
};

static bool vector_give(const struct fast_call *fast, const struct vector *vector)
{
    const unsigned char *input = vector->input;
    size_t begin = vector->block * (size_t)fast->root, end_of_own = begin + vector->block;
    bool is_whole = fast->collective == SYMM_BCAST;
    if (!mca_coll_symm_choose_inline(fast->collective, fast->team, vector->bytes) ||
        !fast_is_on_host(fast, input) ||
        (!is_whole && !fast_is_on_host(fast, vector->output))) {
        return false;
    }
    unsigned char *to = fast_line(fast, fast->root)->payload;
    if (is_whole) {
        memcpy(to, input, vector->bytes);
    } else { /* as agree/post.c */
        memcpy(to, input, begin);
        memcpy(to + end_of_own, input + end_of_own, vector->bytes - end_of_own);
    }
    fast_line_post(fast);
    if (!is_whole && vector->output != input + begin) {
        memcpy(vector->output, input + begin, vector->block);
    }
    fast_end(fast, vector->bytes, vector->bytes);
    return true;
}

static bool vector_take(const struct fast_call *fast, const struct symm_line *from,
                        const struct vector *vector)
{
    size_t begin =
        fast->collective == SYMM_BCAST ? 0 : vector->block * (size_t)fast->team->rank;
    if (!fast_is_on_host(fast, vector->output)) {
        return false;
    }
    fast_line_post(fast);
    memcpy(vector->output, from->payload + begin, vector->block);
    fast_end(fast, vector->bytes, 0);
    return true;
}

bool mca_coll_symm_fast_bcast(mca_coll_symm_module_t *module, int root)
{
    const struct symm_buffer *buffer = &module->call.output;
    if (!fast_is_ready(module)) {
        return false;
    }
    const size_t bytes = buffer->bytes;
    struct fast_call fast = fast_of(module, SYMM_BCAST, root, bytes);
    const struct vector vector = {
        .input = buffer->at, .output = buffer->at, .bytes = bytes, .block = bytes};
    const struct symm_line *from = fast_is_root(&fast) ? NULL : fast_line_from(&fast, root);
    if ((from == NULL && !fast_is_root(&fast)) || !buffer->layout.dense) {
        return false;
    }
    return from == NULL ? vector_give(&fast, &vector) : vector_take(&fast, from, &vector);
}

bool mca_coll_symm_fast_scatter(mca_coll_symm_module_t *module, int root)
{
    const struct symm_buffer *sent = &module->call.input, *received = &module->call.output;
    if (!fast_is_ready(module) || module->call.in_place || !received->layout.dense) {
        return false;
    }
    const size_t block = received->bytes, bytes = block * (size_t)module->blocking.team->size;
    struct fast_call fast = fast_of(module, SYMM_SCATTER, root, block);
    struct vector vector = {.output = received->at, .bytes = bytes, .block = block};
    if (!fast_is_root(&fast)) {
        const struct symm_line *from = fast_line_from(&fast, root);
        return from != NULL && vector_take(&fast, from, &vector);
    }
    vector.input = sent->at;
    return sent->bytes == bytes && sent->layout.dense && vector_give(&fast, &vector);
}

/* ---- gather ---------------------------------------------------------------------------------- */

static bool block_give(const struct fast_call *fast, const void *input)
{
    if (!mca_coll_symm_choose_inline(SYMM_GATHER, fast->team, fast->count) ||
        !fast_is_on_host(fast, input)) {
        return false;
    }
    memcpy(fast_line(fast, fast->team->rank)->payload, input, fast->count);
    fast_line_post(fast);
    fast_end(fast, fast->count, fast->count);
    return true;
}

static bool blocks_gather(const struct fast_call *fast, const unsigned char *input,
                          unsigned char *output)
{
    const struct symm_team *team = fast->team;
    if (!fast_have_given(fast, team->size) || !fast_is_on_host(fast, input) ||
        !fast_is_on_host(fast, output)) {
        return false;
    }
    for (int rank = 0; rank < team->size; rank++) {
        unsigned char *to = output + (size_t)rank * fast->count;
        const unsigned char *from = rank == team->rank ? input : fast_line(fast, rank)->payload;
        if (to != from) {
            memcpy(to, from, fast->count);
        }
    }
    fast_line_post(fast);
    fast_end(fast, fast->count, 0);
    return true;
}

bool mca_coll_symm_fast_gather(mca_coll_symm_module_t *module, int root)
{
    const struct symm_buffer *sent = &module->call.input, *received = &module->call.output;
    if (!fast_is_ready(module) || module->call.in_place || !sent->layout.dense) {
        return false;
    }
    struct fast_call fast = fast_of(module, SYMM_GATHER, root, sent->bytes);
    if (!fast_is_root(&fast)) {
        return block_give(&fast, sent->at);
    }
    return received->bytes == sent->bytes && !mca_coll_symm_buffer_blocks_have_gaps(received) &&
           blocks_gather(&fast, sent->at, received->at);
}
