/*
 * base/processors.h - whether ranks take turns on processors.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_BASE_PROCESSORS_H
#define MCA_COLL_SYMM_BASE_PROCESSORS_H

#include <stdbool.h>

/* Whether this job's ranks on the node outnumber its processors.  Found out once. */
bool mca_coll_symm_processors_are_shared(void);

#endif /* MCA_COLL_SYMM_BASE_PROCESSORS_H */
