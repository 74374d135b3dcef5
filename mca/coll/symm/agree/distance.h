/*
 * agree/distance.h - how far apart the processors of a team's two ranks are: found out now and
 * then, and agreed on.
 *
 * What is quicker between two ranks depends on it (enum symm_distance).  Operating systems do not
 * tell it in virtual machines, and ranks that are not bound move, so it is measured: in some
 * blocking calls the ranks pass a cache line to and fro, for a few microseconds.  Rank 0 has the
 * clock.  It says in its lines what it has found, and every rank goes by that from the call on in
 * which all ranks read all lines.  So both go by the same in each call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_AGREE_DISTANCE_H
#define MCA_COLL_SYMM_AGREE_DISTANCE_H

#include "mca/coll/symm/agree/line.h"
#include "mca/coll/symm/choose/table.h"

/* The lane's ranks share memory from now on. */
void mca_coll_symm_distance_begin(struct mca_coll_symm_lane *lane);

/* What this rank's line says of it. */
static inline uint32_t mca_coll_symm_distance_flags(const struct symm_operation *operation)
{
    return atomic_load_explicit(&operation->module->distance, memory_order_relaxed)
           << LINE_DISTANCE_SHIFT;
}

static inline uint8_t line_distance(const struct symm_line *line)
{
    return (uint8_t)line_field(line, LINE_DISTANCE_SHIFT, LINE_DISTANCE_BITS);
}

/* What mca_coll_symm_distance_note() does where there is something to do. */
void mca_coll_symm_distance_review(struct symm_operation *operation);

/* This rank has read all lines of a call, and they are alike.  May be called again for the call. */
static inline void mca_coll_symm_distance_note(struct symm_operation *operation)
{
    const struct mca_coll_symm_lane *lane = operation->lane;
    if (line_distance(mca_coll_symm_line(operation, 0)) != lane->team->distance ||
        operation->sequence >= lane->trip_due) {
        mca_coll_symm_distance_review(operation);
    }
}

#endif /* MCA_COLL_SYMM_AGREE_DISTANCE_H */
