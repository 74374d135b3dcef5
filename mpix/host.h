/*
 * host.h - calls on streams that the host makes: where kernels of the ranks cannot meet, for
 * operations of the program's own, and for datatypes with gaps.
 *
 * A communicator has a lane of the host then.  The stream copies the data to pinned memory and
 * hands over a task (kernels/cuda/stream/host_tasks.h).  A thread of the process does it by public
 * MPI on host memory, on a communicator of the lane's own, and the stream goes on.  Calls are
 * nonblocking, so that lanes do not wait for each other.  All this needs MPI_THREAD_MULTIPLE.
 *
 * Where kernels meet, but a rank's datatype has gaps, this rank has the host pack and unpack its
 * elements in pinned memory, of which the kernels read and write.  The others need not know.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_MPIX_HOST_H
#define SYMM_MPIX_HOST_H

#include <pthread.h>

#include "kernels/cuda/stream/host_tasks.h"
#include "mpix/mpix.h"

/* ---- tasks ----------------------------------------------------------------------------------- */

enum symm_mpix_action { SYMM_MPIX_CALL, SYMM_MPIX_PACK, SYMM_MPIX_UNPACK };

/*
 * What the thread does.  A task in a graph may be done again at any time, and stays as long as its
 * lane.  Others are used again.
 */
struct symm_mpix_task {
    struct symm_mpix_task *next; /* of the lane */
    enum symm_mpix_action action;
    struct symm_mpix_call call; /* with arrays of the host's */
    void *packed;               /* of the elements of call.sent, or of call.received */
    bool is_captured;
    _Atomic bool is_queued;     /* in a stream, and not done */
};

/* ---- lanes ----------------------------------------------------------------------------------- */

/* Failed: here, or on another rank, which has told. */
enum { SYMM_MPIX_SOUND, SYMM_MPIX_FAILED, SYMM_MPIX_ABORTED, SYMM_MPIX_ENDED };

struct symm_mpix_host {
    struct symm_mpix_host *next; /* of all that the thread looks at */
    struct symm_host_tasks *tasks;
    int rank, ranks;
    bool is_fatal; /* the program does not want to go on after a failure */
    char why[SYMM_STREAM_WHY_SIZE]; /* kernels do not meet; empty: they do */
    _Atomic int health;    /* one of the above */
    _Atomic bool is_ready; /* `comm` is there, for the thread */
    _Atomic bool is_released; /* the communicator has gone */
    _Atomic uint32_t queued;  /* tasks in streams, and not done; without those of graphs */
    MPI_Comm comm;         /* of its own; MPI_COMM_NULL: it packs only */
    pthread_mutex_t mutex; /* of what follows */
    struct symm_mpix_task *list;
    char failure[SYMM_STREAM_WHY_SIZE];
    /* The thread's own. */
    struct symm_mpix_task *current; /* under way; NULL: none */
    MPI_Request request;            /* its call's */
    double since;                   /* seconds: when the call was begun */
    bool is_noticed;                /* the program has been told that it takes long */
    struct symm_mpix_words *words;  /* with the other ranks (host_words.c); NULL: none yet */
};

/* The lane of a rank, for packing alone: local.  The error is returned. */
int symm_mpix_host_local(MPI_Comm comm, struct symm_mpix_comm *state, const char *call);

/* Nothing holds the tasks any more (host_tasks.c). */
void symm_mpix_tasks_free(struct symm_mpix_host *host);

/* ---- last words (host_words.c) --------------------------------------------------------------- */

/*
 * Each rank sends each other one a last word: that its lane has failed, or that it needs the lane
 * no more.  The communicator is freed when all have come: a message that came later would be taken
 * for one of another communicator.
 */

/* Go on with it.  `is_leaving`: this rank needs the lane no more. */
void symm_mpix_words_exchange(struct symm_mpix_host *host, bool is_leaving);

/* Whether all have been sent and have come. */
bool symm_mpix_words_are_done(struct symm_mpix_host *host);

/* No more; those that are missing are left alone. */
void symm_mpix_words_end(struct symm_mpix_host *host);

/* ---- the thread (host_thread.c) -------------------------------------------------------------- */

/* Have the thread look at a lane; it is started for the first one.  An error of MPI. */
int symm_mpix_host_watch(struct symm_mpix_host *host);

/*
 * At the end of MPI: wait up to so many seconds for tasks in streams, and end the thread.  Returns
 * how many lanes had tasks that have not been done, whose streams go on without results.
 */
int symm_mpix_hosts_end(double seconds);

/* ---- what it does (host_calls.c) ------------------------------------------------------------- */

/* Begin a task.  The request is MPI_REQUEST_NULL where it is done at once.  An error of MPI. */
int symm_mpix_task_begin(const struct symm_mpix_host *host, const struct symm_mpix_task *task,
                         MPI_Request *request);

/* Behind a call that has been made: its result is multiplied by its factor. */
void symm_mpix_task_end(const struct symm_mpix_task *task);

#endif /* SYMM_MPIX_HOST_H */
