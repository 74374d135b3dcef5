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

/* Find the part of a call whose payloads are divided among the ranks, if that is worth it. */
void mca_coll_symm_part_find_divided(struct symm_operation *operation);

/* Fetch that part of the line of `rank`. */
void mca_coll_symm_part_fetch_divided(const struct symm_operation *operation,
                                      const struct symm_line *line, int rank);

/*
 * Find what this rank reads of the payloads, once it is known whether they travel in lines.  In a
 * call with a root a rank has one line to read, whose block it copies at once, or the root all of
 * each.
 */
static inline void mca_coll_symm_part_find(struct symm_operation *operation)
{
    const struct symm_collective_row *row = symm_collective_get(operation->call->collective);
    operation->reads_part = operation->in_slot && !row->is_rooted &&
                            (row->has_tables || symm_collective_is_divided(row));
    if (operation->reads_part) {
        mca_coll_symm_part_find_divided(operation);
    }
}

/* Fetch what this rank reads of the line of `rank`. */
static inline void mca_coll_symm_part_fetch(const struct symm_operation *operation,
                                            const struct symm_line *line, int rank)
{
    if (operation->reads_part) {
        mca_coll_symm_part_fetch_divided(operation, line, rank);
    } else {
        symm_line_fetch(line, 0, operation->call->payload_bytes);
    }
}

#endif /* MCA_COLL_SYMM_AGREE_PART_H */
