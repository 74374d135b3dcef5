/*
 * report/counters.h - counts of calls: what this process has had served, how, what not, and why.
 *
 * Calls are always counted, which takes a few additions to memory of this process.  The report at
 * the end of the job (report/report.c) adds the counters up, and tools read them through MPI_T
 * (report/pvars.c).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_REPORT_COUNTERS_H
#define MCA_COLL_SYMM_REPORT_COUNTERS_H

#include <stdatomic.h>

#include "mca/coll/symm/base/layer.h"
#include "mca/coll/symm/base/operation.h"
#include "mca/coll/symm/base/plans.h"

/* Why a communicator gets no module of ours. */
enum symm_unserved {
    SYMM_UNSERVED_NODES,     /* its ranks are on several nodes */
    SYMM_UNSERVED_INTER,     /* it is an inter-communicator */
    SYMM_UNSERVED_COMPONENT, /* some of its processes do not have this component */
    SYMM_UNSERVED_COUNT
};

/* Other threads read the counts.  So they are atomic, but in no order with anything else. */
struct symm_count {
    _Atomic uint64_t calls, bytes;
};

/* Calls of one form that we serve, or would. */
struct symm_outcomes {
    struct symm_count served[SYMM_ALGORITHM_COUNT];
    struct symm_count fallback[SYMM_COLLECTIVE_COUNT][SYMM_REASON_COUNT];
    struct symm_count failed[SYMM_COLLECTIVE_COUNT];
};

/* What one thread has counted, alone in its cache lines. */
struct symm_tally {
    _Alignas(128) struct symm_outcomes outcomes[SYMM_CALL_FORM_COUNT];
    /* Calls that are made on host copies; also counted as fallback, if we serve such calls. */
    struct symm_count host_copy[SYMM_MPI_FUNCTION_COUNT];
    /* Calls of collectives that we serve, once more by reason. */
    struct symm_count host_copy_why[SYMM_COLLECTIVE_COUNT][SYMM_HOST_COPY_WHY_COUNT];
    /* Calls over several nodes, and what their steps sent from node to node. */
    struct symm_count nodes[SYMM_COLLECTIVE_COUNT][SYMM_NODES_PLAN_COUNT];
    struct symm_count between[SYMM_COLLECTIVE_COUNT];
    _Atomic uint64_t unserved[SYMM_UNSERVED_COUNT];
};

/*
 * The counters of one process.  Two locked additions take 45 ns, a small call not much more than
 * 200.  So under MPI_THREAD_MULTIPLE each of the first threads has a tally of its own, and all
 * further threads share the last tally.
 */
enum { SYMM_TALLIES = 8 };
struct symm_counters {
    struct symm_tally tallies[SYMM_TALLIES];
    _Atomic bool shared; /* for the report: the process counts here */
};

/* This process's counters: never NULL. */
const struct symm_counters *mca_coll_symm_counters(void);

/*
 * Count in `to`, which holds zeros, from now on.  NULL: count in memory of this process, as at the
 * start.  What has been counted so far moves along.  Of each other thread one call may be lost,
 * which the thread is counting at that moment.  `to` must not be the place where the counters are.
 */
void mca_coll_symm_counters_move(struct symm_counters *to);

/* A counter of this process, which is so many bytes behind the beginning of a tally. */
uint64_t mca_coll_symm_counter_get(size_t offset);

/* Add all of a process's tallies to `sum`, which belongs to the caller. */
void mca_coll_symm_counters_add(struct symm_tally *sum, const struct symm_counters *from);

/* A call is done with. */
void mca_coll_symm_count_operation(const struct symm_operation *operation);

/* The same of a call that was served, whose operation is at work on another one already. */
void mca_coll_symm_count_served(const struct symm_call *call, enum symm_algorithm algorithm);

/* A call was made on copies in host memory; so many bytes were copied from and to devices. */
void mca_coll_symm_count_host_copy(enum symm_mpi_function function, enum symm_host_copy_why why,
                                   size_t bytes);

/* A call of a collective that has plans, of so many bytes, was made over several nodes. */
void mca_coll_symm_count_nodes(enum symm_collective collective, enum symm_nodes_plan plan,
                               size_t bytes);

/* This process took part in a step between nodes, and gave so many bytes. */
void mca_coll_symm_count_between(enum symm_collective collective, size_t bytes);

/* A communicator is not served. */
void mca_coll_symm_count_unserved(enum symm_unserved why);

#endif /* MCA_COLL_SYMM_REPORT_COUNTERS_H */
