/*
 * coll_symm_report.h - counters of what was served how, and the table at the end of the job.
 *
 * Every process counts into an array of its own.  With --mca coll_symm_report 1 that array lies in
 * memory shared by the job's processes on the node, because nothing can be sent when the job ends; the
 * first process of the node prints the sum when its component is closed, behind MPI_Finalize's fence.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_REPORT_H
#define MCA_COLL_SYMM_REPORT_H

#include "mca/coll/symm/coll_symm_operation.h"

/* Why a communicator gets no module of ours. */
enum symm_unserved {
    SYMM_UNSERVED_NODES,     /* its ranks are on several nodes */
    SYMM_UNSERVED_INTER,     /* it is an inter-communicator */
    SYMM_UNSERVED_COMPONENT, /* some of its processes do not have this component */
    SYMM_UNSERVED_COUNT
};

/* Make the counters; the node's first process offers them to the others.  Called at component open. */
void mca_coll_symm_report_open(void);

/* Find the shared counters, once the processes know each other; later calls do nothing. */
void mca_coll_symm_report_attach(void);

void mca_coll_symm_report_count(const struct symm_operation *operation);
void mca_coll_symm_report_count_unserved(enum symm_unserved why);

/* Print the table, if this process is the one to do so, and free everything. */
void mca_coll_symm_report_close(void);

#endif /* MCA_COLL_SYMM_REPORT_H */
