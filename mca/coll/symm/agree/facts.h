/*
 * agree/facts.h - what the choice of the algorithm depends on, gathered from all ranks' lines.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_AGREE_FACTS_H
#define MCA_COLL_SYMM_AGREE_FACTS_H

#include "mca/coll/symm/base/operation.h"
#include "mca/coll/symm/choose/choose.h"

/* Gather the facts from all lines. */
void mca_coll_symm_facts_gather(struct symm_operation *operation, struct symm_facts *facts);

#endif /* MCA_COLL_SYMM_AGREE_FACTS_H */
