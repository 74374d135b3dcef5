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

static void message_receive(struct symm_vote *vote, struct ompi_communicator_t *comm, int peer,
                            void *data, size_t size)
{
    struct symm_vote_messages *in = &vote->in;
    note_start(vote, in, MCA_PML_CALL(irecv(data, size, MPI_BYTE, peer, vote->tag, comm,
                                            &in->requests[in->pending])));
}

static void message_send(struct symm_vote *vote, struct ompi_communicator_t *comm, int peer,
                         const void *data, size_t size)
{
    struct symm_vote_messages *out = &vote->out;
    note_start(vote, out, MCA_PML_CALL(isend(data, size, MPI_BYTE, peer, vote->tag,
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
            message_receive(vote, comm, in->next, &vote->ballots[in->next - in->first],
                            sizeof(vote->ballots[0]));
        }
    }
    return false;
}

static const struct symm_vote_messages before_first = {.first = 1, .next = 1};

/* Send all others the same.  Returns whether all have it. */
static bool send_all(struct symm_vote *vote, struct ompi_communicator_t *comm, const void *data,
                     size_t size)
{
    struct symm_vote_messages *out = &vote->out;
    while (finished(vote, out)) {
        if (!next_group(vote, out)) {
            return true;
        }
        while (group_has_room(vote, out)) {
            message_send(vote, comm, out->next, data, size);
        }
    }
    return false;
}

/* Go on with the announcement, if there is one.  Returns whether all have it. */
static bool announce(struct symm_vote *vote, struct ompi_communicator_t *comm)
{
    if (vote->announces &&
        send_all(vote, comm, &vote->announcement, sizeof(vote->announcement))) {
        vote->announces = false;
        vote->out = before_first;
    }
    return !vote->announces;
}

/* Tell the others the result.  Returns whether all have been told. */
static bool tell(struct symm_vote *vote, struct ompi_communicator_t *comm)
{
    if (!vote->told) {
        vote->told = true;
        vote->verdict = vote->loser < 0 ? 1 : -1 - vote->loser;
    }
    return send_all(vote, comm, &vote->verdict, sizeof(vote->verdict));
}

/* ---- everybody ------------------------------------------------------------------------------- */

static void begin(struct symm_vote *vote)
{
    vote->in = before_first;
    vote->out = before_first;
    vote->announcement.verdict = 0;
    vote->announces = false;
    vote->told = false;
    vote->loser = -1;
    vote->error = OMPI_SUCCESS;
}

void symm_vote_open(struct symm_vote *vote, struct ompi_communicator_t *comm)
{
    begin(vote);
    if (vote->rank == 0) {
        (void)collect(vote, comm);
    } else {
        message_receive(vote, comm, 0, &vote->verdict, sizeof(vote->verdict));
    }
}

void symm_vote_open_announced(struct symm_vote *vote, struct ompi_communicator_t *comm)
{
    begin(vote);
    if (vote->rank == 0) {
        (void)collect(vote, comm);
    } else {
        vote->announces = true;
        message_receive(vote, comm, 0, &vote->announcement, sizeof(vote->announcement));
    }
}

void symm_vote_announce(struct symm_vote *vote, struct ompi_communicator_t *comm,
                        const void *content, size_t size)
{
    memcpy(vote->announcement.content, content, size);
    vote->announces = true;
    (void)announce(vote, comm);
}

enum symm_status symm_vote_announcement_test(struct symm_vote *vote,
                                             struct ompi_communicator_t *comm)
{
    if (vote->announces && !finished(vote, &vote->in)) {
        return SYMM_PENDING;
    }
    if (vote->announces && vote->error == OMPI_SUCCESS && vote->announcement.verdict == 0) {
        message_receive(vote, comm, 0, &vote->verdict, sizeof(vote->verdict));
    } else if (vote->announces) {
        vote->verdict = vote->announcement.verdict;
    }
    vote->announces = false;
    if (vote->error != OMPI_SUCCESS) {
        return SYMM_ERR_SYSTEM;
    }
    return vote->announcement.verdict == 0 ? SYMM_OK : SYMM_ERR_NOT_FOUND;
}

bool symm_vote_is_lost(const struct symm_vote *vote)
{
    return vote->rank != 0 && vote->in.pending > 0 && REQUEST_COMPLETE(vote->in.requests[0]);
}

void symm_vote_cast(struct symm_vote *vote, struct ompi_communicator_t *comm, int ballot)
{
    vote->ballot = ballot;
    if (vote->rank != 0) {
        message_send(vote, comm, 0, &vote->ballot, sizeof(vote->ballot));
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
        over = symm_vote_announcement_test(vote, comm) != SYMM_PENDING &&
               finished(vote, &vote->in) && finished(vote, &vote->out);
    } else {
        over = announce(vote, comm);
        over = collect(vote, comm) && over;
        if ((over && vote->error == OMPI_SUCCESS) || vote->told) {
            over = tell(vote, comm) && over;
        }
    }
    if (!over) {
        return SYMM_PENDING;
    }
    *all_yes = vote->verdict > 0;
    vote->loser = *all_yes ? -1 : -1 - vote->verdict;
    return vote->error == OMPI_SUCCESS ? SYMM_OK : SYMM_ERR_SYSTEM;
}

bool symm_vote_give_up(struct symm_vote *vote)
{
    messages_give_up(&vote->in);
    messages_give_up(&vote->out);
    bool received = finished(vote, &vote->in);
    return finished(vote, &vote->out) && received;
}
