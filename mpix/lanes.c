/*
 * lanes.c - how the ranks of a communicator begin a lane together; and the end of all lanes.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpix/mpix.h"

/* ---- libsymm in this process ----------------------------------------------------------------- */

static const double patience = 10; /* seconds for work that is still queued when MPI ends */
static const char *const notice_name = "SYMM_STREAM_NOTICE";
static const double notice = 60; /* seconds that a call has waited when it is told of */
static struct symm_process *process;
static int own_rank; /* in MPI_COMM_WORLD */
static int end_key = MPI_KEYVAL_INVALID;
static bool has_ended; /* MPI ends: no lane begins any more */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/*
 * In the thread that answers peers.  Where the program's handler ends it at an error, what its
 * stream holds behind a failure is not for anybody to read.
 */
static void tell(const char *text, bool is_failure, bool is_fatal)
{
    (void)fprintf(stderr, "ompi-symm: rank %d: %s\n", own_rank, text);
    if (is_failure && is_fatal) {
        abort();
    }
}

/* MPI_Finalize() deletes the attributes of MPI_COMM_SELF before anything else. */
static int lanes_end(MPI_Comm comm, int key, void *value, void *extra)
{
    int waiting, remaining = symm_stream_members_end(patience, &waiting);
    struct symm_process *used = process;
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    symm_stream_members_watch(used, NULL, 0);
    if (waiting > 0) {
        (void)fprintf(stderr, "ompi-symm: rank %d: in MPI_Finalize, collectives on the streams of "
                      "%d communicators have waited %.0f s for other ranks, and are ended now "
                      "without results\n", own_rank, waiting, patience);
    }
    (void)pthread_mutex_lock(&mutex);
    has_ended = true;
    process = NULL;
    (void)pthread_mutex_unlock(&mutex);
    if (remaining == 0) {
        symm_process_release(used);
    }
    return MPI_SUCCESS;
}

static int end_prepare(void)
{
    int error = MPI_SUCCESS;
    if (end_key == MPI_KEYVAL_INVALID) {
        error = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, lanes_end, &end_key, NULL);
    }
    return error == MPI_SUCCESS ? PMPI_Comm_set_attr(MPI_COMM_SELF, end_key, NULL) : error;
}

static double notice_read(void)
{
    const char *text = getenv(notice_name);
    char *end = NULL;
    const double seconds = text != NULL ? strtod(text, &end) : notice;
    if (text == NULL || (end != text && *end == '\0' && seconds >= 0)) {
        return seconds;
    }
    (void)fprintf(stderr, "ompi-symm: rank %d: %s is '%s', which is no number of seconds; %.0f is "
                  "taken\n", own_rank, notice_name, text, notice);
    return notice;
}

static int process_get_locked(void)
{
    if (has_ended) {
        return symm_mpix_error(MPI_ERR_OTHER, "MPI_Finalize is under way");
    }
    if (process != NULL) {
        return MPI_SUCCESS;
    }
    struct symm_process *made = NULL;
    enum symm_status status = symm_process_acquire(NULL, &made);
    if (status == SYMM_OK) {
        status = symm_process_serve(made);
    }
    int error = status == SYMM_OK ? end_prepare()
                                  : symm_mpix_error(MPI_ERR_NO_MEM, "no memory is shared in this "
                                                    "process: %s", symm_status_string(status));
    if (error == MPI_SUCCESS) {
        process = made;
        PMPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
        symm_stream_members_watch(process, tell, notice_read());
    } else if (made != NULL) {
        symm_process_release(made);
    }
    return error;
}

int symm_mpix_process_get(struct symm_process **found)
{
    (void)pthread_mutex_lock(&mutex);
    int error = process_get_locked();
    *found = process;
    (void)pthread_mutex_unlock(&mutex);
    return error;
}

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

static bool is_fatal(MPI_Comm comm)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    (void)PMPI_Comm_get_errhandler(comm, &handler);
    const bool ends = handler == MPI_ERRORS_ARE_FATAL;
    if (handler != MPI_ERRHANDLER_NULL) {
        (void)PMPI_Errhandler_free(&handler);
    }
    return ends;
}

static int begin(MPI_Comm comm, struct symm_mpix_comm *state, const char *call)
{
    struct symm_stream_offer own, offers[SYMM_STREAM_RANKS];
    struct symm_stream_setup setup = {
        .stream = state->cuda_stream, .rank = state->rank, .ranks = state->size,
        .bytes = state->stream->bytes, .shares_devices = state->stream->shares_devices,
        .is_fatal = is_fatal(comm),
    };
    offer_make(state, &setup, &own);
    int error = exchange(comm, &own, offers);
    if (error == MPI_SUCCESS && bad_rank(offers, state->size) < 0) {
        offers_connect(state, offers, &own);
        error = exchange(comm, &own, offers);
    }
    const int bad = error == MPI_SUCCESS ? bad_rank(offers, state->size) : -1;
    if (bad >= 0) {
        error = symm_mpix_error(MPI_ERR_UNSUPPORTED_OPERATION, "%s: rank %d: %s", call, bad,
                                offers[bad].why);
    }
    if (error != MPI_SUCCESS && state->member != NULL) {
        symm_stream_member_cancel(state->member);
        state->member = NULL;
    }
    return error;
}

enum { WITH_GPU, WITHOUT_GPU, WITHOUT_MEMORY, FACTS };

int symm_mpix_lane_begin(MPI_Comm comm, struct symm_mpix_comm *state, const char *call)
{
    const bool has_gpu = state != NULL && state->stream != NULL && state->stream->has_gpu;
    int some[FACTS], own[FACTS] = {
        [WITH_GPU] = has_gpu, [WITHOUT_GPU] = !has_gpu, [WITHOUT_MEMORY] = state == NULL,
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
    if (state->size > SYMM_STREAM_RANKS) {
        return symm_mpix_error(MPI_ERR_UNSUPPORTED_OPERATION, "%s: %d ranks; kernels on streams "
                               "meet among up to %d", call, state->size, SYMM_STREAM_RANKS);
    }
    return begin(comm, state, call);
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
