/*
 * report/report.h - the report at the end of the job: what was served how, and what not and why.
 *
 * With --mca coll_symm_report 1, or coll_symm_report_file, the counters of a process
 * (report/counters.h) lie in memory shared by the job's processes on the node, because nothing can
 * be sent when the job ends.  The first process of the node prints the sum, or writes it to a file
 * (report/json.h), when its component is closed, behind MPI_Finalize's fence.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_REPORT_H
#define MCA_COLL_SYMM_REPORT_H

#include "mca/ompi_compat.h"

/* Gives the name of the server of a process; NULL: it has none.  Returns an error of Open MPI. */
typedef int symm_server_name_get(const ompi_proc_t *proc, const char **name);

/* Make the shared counters, which the node's first process offers to all.  At component open. */
void mca_coll_symm_report_open(void);

/* Find the shared counters, once the processes know each other; later calls do nothing. */
void mca_coll_symm_report_attach(symm_server_name_get *name_get);

/* Print and write the report, if this process is the one to do so, and free everything. */
void mca_coll_symm_report_close(void);

#endif /* MCA_COLL_SYMM_REPORT_H */
