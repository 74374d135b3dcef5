/*
 * rooted.h - where the ranks' blocks are in calls that move data from or to a root.
 *
 * The root has a vector, which is the input of a broadcast or scatter and the output of a gather.
 * Each rank has a block of it: the whole vector in a broadcast, else work->count bytes.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_ROOTED_H
#define SYMM_KERNELS_ROOTED_H

#include "kernels/run_steps.h"

static inline bool symm_rooted_is_root(const struct symm_work *work)
{
    return work->team->rank == work->root;
}

static inline enum symm_collective symm_rooted_collective(const struct symm_work *work)
{
    return symm_algorithm_get(work->algorithm)->collective;
}

/* Whether data go from the root to the others. */
static inline bool symm_rooted_is_from_root(const struct symm_work *work)
{
    return symm_collective_get(symm_rooted_collective(work))->from_root;
}

/* Where a rank's block begins in the root's vector. */
static inline size_t symm_rooted_begin(const struct symm_work *work, int rank)
{
    return symm_rooted_collective(work) == SYMM_BCAST ? 0 : (size_t)rank * work->count;
}

/*
 * The root's own block: from where to where it is copied, outside of the run's time.  Returns
 * false if it is in its place already.
 */
static inline bool symm_rooted_own(const struct symm_work *work, const void **from, void **to)
{
    size_t begin = symm_rooted_begin(work, work->root);
    if (!symm_rooted_is_root(work)) {
        return false;
    }
    if (symm_rooted_is_from_root(work)) {
        *from = (const unsigned char *)work->input + begin;
        *to = work->output;
    } else {
        *from = work->input;
        *to = (unsigned char *)work->output + begin;
    }
    return *from != *to;
}

static inline void symm_rooted_own_copy(const struct symm_work *work)
{
    const void *from;
    void *to;
    if (symm_rooted_own(work, &from, &to)) {
        memcpy(to, from, work->count);
    }
}

/* The other ranks have numbers from 0 on. */
static inline int symm_rooted_number(const struct symm_work *work, int rank)
{
    return rank < work->root ? rank : rank - 1;
}

#endif /* SYMM_KERNELS_ROOTED_H */
