/*
 * agree/post.h - posting a line: what this rank tells the others about a call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_AGREE_POST_H
#define MCA_COLL_SYMM_AGREE_POST_H

#include "mca/coll/symm/base/operation.h"

/*
 * Post this rank's line.  It holds the payload if that fits in the slot, and otherwise says where
 * the buffers are.  The function may adopt the output as the input (operation->work.input,
 * operation->in_place).  Resources have been prepared before (resources/resource.h).
 */
void mca_coll_symm_line_post(struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_AGREE_POST_H */
