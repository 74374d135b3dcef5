/*
 * process.c - libsymm in this process, from the first communicator on until MPI ends.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <stdio.h>

#include "mpix/mpix.h"

static const double patience = 10; /* seconds for work that is still queued when MPI ends */
static struct symm_process *process;
static int end_key = MPI_KEYVAL_INVALID;
static bool has_ended; /* MPI ends: no lane begins any more */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static symm_mpix_end *others_end; /* lanes that are not of kernels; NULL: there are none */

/* MPI_Finalize() deletes the attributes of MPI_COMM_SELF before anything else. */
static int lanes_end(MPI_Comm comm, int key, void *value, void *extra)
{
    char text[256];
    int waiting, remaining = symm_stream_members_end(patience, &waiting);
    struct symm_process *used = process;
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    if (others_end != NULL) {
        waiting += others_end(waiting > 0 ? 0 : patience);
    }
    if (used != NULL) {
        symm_stream_members_watch(used, NULL, 0);
    }
    if (waiting > 0) {
        (void)snprintf(text, sizeof(text), "in MPI_Finalize, collectives on the streams of %d "
                       "communicators have waited %.0f s for other ranks, and are ended now "
                       "without results", waiting, patience);
        symm_mpix_tell(text, false, false);
    }
    (void)pthread_mutex_lock(&mutex);
    has_ended = true;
    process = NULL;
    (void)pthread_mutex_unlock(&mutex);
    if (remaining == 0 && used != NULL) {
        symm_process_release(used);
    }
    return MPI_SUCCESS;
}

static int end_prepare(void)
{
    int error = MPI_SUCCESS, rank;
    if (has_ended) {
        return symm_mpix_error(MPI_ERR_OTHER, "MPI_Finalize is under way");
    }
    if (end_key == MPI_KEYVAL_INVALID) {
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        symm_mpix_tell_as(rank);
        error = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, lanes_end, &end_key, NULL);
        if (error == MPI_SUCCESS) {
            error = PMPI_Comm_set_attr(MPI_COMM_SELF, end_key, NULL);
        }
    }
    return error;
}

int symm_mpix_end_prepare(symm_mpix_end *end)
{
    (void)pthread_mutex_lock(&mutex);
    const int error = end_prepare();
    others_end = end;
    (void)pthread_mutex_unlock(&mutex);
    return error;
}

static int process_get(void)
{
    struct symm_process *made = NULL;
    int error = end_prepare();
    if (error != MPI_SUCCESS || process != NULL) {
        return error;
    }
    enum symm_status status = symm_process_acquire(NULL, &made);
    if (status == SYMM_OK) {
        status = symm_process_serve(made);
    }
    if (status != SYMM_OK) {
        if (made != NULL) {
            symm_process_release(made);
        }
        return symm_mpix_error(MPI_ERR_NO_MEM, "no memory is shared in this process: %s",
                               symm_status_string(status));
    }
    process = made;
    symm_stream_members_watch(process, symm_mpix_tell, symm_mpix_notice());
    return MPI_SUCCESS;
}

int symm_mpix_process_get(struct symm_process **found)
{
    (void)pthread_mutex_lock(&mutex);
    int error = process_get();
    *found = process;
    (void)pthread_mutex_unlock(&mutex);
    return error;
}
