/*
 * agree/read.c - see agree/read.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/agree/read.h"

#include "mca/coll/symm/base/line.h"
#include "mca/coll/symm/agree/part.h"
#include "mca/coll/symm/device/place.h"

/* A rank without data has guessed wrongly where the others' are, and can know it the next time. */
static void place_learn(const struct symm_operation *operation, const struct symm_line *line)
{
    if (mca_coll_symm_call_is_idle(operation->call) && (line->flags & LINE_VETO) == 0 &&
        (line->flags & LINE_IDLE) != LINE_IDLE) {
        mca_coll_symm_device_learn(operation->call, (line->flags & LINE_DEVICE) != 0);
    }
}

enum symm_agreement mca_coll_symm_lines_read(struct symm_operation *operation)
{
    struct symm_team *team = operation->lane->team;
    const struct symm_call *call = operation->call;
    /* Local variables, because the compiler forgets all others at each look for a line. */
    const uint64_t sequence = operation->work.sequence, signature = call->signature;
    const uint64_t count = call->agreed_count;
    const uint32_t expected = call->device >= 0 ? LINE_DEVICE : 0;
    uint32_t now = (uint32_t)sequence;
    for (; operation->seen < team->size; operation->seen++) {
        struct symm_line *line = symm_control_line(&team->control, sequence, operation->seen);
        if (!symm_line_is_posted(line, sequence)) {
            return SYMM_AGREEMENT_PENDING;
        }
        if ((line->flags & (LINE_VETO | LINE_DEVICE)) != expected) {
            operation->peer_reason = (line->flags & LINE_VETO) != 0 ? line_reason(line)
                                                                    : SYMM_REASON_ASYMMETRIC;
            place_learn(operation, line);
            return SYMM_AGREEMENT_VETO;
        }
        /* If any two lines differ, every rank finds one that differs from its own. */
        if (line_differs(line, signature, count)) {
            operation->mismatch = operation->seen;
        }
        if (operation->in_slot) {
            mca_coll_symm_part_fetch(operation, line, operation->seen);
        }
        line_finished_note(operation, line, now);
    }
    line_finished_settle(operation);
    return operation->mismatch < 0 ? SYMM_AGREEMENT_ALIKE : SYMM_AGREEMENT_MISMATCH;
}
