/*
 * built_for.h - the release of Open MPI that a component was built for, for symm_info to read.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_MCA_BUILT_FOR_H
#define SYMM_MCA_BUILT_FOR_H

#include "heap/symm.h"

/* "4.1.4".  A function, because both components have it: AddressSanitizer objects to a variable. */
SYMM_API const char *symm_built_for_ompi(void);

#endif /* SYMM_MCA_BUILT_FOR_H */
