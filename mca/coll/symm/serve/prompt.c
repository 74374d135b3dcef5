/*
 * serve/prompt.c - see serve/prompt.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/serve/prompt.h"

#include <string.h>

#include "mca/coll/symm/agree/blocks_line.h"
#include "mca/coll/symm/base/signature.h"
#include "mca/coll/symm/choose/before.h"
#include "mca/coll/symm/data/recognise.h"
#include "mca/coll/symm/device/place.h"
#include "mca/coll/symm/report/counters.h"
#include "mca/coll/symm/report/verbose.h"
#include "mca/coll/symm/serve/end.h"
#include "mca/coll/symm/serve/slot.h"

/* ---- calls and their lines ------------------------------------------------------------------- */

struct prompt {
    mca_coll_symm_module_t *module;
    struct symm_team *team;
    enum symm_collective collective;
    int root;
    uint64_t signature, count; /* as lines have them */
    uint32_t flags;
};

static struct prompt prompt_of(mca_coll_symm_module_t *module, enum symm_collective collective,
                               int root, size_t count)
{
    bool has_tables = symm_collective_get(collective)->has_tables;
    return (struct prompt){
        .module = module, .team = module->blocking.team, .collective = collective, .root = root,
        .signature = symm_signature_rooted(collective, root), .count = count,
        .flags = LINE_LOOSE | (has_tables ? LINE_ALONG : 0)};
}

/* The ranks share memory, and this rank's next line may be written. */
static bool is_ready(const mca_coll_symm_module_t *module)
{
    const struct mca_coll_symm_lane *lane = &module->blocking;
    return lane->state == MCA_COLL_SYMM_READY &&
           !mca_coll_symm_is_verbose(SYMM_VERBOSE_ALGORITHMS) &&
           mca_coll_symm_slot_is_free(lane->team, lane->team->sequence + 1);
}

static bool is_root(const struct prompt *prompt)
{
    return prompt->team->rank == prompt->root;
}

static bool is_on_host(const struct prompt *prompt, const void *address)
{
    return mca_coll_symm_device_of(address, prompt->module->super.kinds) < 0;
}

static struct symm_line *line_of(const struct prompt *prompt, int rank)
{
    return symm_control_line(&prompt->team->control, prompt->team->sequence + 1, rank);
}

/* A rank's line of the same call, with the data; NULL: it is not there. */
static const struct symm_line *line_from(const struct prompt *prompt, int rank)
{
    struct symm_line *line = line_of(prompt, rank);
    const uint32_t kinds = LINE_ALONG | LINE_LOOSE | LINE_VETO | LINE_DEVICE;
    bool is_there = symm_line_is_posted(line, prompt->team->sequence + 1) &&
                    !line_differs(line, prompt->signature, prompt->count) &&
                    (line->flags & kinds) == prompt->flags;
    if (!is_there) {
        return NULL;
    }
    symm_line_fetch_ahead(&prompt->team->control, prompt->team->sequence + 1, rank);
    return line;
}

/* Post this rank's line, whose payload has been written. */
static void line_post(const struct prompt *prompt)
{
    struct symm_line *line = line_of(prompt, prompt->team->rank);
    line->signature = prompt->signature;
    line->count = prompt->count;
    line->finished = (uint32_t)prompt->team->finished;
    line->flags = prompt->flags;
    symm_line_post(line, ++prompt->team->sequence);
}

/*
 * This rank reads nothing more of this call, which counts so many bytes.  Programs repeat calls: its
 * next line may be as long as this one, which had `written` bytes.
 */
static void end(const struct prompt *prompt, size_t bytes, size_t written)
{
    struct symm_team *team = prompt->team;
    mca_coll_symm_module_t *module = prompt->module;
    enum symm_algorithm algorithm =
        (enum symm_algorithm)symm_collective_get(prompt->collective)->slot_algorithm;
    mca_coll_symm_finished_tell(team, team->sequence);
    module->blocking.last_algorithm = algorithm;
    module->call.payload_bytes = bytes;
    mca_coll_symm_count_served(&module->call, algorithm);
    symm_line_prefetch(&team->control, team->sequence + 1, team->rank, written);
}

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
    if (!mca_coll_symm_choose_slot(prompt->collective, prompt->team, vector->bytes) ||
        !is_on_host(prompt, input) || (!is_whole && !is_on_host(prompt, vector->output))) {
        return false;
    }
    unsigned char *to = line_of(prompt, prompt->root)->payload;
    if (is_whole) {
        memcpy(to, input, vector->bytes);
    } else { /* as agree/post.c */
        memcpy(to, input, begin);
        memcpy(to + end_of_own, input + end_of_own, vector->bytes - end_of_own);
    }
    line_post(prompt);
    if (!is_whole && vector->output != input + begin) {
        memcpy(vector->output, input + begin, vector->block);
    }
    end(prompt, vector->bytes, vector->bytes);
    return true;
}

static bool vector_take(const struct prompt *prompt, const struct symm_line *from,
                        const struct vector *vector)
{
    size_t begin =
        prompt->collective == SYMM_BCAST ? 0 : vector->block * (size_t)prompt->team->rank;
    if (!is_on_host(prompt, vector->output)) {
        return false;
    }
    line_post(prompt);
    memcpy(vector->output, from->payload + begin, vector->block);
    end(prompt, vector->bytes, 0);
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
    if (!is_ready(module)) {
        return false;
    }
    size_t bytes = mca_coll_symm_bytes(buffer->dtype, buffer->count);
    struct prompt prompt = prompt_of(module, SYMM_BCAST, root, bytes);
    struct vector vector = {.bytes = bytes, .block = bytes};
    const struct symm_line *from = is_root(&prompt) ? NULL : line_from(&prompt, root);
    if ((from == NULL && !is_root(&prompt)) || !is_dense(buffer, &vector.output)) {
        return false;
    }
    vector.input = vector.output;
    return from == NULL ? vector_give(&prompt, &vector) : vector_take(&prompt, from, &vector);
}

bool mca_coll_symm_prompt_scatter(mca_coll_symm_module_t *module,
                                  const struct symm_prompt_buffer *sent,
                                  const struct symm_prompt_buffer *received, int root)
{
    if (!is_ready(module)) {
        return false;
    }
    size_t block = mca_coll_symm_bytes(received->dtype, received->count);
    size_t bytes = block * (size_t)module->blocking.team->size;
    struct prompt prompt = prompt_of(module, SYMM_SCATTER, root, block);
    struct vector vector = {.bytes = bytes, .block = block};
    if (!is_root(&prompt)) {
        const struct symm_line *from = line_from(&prompt, root);
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
    if (!mca_coll_symm_choose_slot(SYMM_GATHER, prompt->team, prompt->count) ||
        !is_dense(sent, &input) || !is_on_host(prompt, input)) {
        return false;
    }
    memcpy(line_of(prompt, prompt->team->rank)->payload, input, prompt->count);
    line_post(prompt);
    end(prompt, prompt->count, prompt->count);
    return true;
}

/* Whether all others' lines are there.  They tell how far their ranks have got. */
static bool all_have_given(const struct prompt *prompt)
{
    struct symm_team *team = prompt->team;
    uint64_t sequence = team->sequence + 1;
    uint32_t least = (uint32_t)team->finished;
    for (int rank = 0; rank < team->size; rank++) {
        if (rank == team->rank) {
            continue;
        }
        const struct symm_line *line = line_from(prompt, rank);
        if (line == NULL) {
            return false;
        }
        least = line_finished_least(line, (uint32_t)sequence, least);
    }
    line_finished_known(team, sequence, least);
    return true;
}

static bool blocks_gather(const struct prompt *prompt, const struct symm_prompt_buffer *sent,
                          const struct symm_prompt_buffer *received)
{
    const struct symm_team *team = prompt->team;
    unsigned char *input, *output;
    if (sent->address == MPI_IN_PLACE ||
        mca_coll_symm_bytes(sent->dtype, sent->count) != prompt->count ||
        !all_have_given(prompt) || !is_dense(sent, &input) || !is_dense(received, &output) ||
        !is_on_host(prompt, input) || !is_on_host(prompt, output)) {
        return false;
    }
    for (int rank = 0; rank < team->size; rank++) {
        unsigned char *to = output + (size_t)rank * prompt->count;
        const unsigned char *from = rank == team->rank ? input : line_of(prompt, rank)->payload;
        if (to != from) {
            memcpy(to, from, prompt->count);
        }
    }
    line_post(prompt);
    end(prompt, prompt->count, 0);
    return true;
}

bool mca_coll_symm_prompt_gather(mca_coll_symm_module_t *module,
                                 const struct symm_prompt_buffer *sent,
                                 const struct symm_prompt_buffer *received, int root)
{
    if (!is_ready(module)) {
        return false;
    }
    size_t ranks = (size_t)module->blocking.team->size;
    bool is_for_this = module->blocking.team->rank == root;
    size_t block = is_for_this ? mca_coll_symm_bytes(received->dtype, received->count) / ranks
                               : mca_coll_symm_bytes(sent->dtype, sent->count);
    struct prompt prompt = prompt_of(module, SYMM_GATHER, root, block);
    return is_for_this ? blocks_gather(&prompt, sent, received) : block_give(&prompt, sent);
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

/*
 * Write the blocks behind the table that says where they begin.  The side is a copy, which what is
 * written cannot change, for all the compiler knows.
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
        !mca_coll_symm_choose_slot(SYMM_SCATTERV, team, along_head(team->size) + others) ||
        !is_on_host(prompt, (const void *)first) ||
        (own > 0 && !is_on_host(prompt, (const void *)to))) {
        return false;
    }
    others_write(*sending, ranks, me, line_of(prompt, team->rank));
    line_post(prompt);
    if (own > 0) {
        memcpy((void *)to, (const void *)from, own);
    }
    mca_coll_symm_device_note(SYMM_SCATTERV, -1);
    end(prompt, others + own, others);
    return true;
}

static bool block_take(const struct prompt *prompt, struct symm_side *receiving)
{
    const struct symm_line *from = line_from(prompt, prompt->root);
    const struct symm_team *team = prompt->team;
    uintptr_t to;
    if (from == NULL || receiving->count == 0) {
        return false;
    }
    const struct line_along *along = along_of(from);
    size_t begin = along->at[team->rank], bytes = along->at[team->rank + 1] - begin;
    mca_coll_symm_side_elements(receiving, NULL);
    if (!receiving->plain || bytes == 0 ||
        bytes > mca_coll_symm_side_plain_block(receiving, (size_t)prompt->root, &to) ||
        !is_on_host(prompt, (const void *)to)) {
        return false;
    }
    memset(along_of(line_of(prompt, team->rank)), 0, along_head(team->size));
    line_post(prompt);
    memcpy((void *)to, from->payload + along_head(team->size) + begin, bytes);
    mca_coll_symm_device_note(SYMM_SCATTERV, -1);
    end(prompt, 0, 0);
    return true;
}

bool mca_coll_symm_prompt_scatterv(mca_coll_symm_module_t *module)
{
    struct symm_call *call = &module->call;
    if (!is_ready(module)) {
        return false;
    }
    struct prompt prompt = prompt_of(module, SYMM_SCATTERV, call->root, 0);
    return is_root(&prompt) ? blocks_give(&prompt, &call->sending, &call->receiving)
                            : block_take(&prompt, &call->receiving);
}
