/*
 * coll_symm_vote.c - see coll_symm_vote.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/coll_symm_vote.h"

#include <stdlib.h>

int symm_vote_construct(struct symm_vote *vote, int rank, int size)
{
    *vote = (struct symm_vote){.rank = rank, .size = size};
    vote->requests = calloc(2 * (size_t)size, sizeof(ompi_request_t *));
    vote->ballots = rank == 0 ? calloc((size_t)size, sizeof(int)) : NULL;
    if (vote->requests == NULL || (rank == 0 && vote->ballots == NULL)) {
        symm_vote_destruct(vote);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return OMPI_SUCCESS;
}

void symm_vote_destruct(struct symm_vote *vote)
{
    free(vote->requests);
    free(vote->ballots);
    vote->requests = NULL;
    vote->ballots = NULL;
}

void symm_vote_reserve_tag(struct symm_vote *vote, struct ompi_communicator_t *comm)
{
    if (vote->tag == 0) {
        vote->tag = ompi_coll_base_nbc_reserve_tags(comm, 1);
    }
}

/* Where the PML puts the next request. */
static ompi_request_t **next_request(struct symm_vote *vote)
{
    return &vote->requests[vote->pending];
}

static void note_result(struct symm_vote *vote, int rc)
{
    if (rc == OMPI_SUCCESS) {
        vote->pending++;
    } else if (vote->error == OMPI_SUCCESS) {
        vote->error = rc;
    }
}

static void receive_int(struct symm_vote *vote, struct ompi_communicator_t *comm, int peer,
                        int *value)
{
    note_result(vote, MCA_PML_CALL(irecv(value, 1, MPI_INT, peer, vote->tag, comm,
                                         next_request(vote))));
}

static void send_int(struct symm_vote *vote, struct ompi_communicator_t *comm, int peer, int *value)
{
    note_result(vote, MCA_PML_CALL(isend(value, 1, MPI_INT, peer, vote->tag,
                                         MCA_PML_BASE_SEND_STANDARD, comm, next_request(vote))));
}

void symm_vote_open(struct symm_vote *vote, struct ompi_communicator_t *comm)
{
    vote->pending = 0;
    vote->told = false;
    vote->error = OMPI_SUCCESS;
    if (vote->rank != 0) {
        receive_int(vote, comm, 0, &vote->verdict);
    }
    for (int peer = 1; vote->rank == 0 && peer < vote->size; peer++) {
        receive_int(vote, comm, peer, &vote->ballots[peer]);
    }
}

bool symm_vote_is_lost(const struct symm_vote *vote)
{
    return vote->rank != 0 && vote->pending > 0 && REQUEST_COMPLETE(vote->requests[0]);
}

/* Rank 0: tell the others the result. */
static void tell(struct symm_vote *vote, struct ompi_communicator_t *comm, bool verdict)
{
    vote->verdict = verdict;
    vote->told = true;
    for (int peer = 1; peer < vote->size; peer++) {
        send_int(vote, comm, peer, &vote->verdict);
    }
}

void symm_vote_cast(struct symm_vote *vote, struct ompi_communicator_t *comm, bool yes)
{
    vote->ballot = yes;
    if (vote->rank != 0) {
        send_int(vote, comm, 0, &vote->ballot);
    } else if (!yes) {
        tell(vote, comm, false);
    }
}

/* Take the finished requests off the end of the list; whether none is left. */
static bool requests_finished(struct symm_vote *vote)
{
    while (vote->pending > 0) {
        ompi_request_t *request = vote->requests[vote->pending - 1];
        if (!REQUEST_COMPLETE(request)) {
            return false;
        }
        opal_atomic_rmb(); /* another thread may have completed it */
        int rc = request->req_status.MPI_ERROR;
        if (rc != MPI_SUCCESS && vote->error == OMPI_SUCCESS) {
            vote->error = rc;
        }
        (void)ompi_request_free(&vote->requests[vote->pending - 1]);
        vote->pending--;
    }
    return true;
}

static bool all_ballots_yes(const struct symm_vote *vote)
{
    bool yes = vote->ballot != 0;
    for (int peer = 1; peer < vote->size; peer++) {
        yes = yes && vote->ballots[peer] != 0;
    }
    return yes;
}

enum symm_status symm_vote_test(struct symm_vote *vote, struct ompi_communicator_t *comm,
                                bool *all_yes)
{
    if (!requests_finished(vote)) {
        return SYMM_PENDING;
    }
    if (vote->error == OMPI_SUCCESS && vote->rank == 0 && !vote->told) {
        tell(vote, comm, all_ballots_yes(vote));
        if (!requests_finished(vote)) {
            return SYMM_PENDING;
        }
    }
    *all_yes = vote->verdict != 0;
    return vote->error == OMPI_SUCCESS ? SYMM_OK : SYMM_ERR_SYSTEM;
}
