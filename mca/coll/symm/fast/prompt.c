/*
 * fast/prompt.c - see fast/prompt.h: broadcasts, scatters and gathers, whose blocks are equal.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/fast/prompt_line.h"

#include <string.h>

#include "mca/coll/symm/choose/before.h"

/* ---- broadcast and scatter ------------------------------------------------------------------- */

/* What the root sends has `bytes` bytes, of which a rank gets a block. */
struct vector {
    const unsigned char *input; /* of the root */
    unsigned char *output;
    size_t bytes, block;
};

static bool vector_give(const struct prompt *prompt, const struct vector *vector)
{
    const unsigned char *input = vector->input;
    size_t begin = vector->block * (size_t)prompt->root, end_of_own = begin + vector->block;
    bool is_whole = prompt->collective == SYMM_BCAST;
    if (!mca_coll_symm_choose_inline(prompt->collective, prompt->team, vector->bytes) ||
        !prompt_is_on_host(prompt, input) ||
        (!is_whole && !prompt_is_on_host(prompt, vector->output))) {
        return false;
    }
    unsigned char *to = prompt_line(prompt, prompt->root)->payload;
    if (is_whole) {
        memcpy(to, input, vector->bytes);
    } else { /* as agree/post.c */
        memcpy(to, input, begin);
        memcpy(to + end_of_own, input + end_of_own, vector->bytes - end_of_own);
    }
    prompt_line_post(prompt);
    if (!is_whole && vector->output != input + begin) {
        memcpy(vector->output, input + begin, vector->block);
    }
    prompt_end(prompt, vector->bytes, vector->bytes);
    return true;
}

static bool vector_take(const struct prompt *prompt, const struct symm_line *from,
                        const struct vector *vector)
{
    size_t begin =
        prompt->collective == SYMM_BCAST ? 0 : vector->block * (size_t)prompt->team->rank;
    if (!prompt_is_on_host(prompt, vector->output)) {
        return false;
    }
    prompt_line_post(prompt);
    memcpy(vector->output, from->payload + begin, vector->block);
    prompt_end(prompt, vector->bytes, 0);
    return true;
}

static bool is_dense(const struct symm_prompt_buffer *buffer, unsigned char **first)
{
    struct symm_layout layout;
    mca_coll_symm_layout_describe(&layout, buffer->dtype, buffer->count);
    *first = mca_coll_symm_at(buffer->address, layout.start);
    return layout.dense;
}

bool mca_coll_symm_prompt_bcast(mca_coll_symm_module_t *module,
                                const struct symm_prompt_buffer *buffer, int root)
{
    if (!prompt_is_ready(module)) {
        return false;
    }
    size_t bytes = mca_coll_symm_bytes(buffer->dtype, buffer->count);
    struct prompt prompt = prompt_of(module, SYMM_BCAST, root, bytes);
    struct vector vector = {.bytes = bytes, .block = bytes};
    const struct symm_line *from = prompt_is_root(&prompt) ? NULL : prompt_line_from(&prompt, root);
    if ((from == NULL && !prompt_is_root(&prompt)) || !is_dense(buffer, &vector.output)) {
        return false;
    }
    vector.input = vector.output;
    return from == NULL ? vector_give(&prompt, &vector) : vector_take(&prompt, from, &vector);
}

bool mca_coll_symm_prompt_scatter(mca_coll_symm_module_t *module,
                                  const struct symm_prompt_buffer *sent,
                                  const struct symm_prompt_buffer *received, int root)
{
    if (!prompt_is_ready(module)) {
        return false;
    }
    size_t block = mca_coll_symm_bytes(received->dtype, received->count);
    size_t bytes = block * (size_t)module->blocking.team->size;
    struct prompt prompt = prompt_of(module, SYMM_SCATTER, root, block);
    struct vector vector = {.bytes = bytes, .block = block};
    if (!prompt_is_root(&prompt)) {
        const struct symm_line *from = prompt_line_from(&prompt, root);
        return from != NULL && is_dense(received, &vector.output) &&
               vector_take(&prompt, from, &vector);
    }
    unsigned char *input;
    if (received->address == MPI_IN_PLACE ||
        mca_coll_symm_bytes(sent->dtype, sent->count) != bytes || !is_dense(sent, &input) ||
        !is_dense(received, &vector.output)) {
        return false;
    }
    vector.input = input;
    return vector_give(&prompt, &vector);
}

/* ---- gather ---------------------------------------------------------------------------------- */

static bool block_give(const struct prompt *prompt, const struct symm_prompt_buffer *sent)
{
    unsigned char *input;
    if (!mca_coll_symm_choose_inline(SYMM_GATHER, prompt->team, prompt->count) ||
        !is_dense(sent, &input) || !prompt_is_on_host(prompt, input)) {
        return false;
    }
    memcpy(prompt_line(prompt, prompt->team->rank)->payload, input, prompt->count);
    prompt_line_post(prompt);
    prompt_end(prompt, prompt->count, prompt->count);
    return true;
}

static bool blocks_gather(const struct prompt *prompt, const struct symm_prompt_buffer *sent,
                          const struct symm_prompt_buffer *received)
{
    const struct symm_team *team = prompt->team;
    unsigned char *input, *output;
    if (sent->address == MPI_IN_PLACE ||
        mca_coll_symm_bytes(sent->dtype, sent->count) != prompt->count ||
        !prompt_have_given(prompt, team->size) || !is_dense(sent, &input) ||
        !is_dense(received, &output) ||
        !prompt_is_on_host(prompt, input) || !prompt_is_on_host(prompt, output)) {
        return false;
    }
    for (int rank = 0; rank < team->size; rank++) {
        unsigned char *to = output + (size_t)rank * prompt->count;
        const unsigned char *from = rank == team->rank ? input : prompt_line(prompt, rank)->payload;
        if (to != from) {
            memcpy(to, from, prompt->count);
        }
    }
    prompt_line_post(prompt);
    prompt_end(prompt, prompt->count, 0);
    return true;
}

bool mca_coll_symm_prompt_gather(mca_coll_symm_module_t *module,
                                 const struct symm_prompt_buffer *sent,
                                 const struct symm_prompt_buffer *received, int root)
{
    if (!prompt_is_ready(module)) {
        return false;
    }
    size_t ranks = (size_t)module->blocking.team->size;
    bool is_for_this = module->blocking.team->rank == root;
    size_t block = is_for_this ? mca_coll_symm_bytes(received->dtype, received->count) / ranks
                               : mca_coll_symm_bytes(sent->dtype, sent->count);
    struct prompt prompt = prompt_of(module, SYMM_GATHER, root, block);
    return is_for_this ? blocks_gather(&prompt, sent, received) : block_give(&prompt, sent);
}
