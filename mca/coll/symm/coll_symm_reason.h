/*
 * coll_symm_reason.h - why a rank cannot share memory: one int that ranks can send each other, and what
 * the user is told about it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_REASON_H
#define MCA_COLL_SYMM_REASON_H

#include "heap/symm.h"

/* A ballot for symm_vote_cast(); 0 for SYMM_OK.  `error`: errno, where it belongs to the status. */
int mca_coll_symm_reason(enum symm_status status, int error);

/*
 * Tell the user that `rank` of a communicator cannot share memory with the others, unless this process
 * has been told so before, of whatever communicator: one will do as an example.
 */
void mca_coll_symm_reason_tell(const char *communicator, int rank, int reason);

/* Another process tells the user. */
void mca_coll_symm_reason_is_told(void);

#endif /* MCA_COLL_SYMM_REASON_H */
