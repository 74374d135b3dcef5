/*
 * agree/part.h - what a rank reads of the payloads that travel in lines: all, or a part of each.
 *
 * A rank fetches what it reads of a line as soon as it has seen that the line is posted, while it
 * waits for those of others.  To fetch all that the lines of many ranks hold, most of it in vain,
 * takes longer than the rest of the call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_AGREE_PART_H
#define MCA_COLL_SYMM_AGREE_PART_H

#include "kernels/run_steps.h"
#include "mca/coll/symm/base/module.h"

/* Find the part of a call whose payloads are divided among the ranks, if that is worth it. */
void mca_coll_symm_part_find_divided(struct symm_operation *operation);

/* Fetch that part of the line of `rank`. */
void mca_coll_symm_part_fetch_divided(const struct symm_operation *operation,
                                      const struct symm_line *line, int rank);

/*
 * Find what this rank reads of the payloads, once it is known whether they travel in lines.  In a
 * call with a root there is one line to read, or all of each.
 */
static inline void mca_coll_symm_part_find(struct symm_operation *operation)
{
    const struct symm_collective_row *row = symm_collective_get(operation->call->collective);
    operation->is_divided = operation->in_slot && !row->is_rooted &&
                            (row->has_tables || symm_collective_is_divided(row));
    if (operation->is_divided) {
        mca_coll_symm_part_find_divided(operation);
    }
}

/* Fetch what this rank reads of the line of `rank`. */
static inline void mca_coll_symm_part_fetch(const struct symm_operation *operation,
                                            const struct symm_line *line, int rank)
{
    if (operation->is_divided) {
        mca_coll_symm_part_fetch_divided(operation, line, rank);
    } else {
        symm_line_fetch(line, 0, operation->call->payload_bytes);
    }
}

#endif /* MCA_COLL_SYMM_AGREE_PART_H */
