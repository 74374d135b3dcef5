/*
 * agree/facts.c - see agree/facts.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/agree/facts.h"

#include "mca/coll/symm/agree/blocks.h"
#include "mca/coll/symm/resources/resource.h"

void mca_coll_symm_facts_gather(struct symm_operation *operation, struct symm_facts *facts)
{
    const struct symm_team *team = operation->lane->team;
    const struct symm_call *call = operation->call;
    *facts = (struct symm_facts){
        .table = mca_coll_symm_choose_table(team),
        .collective = call->collective,
        .ranks = team->size,
        .bytes = call->payload_bytes,
        .packed = call->payload_bytes,
        .piece_size = team->control.piece_size,
        .forced = mca_coll_symm_choose_forced(call->collective, team),
        .device = call->device >= 0,
        .beside = call->form != SYMM_CALL_BLOCKING,
    };
    mca_coll_symm_resources_note(operation, facts);
    if (symm_collective_get(call->collective)->has_blocks) {
        mca_coll_symm_blocks_facts(operation, facts);
    }
}
