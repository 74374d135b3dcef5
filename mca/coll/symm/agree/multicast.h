/*
 * agree/multicast.h - calls whose buffers are reached through a multicast address
 * (heap/multicast.h).
 *
 * Each rank's line says whether the rank wants multicast, so every rank knows whether all do.  When
 * a call has been given an algorithm by multicast and its buffers have no multicast address yet,
 * the ranks set one up, with a vote after each step.  If anything fails on any rank, all ranks go
 * on with an algorithm that needs no multicast.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_AGREE_MULTICAST_H
#define MCA_COLL_SYMM_AGREE_MULTICAST_H

#include "mca/coll/symm/base/operation.h"
#include "mca/coll/symm/choose/choose.h"

/*
 * The flags that hold this rank's reason against multicast.  The rest of its line has to be
 * described before.
 */
uint32_t mca_coll_symm_multicast_flags(const struct symm_operation *operation,
                                       const struct symm_line *line);

/*
 * Add the facts about multicast, once the other facts are known.  All ranks find the same.  An
 * address that has yet to be set up counts as possible.
 */
void mca_coll_symm_multicast_facts(struct symm_operation *operation, struct symm_facts *facts);

/*
 * Whether `algorithm` needs an address that has yet to be set up.  If so, its set-up has been
 * begun.
 */
bool mca_coll_symm_multicast_begin(struct symm_operation *operation, enum symm_algorithm algorithm);

/*
 * Go on with setting up the address.  Returns SYMM_PENDING until that is over.  SYMM_OK: it is
 * known whether there is an address, so the caller has to choose again.  SYMM_ERR_SYSTEM: the vote
 * has failed, with vote.error.
 */
enum symm_status mca_coll_symm_multicast_step(struct symm_operation *operation);

/* Put the addresses that the run needs into the run.  They have been set up. */
void mca_coll_symm_multicast_resolve(struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_AGREE_MULTICAST_H */
