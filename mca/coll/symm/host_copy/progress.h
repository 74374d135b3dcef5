/*
 * host_copy/progress.h - the requests that are under way, and moving them on.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_PROGRESS_H
#define MCA_COLL_SYMM_HOST_COPY_PROGRESS_H

#include "mca/coll/symm/host_copy/request_state.h"

/*
 * From now on opal_progress() moves the request on and completes it.  The program may have it freed
 * at once, in another thread.
 */
void mca_coll_symm_host_copy_progress_add(struct symm_host_copy_request *request);

/* The copies of a nonblocking call, or of a freed persistent one, are no longer needed. */
void mca_coll_symm_host_copy_progress_empty(struct symm_host_copy_request *request);

/* The component is closed; a program that still has requests under way is in error. */
void mca_coll_symm_host_copy_progress_close(void);

#endif /* MCA_COLL_SYMM_HOST_COPY_PROGRESS_H */
