/*
 * transfer/packed.h - algorithms for data with gaps, which is packed on its way in or unpacked on
 * its way out.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_TRANSFER_PACKED_H
#define MCA_COLL_SYMM_TRANSFER_PACKED_H

#include "mca/coll/symm/base/operation.h"

/*
 * A step in place of symm_run_step(), which unpacks what the others have packed.  It runs on a rank
 * whose data travels in the slot and has gaps.  For larger blocks it runs on all ranks if one has
 * gaps.
 */
enum symm_status mca_coll_symm_packed_step(struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_TRANSFER_PACKED_H */
