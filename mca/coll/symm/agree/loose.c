/*
 * agree/loose.c - see agree/loose.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/agree/loose.h"

/* A line without data is the reason for which the call goes below. */
static enum symm_agreement veto_note(struct symm_operation *operation, int rank)
{
    const struct symm_line *line = mca_coll_symm_line(operation, rank);
    operation->seen = rank;
    operation->peer_reason =
        (line->flags & LINE_VETO) != 0 ? line_reason(line) : SYMM_REASON_MIXED;
    return SYMM_AGREEMENT_VETO;
}

/* Only the root is waited for, unless its line has no data: then the ranks meet. */
static enum symm_agreement from_root_read(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    struct symm_line *line = mca_coll_symm_line(operation, call->root);
    bool has_tables = symm_collective_get(call->collective)->has_tables;
    enum symm_agreement taken = has_tables || !operation->in_slot ? SYMM_AGREEMENT_LEFT
                                                                  : SYMM_AGREEMENT_ALIKE;
    if (operation->lane->team->rank == call->root) {
        return operation->in_slot ? taken : mca_coll_symm_lines_read(operation);
    }
    if (!symm_line_is_posted(line, operation->sequence)) {
        return SYMM_AGREEMENT_PENDING;
    }
    if (line_differs(line, call->signature, call->agreed_count)) {
        operation->mismatch = call->root;
        return SYMM_AGREEMENT_MISMATCH;
    }
    if (mca_coll_symm_line_has_data(line)) {
        symm_line_fetch(line, call->payload_bytes);
        return taken;
    }
    if ((operation->in_slot && !has_tables) || operation->veto != SYMM_REASON_NONE) {
        return veto_note(operation, call->root);
    }
    return mca_coll_symm_lines_read(operation);
}

/* All lines are there, for a gather or reduce. */
static enum symm_agreement all_agree(struct symm_operation *operation)
{
    const struct symm_team *team = operation->lane->team;
    int with_data = 0, left = 0, elsewhere = -1; /* the first that is not on a device */
    for (int rank = 0; rank < team->size; rank++) {
        const struct symm_line *line = mca_coll_symm_line(operation, rank);
        bool has_data = mca_coll_symm_line_has_data(line);
        bool is_on_device = (line->flags & (LINE_VETO | LINE_DEVICE)) == LINE_DEVICE;
        with_data += has_data;
        left += has_data && rank != operation->call->root;
        elsewhere = is_on_device || elsewhere >= 0 ? elsewhere : rank;
    }
    if (with_data == team->size || elsewhere < 0) {
        return SYMM_AGREEMENT_ALIKE;
    }
    return left > 0 ? SYMM_AGREEMENT_LEFT : veto_note(operation, elsewhere);
}

/* The root waits for all.  So do ranks whose data are on devices, as they may all be there. */
static enum symm_agreement to_root_read(struct symm_operation *operation)
{
    const struct symm_team *team = operation->lane->team;
    const struct symm_call *call = operation->call;
    if (operation->in_slot && team->rank != call->root) {
        return SYMM_AGREEMENT_ALIKE;
    }
    for (; operation->seen < team->size; operation->seen++) {
        struct symm_line *line = mca_coll_symm_line(operation, operation->seen);
        if (!symm_line_is_posted(line, operation->sequence)) {
            return SYMM_AGREEMENT_PENDING;
        }
        if (line_differs(line, call->signature, call->agreed_count)) {
            operation->mismatch = operation->seen;
        }
        symm_line_fetch(line, call->payload_bytes);
        line_finished_note(operation, line, (uint32_t)operation->sequence);
    }
    line_finished_settle(operation);
    if (operation->mismatch >= 0) {
        return SYMM_AGREEMENT_MISMATCH;
    }
    return all_agree(operation);
}

enum symm_agreement mca_coll_symm_loose_read(struct symm_operation *operation)
{
    return symm_collective_get(operation->call->collective)->from_root
               ? from_root_read(operation) : to_root_read(operation);
}
