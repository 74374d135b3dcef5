/*
 * transfer/packed_blocks.h - exchanges of blocks with gaps: steps for transfer/packed.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_TRANSFER_PACKED_BLOCKS_H
#define MCA_COLL_SYMM_TRANSFER_PACKED_BLOCKS_H

#include "mca/coll/symm/base/operation.h"

/* All blocks have come packed in the lines. */
enum symm_status mca_coll_symm_packed_blocks_slot(struct symm_operation *operation);

/*
 * A rank packs the block for each peer into its row of the staging buffers, which the block has to
 * fit.  There is one piece, so no element is cut in two, and there is one phase.
 */
enum symm_status mca_coll_symm_packed_blocks_staged(struct symm_operation *operation);

/* Peers reach all inputs, which have no gaps.  Blocks are unpacked from there. */
enum symm_status mca_coll_symm_packed_blocks_pull(struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_TRANSFER_PACKED_BLOCKS_H */
