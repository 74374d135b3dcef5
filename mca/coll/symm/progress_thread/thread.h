/*
 * progress_thread/thread.h - a thread that moves requests on while the program computes.
 *
 * There is none unless the user asks for it (coll_symm_progress_thread).  It is started with the
 * first request, sleeps while nothing is outstanding, and ends with the component.  What it may do
 * is in progress_thread/safe_steps.h.  It knows nothing of queues: it calls a function that helps.
 *
 * The thread and the program share one processor where ranks have no other.  So the thread stands
 * aside while the program is in MPI, which then moves everything on by itself.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_PROGRESS_THREAD_THREAD_H
#define MCA_COLL_SYMM_PROGRESS_THREAD_THREAD_H

#include "mca/coll/symm/base/component.h"

/* What a function that helps has come to. */
enum symm_help {
    SYMM_HELP_NEEDLESS, /* nothing is outstanding */
    SYMM_HELP_VAIN,     /* nothing could be moved on */
    SYMM_HELP_GIVEN,
};
typedef enum symm_help symm_thread_work(void);

/* Whether the user wants the thread. */
static inline bool mca_coll_symm_progress_thread_is_wanted(void)
{
    return mca_coll_symm_component.progress_thread;
}

/* A request is outstanding: wake the thread.  The first time starts it; it then calls `work`. */
void mca_coll_symm_progress_thread_wake(symm_thread_work *work);

/* The program is in MPI and moves requests on itself. */
void mca_coll_symm_progress_thread_note_program(void);

/* The same; the thread is not in `work` when this returns, nor soon after. */
void mca_coll_symm_progress_thread_stop_work(void);

/* End the thread, if there is one. */
void mca_coll_symm_progress_thread_close(void);

#endif /* MCA_COLL_SYMM_PROGRESS_THREAD_THREAD_H */
