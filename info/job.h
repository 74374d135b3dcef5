/*
 * job.h - symm_info under mpirun.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef INFO_JOB_H
#define INFO_JOB_H

#include <stdbool.h>

/* Whether this process is a rank. */
bool job_is_there(void);

/* Returns the exit status. */
int job_run(bool json);

#endif /* INFO_JOB_H */
