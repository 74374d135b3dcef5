/*
 * transfer/packed_rooted.h - the step functions of transfer/packed.h for collectives with a root.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_TRANSFER_PACKED_ROOTED_H
#define MCA_COLL_SYMM_TRANSFER_PACKED_ROOTED_H

#include "mca/coll/symm/base/operation.h"

/* Broadcast and scatter. */
enum symm_status mca_coll_symm_packed_from_root_slot(struct symm_operation *operation);
enum symm_status mca_coll_symm_packed_from_root_staged(struct symm_operation *operation);
enum symm_status mca_coll_symm_packed_from_root_pull(struct symm_operation *operation);

/* Gather. */
enum symm_status mca_coll_symm_packed_gather_slot(struct symm_operation *operation);
enum symm_status mca_coll_symm_packed_gather_staged(struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_TRANSFER_PACKED_ROOTED_H */
