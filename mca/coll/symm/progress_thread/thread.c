/*
 * progress_thread/thread.c - see progress_thread/thread.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/progress_thread/thread.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "heap/server/fork_lock.h"
#include "mca/help.h"
#include "mca/once.h"

enum life {
    LIFE_NONE,
    LIFE_RUNNING,
    LIFE_OVER, /* it could not be started, or this is a child of fork() */
};

/*
 * The thread holds the mutex while it works.  So whoever takes it knows that the thread holds no
 * other lock.
 */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static symm_thread_work *help;
static bool stopping;        /* under the mutex */
static _Atomic int life;     /* enum life; changed under the mutex */
static atomic_bool is_asleep;
static atomic_uint program_calls; /* to MPI; grows while the program moves requests on */

/* ---- the thread ------------------------------------------------------------------------------ */

enum {
    YIELDS_BEFORE_NAPS = 50, /* in vain: some 20 us on an idle machine */
    NAP_FIRST = 20000,       /* ns */
    NAP_LAST = 1000000,
};

static void nap(long *length)
{
    struct timespec time = {.tv_sec = 0, .tv_nsec = *length};
    (void)nanosleep(&time, NULL);
    *length = 2 * *length < NAP_LAST ? 2 * *length : NAP_LAST;
}

/*
 * Sleep until a request comes.  One that has come already is seen here, or its thread sees that
 * this one is asleep.
 */
static void sleep_unless_needed(void)
{
    atomic_store(&is_asleep, true);
    if (help() == SYMM_HELP_NEEDLESS && !stopping) {
        (void)pthread_cond_wait(&woken, &mutex);
    }
    atomic_store(&is_asleep, false);
}

/* Requests wait for other ranks, or for the program.  Other ranks may need this processor. */
static void wait_outside(bool is_program_here, unsigned vain, long *nap_length)
{
    (void)pthread_mutex_unlock(&mutex);
    if (is_program_here || vain > YIELDS_BEFORE_NAPS) {
        nap(nap_length);
    } else if (vain > 0) {
        (void)sched_yield();
    }
    (void)pthread_mutex_lock(&mutex);
}

static void *thread_run(void *unused)
{
    unsigned vain = 0, calls = 0;
    long nap_length = NAP_FIRST;
    (void)unused;
    (void)pthread_setname_np(pthread_self(), "symm-progress");
    (void)pthread_mutex_lock(&mutex);
    while (!stopping) {
        unsigned calls_before = calls;
        calls = atomic_load_explicit(&program_calls, memory_order_relaxed);
        bool is_program_here = calls != calls_before;
        enum symm_help given = is_program_here ? SYMM_HELP_VAIN : help();
        if (given == SYMM_HELP_NEEDLESS) {
            sleep_unless_needed();
        }
        if (given != SYMM_HELP_VAIN || is_program_here) {
            vain = 0;
            nap_length = NAP_FIRST;
        } else {
            vain++;
        }
        wait_outside(is_program_here, vain, &nap_length);
    }
    (void)pthread_mutex_unlock(&mutex);
    return NULL;
}

/* ---- fork() ---------------------------------------------------------------------------------- */

/*
 * A child has no such thread, and finds the locks as they are at the fork.  So the thread does not
 * work then.
 */
static _Thread_local bool held; /* by the thread that forks */

static void fork_prepare(void)
{
    mca_coll_symm_progress_thread_note_program();
    held = symm_fork_lock(&mutex);
}

static void fork_in_parent(void)
{
    if (held) {
        (void)pthread_mutex_unlock(&mutex);
    }
}

static void fork_in_child(void)
{
    atomic_store(&life, LIFE_OVER);
    atomic_store(&is_asleep, false);
    fork_in_parent();
}

static pthread_once_t fork_watched = PTHREAD_ONCE_INIT;

/* It fails for want of memory alone; then a child may find a lock taken. */
static void fork_watch(void)
{
    (void)pthread_atfork(fork_prepare, fork_in_parent, fork_in_child);
}

/* ---- life ------------------------------------------------------------------------------------ */

/* The program's signals are the program's: none may be delivered to this thread. */
static int thread_create(void)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&thread, NULL, thread_run, NULL);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static void start(symm_thread_work *work)
{
    int error = 0;
    (void)pthread_once(&fork_watched, fork_watch);
    (void)pthread_mutex_lock(&mutex);
    if (atomic_load(&life) == LIFE_NONE) {
        help = work;
        error = thread_create();
        atomic_store(&life, error == 0 ? LIFE_RUNNING : LIFE_OVER);
    }
    (void)pthread_mutex_unlock(&mutex);
    if (error != 0 && symm_once("progress-thread")) {
        symm_help_show("help-coll-symm.txt", "no progress thread",
                       (int)OPAL_PROC_MY_NAME.vpid, strerror(error));
    }
}

void mca_coll_symm_progress_thread_wake(symm_thread_work *work)
{
    if (atomic_load_explicit(&life, memory_order_relaxed) == LIFE_NONE) {
        start(work);
    } else if (atomic_load(&is_asleep)) {
        (void)pthread_mutex_lock(&mutex);
        (void)pthread_cond_signal(&woken);
        (void)pthread_mutex_unlock(&mutex);
    }
}

void mca_coll_symm_progress_thread_note_program(void)
{
    (void)atomic_fetch_add_explicit(&program_calls, 1, memory_order_relaxed);
}

/* The thread looks at program_calls under the mutex, and naps before it works again. */
void mca_coll_symm_progress_thread_stop_work(void)
{
    mca_coll_symm_progress_thread_note_program();
    (void)pthread_mutex_lock(&mutex);
    (void)pthread_mutex_unlock(&mutex);
}

void mca_coll_symm_progress_thread_close(void)
{
    mca_coll_symm_progress_thread_note_program();
    (void)pthread_mutex_lock(&mutex);
    bool running = atomic_load(&life) == LIFE_RUNNING;
    stopping = true;
    (void)pthread_cond_signal(&woken);
    (void)pthread_mutex_unlock(&mutex);
    if (running) {
        (void)pthread_join(thread, NULL);
    }
    stopping = false;
    atomic_store(&life, LIFE_NONE);
}
