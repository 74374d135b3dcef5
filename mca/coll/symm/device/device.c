/*
 * device/device.c - see device/device.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/device/device.h"

#include "heap/gpu/cuda_device.h"
#include "kernels/cuda/launch/multimem.h"
#include "kernels/cuda/steps.h"
#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/base/module.h"
#include "mca/coll/symm/device/reach.h"
#include "mca/help.h"

/* ---- failures -------------------------------------------------------------------------------- */

int mca_coll_symm_device_failed(struct ompi_communicator_t *comm, const char *call)
{
    char failure[256];
    symm_cuda_last_failure(failure, sizeof(failure));
    if (symm_cuda_last_failure_is_programs()) {
        symm_help_show("help-coll-symm.txt", "program's kernel failed", call, comm->c_name,
                       ompi_comm_rank(comm), failure);
    } else {
        symm_help_show("help-coll-symm.txt", "device failed", call, comm->c_name,
                       ompi_comm_rank(comm), failure);
    }
    return OMPI_ERROR;
}

/* ---- running --------------------------------------------------------------------------------- */

enum symm_status mca_coll_symm_device_prepare(const struct symm_operation *operation, bool *is_told)
{
    struct symm_device *device;
    if (operation->call->device < 0) {
        return SYMM_OK;
    }
    symm_cuda_forget_failure();
    enum symm_status status = symm_device_get(operation->call->device, &device);
    if (status != SYMM_OK) {
        mca_coll_symm_device_warn_unusable(operation, status, is_told);
    }
    return status;
}

void mca_coll_symm_device_work_prepare(struct symm_work *work, const struct symm_call *call)
{
    /* The device has been got before: then the ranks agreed on mapping these buffers. */
    (void)symm_device_get(call->device, &work->device);
    work->cuda_type = (enum symm_cuda_type)call->cuda_type;
    work->cuda_op = (enum symm_cuda_op)call->cuda_op;
    work->block_limit = (unsigned)mca_coll_symm_component.device_blocks;
    work->beside = call->form != SYMM_CALL_BLOCKING;
}

/* Kernels by multicast have a number of blocks of their own. */
static unsigned multicast_blocks(void)
{
    unsigned wanted = (unsigned)mca_coll_symm_component.multicast_blocks;
    unsigned most = (unsigned)mca_coll_symm_component.device_blocks;
    wanted = wanted > 0 ? wanted : SYMM_MULTIMEM_BLOCKS;
    return most > 0 && most < wanted ? most : wanted;
}

void mca_coll_symm_device_run_describe(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    struct symm_work *work = &operation->work;
    mca_coll_symm_device_work_prepare(work, call);
    if (symm_algorithm_is_multimem(work->algorithm)) {
        work->block_limit = multicast_blocks();
    }
    if (mca_coll_symm_device_is_relay(work->algorithm)) {
        operation->lane->relay_device = call->device;
    }
    if (symm_algorithm_has((int)work->algorithm, SYMM_NEEDS_SLICE_SCRATCH)) {
        operation->run.pipeline = (struct symm_pipeline){0};
    }
}

void mca_coll_symm_device_run_refuse(struct symm_operation *operation)
{
    symm_cuda_depart(&operation->run, SYMM_ERR_NOT_FOUND);
}

int mca_coll_symm_device_failure(const struct symm_operation *operation)
{
    const struct symm_run *run = &operation->run;
    if (run->failed_rank == run->work->team->rank) { /* the others know only which rank failed */
        return mca_coll_symm_device_failed(
            operation->comm, symm_collective_get(operation->call->collective)->mpi_name);
    }
    return OMPI_ERROR;
}
