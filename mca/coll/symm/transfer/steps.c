/*
 * transfer/steps.c - the tables of base/steps.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/base/steps.h"

#include "mca/coll/symm/agree/mismatch.h"
#include "mca/coll/symm/device/device.h"
#include "mca/coll/symm/transfer/late.h"
#include "mca/coll/symm/transfer/late_moving.h"
#include "mca/coll/symm/transfer/packed.h"

static enum symm_status plain_step(struct symm_operation *operation)
{
    return symm_run_step(&operation->run);
}

/* ---- blocks that are longer than their places ------------------------------------------------ */

/*
 * A rank that gets a longer block than it has a place for takes part to the end, and fails then:
 * other ranks may still need it.
 */
static enum symm_status truncated_end(struct symm_run *run, enum symm_status status)
{
    if (status == SYMM_OK && run->failure == SYMM_OK) {
        run->failure = SYMM_ERR_ARGUMENT;
    }
    return status;
}

static enum symm_status truncated_step(struct symm_operation *operation)
{
    return truncated_end(&operation->run, plain_step(operation));
}

static enum symm_status truncated_packed_step(struct symm_operation *operation)
{
    return truncated_end(&operation->run, mca_coll_symm_packed_step(operation));
}

static int truncated_failure(const struct symm_operation *operation)
{
    const struct symm_block *block = operation->work.blocks;
    int rank = 0;
    if (operation->run.failure != SYMM_ERR_ARGUMENT) {
        return mca_coll_symm_device_failure(operation);
    }
    while (block[rank].from_bytes <= block[rank].receive_bytes) { /* there is a longer one */
        rank++;
    }
    return mca_coll_symm_truncated_report(operation, rank, block[rank].from_bytes,
                                          block[rank].receive_bytes);
}

static const struct symm_steps truncated = {
    .name = "truncated", .step = truncated_step, .failure = truncated_failure,
};

static const struct symm_steps truncated_packed = {
    .name = "truncated, packed", .step = truncated_packed_step, .failure = truncated_failure,
};

/* ---- all ------------------------------------------------------------------------------------- */

const struct symm_steps mca_coll_symm_steps_plain = {
    .name = "plain",
    .step = plain_step,
    .failure = mca_coll_symm_device_failure,
    .truncated = &truncated,
};

const struct symm_steps mca_coll_symm_steps_packed = {
    .name = "packed",
    .step = mca_coll_symm_packed_step,
    .failure = mca_coll_symm_device_failure,
    .truncated = &truncated_packed,
};

const struct symm_steps mca_coll_symm_steps_late = {
    .name = "late",
    .begin = mca_coll_symm_late_begin,
    .step = mca_coll_symm_late_step,
    .failure = mca_coll_symm_late_failure,
    .end = mca_coll_symm_moving_end,
    .memory = sizeof(struct symm_moving),
};
