/*
 * lanes.c - how the ranks of a communicator begin a lane together: of kernels, or of the host.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "mpix/mpix.h"

/* ---- beginning together ---------------------------------------------------------------------- */

static void offer_make(struct symm_mpix_comm *state, struct symm_stream_setup *setup,
                       struct symm_stream_offer *offer)
{
    char text[MPI_MAX_ERROR_STRING];
    int error = symm_mpix_process_get(&setup->process), length = 0;
    if (error != MPI_SUCCESS) {
        memset(offer, 0, sizeof(*offer)); /* its gaps travel as well */
        if (PMPI_Error_string(error, text, &length) != MPI_SUCCESS) {
            text[0] = '\0';
        }
        (void)snprintf(offer->why, sizeof(offer->why), "%s", text);
        return;
    }
    symm_stream_member_create(setup, &state->member, offer);
}

/* The first rank whose offer, or connection, is not good; -1: there is none. */
static int bad_rank(const struct symm_stream_offer *offers, int ranks)
{
    for (int rank = 0; rank < ranks; rank++) {
        if (!offers[rank].is_good) {
            return rank;
        }
    }
    return -1;
}

static void offers_connect(struct symm_mpix_comm *state, const struct symm_stream_offer *offers,
                           struct symm_stream_offer *own)
{
    enum symm_status status = SYMM_PENDING;
    while (status == SYMM_PENDING) {
        status = symm_stream_member_connect(state->member, offers, own->why);
        if (status == SYMM_PENDING) {
            (void)sched_yield();
        }
    }
    own->is_good = status == SYMM_OK;
}

/* Brings the offers of all ranks to all. */
static int exchange(MPI_Comm comm, const struct symm_stream_offer *own,
                    struct symm_stream_offer *offers)
{
    return PMPI_Allgather(own, sizeof(*own), MPI_BYTE, offers, sizeof(*own), MPI_BYTE, comm);
}

/*
 * By kernels.  If some rank cannot, there is no member, and *why says it, of SYMM_STREAM_WHY_SIZE
 * bytes and more for the rank.
 */
static int kernels_begin(MPI_Comm comm, struct symm_mpix_comm *state, char *why, size_t size)
{
    struct symm_stream_offer own, offers[SYMM_STREAM_RANKS];
    struct symm_stream_setup setup = {
        .stream = state->cuda_stream, .rank = state->rank, .ranks = state->size,
        .bytes = state->stream->bytes, .blocks = state->stream->blocks,
        .shares_devices = state->stream->path == SYMM_MPIX_KERNELS,
        .is_fatal = symm_mpix_is_fatal(comm),
    };
    if (state->size > SYMM_STREAM_RANKS) {
        (void)snprintf(why, size, "%d ranks; kernels on streams meet among up to %d", state->size,
                       SYMM_STREAM_RANKS);
        return MPI_SUCCESS;
    }
    offer_make(state, &setup, &own);
    int error = exchange(comm, &own, offers);
    if (error == MPI_SUCCESS && bad_rank(offers, state->size) < 0) {
        offers_connect(state, offers, &own);
        error = exchange(comm, &own, offers);
    }
    const int bad = error == MPI_SUCCESS ? bad_rank(offers, state->size) : -1;
    if (bad >= 0) {
        (void)snprintf(why, size, "rank %d: %s", bad, offers[bad].why);
    }
    if ((error != MPI_SUCCESS || bad >= 0) && state->member != NULL) {
        symm_stream_member_cancel(state->member);
        state->member = NULL;
    }
    return error;
}

enum { WITH_GPU, WITHOUT_GPU, WITHOUT_MEMORY, BY_HOST, BY_KERNELS, FACTS };

int symm_mpix_lane_begin(MPI_Comm comm, struct symm_mpix_comm *state, const char *call)
{
    char why[SYMM_STREAM_WHY_SIZE + 32] = "";
    const bool has_gpu = state != NULL && state->stream != NULL && state->stream->has_gpu;
    int some[FACTS], own[FACTS] = {
        [WITH_GPU] = has_gpu, [WITHOUT_GPU] = !has_gpu, [WITHOUT_MEMORY] = state == NULL,
        [BY_HOST] = has_gpu && state->stream->path == SYMM_MPIX_HOST,
        [BY_KERNELS] = has_gpu && state->stream->path == SYMM_MPIX_KERNELS,
    };
    int error = PMPI_Allreduce(own, some, FACTS, MPI_INT, MPI_MAX, comm);
    if (error != MPI_SUCCESS || some[WITHOUT_MEMORY]) {
        return error != MPI_SUCCESS ? error : MPI_ERR_NO_MEM;
    }
    if (!some[WITH_GPU]) {
        return MPI_SUCCESS;
    }
    if (some[WITHOUT_GPU]) {
        return symm_mpix_error(MPI_ERR_ARG, "%s: some ranks have a stream with a GPU, and others "
                               "have none", call);
    }
    if (some[BY_HOST]) {
        (void)snprintf(why, sizeof(why), "symm_path is host");
    } else {
        error = kernels_begin(comm, state, why, sizeof(why));
    }
    if (error != MPI_SUCCESS || why[0] == '\0') {
        return error;
    }
    return some[BY_KERNELS] ? symm_mpix_error(MPI_ERR_UNSUPPORTED_OPERATION, "%s: %s", call, why)
                            : symm_mpix_host_begin(comm, state, call, why);
}

int symm_mpix_lane_check(const struct symm_stream_member *member, const char *call)
{
    char text[SYMM_STREAM_WHY_SIZE];
    if (!symm_stream_member_has_failed(member)) {
        return MPI_SUCCESS;
    }
    const enum symm_status status = symm_stream_member_state(member, text, sizeof(text));
    return symm_mpix_error(symm_mpix_failure_class(status), "%s: %s", call, text);
}
