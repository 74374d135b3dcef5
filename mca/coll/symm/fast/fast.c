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

static bool is_dense(const struct symm_fast_buffer *buffer, unsigned char **first)
{
    struct symm_layout layout;
    mca_coll_symm_layout_describe(&layout, buffer->dtype, buffer->count);
    *first = mca_coll_symm_at(buffer->address, layout.start);
    return layout.dense;
}

bool mca_coll_symm_fast_bcast(mca_coll_symm_module_t *module,
                                const struct symm_fast_buffer *buffer, int root)
{
    if (!fast_is_ready(module)) {
        return false;
    }
    size_t bytes = mca_coll_symm_bytes(buffer->dtype, buffer->count);
    struct fast_call fast = fast_of(module, SYMM_BCAST, root, bytes);
    struct vector vector = {.bytes = bytes, .block = bytes};
    const struct symm_line *from = fast_is_root(&fast) ? NULL : fast_line_from(&fast, root);
    if ((from == NULL && !fast_is_root(&fast)) || !is_dense(buffer, &vector.output)) {
        return false;
    }
    vector.input = vector.output;
    return from == NULL ? vector_give(&fast, &vector) : vector_take(&fast, from, &vector);
}

bool mca_coll_symm_fast_scatter(mca_coll_symm_module_t *module,
                                  const struct symm_fast_buffer *sent,
                                  const struct symm_fast_buffer *received, int root)
{
    if (!fast_is_ready(module)) {
        return false;
    }
    size_t block = mca_coll_symm_bytes(received->dtype, received->count);
    size_t bytes = block * (size_t)module->blocking.team->size;
    struct fast_call fast = fast_of(module, SYMM_SCATTER, root, block);
    struct vector vector = {.bytes = bytes, .block = block};
    if (!fast_is_root(&fast)) {
        const struct symm_line *from = fast_line_from(&fast, root);
        return from != NULL && is_dense(received, &vector.output) &&
               vector_take(&fast, from, &vector);
    }
    unsigned char *input;
    if (received->address == MPI_IN_PLACE ||
        mca_coll_symm_bytes(sent->dtype, sent->count) != bytes || !is_dense(sent, &input) ||
        !is_dense(received, &vector.output)) {
        return false;
    }
    vector.input = input;
    return vector_give(&fast, &vector);
}

/* ---- gather ---------------------------------------------------------------------------------- */

static bool block_give(const struct fast_call *fast, const struct symm_fast_buffer *sent)
{
    unsigned char *input;
    if (!mca_coll_symm_choose_inline(SYMM_GATHER, fast->team, fast->count) ||
        !is_dense(sent, &input) || !fast_is_on_host(fast, input)) {
        return false;
    }
    memcpy(fast_line(fast, fast->team->rank)->payload, input, fast->count);
    fast_line_post(fast);
    fast_end(fast, fast->count, fast->count);
    return true;
}

static bool blocks_gather(const struct fast_call *fast, const struct symm_fast_buffer *sent,
                          const struct symm_fast_buffer *received)
{
    const struct symm_team *team = fast->team;
    unsigned char *input, *output;
    if (sent->address == MPI_IN_PLACE ||
        mca_coll_symm_bytes(sent->dtype, sent->count) != fast->count ||
        !fast_have_given(fast, team->size) || !is_dense(sent, &input) ||
        !is_dense(received, &output) ||
        !fast_is_on_host(fast, input) || !fast_is_on_host(fast, output)) {
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

bool mca_coll_symm_fast_gather(mca_coll_symm_module_t *module,
                                 const struct symm_fast_buffer *sent,
                                 const struct symm_fast_buffer *received, int root)
{
    if (!fast_is_ready(module)) {
        return false;
    }
    size_t ranks = (size_t)module->blocking.team->size;
    bool is_for_this = module->blocking.team->rank == root;
    size_t block = is_for_this ? mca_coll_symm_bytes(received->dtype, received->count) / ranks
                               : mca_coll_symm_bytes(sent->dtype, sent->count);
    struct fast_call fast = fast_of(module, SYMM_GATHER, root, block);
    return is_for_this ? blocks_gather(&fast, sent, received) : block_give(&fast, sent);
}
