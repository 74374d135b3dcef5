/*
 * agree/loose.c - see agree/loose.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/agree/loose.h"

#include "mca/coll/symm/device/place.h"

/* A line without data is the reason for which the call goes below. */
static enum symm_agreement veto_note(struct symm_operation *operation, int rank)
{
    const struct symm_line *line = mca_coll_symm_line(operation, rank);
    operation->seen = rank;
    operation->peer_reason =
        (line->flags & LINE_VETO) != 0 ? line_reason(line) : SYMM_REASON_ASYMMETRIC;
    return SYMM_AGREEMENT_VETO;
}

/* Read the line that all others wait for.  LEFT: it has data.  If it has none, the ranks meet. */
static enum symm_agreement first_read(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    int first = mca_coll_symm_loose_first(call);
    struct symm_line *line = mca_coll_symm_line(operation, first);
    bool has_tables = symm_collective_get(call->collective)->has_tables;
    if (!symm_line_is_posted(line, operation->work.sequence)) {
        return SYMM_AGREEMENT_PENDING;
    }
    if (line_differs(line, call->signature, call->agreed_count)) {
        operation->mismatch = first;
        return SYMM_AGREEMENT_MISMATCH;
    }
    if (mca_coll_symm_line_has_data(operation, first)) {
        /* All of it is read, but in a scatter and with tables: such a block is copied at once. */
        if (!has_tables && call->collective != SYMM_SCATTER) {
            symm_line_fetch(line, call->payload_bytes);
        }
        return SYMM_AGREEMENT_LEFT;
    }
    if ((operation->in_slot && !has_tables) || operation->veto != SYMM_REASON_NONE) {
        return veto_note(operation, first);
    }
    operation->loose = false; /* nobody has left */
    return mca_coll_symm_lines_read(operation);
}

/* Only the root is waited for, unless its line has no data: then the ranks meet. */
static enum symm_agreement from_root_read(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    bool has_tables = symm_collective_get(call->collective)->has_tables;
    enum symm_agreement taken = has_tables || !operation->in_slot ? SYMM_AGREEMENT_LEFT
                                                                  : SYMM_AGREEMENT_ALIKE;
    if (operation->lane->team->rank == call->root) {
        return operation->in_slot ? taken : mca_coll_symm_lines_read(operation);
    }
    enum symm_agreement first = first_read(operation);
    return first == SYMM_AGREEMENT_LEFT ? taken : first;
}

/* Read the lines before that of rank `end`.  False: some have not been posted. */
static bool lines_until(struct symm_operation *operation, int end)
{
    const struct symm_call *call = operation->call;
    for (; operation->seen < end; operation->seen++) {
        struct symm_line *line = mca_coll_symm_line(operation, operation->seen);
        if (!symm_line_is_posted(line, operation->work.sequence)) {
            return false;
        }
        if (line_differs(line, call->signature, call->agreed_count)) {
            operation->mismatch = operation->seen;
        }
        symm_line_fetch(line, call->payload_bytes);
        symm_line_fetch_ahead(&operation->lane->team->control, operation->work.sequence,
                              operation->seen);
        line_finished_note(operation, line, (uint32_t)operation->work.sequence);
    }
    return true;
}

/* Whether all ranks before this one have put their data into their lines. */
static bool have_data_before(const struct symm_operation *operation)
{
    for (int rank = 1; rank < operation->lane->team->rank; rank++) {
        if (!mca_coll_symm_line_has_data(operation, rank)) {
            return false;
        }
    }
    return true;
}

/* A rank waits for those before it. */
static enum symm_agreement prefix_read(struct symm_operation *operation)
{
    const struct symm_team *team = operation->lane->team;
    if (team->rank == 0) {
        return operation->in_slot ? SYMM_AGREEMENT_ALIKE : mca_coll_symm_lines_read(operation);
    }
    enum symm_agreement first =
        operation->seen == 0 ? first_read(operation) : SYMM_AGREEMENT_LEFT;
    if (first != SYMM_AGREEMENT_LEFT) {
        return first;
    }
    if (!lines_until(operation, team->rank)) {
        return SYMM_AGREEMENT_PENDING;
    }
    if (team->rank == team->size - 1) { /* it has read the lines of all others */
        line_finished_settle(operation);
    }
    if (operation->mismatch >= 0) {
        return SYMM_AGREEMENT_MISMATCH;
    }
    return operation->in_slot && have_data_before(operation) ? SYMM_AGREEMENT_ALIKE
                                                             : SYMM_AGREEMENT_LEFT;
}

/*
 * All lines are there, for a gather or reduce.  Ranks whose data are all on devices may all be
 * there, and then serve the call like any other.
 */
static enum symm_agreement all_agree(struct symm_operation *operation)
{
    const struct symm_team *team = operation->lane->team;
    int with_data = 0, left = 0, elsewhere = -1; /* the first that is not on a device */
    for (int rank = 0; rank < team->size; rank++) {
        const struct symm_line *line = mca_coll_symm_line(operation, rank);
        bool has_data = mca_coll_symm_line_has_data(operation, rank);
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

/* A rank without a block: those of others are on the host, as somebody's has come with a line. */
static void host_learn(const struct symm_call *call)
{
    if (mca_coll_symm_call_is_idle(call)) {
        mca_coll_symm_device_learn(call, false);
    }
}

/* The same for a gatherv, some of whose blocks may fit no line. */
static enum symm_agreement blocks_agree(struct symm_operation *operation)
{
    const struct symm_team *team = operation->lane->team;
    bool may_have_left = false;
    for (int rank = 0; rank < team->size; rank++) {
        may_have_left = may_have_left || mca_coll_symm_line_has_data(operation, rank);
    }
    if (!may_have_left) {
        operation->loose = false;
        operation->seen = 0;
        return mca_coll_symm_lines_read(operation);
    }
    if (operation->mismatch >= 0) {
        return SYMM_AGREEMENT_MISMATCH;
    }
    host_learn(operation->call);
    return operation->in_slot && mca_coll_symm_blocks_all_along(operation) ? SYMM_AGREEMENT_ALIKE
                                                                           : SYMM_AGREEMENT_LEFT;
}

/* Who has a block leaves if it has come with the line, and the root waits for all. */
static enum symm_agreement blocks_to_root_read(struct symm_operation *operation)
{
    const struct symm_team *team = operation->lane->team;
    const struct symm_call *call = operation->call;
    bool is_root = team->rank == call->root, is_idle = mca_coll_symm_call_is_idle(call);
    if (!is_root && operation->in_slot && !is_idle) {
        return SYMM_AGREEMENT_LEFT;
    }
    if (!is_root && is_idle) {
        struct symm_line *line = mca_coll_symm_line(operation, call->root);
        if (!symm_line_is_posted(line, operation->work.sequence)) {
            return SYMM_AGREEMENT_PENDING;
        }
        if (mca_coll_symm_line_has_data(operation, call->root) &&
            !line_differs(line, call->signature, call->agreed_count)) {
            host_learn(call);
            return SYMM_AGREEMENT_LEFT;
        }
    }
    if (!lines_until(operation, team->size)) {
        return SYMM_AGREEMENT_PENDING;
    }
    line_finished_settle(operation);
    return blocks_agree(operation);
}

/* The root waits for all.  So do ranks whose data are on devices, as they may all be there. */
static enum symm_agreement to_root_read(struct symm_operation *operation)
{
    const struct symm_team *team = operation->lane->team;
    if (symm_collective_get(operation->call->collective)->has_tables) {
        return blocks_to_root_read(operation);
    }
    if (operation->in_slot && team->rank != operation->call->root) {
        return SYMM_AGREEMENT_ALIKE;
    }
    if (!lines_until(operation, team->size)) {
        return SYMM_AGREEMENT_PENDING;
    }
    line_finished_settle(operation);
    if (operation->mismatch >= 0) {
        return SYMM_AGREEMENT_MISMATCH;
    }
    return all_agree(operation);
}

enum symm_agreement mca_coll_symm_loose_read(struct symm_operation *operation)
{
    const struct symm_collective_row *row = symm_collective_get(operation->call->collective);
    return row->is_prefix   ? prefix_read(operation)
           : row->from_root ? from_root_read(operation)
                            : to_root_read(operation);
}
