/*
 * agree/loose.h - loose calls: small ones with a root, and small scans, in which a rank waits only
 * for the ranks whose data it gets.
 *
 * In an MPI_Scatterv only the root knows whether all blocks fit lines.  If they do, its line says
 * so, and the call is loose.  The others wait for that line first.  If it does not say so, they go
 * on to read all lines.  In an MPI_Gatherv each rank knows whether its own block fits its line.  If
 * it does, the rank leaves, whatever the others have.
 *
 * Their data are in host memory, as a rule, and travel in lines.  The root of a broadcast or
 * scatter posts its line and leaves.  The others read that line and no more.  In a gather or reduce
 * the others post their lines and leave, and the root reads all.  In a scan a rank reads the lines
 * before its own.  All ranks post lines, so that different roots are noticed by those who wait, and
 * slots are used alike.
 *
 * Who has left cannot make the call below.  So a rank that all others wait for may veto, and any
 * other may not, once somebody has left: it takes or gives its data by way of host memory, wherever
 * they are (transfer/late.h).  If nobody has left, all ranks are there and go on as in any other
 * call.
 *
 * Ranks that wait for the same lines come to the same decision.  In a gather, gatherv or reduce
 * these are the root and all ranks whose lines have no data.  In a scan all wait for the line of
 * rank 0, which alone tells whether the call may go below: if it has data, rank 0 has left.
 *
 * A rank without a block for a gatherv does not leave at once.  It does not know in which memory
 * the others' are, and would not learn it.  It waits for the root, whose line says whether all
 * blocks fit lines; if not, it reads all lines.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_AGREE_LOOSE_H
#define MCA_COLL_SYMM_AGREE_LOOSE_H

#include "mca/coll/symm/agree/blocks.h"
#include "mca/coll/symm/base/line.h"
#include "mca/coll/symm/agree/read.h"

/*
 * Whether a call is loose for this rank, whose data fit the slot if it `is_small`.  All ranks find
 * the same, but in an MPI_Scatterv or MPI_Gatherv, where it depends on the lines.  A user's
 * operation may come with types that need more memory than a rank can promise.
 */
static inline bool mca_coll_symm_is_loose(const struct symm_operation *operation, bool is_small)
{
    const struct symm_call *call = operation->call;
    const struct symm_collective_row *row = symm_collective_get(call->collective);
    if (row->has_tables) {
        return row->is_rooted && (row->to_root || operation->in_slot ||
                                  operation->lane->team->rank != call->root);
    }
    return is_small && (row->is_rooted || row->is_prefix) &&
           (!row->reduces || ompi_op_is_intrinsic(call->op));
}

/*
 * Whether the line of a rank for which the call is loose says so.  That of a gatherv's root does if
 * all blocks fit lines.
 */
static inline bool mca_coll_symm_tells_loose(const struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    const struct symm_collective_row *row = symm_collective_get(call->collective);
    bool gathers = row->has_tables && row->to_root && operation->lane->team->rank == call->root;
    return !gathers || (operation->in_slot && mca_coll_symm_blocks_fit_lines(operation));
}

/* The rank whose line all others wait for in a loose call; -1: there is none. */
static inline int mca_coll_symm_loose_first(const struct symm_call *call)
{
    const struct symm_collective_row *row = symm_collective_get(call->collective);
    return row->is_prefix ? 0 : row->from_root ? call->root : -1;
}

/*
 * Whether a rank's line of a loose call has its data, or would if the rank sent any: it may have
 * left.  In a gatherv that takes a block.  The root's line has nothing for others, and says by this
 * that all blocks fit lines.
 */
static inline bool mca_coll_symm_line_has_data(const struct symm_operation *operation, int rank)
{
    const struct symm_call *call = operation->call;
    const struct symm_collective_row *row = symm_collective_get(call->collective);
    uint32_t flags = mca_coll_symm_line(operation, rank)->flags;
    uint32_t expected = LINE_LOOSE | (row->has_tables ? LINE_ALONG : 0);
    bool has_none = row->has_tables && row->to_root && rank != call->root &&
                    (flags & LINE_IDLE) == LINE_IDLE;
    return (flags & (expected | LINE_VETO | LINE_DEVICE)) == expected && !has_none;
}

enum symm_agreement mca_coll_symm_loose_read(struct symm_operation *operation);

/* Read the lines that this rank waits for, of any call. */
static inline enum symm_agreement mca_coll_symm_agree(struct symm_operation *operation)
{
    return operation->loose ? mca_coll_symm_loose_read(operation)
                            : mca_coll_symm_lines_read(operation);
}

#endif /* MCA_COLL_SYMM_AGREE_LOOSE_H */
