/*
 * choose/built_in.h - the rows that measurements have given: which algorithm is preferred for what.
 *
 * Each block of rows names the file of its measurement.  A team's table is filled from them
 * (choose/table.c).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_CHOOSE_BUILT_IN_H
#define MCA_COLL_SYMM_CHOOSE_BUILT_IN_H

#include "mca/coll/symm/choose/table.h"

/* In their order: the first row whose algorithm is possible counts. */
extern const struct symm_row mca_coll_symm_built_in[];
extern const size_t mca_coll_symm_built_in_count;

/* The same for little data on devices: these rows stand ahead of the model's. */
extern const struct symm_row mca_coll_symm_built_in_little[];
extern const size_t mca_coll_symm_built_in_little_count;

#endif /* MCA_COLL_SYMM_CHOOSE_BUILT_IN_H */
