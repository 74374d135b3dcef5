/*
 * host_words.c - the last words of ranks about a lane of the host.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "mpix/host.h"

enum { TAG = 1 };

struct word {
    int health;
    char failure[SYMM_STREAM_WHY_SIZE];
};

struct symm_mpix_words {
    struct word own, other;
    int heard; /* of so many ranks */
    bool has_told;
    MPI_Request hearing;   /* of the next one */
    MPI_Request telling[]; /* [ranks] */
};

/* If there is no memory, the next look tries again. */
static struct symm_mpix_words *words_of(struct symm_mpix_host *host)
{
    if (host->words == NULL) {
        struct symm_mpix_words *words =
            calloc(1, sizeof(*words) + (size_t)host->ranks * sizeof(words->telling[0]));
        for (int rank = 0; words != NULL && rank < host->ranks; rank++) {
            words->telling[rank] = MPI_REQUEST_NULL;
        }
        if (words != NULL) {
            words->hearing = MPI_REQUEST_NULL;
        }
        host->words = words;
    }
    return host->words;
}

static void tell(struct symm_mpix_host *host, struct symm_mpix_words *words)
{
    words->has_told = true;
    words->own.health = atomic_load_explicit(&host->health, memory_order_acquire);
    (void)pthread_mutex_lock(&host->mutex);
    (void)snprintf(words->own.failure, sizeof(words->own.failure), "%s", host->failure);
    (void)pthread_mutex_unlock(&host->mutex);
    for (int rank = 0; rank < host->ranks; rank++) {
        if (rank != host->rank) {
            (void)PMPI_Isend(&words->own, sizeof(words->own), MPI_BYTE, rank, TAG, host->comm,
                             &words->telling[rank]);
        }
    }
}

/* A failure there is one here, unless this rank has found one before. */
static void take(struct symm_mpix_host *host, const struct word *word, int rank)
{
    int sound = SYMM_MPIX_SOUND;
    if (word->health == SYMM_MPIX_SOUND ||
        atomic_load_explicit(&host->health, memory_order_relaxed) != SYMM_MPIX_SOUND) {
        return;
    }
    (void)pthread_mutex_lock(&host->mutex);
    if (word->health == SYMM_MPIX_ABORTED) {
        (void)snprintf(host->failure, sizeof(host->failure), "aborted by its rank %d", rank);
    } else {
        (void)snprintf(host->failure, sizeof(host->failure), "%s", word->failure);
    }
    (void)pthread_mutex_unlock(&host->mutex);
    (void)atomic_compare_exchange_strong(&host->health, &sound, SYMM_MPIX_FAILED);
}

static void hear(struct symm_mpix_host *host, struct symm_mpix_words *words)
{
    int has_come = 1;
    MPI_Status status;
    while (has_come && words->heard < host->ranks - 1) {
        if (words->hearing == MPI_REQUEST_NULL &&
            PMPI_Irecv(&words->other, sizeof(words->other), MPI_BYTE, MPI_ANY_SOURCE, TAG,
                       host->comm, &words->hearing) != MPI_SUCCESS) {
            return;
        }
        if (PMPI_Test(&words->hearing, &has_come, &status) != MPI_SUCCESS) {
            return;
        }
        if (has_come) {
            words->heard++;
            take(host, &words->other, status.MPI_SOURCE);
        }
    }
}

void symm_mpix_words_exchange(struct symm_mpix_host *host, bool is_leaving)
{
    struct symm_mpix_words *words = words_of(host);
    if (words == NULL) {
        return;
    }
    hear(host, words);
    if (!words->has_told && (is_leaving || atomic_load_explicit(&host->health,
                                                                memory_order_acquire) !=
                                               SYMM_MPIX_SOUND)) {
        tell(host, words);
    }
}

bool symm_mpix_words_are_done(struct symm_mpix_host *host)
{
    int are_sent = 0;
    return host->words != NULL && host->words->has_told &&
           host->words->heard == host->ranks - 1 &&
           PMPI_Testall(host->ranks, host->words->telling, &are_sent, MPI_STATUSES_IGNORE) ==
               MPI_SUCCESS && are_sent;
}

void symm_mpix_words_end(struct symm_mpix_host *host)
{
    if (host->words != NULL && host->words->hearing != MPI_REQUEST_NULL) {
        (void)PMPI_Cancel(&host->words->hearing);
        (void)PMPI_Wait(&host->words->hearing, MPI_STATUS_IGNORE);
    }
}
