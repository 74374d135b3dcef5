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
    vote->requests = calloc((size_t)size, sizeof(ompi_request_t *));
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

void symm_vote_begin(struct symm_vote *vote, struct ompi_communicator_t *comm, bool yes)
{
    vote->pending = 0;
    vote->collected = false;
    vote->error = OMPI_SUCCESS;
    vote->ballot = yes;
    if (vote->rank == 0) {
        for (int peer = 1; peer < vote->size; peer++) {
            receive_int(vote, comm, peer, &vote->ballots[peer]);
        }
    } else {
        send_int(vote, comm, 0, &vote->ballot);
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
        int rc = request->req_status.MPI_ERROR;
        if (rc != MPI_SUCCESS && vote->error == OMPI_SUCCESS) {
            vote->error = rc;
        }
        (void)ompi_request_free(&vote->requests[vote->pending - 1]);
        vote->pending--;
    }
    return true;
}

/* The second half: rank 0 tells the result, the others wait for it. */
static void exchange_result(struct symm_vote *vote, struct ompi_communicator_t *comm)
{
    vote->collected = true;
    if (vote->rank != 0) {
        receive_int(vote, comm, 0, &vote->ballot);
        return;
    }
    for (int peer = 1; peer < vote->size; peer++) {
        vote->ballot &= vote->ballots[peer];
    }
    for (int peer = 1; peer < vote->size; peer++) {
        send_int(vote, comm, peer, &vote->ballot);
    }
}

enum symm_status symm_vote_test(struct symm_vote *vote, struct ompi_communicator_t *comm,
                                bool *all_yes)
{
    if (!requests_finished(vote)) {
        return SYMM_PENDING;
    }
    if (vote->error == OMPI_SUCCESS && !vote->collected) {
        exchange_result(vote, comm);
        if (!requests_finished(vote)) {
            return SYMM_PENDING;
        }
    }
    *all_yes = vote->ballot != 0;
    return vote->error == OMPI_SUCCESS ? SYMM_OK : SYMM_ERR_SYSTEM;
}
