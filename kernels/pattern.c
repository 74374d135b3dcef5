/*
 * pattern.c - see pattern.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/pattern.h"

static uint32_t bit(int rank)
{
    return UINT32_C(1) << rank;
}

/* The first `count` ranks. */
static uint32_t first(int count)
{
    return (uint32_t)((UINT64_C(1) << count) - 1);
}

static const void *at(const void *base, size_t offset)
{
    return (const unsigned char *)base + offset;
}

/* Blocks of all ranks; the own one moves unless it is in its place. */
static void blocks_get(const struct symm_pattern_call *call, struct symm_pattern *pattern)
{
    const bool is_alltoall = call->collective == SYMM_ALLTOALL;
    const size_t begin = (size_t)call->rank * call->block;
    const bool own_stays =
        call->input == (is_alltoall ? call->output : at(call->output, begin));
    pattern->targets = pattern->sources =
        first(call->ranks) & ~(own_stays ? bit(call->rank) : 0);
    pattern->input_step = is_alltoall ? call->block : 0;
    pattern->output_step = call->block;
}

/* The root has an array of all blocks, the others have one each. */
static void vector_get(const struct symm_pattern_call *call, struct symm_pattern *pattern)
{
    const bool is_root = call->rank == call->root, is_from_root = call->collective == SYMM_SCATTER;
    const uint32_t others = is_root ? first(call->ranks) & ~bit(call->root) : bit(call->root);
    pattern->input_step = is_from_root ? call->block : 0;
    pattern->output_step = is_from_root ? 0 : call->block;
    const void *from = at(call->input, (size_t)call->root * pattern->input_step);
    const void *to = at(call->output, (size_t)call->root * pattern->output_step);
    const uint32_t own = is_root && from != to ? bit(call->root) : 0;
    pattern->targets = (is_from_root == is_root ? others : 0) | own;
    pattern->sources = (is_from_root == is_root ? 0 : others) | own;
}

/* A rank's result has the inputs of all ranks before it, and of a scan its own. */
static void scan_get(const struct symm_pattern_call *call, struct symm_pattern *pattern)
{
    const int own = call->collective == SYMM_SCAN ? 1 : 0;
    pattern->targets = first(call->ranks) & ~first(call->rank + 1 - own);
    pattern->sources = first(call->rank + own);
}

bool symm_pattern_get(const struct symm_pattern_call *call, struct symm_pattern *pattern)
{
    const bool is_root = call->rank == call->root;
    *pattern = (struct symm_pattern){0};
    switch (call->collective) {
    case SYMM_ALLREDUCE:
    case SYMM_BARRIER:
        pattern->targets = pattern->sources = first(call->ranks);
        return true;
    case SYMM_REDUCE_SCATTER:
    case SYMM_REDUCE_SCATTER_BLOCK:
        pattern->targets = pattern->sources = first(call->ranks);
        pattern->input_step = call->block;
        return true;
    case SYMM_SCAN:
    case SYMM_EXSCAN:
        scan_get(call, pattern);
        return true;
    case SYMM_ALLGATHER:
    case SYMM_ALLTOALL:
        blocks_get(call, pattern);
        return true;
    case SYMM_BCAST:
        pattern->targets = is_root ? first(call->ranks) & ~bit(call->root) : 0;
        pattern->sources = is_root ? 0 : bit(call->root);
        return true;
    case SYMM_REDUCE:
        pattern->targets = bit(call->root);
        pattern->sources = is_root ? first(call->ranks) : 0;
        return true;
    case SYMM_GATHER:
    case SYMM_SCATTER:
        vector_get(call, pattern);
        return true;
    default:
        return false;
    }
}
