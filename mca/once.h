/*
 * once.h - decides which process of a job gives a message that is to be given once.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_MCA_ONCE_H
#define SYMM_MCA_ONCE_H

#include "mca/ompi_compat.h"

/*
 * Whether the caller is the first process of this job on this node that asks about `topic`.  After
 * that process has ended another one may be the first.  Waits 0.1 s at most, for a process that has
 * become the first in this moment, or for a stranger who has taken its place; then the caller is.
 */
bool symm_once(const char *topic);

/*
 * The same without what Open MPI knows of the job: among the processes that the caller's parent has
 * started.  A process that asks twice is not the first again.
 */
bool symm_once_among_siblings(const char *topic);

#endif /* SYMM_MCA_ONCE_H */
