/*
 * report/shortage.h - why a rank cannot share memory: one int that ranks can send each other, and
 * what the user is told about it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_REPORT_SHORTAGE_H
#define MCA_COLL_SYMM_REPORT_SHORTAGE_H

#include "mca/coll/symm/base/operation.h"

/* A bit beside a ballot: the rank that casts the ballot tells the user itself. */
enum { MCA_COLL_SYMM_TOLD = 1 << 30 };

/* A ballot for symm_vote_cast(); 0 for SYMM_OK.  `error`: errno, where it belongs to the status. */
int mca_coll_symm_shortage(enum symm_status status, int error);

enum mca_coll_symm_trouble {
    MCA_COLL_SYMM_CANNOT_SHARE, /* memory with the others of a communicator */
    MCA_COLL_SYMM_CANNOT_MAP,   /* another rank's buffer */
    MCA_COLL_SYMM_CANNOT_SERVE, /* because it cannot even take part in a vote */
};

/*
 * Tell the user what `rank` of a communicator cannot do and why, unless the user has been told
 * before, of any communicator: one is enough as an example.
 */
void mca_coll_symm_shortage_warn(enum mca_coll_symm_trouble trouble, const char *communicator,
                                 int rank, int reason);

/* Another process tells the user. */
void mca_coll_symm_shortage_is_told(void);

/* A vote of an operation has been lost: rank 0 tells the user, for all ranks. */
void mca_coll_symm_vote_lost_warn(const struct symm_operation *operation,
                                  enum mca_coll_symm_trouble trouble);

#endif /* MCA_COLL_SYMM_REPORT_SHORTAGE_H */
