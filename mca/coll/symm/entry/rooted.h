/*
 * entry/rooted.h - what the entries of collectives share that move data from or to a root.
 *
 * They move bytes: ranks may describe the same bytes by different types.  What is not significant
 * on a rank is not looked at.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_ENTRY_ROOTED_H
#define MCA_COLL_SYMM_ENTRY_ROOTED_H

#include "mca/coll/symm/base/call.h"
#include "mca/coll/symm/base/signature.h"
#include "mca/coll/symm/device/place.h"

/*
 * A rank that has one buffer only.  It is described as both, so that nobody looks at the other.
 */
static inline void mca_coll_symm_rooted_has_input(struct symm_call *call)
{
    call->output.at = call->input.at;
    call->output.bytes = 0;
    call->absent = SYMM_ABSENT_OUTPUT;
}

static inline void mca_coll_symm_rooted_has_output(struct symm_call *call)
{
    call->input.at = call->output.at;
    call->input.bytes = 0;
    call->absent = SYMM_ABSENT_INPUT;
}

/*
 * The end of a description, once layouts, buffers and gaps are known.  A block has `bytes` bytes.
 * `is_unequal`: the root's own block has another length, which is an error of the program.
 */
static inline void mca_coll_symm_rooted_describe(struct symm_call *call,
                                                 enum symm_collective collective,
                                                 enum symm_kinds kinds, int root, size_t bytes,
                                                 bool is_unequal)
{
    call->collective = collective;
    call->root = root;
    call->count = bytes;
    call->agreed_count = bytes;
    call->extent = 1;
    mca_coll_symm_device_describe(call, kinds);
    call->veto = is_unequal         ? SYMM_REASON_UNEQUAL
                 : call->unusable   ? SYMM_REASON_ELSEWHERE
                 : call->asymmetric ? SYMM_REASON_ASYMMETRIC
                                    : SYMM_REASON_NONE;
    call->signature = symm_signature_rooted(collective, root);
}

#endif /* MCA_COLL_SYMM_ENTRY_ROOTED_H */
