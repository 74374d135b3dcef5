/*
 * fast/prompt_reductions.c - see fast/prompt.h: reduces and scans.
 *
 * The run is that of an operation, so the same inputs give the same bits.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/fast/prompt_line.h"

#include <string.h>

#include "mca/coll/symm/choose/before.h"

/* This rank gets the result of all lines, or in a scan of those before its own. */
static void reduce(const struct prompt *prompt, const struct symm_call *call)
{
    struct symm_run *run = &prompt->module->blocking.operation.run;
    run->team = prompt->team;
    run->algorithm =
        (enum symm_algorithm)symm_collective_get(prompt->collective)->inline_algorithm;
    run->sequence = prompt->team->sequence;
    run->count = call->count;
    run->root = call->root;
    run->reduction = &call->reduction;
    run->output = call->output;
    (void)symm_run_step(run); /* one step is all of such a run */
}

bool mca_coll_symm_prompt_reduction(mca_coll_symm_module_t *module)
{
    const struct symm_call *call = &module->call;
    struct symm_team *team = module->blocking.team;
    const size_t bytes = call->payload_bytes;
    if (!prompt_is_ready(module) || call->device >= 0 || call->veto != SYMM_REASON_NONE ||
        call->gaps != 0 || !ompi_op_is_intrinsic(call->op) ||
        !mca_coll_symm_choose_inline(call->collective, team, bytes)) {
        return false;
    }
    const struct prompt prompt = {
        .module = module, .team = team, .collective = call->collective, .root = call->root,
        .signature = call->signature, .count = call->agreed_count, .flags = LINE_LOOSE};
    bool is_prefix = symm_collective_get(call->collective)->is_prefix;
    bool has_result = is_prefix || prompt_is_root(&prompt);
    if (!prompt_have_given(&prompt, is_prefix ? team->rank : has_result ? team->size : 0)) {
        return false;
    }
    memcpy(prompt_line(&prompt, team->rank)->payload, call->input, bytes);
    prompt_line_post(&prompt);
    if (has_result) {
        reduce(&prompt, call);
    }
    prompt_end(&prompt, bytes, bytes);
    return true;
}
