/*
 * agree/map.h - mapping the segments that lines name.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_AGREE_MAP_H
#define MCA_COLL_SYMM_AGREE_MAP_H

#include "mca/coll/symm/base/operation.h"

/*
 * Go on mapping the segments that the lines name.  Returns SYMM_OK when all have been tried.  A
 * failure is in operation->map_status.
 */
enum symm_status mca_coll_symm_segments_map(struct symm_operation *operation);

/* Record for the team how the mapping went. */
void mca_coll_symm_segments_settle(struct symm_operation *operation, bool all_mapped);

#endif /* MCA_COLL_SYMM_AGREE_MAP_H */
