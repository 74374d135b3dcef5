/*
 * host_thread.c - the thread that does the tasks of all lanes of the host, while MPI lasts.
 *
 * It looks at all lanes in turn.  A call that waits for other ranks does not keep it from those of
 * other lanes.  When there is nothing to do for some time, it sleeps between two looks.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernels/collective.h"
#include "mpix/host.h"

enum { YIELDS = 2000, NAPS = 5000, LOOKS_PER_END = 64 }; /* looks in vain; looks */
static const long nap = 20 * 1000L, sleep_long = 200 * 1000L; /* nanoseconds */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct symm_mpix_host *lanes; /* under the mutex, which the thread has while it looks */
static pthread_t thread;
static bool is_running;
static _Atomic bool is_closing; /* MPI ends: all lanes are left */
static _Atomic bool ends;
static double notice; /* seconds */

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- what a call says ------------------------------------------------------------------------ */

static void task_name(const struct symm_mpix_task *task, char *text, size_t size)
{
    const struct symm_mpix_call *call = &task->call;
    const MPI_Count elements =
        call->received.count > call->sent.count ? call->received.count : call->sent.count;
    (void)snprintf(text, size, "%s of %lld elements",
                   task->action == SYMM_MPIX_PACK ? "packing"
                   : task->action == SYMM_MPIX_UNPACK ? "unpacking"
                                                      : symm_collective_get(call->collective)->name,
                   (long long)elements);
}

/* The first failure is told. */
static void failed(struct symm_mpix_host *host, const struct symm_mpix_task *task, int error)
{
    char name[64], words[MPI_MAX_ERROR_STRING] = "", text[SYMM_STREAM_WHY_SIZE + 64];
    int length = 0, sound = SYMM_MPIX_SOUND;
    if (atomic_load_explicit(&host->health, memory_order_relaxed) != SYMM_MPIX_SOUND) {
        return;
    }
    task_name(task, name, sizeof(name));
    (void)PMPI_Error_string(error, words, &length);
    (void)pthread_mutex_lock(&host->mutex);
    (void)snprintf(host->failure, sizeof(host->failure), "rank %d of the communicator: %s: %s",
                   host->rank, name, words);
    (void)pthread_mutex_unlock(&host->mutex);
    if (atomic_compare_exchange_strong(&host->health, &sound, SYMM_MPIX_FAILED)) {
        (void)snprintf(text, sizeof(text), "a collective on a stream has failed: %s",
                       host->failure);
        symm_mpix_tell(text, true, host->is_fatal);
    }
}

static void notice_give(struct symm_mpix_host *host)
{
    char name[64], text[256];
    const double waited = now() - host->since;
    if (host->is_noticed || notice <= 0 || waited < notice) {
        return;
    }
    host->is_noticed = true;
    task_name(host->current, name, sizeof(name));
    (void)snprintf(text, sizeof(text), "%s on a stream has waited %.0f s for other ranks, which "
                   "have not all made the call", name, waited);
    symm_mpix_tell(text, false, false);
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static void task_end(struct symm_mpix_host *host)
{
    struct symm_mpix_task *task = host->current;
    host->current = NULL;
    symm_host_tasks_done(host->tasks);
    if (!task->is_captured) {
        atomic_store_explicit(&task->is_queued, false, memory_order_release);
        (void)atomic_fetch_sub_explicit(&host->queued, 1, memory_order_release);
    }
}

static void task_start(struct symm_mpix_host *host)
{
    int error = MPI_SUCCESS;
    host->request = MPI_REQUEST_NULL;
    host->since = now();
    host->is_noticed = false;
    if (atomic_load_explicit(&host->health, memory_order_acquire) == SYMM_MPIX_SOUND) {
        error = symm_mpix_task_begin(host, host->current, &host->request);
    }
    if (error != MPI_SUCCESS) {
        failed(host, host->current, error);
    }
    if (error != MPI_SUCCESS || host->request == MPI_REQUEST_NULL) {
        task_end(host);
    }
}

/*
 * The call under way.  Of a lane that is of no use any more, it is left alone: MPI has no way to
 * take it back.  (Open MPI 4.1 has the handler of MPI_COMM_WORLD deal with its error.)
 */
static bool task_go_on(struct symm_mpix_host *host)
{
    int is_done = 0;
    int error = PMPI_Test(&host->request, &is_done, MPI_STATUS_IGNORE);
    if (error != MPI_SUCCESS) {
        failed(host, host->current, error);
    }
    if (error == MPI_SUCCESS && is_done) {
        symm_mpix_task_end(host->current);
    }
    if (error != MPI_SUCCESS || is_done ||
        atomic_load_explicit(&host->health, memory_order_acquire) != SYMM_MPIX_SOUND) {
        task_end(host);
        return true;
    }
    notice_give(host);
    return false;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* No stream and no graph has a task of it, and none will. */
static bool is_idle(const struct symm_mpix_host *host)
{
    return atomic_load_explicit(&host->is_released, memory_order_acquire) &&
           host->current == NULL &&
           atomic_load_explicit(&host->queued, memory_order_acquire) == 0 &&
           !symm_host_tasks_are_held(host->tasks);
}

static bool has_ended(const struct symm_mpix_host *host)
{
    return atomic_load_explicit(&host->health, memory_order_acquire) == SYMM_MPIX_ENDED;
}

/* Whether it has done something. */
static bool lane_look(struct symm_mpix_host *host)
{
    if (host->current != NULL && has_ended(host)) {
        task_end(host);
    }
    if (host->current != NULL) {
        return task_go_on(host);
    }
    host->current = symm_host_tasks_next(host->tasks);
    if (host->current == NULL) {
        if (atomic_load_explicit(&host->health, memory_order_acquire) != SYMM_MPIX_SOUND) {
            symm_host_tasks_done(host->tasks); /* streams may have got into each other's way */
        }
        return false;
    }
    task_start(host);
    return true;
}

/* A call that has been left alone keeps its communicator. */
static void comm_leave(struct symm_mpix_host *host)
{
    if (host->comm != MPI_COMM_NULL && host->request == MPI_REQUEST_NULL &&
        symm_mpix_words_are_done(host)) {
        (void)PMPI_Comm_free(&host->comm);
    }
}

/* Whether it has gone: when no rank needs it.  When MPI has ended, all stay. */
static bool lane_leave(struct symm_mpix_host *host)
{
    if (!has_ended(host) && atomic_load_explicit(&host->is_ready, memory_order_acquire)) {
        symm_mpix_words_exchange(host, is_idle(host) || atomic_load(&is_closing));
    }
    if (has_ended(host) || !is_idle(host)) {
        return false;
    }
    comm_leave(host);
    if (host->comm != MPI_COMM_NULL) {
        return false;
    }
    symm_mpix_tasks_free(host);
    symm_host_tasks_destroy(host->tasks);
    (void)pthread_mutex_destroy(&host->mutex);
    free(host->words);
    free(host);
    return true;
}

static bool lanes_look(bool may_leave)
{
    bool has_worked = false;
    (void)pthread_mutex_lock(&mutex);
    for (struct symm_mpix_host **link = &lanes; *link != NULL;) {
        struct symm_mpix_host *host = *link, *next = host->next;
        has_worked |= lane_look(host);
        if (may_leave && lane_leave(host)) {
            *link = next;
        } else {
            link = &host->next;
        }
    }
    (void)pthread_mutex_unlock(&mutex);
    return has_worked;
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void *run(void *nothing)
{
    unsigned in_vain = 0, looks = 0;
    (void)nothing;
    while (!atomic_load_explicit(&ends, memory_order_acquire)) {
        if (lanes_look(in_vain > YIELDS || ++looks % LOOKS_PER_END == 0)) {
            in_vain = 0;
        } else if (in_vain < YIELDS) {
            in_vain++;
            (void)sched_yield();
        } else {
            const struct timespec pause = {.tv_nsec = in_vain < NAPS ? nap : sleep_long};
            in_vain += in_vain < NAPS;
            (void)nanosleep(&pause, NULL);
        }
    }
    return NULL;
}

/* The program's signals are for its own threads. */
static int thread_start(void)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    notice = symm_mpix_notice();
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failure = pthread_create(&thread, NULL, run, NULL);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    is_running = failure == 0;
    return failure == 0 ? MPI_SUCCESS
                        : symm_mpix_error(MPI_ERR_NO_MEM, "no thread can be started, which would "
                                          "make calls for streams");
}

int symm_mpix_host_watch(struct symm_mpix_host *host)
{
    (void)pthread_mutex_lock(&mutex);
    int error = is_running ? MPI_SUCCESS : thread_start();
    if (error == MPI_SUCCESS) {
        host->next = lanes;
        lanes = host;
    }
    (void)pthread_mutex_unlock(&mutex);
    return error;
}

/*
 * How many lanes have tasks in streams.  Of graphs it is known where the communicator's own stream
 * is at work with them.
 */
static int lanes_count(void)
{
    int count = 0;
    (void)pthread_mutex_lock(&mutex);
    for (struct symm_mpix_host *host = lanes; host != NULL; host = host->next) {
        const bool has_stream = !atomic_load_explicit(&host->is_released, memory_order_acquire);
        count += host->current != NULL ||
                 atomic_load_explicit(&host->queued, memory_order_acquire) != 0 ||
                 (has_stream && symm_host_tasks_are_busy(host->tasks));
    }
    (void)pthread_mutex_unlock(&mutex);
    return count;
}

static int lanes_await(int (*count)(void), double seconds)
{
    const double end = now() + seconds;
    int remaining;
    while ((remaining = count()) > 0 && now() < end) {
        (void)sched_yield();
    }
    return remaining;
}

/* How many lanes have not had all last words. */
static int words_count(void)
{
    int count = 0;
    (void)pthread_mutex_lock(&mutex);
    for (struct symm_mpix_host *host = lanes; host != NULL; host = host->next) {
        count += host->comm != MPI_COMM_NULL && !symm_mpix_words_are_done(host);
    }
    (void)pthread_mutex_unlock(&mutex);
    return count;
}

/*
 * From now on the thread does nothing but let streams go on, and calls MPI no more.  Returns
 * whether graphs have tasks: then it stays, for those that are launched behind the end of MPI.
 */
static bool lanes_let_go(void)
{
    bool are_held = false;
    (void)pthread_mutex_lock(&mutex);
    for (struct symm_mpix_host *host = lanes; host != NULL; host = host->next) {
        atomic_store_explicit(&host->health, SYMM_MPIX_ENDED, memory_order_release);
        comm_leave(host);
        symm_mpix_words_end(host);
        are_held |= symm_host_tasks_are_held(host->tasks);
    }
    (void)pthread_mutex_unlock(&mutex);
    return are_held;
}

int symm_mpix_hosts_end(double seconds)
{
    const double others = 1; /* for streams whose calls are not made any more, and last words */
    if (!is_running) {
        return 0;
    }
    const int waiting = lanes_await(lanes_count, seconds);
    atomic_store(&is_closing, true);
    (void)lanes_await(words_count, others);
    const bool are_held = lanes_let_go();
    if (waiting > 0) {
        (void)lanes_await(lanes_count, others);
    }
    if (!are_held) {
        atomic_store_explicit(&ends, true, memory_order_release);
        (void)pthread_join(thread, NULL);
        is_running = false;
    }
    return waiting;
}
