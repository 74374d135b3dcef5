/*
 * device/reach.h - whether the devices of a call reach all of its buffers, and what the user is
 * told where they do not.
 *
 * The rank that finds out tells the user, because it alone can name the devices and the driver's
 * call.  The ranks then agree by their votes to copy such buffers through host memory.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_DEVICE_REACH_H
#define MCA_COLL_SYMM_DEVICE_REACH_H

#include "mca/coll/symm/base/operation.h"

/*
 * Called after symm_team_map() of a buffer of `rank` has returned `mapped`: whether the call's
 * device can use the buffer.  Where device memory cannot be mapped or used, the user is told, with
 * the names of the devices.  Returns `mapped`, or the error of the device.  *is_told is set after a
 * failure: it is a device's, and this rank has told the user.
 */
enum symm_status mca_coll_symm_device_reach(const struct symm_operation *operation, int rank,
                                            const struct symm_location *location,
                                            enum symm_status mapped, bool *is_told);

/* The same for symm_team_open(), which opens memory from elsewhere.  Returns `opened`. */
enum symm_status mca_coll_symm_device_opened(const struct symm_operation *operation, int rank,
                                             enum symm_status opened, bool *is_told);

/* The call's device cannot run our kernels: tell the user why, unless the user knows already. */
void mca_coll_symm_device_warn_unusable(const struct symm_operation *operation,
                                        enum symm_status status, bool *is_told);

#endif /* MCA_COLL_SYMM_DEVICE_REACH_H */
