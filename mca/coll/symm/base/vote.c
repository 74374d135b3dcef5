/*
 * base/vote.c - see base/vote.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/base/vote.h"

void symm_vote_init(struct symm_vote *vote, int rank, int size, int tag)
{
    *vote = (struct symm_vote){.tag = tag, .rank = rank, .size = size, .loser = -1};
}

/* ---- messages -------------------------------------------------------------------------------- */

static void note_error(struct symm_vote *vote, int rc)
{
    if (rc != OMPI_SUCCESS && vote->error == OMPI_SUCCESS) {
        vote->error = rc;
    }
}

/* Record whether the next message has been handed to the PML. */
static void note_start(struct symm_vote *vote, struct symm_vote_messages *messages, int rc)
{
    note_error(vote, rc);
    messages->pending += rc == OMPI_SUCCESS;
    messages->next++;
}

static void receive_int(struct symm_vote *vote, struct ompi_communicator_t *comm, int peer,
                        int *value)
{
    struct symm_vote_messages *in = &vote->in;
    note_start(vote, in, MCA_PML_CALL(irecv(value, 1, MPI_INT, peer, vote->tag, comm,
                                            &in->requests[in->pending])));
}

static void send_int(struct symm_vote *vote, struct ompi_communicator_t *comm, int peer, int *value)
{
    struct symm_vote_messages *out = &vote->out;
    note_start(vote, out, MCA_PML_CALL(isend(value, 1, MPI_INT, peer, vote->tag,
                                             MCA_PML_BASE_SEND_STANDARD, comm,
                                             &out->requests[out->pending])));
}

/* Take the finished requests off the end of the list.  Returns whether none is left. */
static bool finished(struct symm_vote *vote, struct symm_vote_messages *messages)
{
    while (messages->pending > 0) {
        ompi_request_t **request = &messages->requests[messages->pending - 1];
        if (!REQUEST_COMPLETE(*request)) {
            return false;
        }
        opal_atomic_rmb(); /* another thread may have completed it */
        note_error(vote, (*request)->req_status.MPI_ERROR);
        (void)ompi_request_free(request);
        messages->pending--;
    }
    return true;
}

static void messages_give_up(const struct symm_vote_messages *messages)
{
    for (int i = 0; i < messages->pending; i++) {
        if (!REQUEST_COMPLETE(messages->requests[i])) {
            symm_ompi_request_give_up(messages->requests[i]);
        }
    }
}

/*
 * Whether a group has gone through and there is another one.  `messages` then stands before the
 * next group.
 */
static bool next_group(const struct symm_vote *vote, struct symm_vote_messages *messages)
{
    messages->first = messages->next;
    return messages->next < vote->size && vote->error == OMPI_SUCCESS;
}

static bool group_has_room(const struct symm_vote *vote, const struct symm_vote_messages *messages)
{
    return messages->next < vote->size && messages->next - messages->first < SYMM_VOTE_GROUP;
}

/* ---- rank 0 ---------------------------------------------------------------------------------- */

static void note_ballot(struct symm_vote *vote, int rank, int ballot)
{
    if (ballot != 0 && vote->loser < 0) {
        vote->loser = rank;
        vote->reason = ballot;
    }
}

/* Collect the others' ballots.  Returns whether all are in. */
static bool collect(struct symm_vote *vote, struct ompi_communicator_t *comm)
{
    struct symm_vote_messages *in = &vote->in;
    while (finished(vote, in)) {
        for (int rank = in->first; rank < in->next; rank++) {
            note_ballot(vote, rank, vote->ballots[rank - in->first]);
        }
        if (!next_group(vote, in)) {
            return true;
        }
        while (group_has_room(vote, in)) {
            receive_int(vote, comm, in->next, &vote->ballots[in->next - in->first]);
        }
    }
    return false;
}

/* Tell the others the result.  Returns whether all have been told. */
static bool tell(struct symm_vote *vote, struct ompi_communicator_t *comm)
{
    struct symm_vote_messages *out = &vote->out;
    if (!vote->told) {
        vote->told = true;
        vote->verdict = vote->loser < 0 ? 1 : -vote->loser;
    }
    while (finished(vote, out)) {
        if (!next_group(vote, out)) {
            return true;
        }
        while (group_has_room(vote, out)) {
            send_int(vote, comm, out->next, &vote->verdict);
        }
    }
    return false;
}

/* ---- everybody ------------------------------------------------------------------------------- */

void symm_vote_open(struct symm_vote *vote, struct ompi_communicator_t *comm)
{
    vote->in = (struct symm_vote_messages){.first = 1, .next = 1};
    vote->out = vote->in;
    vote->told = false;
    vote->loser = -1;
    vote->error = OMPI_SUCCESS;
    if (vote->rank == 0) {
        (void)collect(vote, comm);
    } else {
        receive_int(vote, comm, 0, &vote->verdict);
    }
}

bool symm_vote_is_lost(const struct symm_vote *vote)
{
    return vote->rank != 0 && vote->in.pending > 0 && REQUEST_COMPLETE(vote->in.requests[0]);
}

void symm_vote_cast(struct symm_vote *vote, struct ompi_communicator_t *comm, int ballot)
{
    vote->ballot = ballot;
    if (vote->rank != 0) {
        send_int(vote, comm, 0, &vote->ballot);
    } else if (ballot != 0) {
        vote->loser = 0;
        vote->reason = ballot;
        (void)tell(vote, comm);
    }
}

enum symm_status symm_vote_test(struct symm_vote *vote, struct ompi_communicator_t *comm,
                                bool *all_yes)
{
    bool over;
    if (vote->rank != 0) {
        over = finished(vote, &vote->in) && finished(vote, &vote->out);
    } else {
        over = collect(vote, comm);
        if ((over && vote->error == OMPI_SUCCESS) || vote->told) {
            over = tell(vote, comm) && over;
        }
    }
    if (!over) {
        return SYMM_PENDING;
    }
    *all_yes = vote->verdict > 0;
    vote->loser = *all_yes ? -1 : -vote->verdict;
    return vote->error == OMPI_SUCCESS ? SYMM_OK : SYMM_ERR_SYSTEM;
}

bool symm_vote_give_up(struct symm_vote *vote)
{
    messages_give_up(&vote->in);
    messages_give_up(&vote->out);
    bool received = finished(vote, &vote->in);
    return finished(vote, &vote->out) && received;
}
