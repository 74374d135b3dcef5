/*
 * device/device.h - calls whose buffers lie in device memory.
 *
 * Kernels serve them where all ranks' buffers do, can be reached by all ranks, and the reduction has a
 * kernel.  All other calls go to the component below, on copies in host memory (host_copy/call.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_DEVICE_H
#define MCA_COLL_SYMM_DEVICE_H

#include "mca/coll/symm/coll_symm.h"

#include "kernels/cuda/arguments.h"

/*
 * Find out where the buffers of a call lie: call->device is the device of both, or -1 for host memory;
 * call->mixed says that they lie in different places, and one at least on a device.
 * What is in device memory that is not of our heaps is described in call->input_memory and output_memory;
 * call->foreign says that our kernels cannot use one at least.
 */
void mca_coll_symm_device_describe(struct symm_call *call);

/*
 * Get what this process needs to run kernels on the call's device, before the ranks vote about mapping;
 * and hand it to the run, when it starts.  Nothing to do for host memory.
 */
enum symm_status mca_coll_symm_device_prepare(struct symm_operation *operation);
void mca_coll_symm_device_run_start(struct symm_operation *operation);

/*
 * After that: this rank cannot do its part, though all have agreed: instead of running the algorithm all ranks fail.
 */
void mca_coll_symm_device_run_refuse(struct symm_operation *operation);

/*
 * After symm_team_map() of a buffer of `rank` has returned `mapped`: whether the call's device can use it.
 * Where device memory cannot be mapped or used, the user is told, with the names of the devices.
 * Returns `mapped`, or the error of the device.
 */
enum symm_status mca_coll_symm_device_reach(struct symm_operation *operation, int rank,
                                            const struct symm_location *location,
                                            enum symm_status mapped);

/*
 * The same for symm_team_open(), which opens what is not from MPI_Alloc_mem.  Returns `opened`.
 */
enum symm_status mca_coll_symm_device_opened(struct symm_operation *operation, int rank,
                                             enum symm_status opened);

/* The call's device cannot run our kernels: tell the user why, if that is not known already. */
void mca_coll_symm_device_tell_unusable(struct symm_operation *operation, enum symm_status status);

/*
 * After this rank's line has been posted: begin with a small call that has to go through scratch.  Nothing
 * to do for others, nor for the first.
 */
void mca_coll_symm_device_start_early(struct symm_operation *operation);

/* The run has ended because a device has failed: its rank tells the user.  Returns the error for MPI. */
int mca_coll_symm_device_failure(const struct symm_operation *operation);

/* Tell the user that a device has failed in a call, and with what; returns the error for MPI. */
int mca_coll_symm_device_failed(struct ompi_communicator_t *comm, const char *call);

#endif /* MCA_COLL_SYMM_DEVICE_H */
