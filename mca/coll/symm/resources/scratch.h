/*
 * resources/scratch.h - scratch that ranks offer in their lines.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_RESOURCES_SCRATCH_H
#define MCA_COLL_SYMM_RESOURCES_SCRATCH_H

#include "mca/coll/symm/resources/resource.h"

/*
 * All lines are there: the bytes of scratch that each rank offers and all can map, or of the pads
 * in its place if `is_pad`; 0: some rank has none.  Sets facts->unmapped.
 */
size_t mca_coll_symm_scratch_least(const struct symm_operation *operation, bool is_pad,
                                   struct symm_facts *facts);

#endif /* MCA_COLL_SYMM_RESOURCES_SCRATCH_H */
