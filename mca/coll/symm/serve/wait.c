/*
 * serve/wait.c - see serve/wait.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/serve/wait.h"

#include <sched.h>
#include <stdatomic.h>

#include "mca/coll/symm/base/module.h"
#include "mca/coll/symm/base/processors.h"
#include "mca/coll/symm/report/counters.h"
#include "mca/coll/symm/report/verbose.h"
#include "mca/coll/symm/serve/leave.h"
#include "mca/coll/symm/serve/operation.h"

enum {
    POLLS_PER_PROGRESS = 64, /* between two looks at the rest of Open MPI; 16 to 256 are all fine */
    YIELDS_PER_PROGRESS = 8, /* the look yields, too, and takes a third of a small call's time */
    POLLS_OF_ALONE = 20000,  /* most of a millisecond */
    POLLS_OF_THREADS = 500,  /* some twenty microseconds: small calls have ended, also on devices */
};

/*
 * After how many polls a waiting rank begins to yield its processor.  That is found out once, when
 * MPI_Init has done the same.  Where there are more ranks than processors, the rank that is waited
 * for may need this one.  With several threads in MPI another thread of ours may have to get on; to
 * yield at each poll makes small calls longer.
 */
static unsigned long polls_before_yielding(void)
{
    static _Atomic long known = -1; /* threads may find it out at the same time */
    long answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer < 0) {
        if (mca_coll_symm_processors_are_shared() || symm_ompi_yields_when_idle()) {
            answer = 0;
        } else {
            answer = symm_ompi_has_threads() ? POLLS_OF_THREADS : POLLS_OF_ALONE;
        }
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return (unsigned long)answer;
}

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
        bool yielding = polls >= polls_before_yielding();
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
