/*
 * device/device.h - calls whose buffers lie in device memory.
 *
 * Kernels serve a call if all ranks' buffers lie in device memory, all ranks can reach them, and
 * the reduction has a kernel.  All other calls go to the component below, on copies in host memory
 * (host_copy).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_DEVICE_H
#define MCA_COLL_SYMM_DEVICE_H

#include "mca/coll/symm/base/operation.h"

/* Whether the algorithm takes any memory of a device, in pieces through scratch. */
static inline bool mca_coll_symm_device_is_relay(enum symm_algorithm algorithm)
{
    return symm_algorithm_has((int)algorithm, SYMM_NEEDS_RELAY_SCRATCH);
}

/*
 * The first function gets what this process needs to run kernels on the call's device, before the
 * ranks vote about mapping; *is_told is as in device/reach.h.  The third hands it to the run, when
 * the run starts.  Both do nothing for host memory.  The second hands over as much of it as is
 * known before there is an algorithm.
 */
enum symm_status mca_coll_symm_device_prepare(const struct symm_operation *operation,
                                              bool *is_told);
void mca_coll_symm_device_work_prepare(struct symm_work *work, const struct symm_call *call);
void mca_coll_symm_device_run_describe(struct symm_operation *operation);
static inline void mca_coll_symm_device_run_start(struct symm_operation *operation)
{
    operation->work.device = NULL;
    if (operation->call->device >= 0) {
        mca_coll_symm_device_run_describe(operation);
    }
}

/*
 * Called after mca_coll_symm_device_run_describe() if this rank cannot do its part, though all have
 * agreed.  All ranks then fail instead of running the algorithm.
 */
void mca_coll_symm_device_run_refuse(struct symm_operation *operation);

/*
 * The run has ended because a device has failed: the device's rank tells the user.  Returns the
 * error for MPI.
 */
int mca_coll_symm_device_failure(const struct symm_operation *operation);

/* Tell the user that a device has failed in a call, and how.  Returns the error for MPI. */
int mca_coll_symm_device_failed(struct ompi_communicator_t *comm, const char *call);

#endif /* MCA_COLL_SYMM_DEVICE_H */
