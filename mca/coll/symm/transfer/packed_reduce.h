/*
 * transfer/packed_reduce.h - reductions of elements with gaps, or of elements that have gaps on
 * other ranks (transfer/packed.c).
 *
 * Only user-defined operations have such elements, and want them as the program lays them out.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_TRANSFER_PACKED_REDUCE_H
#define MCA_COLL_SYMM_TRANSFER_PACKED_REDUCE_H

#include "mca/coll/symm/base/operation.h"

enum symm_status mca_coll_symm_packed_reduce_slot(struct symm_operation *operation);
enum symm_status mca_coll_symm_packed_reduce_staged(struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_TRANSFER_PACKED_REDUCE_H */
