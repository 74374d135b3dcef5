/*
 * agree/blocks.h - the blocks that ranks exchange: what lines say of them, and what a run needs.
 *
 * In an all-to-all and an all-gather each rank knows the sizes of all blocks.  Otherwise only the
 * two ranks of a block know it, so each line has a table with an entry for each rank.  A line whose
 * data come along says only where each block begins in it.  Other ranks copy such a rank's blocks
 * out of its line, also where they read those of further ranks from memory.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_AGREE_BLOCKS_H
#define MCA_COLL_SYMM_AGREE_BLOCKS_H

#include "mca/coll/symm/base/operation.h"
#include "mca/coll/symm/choose/choose.h"

/* Whether a line of this team has room for a table, which all ranks find alike. */
bool mca_coll_symm_blocks_have_room(const struct symm_team *team);

/*
 * Get what an exchange needs before its line is posted.  *travels: bytes that a line with its data
 * has, on the way in those of the data.  False: no line of this team has room for a table, which
 * all ranks find alike.
 */
bool mca_coll_symm_blocks_prepare(struct symm_operation *operation, size_t *travels);

/*
 * Whether this rank is the root of a gatherv or scatterv in place: its block for itself is no part
 * of the exchange.
 */
bool mca_coll_symm_blocks_in_place(const struct symm_operation *operation);

/*
 * Whether this rank is the root of a gatherv on host memory whose own block no algorithm sees: it
 * is copied when the run starts, and its line, unless it has data, says that there is none.
 */
bool mca_coll_symm_blocks_own_is_apart(const struct symm_operation *operation);

/*
 * Whether the blocks of all others fit their lines.  This rank is the root of a gatherv: it alone
 * knows.
 */
bool mca_coll_symm_blocks_fit_lines(const struct symm_operation *operation);

/* Write this rank's blocks into its line, without gaps.  Returns the line's flags. */
uint32_t mca_coll_symm_blocks_pack(struct symm_operation *operation, struct symm_line *line);

/* Write this rank's table, if there are tables, into a line that describes buffers. */
void mca_coll_symm_blocks_post(struct symm_operation *operation, struct symm_line *line);

/* Whether the data of all ranks have come with their lines.  All lines are there and alike. */
bool mca_coll_symm_blocks_all_along(const struct symm_operation *operation);

/* The block for this rank in the line of a rank whose data have come with it. */
const unsigned char *mca_coll_symm_blocks_along(const struct symm_operation *operation, int rank,
                                                size_t *bytes);

/* What the choice depends on. */
void mca_coll_symm_blocks_facts(const struct symm_operation *operation, struct symm_facts *facts);

/*
 * The run starts: copy this rank's block for itself, if that is done now, and if no algorithm does
 * it because the line has no such block.
 */
void mca_coll_symm_blocks_own_copy(const struct symm_operation *operation);

/* The run has started: describe its blocks, and name the inputs that have come with lines. */
void mca_coll_symm_blocks_resolve(struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_AGREE_BLOCKS_H */
