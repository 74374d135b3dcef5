/*
 * comm.c - communicators with a stream: an attribute of theirs.
 *
 * A duplicate gets the stream by the attribute's copy function, which may not communicate.  So its
 * lane begins with its first call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpix/mpix.h"

static int keyval = MPI_KEYVAL_INVALID;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* ---- the attribute --------------------------------------------------------------------------- */

static struct symm_mpix_comm *state_make(struct symm_mpix_stream *stream, void *cuda_stream,
                                         int rank, int size)
{
    struct symm_mpix_comm *state = calloc(1, sizeof(*state));
    if (state != NULL) {
        *state = (struct symm_mpix_comm){
            .stream = stream, .cuda_stream = cuda_stream, .rank = rank, .size = size,
        };
        symm_mpix_stream_hold(stream);
    }
    return state;
}

static void state_free(struct symm_mpix_comm *state)
{
    if (state->member != NULL) {
        symm_stream_member_release(state->member);
    }
    if (state->host != NULL) {
        symm_mpix_host_release(state->host);
    }
    symm_mpix_stream_release(state->stream);
    free(state);
}

static int attribute_copy(MPI_Comm comm, int key, void *extra, void *from, void *to, int *copied)
{
    const struct symm_mpix_comm *old = from;
    struct symm_mpix_comm *state = state_make(old->stream, old->cuda_stream, old->rank, old->size);
    (void)comm;
    (void)key;
    (void)extra;
    *(void **)to = state;
    *copied = state != NULL;
    return state != NULL ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static int attribute_delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)extra;
    state_free(value);
    return MPI_SUCCESS;
}

static int keyval_get(int *key)
{
    int error = MPI_SUCCESS;
    (void)pthread_mutex_lock(&mutex);
    if (keyval == MPI_KEYVAL_INVALID) {
        error = PMPI_Comm_create_keyval(attribute_copy, attribute_delete, &keyval, NULL);
    }
    *key = keyval;
    (void)pthread_mutex_unlock(&mutex);
    return error;
}

int symm_mpix_comm_get(MPI_Comm comm, struct symm_mpix_comm **state)
{
    int key, found = 0;
    void *value = NULL;
    *state = NULL;
    int error = keyval_get(&key);
    if (error == MPI_SUCCESS) {
        error = PMPI_Comm_get_attr(comm, key, &value, &found);
    }
    *state = error == MPI_SUCCESS && found ? value : NULL;
    return error;
}

/* ---- creating -------------------------------------------------------------------------------- */

/* NULL: this rank cannot; then it takes part in the agreement all the same. */
static struct symm_mpix_comm *state_attach(MPI_Comm newcomm, MPIX_Stream stream)
{
    int rank, size, key;
    PMPI_Comm_rank(newcomm, &rank);
    PMPI_Comm_size(newcomm, &size);
    struct symm_mpix_comm *state =
        state_make(stream, stream != NULL ? stream->cuda_stream : NULL, rank, size);
    if (state != NULL && (keyval_get(&key) != MPI_SUCCESS ||
                          PMPI_Comm_set_attr(newcomm, key, state) != MPI_SUCCESS)) {
        state_free(state);
        state = NULL;
    }
    return state;
}

int MPIX_Stream_comm_create(MPI_Comm comm, MPIX_Stream stream, MPI_Comm *newcomm)
{
    int is_inter;
    int error = PMPI_Comm_test_inter(comm, &is_inter);
    if (error != MPI_SUCCESS) {
        return error;
    }
    if (is_inter || newcomm == NULL) {
        return symm_mpix_raise(comm, is_inter
            ? symm_mpix_error(MPI_ERR_COMM, "MPIX_Stream_comm_create: an intercommunicator")
            : symm_mpix_error(MPI_ERR_ARG, "MPIX_Stream_comm_create: no room for it (NULL)"));
    }
    error = PMPI_Comm_dup(comm, newcomm);
    if (error != MPI_SUCCESS) {
        return error;
    }
    error = symm_mpix_lane_begin(*newcomm, state_attach(*newcomm, stream),
                                 "MPIX_Stream_comm_create");
    if (error != MPI_SUCCESS) {
        (void)PMPI_Comm_free(newcomm);
    }
    return symm_mpix_raise(comm, error);
}

/* ---- questions and settings ------------------------------------------------------------------ */

int MPIX_Comm_get_stream(MPI_Comm comm, int index, MPIX_Stream *stream)
{
    struct symm_mpix_comm *state;
    int error = symm_mpix_comm_get(comm, &state);
    if (error != MPI_SUCCESS) {
        return error;
    }
    if (index != 0 || stream == NULL) {
        return symm_mpix_raise(comm, symm_mpix_error(MPI_ERR_ARG,
            "MPIX_Comm_get_stream: index is %d; a communicator has one stream, number 0", index));
    }
    *stream = state != NULL ? state->stream : MPIX_STREAM_NULL;
    return MPI_SUCCESS;
}

/* The state of a communicator with a GPU stream. */
static int gpu_state_get(MPI_Comm comm, const char *call, struct symm_mpix_comm **state)
{
    int error = symm_mpix_comm_get(comm, state);
    if (error == MPI_SUCCESS &&
        (*state == NULL || (*state)->stream == NULL || !(*state)->stream->has_gpu)) {
        error = symm_mpix_error(MPI_ERR_OTHER, "%s: the communicator has no GPU stream; "
                                "MPIX_Stream_comm_create() makes one that has", call);
    }
    return error;
}

/* A lane of kernels and one of the host obey one order. */
static enum symm_status stream_change(struct symm_mpix_comm *state, void *cuda_stream)
{
    if (state->member != NULL) {
        return symm_stream_member_set_stream(state->member, cuda_stream);
    }
    return state->host == NULL
               ? SYMM_OK : symm_mpix_host_order(state->host, state->cuda_stream, cuda_stream);
}

int symm_mpix_comm_set_stream(MPI_Comm comm, void *cuda_stream)
{
    struct symm_mpix_comm *state;
    int error = gpu_state_get(comm, "symm_mpix_comm_set_stream", &state);
    if (error != MPI_SUCCESS) {
        return symm_mpix_raise(comm, error);
    }
    enum symm_status status = stream_change(state, cuda_stream);
    if (status != SYMM_OK) {
        return symm_mpix_raise(comm, symm_mpix_refused(
            status == SYMM_ERR_ARGUMENT ? MPI_ERR_ARG : symm_mpix_err_stream(),
            "symm_mpix_comm_set_stream", status));
    }
    state->cuda_stream = cuda_stream;
    return MPI_SUCCESS;
}

int symm_mpix_comm_abort(MPI_Comm comm)
{
    struct symm_mpix_comm *state;
    int error = gpu_state_get(comm, "symm_mpix_comm_abort", &state);
    if (error == MPI_SUCCESS && state->member != NULL) {
        symm_stream_member_abort(state->member);
    }
    if (error == MPI_SUCCESS && state->host != NULL) {
        symm_mpix_host_abort(state->host);
    }
    return symm_mpix_raise(comm, error);
}

/* Of both lanes, if there are two, the one that has failed. */
static int state_read(struct symm_mpix_comm *state, char *text, size_t size)
{
    if (state->host != NULL && !symm_mpix_host_state(state->host, text, size)) {
        return symm_mpix_err_stream();
    }
    if (state->member == NULL) {
        return MPI_SUCCESS;
    }
    enum symm_status status = symm_stream_member_state(state->member, text, size);
    return status == SYMM_OK ? MPI_SUCCESS : symm_mpix_failure_class(status);
}

int symm_mpix_comm_state(MPI_Comm comm, char *text, int size)
{
    struct symm_mpix_comm *state;
    char words[SYMM_STREAM_WHY_SIZE] = "no lane yet: the first call makes it";
    int error = gpu_state_get(comm, "symm_mpix_comm_state", &state);
    if (error != MPI_SUCCESS) {
        (void)snprintf(words, sizeof(words), "no GPU stream");
    } else {
        error = state_read(state, words, sizeof(words));
    }
    if (text != NULL && size > 0) {
        (void)snprintf(text, (size_t)size, "%s", words);
    }
    return error;
}
