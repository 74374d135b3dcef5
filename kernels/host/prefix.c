/*
 * prefix.c - see prefix.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/host/prefix.h"

#include <string.h>

#include "heap/scratch.h"

void symm_prefix_join(const struct symm_reduction *reduction, const void *before,
                      const void *input, void *target, size_t count)
{
    if (reduction->ordered || reduction->combine == NULL) {
        memcpy(target, input, symm_result_bytes(reduction, count * reduction->extent));
        reduction->reduce(reduction->context, before, target, count);
    } else {
        reduction->combine(reduction->context, before, input, target, count);
    }
}

/* Prefixes are in the scratch and in the target by turns, so that the last one is in the target. */
void symm_prefix_fold(const struct symm_reduction *reduction, int ranks, const void *const *inputs,
                      size_t offset, void *target, size_t count)
{
    const unsigned char *before = (const unsigned char *)inputs[0] + offset;
    void *scratch = ranks > 2 ? symm_scratch_take() : NULL;
    if (ranks == 1) {
        memcpy(target, before, symm_result_bytes(reduction, count * reduction->extent));
    }
    for (int rank = 1; rank < ranks; rank++) {
        void *next = (ranks - 1 - rank) % 2 == 0 ? target : scratch;
        symm_prefix_join(reduction, before, (const unsigned char *)inputs[rank] + offset, next,
                         count);
        before = next;
    }
    if (scratch != NULL) {
        symm_scratch_give(scratch);
    }
}
