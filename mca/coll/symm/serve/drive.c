/*
 * serve/drive.c - see serve/drive.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/serve/drive.h"

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "mca/coll/symm/base/module.h"
#include "mca/coll/symm/report/counters.h"
#include "mca/coll/symm/report/verbose.h"
#include "mca/coll/symm/serve/leave.h"
#include "mca/coll/symm/serve/operation.h"

/*
 * Whether waiting ranks should yield at once.  This is found out once, when MPI_Init has done the
 * same.
 */
static bool oversubscribed(void)
{
    static _Atomic int known = -1; /* threads may find it out at the same time */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer < 0) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        long ranks = (long)opal_process_info.num_local_peers + 1;
        /* With several threads in MPI another thread of ours may have to get on. */
        answer = ranks > processors || symm_ompi_has_threads() || symm_ompi_yields_when_idle();
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer > 0;
}

enum {
    POLLS_PER_PROGRESS = 64, /* between two looks at the rest of Open MPI; 16 to 256 are all fine */
    YIELDS_PER_PROGRESS = 8, /* the look yields, too, and takes a third of a small call's time */
    POLLS_BEFORE_YIELDING = 20000, /* some hundred microseconds */
};

static inline void processor_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

/* Start an operation and drive it to its end. */
static void operation_run(struct symm_operation *operation)
{
    unsigned long polls = 0;
    mca_coll_symm_operation_start(operation);
    while (mca_coll_symm_operation_step(operation) == SYMM_PENDING) {
        bool yielding = oversubscribed() || polls >= POLLS_BEFORE_YIELDING;
        unsigned long due = yielding ? YIELDS_PER_PROGRESS : POLLS_PER_PROGRESS;
        if (++polls % due == 0 || mca_coll_symm_operation_needs_progress(operation)) {
            opal_progress(); /* peers may wait for messages of ours, which only progress moves */
            if (symm_ompi_comm_failure(operation->comm) != MPI_SUCCESS) {
                mca_coll_symm_leave(operation);
            }
        }
        if (operation->run.worked) {
            operation->run.worked = false;
            polls = 0;
        } else if (yielding) {
            (void)sched_yield(); /* the rank that we wait for may need this processor */
        } else {
            processor_pause();
        }
    }
}

bool mca_coll_symm_operation_serve(struct symm_operation *operation,
                                   struct ompi_communicator_t *comm, int *rc)
{
    operation->comm = comm;
    operation_run(operation);
    mca_coll_symm_count_operation(operation);
    if (operation->outcome == SYMM_OUTCOME_FALLBACK) {
        mca_coll_symm_verbose_fallback(operation);
    }
    *rc = operation->outcome == SYMM_OUTCOME_ERROR ? operation->error : OMPI_SUCCESS;
    return operation->outcome != SYMM_OUTCOME_FALLBACK;
}
