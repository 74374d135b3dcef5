/*
 * ordering_multicast.c - in the place of what sets up multicast: in test_ordering all ranks have
 * it, and the replicas are where their lines say that buffers are.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/resources/resource.h"
#include "tests/unit/ordering/ordering_model.h"

#include <stdlib.h>

/* Of each rank, as ranks may be in different calls. */
static unsigned char *input_replicas[MODEL_RANKS_MAX][MODEL_RANKS_MAX];
static unsigned char *output_replicas[MODEL_RANKS_MAX][MODEL_RANKS_MAX];

static void note(struct symm_operation *operation, struct symm_facts *facts)
{
    (void)operation;
    facts->multimem = true;
    facts->multicast_inputs = facts->inputs_reachable;
    facts->multicast_outputs = facts->outputs_reachable;
}

static bool resolve(struct symm_operation *operation, const struct symm_facts *facts)
{
    struct symm_work *work = &operation->work;
    int self = work->team->rank;
    (void)facts;
    if (!symm_algorithm_is_multimem(work->algorithm)) {
        return true;
    }
    for (int rank = 0; rank < work->team->size; rank++) {
        const struct line_buffers *buffers = buffers_of(mca_coll_symm_line(operation, rank));
        input_replicas[self][rank] = (unsigned char *)(uintptr_t)buffers->input.offset;
        output_replicas[self][rank] = (unsigned char *)(uintptr_t)buffers->output.offset;
    }
    work->multicast_input = (struct symm_multicast_address){.replicas = input_replicas[self]};
    work->multicast_output = (struct symm_multicast_address){.replicas = output_replicas[self]};
    return true;
}

const struct symm_resource mca_coll_symm_multicast = {
    .name = "multicast", .on_host = true, .note = note, .resolve = resolve,
};
