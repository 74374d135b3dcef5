/*
 * entry/exchange.h - what the entries of collectives that exchange blocks have in common: from the
 * blocks of both buffers to a description of the call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_ENTRY_EXCHANGE_H
#define MCA_COLL_SYMM_ENTRY_EXCHANGE_H

#include "mca/coll/symm/base/call.h"
#include "mca/coll/symm/data/kinds.h"

/*
 * Describe a call of `collective`.  The caller has set call->input.side, call->output.side,
 * call->in_place, and call->root of a rooted collective.  In place, the blocks that are sent are
 * those that are received, or, of an all-gather, this rank's.
 */
void mca_coll_symm_exchange_describe(struct symm_call *call, enum symm_collective collective,
                                     enum symm_kinds kinds, struct ompi_communicator_t *comm);

#endif /* MCA_COLL_SYMM_ENTRY_EXCHANGE_H */
