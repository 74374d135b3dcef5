/*
 * Which blocks a rank has in an exchange.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_RANDOM_BLOCKS_H
#define SYMM_TESTS_RANDOM_BLOCKS_H

#include "tests/results/random/random_call.h"

/* Each rank has one block, whoever receives it. */
static inline bool gathers(const struct random_call *call)
{
    return call->collective == TEST_ALLGATHERV || call->collective == TEST_GATHERV;
}

static inline bool scatters(const struct random_call *call)
{
    return call->collective == TEST_SCATTERV;
}

static inline bool has_root(const struct random_call *call)
{
    return call->collective == TEST_GATHERV || scatters(call);
}

static inline bool is_root(const struct random_call *call)
{
    return has_root(call) && call->comm->rank == call->root;
}

/* Whether the buffer is one block at its address. */
static inline bool is_single(const struct random_call *call, bool sends)
{
    return sends ? gathers(call) : scatters(call);
}

static inline int blocks_of(const struct random_call *call, bool sends)
{
    return is_single(call, sends)                ? 1
           : has_root(call) && !is_root(call) ? 0 : call->comm->size;
}

static inline int source_of(const struct random_call *call, bool sends, int block)
{
    return sends ? call->comm->rank : scatters(call) ? call->root : block;
}

/* The buffer of a scatter in place is the root's, which keeps all its blocks. */
static inline int target_of(const struct random_call *call, bool sends, int block)
{
    return sends || (scatters(call) && call->in_place) ? block : call->comm->rank;
}

#endif
