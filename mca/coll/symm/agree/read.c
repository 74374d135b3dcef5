/*
 * agree/read.c - see agree/read.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/agree/read.h"

#include "mca/coll/symm/agree/line.h"

enum symm_agreement mca_coll_symm_lines_read(struct symm_operation *operation)
{
    struct symm_team *team = operation->module->team;
    const struct symm_call *call = operation->call;
    uint32_t now = (uint32_t)operation->sequence;
    for (; operation->seen < team->size; operation->seen++) {
        struct symm_line *line = mca_coll_symm_line(operation, operation->seen);
        if (!symm_line_is_posted(line, operation->sequence)) {
            return SYMM_AGREEMENT_PENDING;
        }
        if ((line->flags & LINE_VETO) != 0) {
            operation->peer_reason = line_reason(line);
            return SYMM_AGREEMENT_VETO;
        }
        /* Every rank finds one that differs from itself, if any two differ. */
        if (((line->flags & LINE_DEVICE) != 0) != (call->device >= 0)) {
            operation->peer_reason = SYMM_REASON_MIXED;
            return SYMM_AGREEMENT_VETO;
        }
        if (line->signature != call->signature || line->count != call->agreed_count) {
            operation->mismatch = operation->seen;
        }
        if (operation->in_slot) {
            symm_line_fetch(line, call->payload_bytes);
        }
        /* Counters wrap; what counts is how far behind this call they are. */
        if (now - line->finished > now - operation->least_finished) {
            operation->least_finished = line->finished;
        }
    }
    team->finished_by_all = operation->sequence - (uint32_t)(now - operation->least_finished);
    return operation->mismatch < 0 ? SYMM_AGREEMENT_ALIKE : SYMM_AGREEMENT_MISMATCH;
}
