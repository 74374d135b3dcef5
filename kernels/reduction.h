/*
 * reduction.h - reductions of arrays on this processor, through the caller's functions.
 *
 * The types and operations are the caller's (Open MPI's op framework, with its vectorised and its
 * user-defined functions), so every one of them works here.  This layer fixes the order.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_REDUCTION_H
#define SYMM_KERNELS_REDUCTION_H

#include <stdbool.h>
#include <stddef.h>

struct symm_reduction {
    void *context;  /* handed to the functions */
    size_t extent;  /* bytes from one element to the next */
    size_t tail;    /* of these, padding behind the element's data */
    bool ordered;   /* the operation may be non-commutative: operands stay in rank order */

    /* target[i] = source[i] op target[i], for `count` elements. */
    void (*reduce)(void *context, const void *source, void *target, size_t count);

    /* target[i] = left[i] op right[i]; NULL if there is none.  Used when `ordered` is false. */
    void (*combine)(void *context, const void *left, const void *right, void *target, size_t count);
};

/*
 * How much of `bytes` of whole elements is copied to where the program wants results: not the
 * padding behind the last element.  A buffer may end before it, as Open MPI's own do.
 */
static inline size_t symm_result_bytes(const struct symm_reduction *reduction, size_t bytes)
{
    return bytes > 0 ? bytes - reduction->tail : 0;
}

struct symm_team;

/*
 * target = inputs[0] op inputs[1] op ... op inputs[N - 1], of the N ranks of the team, each read
 * from byte `offset` on, for `count` elements.  `target` overlaps no input.  The team's own rank
 * decides only in which order inputs are fetched.
 *
 * The order is fixed, so the same inputs give every caller the same bits, whichever algorithm it
 * serves.  Predefined operations commute, and take the operands in the order 0, 1, ...  Other
 * operations take them from the last to the first.  This keeps rank order, because MPI operations
 * are associative.
 */
void symm_fold(const struct symm_reduction *reduction, const struct symm_team *team,
               const void *const *inputs, size_t offset, void *target, size_t count);

/*
 * The same for `bytes` bytes of whole elements, and for an output that is one of the inputs if it
 * is `in_place`: the reduction then goes through scratch, block by block.
 */
void symm_fold_into(const struct symm_reduction *reduction, const struct symm_team *team,
                    const void *const *inputs, void *output, size_t bytes, bool in_place);

#endif /* SYMM_KERNELS_REDUCTION_H */
