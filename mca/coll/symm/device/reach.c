/*
 * device/reach.c - see device/reach.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/device/reach.h"

#include "heap/gpu/cuda_device.h"
#include "mca/coll/symm/base/module.h"
#include "mca/help.h"
#include "mca/once.h"

/*
 * Get what has failed in the driver.  False: something else has failed, and rank 0 tells the user;
 * or the user is told in another place.  The memory pool tells the user if this rank's device
 * cannot share memory.  If the program has broken its context, the copies then fail, too.
 */
static bool failure_get(enum symm_status status, char *failure, size_t size, bool *is_told)
{
    symm_cuda_last_failure(failure, size);
    *is_told = *failure != '\0';
    return *is_told && status != SYMM_ERR_NOT_FOUND &&
           !symm_cuda_last_failure_is_programs();
}

void mca_coll_symm_device_warn_unusable(const struct symm_operation *operation,
                                        enum symm_status status, bool *is_told)
{
    char failure[SYMM_CUDA_TEXT_SIZE], device[SYMM_CUDA_TEXT_SIZE];
    const char *communicator = operation->comm->c_name;
    int rank = operation->lane->team->rank;
    if (!failure_get(status, failure, sizeof(failure), is_told)) {
        return;
    }
    symm_cuda_device_describe(operation->call->device, device, sizeof(device));
    if (status == SYMM_ERR_NO_MEMORY && symm_once("device full")) {
        symm_help_show("help-coll-symm.txt", "device full", communicator, rank, device, failure);
    } else if (status != SYMM_ERR_NO_MEMORY && symm_once("device unusable")) {
        symm_help_show("help-coll-symm.txt", "device unusable", communicator, rank, device,
                       failure);
    }
}

/* Whether the device is a part of a GPU, as its name says. */
static bool is_slice(const char *device)
{
    return strstr(device, " MIG ") != NULL;
}

static void tell_apart(const struct symm_operation *operation, int rank,
                       const struct symm_location *location, enum symm_status status,
                       bool *is_told)
{
    char failure[SYMM_CUDA_TEXT_SIZE], ours[SYMM_CUDA_TEXT_SIZE];
    char theirs[SYMM_CUDA_TEXT_SIZE] = "unknown";
    const struct symm_team *team = operation->lane->team;
    const char *communicator = operation->comm->c_name;
    if (!failure_get(status, failure, sizeof(failure), is_told)) {
        return;
    }
    symm_cuda_device_describe(operation->call->device, ours, sizeof(ours));
    symm_team_describe_device(team, rank, location, theirs, sizeof(theirs));
    bool sliced = is_slice(ours) || is_slice(theirs);
    if (sliced && symm_once("devices sliced")) {
        symm_help_show("help-coll-symm.txt", "devices sliced", communicator, team->rank, ours, rank,
                       theirs, failure);
    } else if (!sliced && symm_once("devices apart")) {
        symm_help_show("help-coll-symm.txt", "devices apart", communicator, team->rank, ours, rank,
                       theirs, failure);
    }
}

enum symm_status mca_coll_symm_device_reach(const struct symm_operation *operation, int rank,
                                            const struct symm_location *location,
                                            enum symm_status mapped, bool *is_told)
{
    enum symm_status status = mapped;
    if (operation->call->device < 0 || mapped == SYMM_PENDING) {
        return mapped;
    }
    if (mapped == SYMM_OK) {
        const void *address = symm_team_address(operation->lane->team, rank, location);
        status = symm_cuda_device_reach(operation->call->device, address);
    }
    if (status == SYMM_ERR_NO_MEMORY) {
        mca_coll_symm_device_warn_unusable(operation, status, is_told);
    } else if (status != SYMM_OK) {
        tell_apart(operation, rank, location, status, is_told);
    }
    return status;
}

enum symm_status mca_coll_symm_device_opened(const struct symm_operation *operation, int rank,
                                             enum symm_status opened, bool *is_told)
{
    char failure[SYMM_CUDA_TEXT_SIZE], device[SYMM_CUDA_TEXT_SIZE];
    const char *communicator = operation->comm->c_name;
    int ours = operation->lane->team->rank;
    if (opened == SYMM_OK || opened == SYMM_PENDING ||
        !failure_get(opened, failure, sizeof(failure), is_told) ||
        !symm_once("memory from elsewhere")) {
        return opened;
    }
    symm_cuda_device_describe(operation->call->device, device, sizeof(device));
    symm_help_show("help-coll-symm.txt", "memory from elsewhere", communicator, ours, device, rank,
                   failure);
    return opened;
}
