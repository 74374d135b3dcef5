/*
 * agree/buffers.h - where the buffers of all ranks are in this process.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_AGREE_BUFFERS_H
#define MCA_COLL_SYMM_AGREE_BUFFERS_H

#include "mca/coll/symm/base/operation.h"
#include "mca/coll/symm/choose/choose.h"

/*
 * Fill run.inputs and run.outputs with the addresses of all reachable buffers, and the run with
 * those of resources.  All ranks meet
 * here, so the function also unmaps segments that others have given back.  It returns false if
 * memory from elsewhere that all ranks count on is not mapped here any more, because its owner has
 * freed it after the call had begun.
 */
bool mca_coll_symm_buffers_resolve(struct symm_operation *operation,
                                   const struct symm_facts *facts);

#endif /* MCA_COLL_SYMM_AGREE_BUFFERS_H */
