/*
 * coll_symm_device.h - calls whose buffers lie in device memory.
 *
 * Kernels serve them where all ranks' buffers do, can be reached by all ranks, and the reduction has a
 * kernel.  All other calls go to the component below, on copies in host memory (coll_symm_staging.h).
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
 * call->foreign says that one at least is in device memory that is not of our heaps, or is managed memory.
 */
void mca_coll_symm_device_describe(struct symm_call *call);

/*
 * The kernel that does what MPI_Allreduce with this operation and datatype does: enum symm_cuda_type and
 * enum symm_cuda_op.  False: there is none.
 */
bool mca_coll_symm_cuda_type(const struct ompi_op_t *op, const struct ompi_datatype_t *dtype,
                             int *type, int *cuda_op);

/*
 * Get what this process needs to run kernels on the call's device, before the ranks vote about mapping;
 * and hand it to the run, when it starts.  Nothing to do for host memory.
 */
enum symm_status mca_coll_symm_device_prepare(struct symm_operation *operation);
void mca_coll_symm_device_run_start(struct symm_operation *operation);

/* The run has ended because a device has failed: its rank tells the user.  Returns the error for MPI. */
int mca_coll_symm_device_failure(const struct symm_operation *operation);

/* Tell the user that a device has failed in a call, and with what; returns the error for MPI. */
int mca_coll_symm_device_failed(struct ompi_communicator_t *comm, const char *call);

#endif /* MCA_COLL_SYMM_DEVICE_H */
