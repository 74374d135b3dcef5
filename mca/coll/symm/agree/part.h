/*
 * agree/part.h - what a rank reads of the payloads that travel in lines: all, or a part of each.
 *
 * A rank fetches what it reads of a line as soon as it has seen that the line is posted, while it
 * waits for those of others.  To fetch the beginning of all lines, most of it in vain, takes up to
 * half of a call (bench/results/gpu-host-line-parts.txt).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_AGREE_PART_H
#define MCA_COLL_SYMM_AGREE_PART_H

#include "mca/coll/symm/base/module.h"

/* Find where the ranks' blocks begin in an input of a reduce-scatter: the run's `begins`. */
void mca_coll_symm_begins_find(const struct symm_operation *operation);

/* Fetch what this rank reads of the line of `rank`, whose payload is divided among the ranks. */
void mca_coll_symm_part_fetch_divided(const struct symm_operation *operation,
                                      const struct symm_line *line, int rank);

/*
 * Fetch what this rank reads of the line of `rank`.  Calls with a root read their lines elsewhere
 * (agree/loose.c).  To fetch a cache line in vain costs less than to find the part of a short
 * payload.  Of two ranks' tables and blocks the other's block is nearly all.
 */
static inline void mca_coll_symm_part_fetch(const struct symm_operation *operation,
                                            const struct symm_line *line, int rank)
{
    const struct symm_call *call = operation->call;
    const struct symm_collective_row *row = symm_collective_get(call->collective);
    bool is_part = row->has_tables ? operation->lane->team->size > 2
                                   : symm_collective_is_divided(row) &&
                                         call->payload_bytes > 2 * SYMM_CACHE_LINE;
    if (is_part) {
        mca_coll_symm_part_fetch_divided(operation, line, rank);
    } else {
        symm_line_fetch(line, call->payload_bytes);
    }
}

#endif /* MCA_COLL_SYMM_AGREE_PART_H */
