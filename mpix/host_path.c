/*
 * host_path.c - lanes of the host: how they begin and end, and what they say.  host_tasks.c has
 * their tasks.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpix/host.h"

/* ---- on this rank ---------------------------------------------------------------------------- */

static int tasks_make(const struct symm_mpix_comm *state, const char *call,
                      struct symm_host_tasks **tasks)
{
    char what[128];
    enum symm_status status = symm_host_tasks_create(state->cuda_stream, tasks);
    if (status == SYMM_OK) {
        return MPI_SUCCESS;
    }
    (void)snprintf(what, sizeof(what), "%s: the stream cannot wait for the host", call);
    return symm_mpix_refused(status == SYMM_ERR_NO_MEMORY ? MPI_ERR_NO_MEM
                                                          : MPI_ERR_UNSUPPORTED_OPERATION,
                             what, status);
}

/* What it needs to pack: local. */
static int host_make(MPI_Comm comm, struct symm_mpix_comm *state, const char *call,
                     const char *why)
{
    int level = MPI_THREAD_SINGLE;
    (void)PMPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE) {
        return symm_mpix_error(MPI_ERR_UNSUPPORTED_OPERATION, "%s: %s; the host makes such calls "
                               "if MPI_Init_thread() has given MPI_THREAD_MULTIPLE", call,
                               why[0] != '\0' ? why : "kernels do not make this call");
    }
    struct symm_mpix_host *host = calloc(1, sizeof(*host));
    if (host == NULL) {
        return MPI_ERR_NO_MEM;
    }
    int error = tasks_make(state, call, &host->tasks);
    if (error == MPI_SUCCESS) {
        error = symm_mpix_end_prepare(symm_mpix_hosts_end);
    }
    host->rank = state->rank;
    host->ranks = state->size;
    host->is_fatal = symm_mpix_is_fatal(comm);
    host->comm = MPI_COMM_NULL;
    host->request = MPI_REQUEST_NULL;
    (void)snprintf(host->why, sizeof(host->why), "%s", why);
    if (error == MPI_SUCCESS) {
        (void)pthread_mutex_init(&host->mutex, NULL);
        error = symm_mpix_host_watch(host);
    }
    if (error != MPI_SUCCESS) {
        if (host->tasks != NULL) {
            symm_host_tasks_destroy(host->tasks);
        }
        free(host);
        return error;
    }
    state->host = host;
    return MPI_SUCCESS;
}

/* ---- together -------------------------------------------------------------------------------- */

struct offer {
    int is_good;
    char why[MPI_MAX_ERROR_STRING];
};

static struct offer offer_make(MPI_Comm comm, struct symm_mpix_comm *state, const char *call,
                               const char *why)
{
    struct offer offer;
    int length = 0;
    memset(&offer, 0, sizeof(offer)); /* its gaps travel as well */
    const int error = state->host != NULL ? MPI_SUCCESS : host_make(comm, state, call, why);
    offer.is_good = error == MPI_SUCCESS;
    if (error != MPI_SUCCESS && PMPI_Error_string(error, offer.why, &length) != MPI_SUCCESS) {
        offer.why[0] = '\0';
    }
    return offer;
}

/* The first rank that cannot; -1: all can. */
static int offers_compare(MPI_Comm comm, const struct offer *own, int ranks, struct offer *bad,
                          int *error)
{
    struct offer *offers = calloc((size_t)ranks, sizeof(*offers));
    int rank = 0;
    if (offers == NULL) {
        *error = MPI_ERR_NO_MEM;
        return -1;
    }
    *error = PMPI_Allgather(own, sizeof(*own), MPI_BYTE, offers, sizeof(*own), MPI_BYTE, comm);
    while (rank < ranks && *error == MPI_SUCCESS && offers[rank].is_good) {
        rank++;
    }
    if (rank < ranks) {
        *bad = offers[rank];
    }
    free(offers);
    return rank < ranks && *error == MPI_SUCCESS ? rank : -1;
}

/*
 * A communicator without attributes and handlers of the program.  What the thread passes to it is
 * host memory: coll/symm need not ask the driver, which another thread of the program may hold
 * while it waits for this stream.
 */
static int comm_make(MPI_Comm comm, struct symm_mpix_host *host)
{
    MPI_Info info;
    int error = PMPI_Comm_split(comm, 0, host->rank, &host->comm);
    if (error != MPI_SUCCESS) {
        return error;
    }
    (void)PMPI_Comm_set_errhandler(host->comm, MPI_ERRORS_RETURN);
    if (PMPI_Info_create(&info) == MPI_SUCCESS) {
        (void)PMPI_Info_set(info, "mpi_assert_memory_alloc_kinds", "system");
        (void)PMPI_Comm_set_info(host->comm, info);
        (void)PMPI_Info_free(&info);
    }
    atomic_store_explicit(&host->is_ready, true, memory_order_release);
    return MPI_SUCCESS;
}

int symm_mpix_host_begin(MPI_Comm comm, struct symm_mpix_comm *state, const char *call,
                         const char *why)
{
    const bool is_new = state->host == NULL;
    struct offer bad = {.is_good = 0}, own = offer_make(comm, state, call, why);
    int error;
    const int rank = offers_compare(comm, &own, state->size, &bad, &error);
    if (rank >= 0) {
        error = symm_mpix_error(MPI_ERR_UNSUPPORTED_OPERATION, "%s", bad.why);
    }
    if (error == MPI_SUCCESS) {
        error = comm_make(comm, state->host);
    }
    if (error != MPI_SUCCESS && is_new && state->host != NULL) {
        symm_mpix_host_release(state->host);
        state->host = NULL;
    }
    return error;
}

int symm_mpix_host_local(MPI_Comm comm, struct symm_mpix_comm *state, const char *call)
{
    return state->host != NULL ? MPI_SUCCESS : host_make(comm, state, call, "");
}

void symm_mpix_host_release(struct symm_mpix_host *host)
{
    atomic_store_explicit(&host->is_released, true, memory_order_release);
}

bool symm_mpix_host_reaches(const struct symm_mpix_host *host, const void *address)
{
    return symm_host_tasks_reach(host->tasks, address);
}

enum symm_status symm_mpix_host_order(const struct symm_mpix_host *host, void *first, void *then)
{
    return symm_host_tasks_order(host->tasks, first, then);
}

/* ---- failures -------------------------------------------------------------------------------- */

void symm_mpix_host_abort(struct symm_mpix_host *host)
{
    int sound = SYMM_MPIX_SOUND;
    (void)atomic_compare_exchange_strong(&host->health, &sound, SYMM_MPIX_ABORTED);
}

bool symm_mpix_host_state(struct symm_mpix_host *host, char *text, size_t size)
{
    const int health = atomic_load_explicit(&host->health, memory_order_acquire);
    switch (health) {
    case SYMM_MPIX_FAILED:
        (void)pthread_mutex_lock(&host->mutex);
        (void)snprintf(text, size, "%s", host->failure);
        (void)pthread_mutex_unlock(&host->mutex);
        break;
    case SYMM_MPIX_ABORTED:
        (void)snprintf(text, size, "aborted");
        break;
    case SYMM_MPIX_ENDED:
        (void)snprintf(text, size, "MPI has ended");
        break;
    default:
        (void)snprintf(text, size, "calls of %d ranks go through the host: %s", host->ranks,
                       host->why[0] != '\0' ? host->why : "some of them");
    }
    return health == SYMM_MPIX_SOUND;
}

int symm_mpix_host_check(struct symm_mpix_host *host, const char *call)
{
    char text[SYMM_STREAM_WHY_SIZE];
    if (atomic_load_explicit(&host->health, memory_order_acquire) == SYMM_MPIX_SOUND) {
        return MPI_SUCCESS;
    }
    (void)symm_mpix_host_state(host, text, sizeof(text));
    return symm_mpix_error(symm_mpix_err_stream(), "%s: %s", call, text);
}
