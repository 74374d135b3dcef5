/*
 * transfer/late_data.c - see transfer/late_data.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/transfer/late_data.h"

#include "kernels/cuda/steps.h"
#include "mca/coll/symm/agree/loose.h"
#include "mca/coll/symm/agree/mismatch.h"
#include "mca/coll/symm/device/bounce.h"
#include "mca/coll/symm/device/device.h"

enum { STEP_BROUGHT = 1 };

/* ---- data ------------------------------------------------------------------------------------ */

void mca_coll_symm_late_fail(struct symm_operation *operation, int error)
{
    operation->run.failure = SYMM_ERR_SYSTEM;
    operation->error = error;
}

/* A buffer in any memory, as host_copy has it. */
static struct symm_host_copy host_copy_of(const struct symm_operation *operation,
                                          const struct symm_layout *layout, const void *buffer)
{
    return (struct symm_host_copy){
        .side = {.shape = SYMM_SIDE_EVEN, .buffer = buffer, .count = layout->count,
                 .dtype = layout->dtype},
        .pieces = 1, .kinds = operation->lane->module->super.kinds};
}

static void copy_end(struct symm_operation *operation, struct symm_host_copy *copy, int rc)
{
    if (rc == OMPI_ERROR) {
        (void)mca_coll_symm_device_failed(
            operation->comm, symm_collective_get(operation->call->collective)->mpi_name);
    }
    if (rc != OMPI_SUCCESS) {
        mca_coll_symm_late_fail(operation, rc);
    }
    mca_coll_symm_host_copy_close(copy);
}

void mca_coll_symm_late_bring(struct symm_operation *operation, const struct symm_layout *layout,
                               const void *buffer, void *packed)
{
    if (mca_coll_symm_late_is_on_host(operation->call)) {
        mca_coll_symm_pack(layout, buffer, packed);
        return;
    }
    struct symm_host_copy copy = host_copy_of(operation, layout, buffer);
    copy.read = (struct symm_pieces){0, 1};
    int rc = mca_coll_symm_host_copy_open(&copy);
    if (rc == OMPI_SUCCESS) {
        mca_coll_symm_pack(layout, copy.address, packed);
    }
    copy_end(operation, &copy, rc);
}

void mca_coll_symm_late_deliver(struct symm_operation *operation,
                                 const struct symm_layout *layout, const void *packed,
                                 void *buffer)
{
    if (mca_coll_symm_late_is_on_host(operation->call)) {
        mca_coll_symm_unpack(layout, packed, buffer);
        return;
    }
    struct symm_host_copy copy = host_copy_of(operation, layout, buffer);
    copy.written = (struct symm_pieces){0, 1};
    if (layout->bytes < mca_coll_symm_bytes(layout->dtype, layout->count)) {
        copy.read = copy.written; /* what lies behind stays as it is */
    }
    int rc = mca_coll_symm_host_copy_open(&copy); /* waits for work on the buffer as well */
    if (rc == OMPI_SUCCESS) {
        mca_coll_symm_unpack(layout, packed, copy.address);
        rc = mca_coll_symm_host_copy_store(&copy);
    }
    copy_end(operation, &copy, rc);
}

void mca_coll_symm_late_truncated(struct symm_operation *operation, int sender, size_t bytes,
                                   size_t room)
{
    mca_coll_symm_late_fail(operation,
                             mca_coll_symm_truncated_report(operation, sender, bytes, room));
}

/* ---- waiting --------------------------------------------------------------------------------- */

void mca_coll_symm_late_tell(struct symm_run *run)
{
    symm_run_raise(run, run->failure == SYMM_OK ? STEP_BROUGHT : SYMM_CUDA_STEP_FAILED);
}

/* Behind the last rank that is waited for: in a scan this rank, and at a root all but itself. */
static int awaited_end(const struct symm_operation *operation)
{
    const struct symm_team *team = operation->work.team;
    return symm_collective_get(operation->call->collective)->is_prefix ? team->rank : team->size;
}

/* The next rank, from run->seen on, whose line came without data. */
static void next_find(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    while (run->seen < awaited_end(operation) &&
           (run->seen == run->work->root ||
            mca_coll_symm_line_has_data(operation, run->seen))) {
        run->seen++;
    }
}

void mca_coll_symm_late_await(struct symm_operation *operation)
{
    operation->run.seen = 0;
    next_find(operation);
}

bool mca_coll_symm_late_have_brought(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    while (run->seen < awaited_end(operation)) {
        uint64_t step = symm_phase_of(&run->work->team->control, run->work->sequence, run->seen);
        if (step < STEP_BROUGHT) {
            return false;
        }
        if (step == SYMM_CUDA_STEP_FAILED) {
            mca_coll_symm_late_fail(operation, OMPI_ERROR);
        }
        run->seen++;
        next_find(operation);
    }
    return true;
}
