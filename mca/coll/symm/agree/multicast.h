/*
 * agree/multicast.h - calls whose buffers are reached through a multicast address
 * (heap/multicast.h).
 *
 * Each rank's line says whether it wants multicast, so all know whether all do.  When a call has
 * been given an algorithm by multicast and its buffers have no address yet, the ranks set one up,
 * with a vote behind each step.  Whatever goes wrong, on any rank: all go on without, by an
 * algorithm that needs none.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_AGREE_MULTICAST_H
#define MCA_COLL_SYMM_AGREE_MULTICAST_H

#include "mca/coll/symm/base/operation.h"
#include "mca/coll/symm/choose/choose.h"

/* The flags of this rank's line, the rest of which is described: what it has against multicast. */
uint32_t mca_coll_symm_multicast_flags(const struct symm_operation *operation,
                                       const struct symm_line *line);

/*
 * The facts about multicast, once the others are known; all ranks come to the same.  What has yet
 * to be set up counts as possible.
 */
void mca_coll_symm_multicast_facts(struct symm_operation *operation, struct symm_facts *facts);

/* Whether `algorithm` needs an address that has yet to be set up; then that has been begun. */
bool mca_coll_symm_multicast_begin(struct symm_operation *operation, enum symm_algorithm algorithm);

/*
 * Go on with it.  PENDING; or SYMM_OK: it is known whether there is an address, so choose again;
 * SYMM_ERR_SYSTEM: the vote has failed, with vote.error.
 */
enum symm_status mca_coll_symm_multicast_step(struct symm_operation *operation);

/* The addresses that the run needs, which have been set up; in the run. */
void mca_coll_symm_multicast_resolve(struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_AGREE_MULTICAST_H */
