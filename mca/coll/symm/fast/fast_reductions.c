/*
 * fast/fast_reductions.c - see fast/fast.h: reduces and scans.
 *
 * The run is that of an operation, so the same inputs give the same bits.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/fast/fast_line.h"

#include <string.h>

#include "mca/coll/symm/choose/before.h"

/* This rank gets the result of all lines, or in a scan of those before its own. */
static void reduce(const struct fast_call *fast, const struct symm_call *call)
{
    struct symm_operation *operation = &fast->module->blocking.operation;
    struct symm_work *work = &operation->work;
    work->team = fast->team;
    work->algorithm =
        (enum symm_algorithm)symm_collective_get(fast->collective)->inline_algorithm;
    work->sequence = fast->team->sequence;
    work->count = call->count;
    work->root = call->root;
    work->reduction = &call->reduction;
    work->output = call->output.at;
    (void)symm_run_step(&operation->run); /* one step is all of such a run */
}

bool mca_coll_symm_fast_reduction(mca_coll_symm_module_t *module)
{
    const struct symm_call *call = &module->call;
    struct symm_team *team = module->blocking.team;
    const size_t bytes = call->payload_bytes;
    if (!fast_is_ready(module) || call->device >= 0 || call->veto != SYMM_REASON_NONE ||
        call->gaps != 0 || !ompi_op_is_intrinsic(call->op) ||
        !mca_coll_symm_choose_inline(call->collective, team, bytes)) {
        return false;
    }
    const struct fast_call fast = {
        .module = module, .team = team, .collective = call->collective, .root = call->root,
        .signature = call->signature, .count = call->agreed_count, .flags = LINE_LOOSE};
    bool is_prefix = symm_collective_get(call->collective)->is_prefix;
    bool has_result = is_prefix || fast_is_root(&fast);
    if (!fast_have_given(&fast, is_prefix ? team->rank : has_result ? team->size : 0)) {
        return false;
    }
    memcpy(fast_line(&fast, team->rank)->payload, call->input.at, bytes);
    fast_line_post(&fast);
    if (has_result) {
        reduce(&fast, call);
    }
    fast_end(&fast, bytes, bytes);
    return true;
}
