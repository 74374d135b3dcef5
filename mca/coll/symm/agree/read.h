/*
 * agree/read.h - reading the lines of a call: whether all ranks have made the same call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_AGREE_READ_H
#define MCA_COLL_SYMM_AGREE_READ_H

#include "mca/coll/symm/base/operation.h"

/* What the lines read so far say. */
enum symm_agreement {
    SYMM_AGREEMENT_ALIKE,    /* all are there and say the same */
    SYMM_AGREEMENT_PENDING,  /* some lines are missing */
    SYMM_AGREEMENT_VETO,     /* some rank cannot be served */
    SYMM_AGREEMENT_MISMATCH, /* operation->mismatch made another call */
    SYMM_AGREEMENT_LEFT,     /* a loose call that has to be served: ranks have left it */
};

/* Read the lines of all ranks.  Loose calls: see agree/loose.h. */
enum symm_agreement mca_coll_symm_lines_read(struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_AGREE_READ_H */
