/*
 * device/device.c - see device/device.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/device/device.h"

#include "heap/cuda_device.h"
#include "kernels/cuda/steps.h"
#include "mca/coll/symm/agree/multicast.h"
#include "mca/coll/symm/data/recognise.h"
#include "mca/help.h"

/* ---- where buffers lie ----------------------------------------------------------------------- */

/* The device of the memory at `address`; *elsewhere: what is known of it, if it is not of a heap of ours. */
static int device_of(const void *address, struct symm_memory *elsewhere, bool *foreign)
{
    struct symm_place place;
    *elsewhere = (struct symm_memory){.kind = SYMM_MEMORY_HOST, .device = -1};
    if (mca_coll_symm_is_known_host(address) || !symm_cuda_is_built()) {
        return -1;
    }
    mca_coll_symm_recognise(address, &place);
    if (place.memory.device >= 0 && !place.ours) {
        *elsewhere = place.memory;
        *foreign = *foreign || !symm_cuda_memory_is_usable(elsewhere, address);
    }
    return place.memory.device;
}

void mca_coll_symm_device_describe(struct symm_call *call)
{
    /* The first byte decides: buffers lie in one allocation each. */
    call->foreign = false;
    int output = device_of(call->output, &call->output_memory, &call->foreign), input = output;
    if (call->in_place) {
        call->input_memory = call->output_memory;
    } else {
        input = device_of(call->input, &call->input_memory, &call->foreign);
    }
    if (output >= 0 && call->input_memory.kind == SYMM_MEMORY_MANAGED) {
        input = output; /* it is where it is used */
    } else if (input >= 0 && call->output_memory.kind == SYMM_MEMORY_MANAGED) {
        output = input;
    }
    call->mixed = input != output;
    call->device = output >= 0 ? output : input;
    if (call->device >= 0 && !call->foreign && !call->mixed) { /* copies in host memory wait themselves */
        if (call->input_memory.kind != SYMM_MEMORY_HOST ||
            call->output_memory.kind != SYMM_MEMORY_HOST) {
            symm_cuda_memory_settle(call->device);
        } else {
            symm_cuda_sync_memops(call->device);
        }
    }
}

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

enum symm_status mca_coll_symm_device_prepare(struct symm_operation *operation)
{
    struct symm_device *device;
    if (operation->call.device < 0) {
        return SYMM_OK;
    }
    symm_cuda_forget_failure();
    enum symm_status status = symm_device_get(operation->call.device, &device);
    if (status != SYMM_OK) {
        mca_coll_symm_device_tell_unusable(operation, status);
    }
    return status;
}

static void run_describe(struct symm_run *run, const struct symm_call *call)
{
    /* It has been got before: then the ranks agreed on mapping these buffers. */
    (void)symm_device_get(call->device, &run->device);
    run->cuda_type = (enum symm_cuda_type)call->cuda_type;
    run->cuda_op = (enum symm_cuda_op)call->cuda_op;
    run->block_limit = (unsigned)mca_coll_symm_component.device_blocks;
}

void mca_coll_symm_device_start_early(struct symm_operation *operation)
{
    const struct symm_call *call = &operation->call;
    struct symm_run *run = &operation->run;
    run->early = false;
    if (operation->scratch != NULL && operation->stages_expected &&
        operation->module->stages_device == call->device) {
        run_describe(run, call);
        run->input = call->input;
        symm_run_start_early(run, call->count * call->extent, operation->scratch,
                             operation->scratch_size);
    }
}

void mca_coll_symm_device_run_start(struct symm_operation *operation)
{
    const struct symm_call *call = &operation->call;
    struct symm_run *run = &operation->run;
    run->device = NULL;
    if (call->device < 0) {
        return;
    }
    run_describe(run, call);
    if (symm_algorithm_is_multimem(run->algorithm)) {
        run->block_limit = mca_coll_symm_multicast_blocks();
    }
    if (run->algorithm == SYMM_ALLREDUCE_CUDA_SCRATCH ||
        run->algorithm == SYMM_ALLGATHER_CUDA_SCRATCH) {
        operation->module->stages_device = call->device;
    }
    if (run->algorithm == SYMM_ALLREDUCE_CUDA_PUSH ||
        run->algorithm == SYMM_ALLREDUCE_CUDA_COPY_ENGINE) {
        run->pipeline = (struct symm_pipeline){0};
    }
}

void mca_coll_symm_device_run_refuse(struct symm_operation *operation)
{
    symm_cuda_depart(&operation->run, SYMM_ERR_NOT_FOUND);
}

int mca_coll_symm_device_failure(const struct symm_operation *operation)
{
    static const char *const calls[SYMM_COLLECTIVE_COUNT] = {"MPI_Allreduce", "MPI_Allgather"};
    const struct symm_run *run = &operation->run;
    if (run->failed_rank == run->team->rank) { /* the others know no more than that */
        return mca_coll_symm_device_failed(operation->comm, calls[operation->call.collective]);
    }
    return OMPI_ERROR;
}
