/*
 * agree/pads.h - pads (heap/team/pads.h), to which ranks send packets: offering them in lines.
 *
 * A rank that expects a call to go by packets offers its pad in the place of scratch.  Peers then
 * need none of its buffers, so it does not offer these if they are from elsewhere.  If some rank
 * has no pad to offer, a call may need new lines.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_AGREE_PADS_H
#define MCA_COLL_SYMM_AGREE_PADS_H

#include "mca/coll/symm/agree/line.h"
#include "mca/coll/symm/choose/choose.h"

/* Before the line is posted: get this rank's pad, if the call is likely to use it. */
void mca_coll_symm_pad_prepare(struct symm_operation *operation);

/* Offer the pad in the line.  False: there is none. */
bool mca_coll_symm_pad_describe(const struct symm_operation *operation,
                                struct line_scratch *scratch);

/*
 * All lines are there: what the choice depends on.  facts->pad_size has been set to the bytes of
 * the smallest pad, or to 0 if some rank offers none, or cannot be reached; facts->scratch_size
 * likewise.
 */
void mca_coll_symm_pads_facts(const struct symm_operation *operation, struct symm_facts *facts);

/* The algorithm is chosen: offer no pad for some time if it needs none. */
void mca_coll_symm_pad_review(struct symm_operation *operation, enum symm_algorithm algorithm,
                              const struct symm_facts *facts);

#endif /* MCA_COLL_SYMM_AGREE_PADS_H */
