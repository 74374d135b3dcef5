/*
 * agree/agree.h - what ranks tell each other about a call, and what follows from it.
 *
 * Each rank posts a line (heap/control.h) and reads those of the others.  All ranks then know the same
 * facts, so all come to the same decisions without another message.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_AGREE_H
#define MCA_COLL_SYMM_AGREE_H

#include "mca/coll/symm/choose/choose.h"
#include "mca/coll/symm/base/operation.h"

/* Post this rank's line: its payload if that fits in the slot, otherwise where its buffers are. */
void mca_coll_symm_line_post(struct symm_operation *operation);

/* What the lines read so far say. */
enum symm_agreement {
    SYMM_AGREEMENT_PENDING,  /* some lines are missing */
    SYMM_AGREEMENT_ALIKE,    /* all are there and say the same */
    SYMM_AGREEMENT_VETO,     /* some rank cannot be served */
    SYMM_AGREEMENT_MISMATCH, /* operation->mismatch made another call */
};
enum symm_agreement mca_coll_symm_lines_read(struct symm_operation *operation);

/* The line of a rank for this call. */
struct symm_line *mca_coll_symm_line(const struct symm_operation *operation, int rank);

/* Tell the user about a mismatch (on rank 0); returns the error for MPI.  In agree/mismatch.c. */
int mca_coll_symm_mismatch_report(const struct symm_operation *operation);

/*
 * Gather from all lines what the choice of the algorithm depends on.  *unknown: the team has yet to
 * find out whether all ranks can map some of the segments.
 */
void mca_coll_symm_facts_gather(struct symm_operation *operation, struct symm_facts *facts,
                                bool *unknown);

/* Go on mapping the segments that the lines name.  SYMM_OK when all has been tried; a failure is in
 * operation->map_status. */
enum symm_status mca_coll_symm_segments_map(struct symm_operation *operation);

/* Record for the team how that went. */
void mca_coll_symm_segments_settle(struct symm_operation *operation, bool all_mapped);

/*
 * Fill run.inputs and run.outputs with the addresses of all reachable buffers.  Here ranks meet, so it
 * also unmaps segments that others have given back.  False: memory from elsewhere that all ranks count on
 * is not mapped here any more, because its owner has freed it after the call had begun.
 */
bool mca_coll_symm_buffers_resolve(struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_AGREE_H */
