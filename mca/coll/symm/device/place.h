/*
 * device/place.h - where the buffers of a call lie: in host memory, or on which device.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_DEVICE_PLACE_H
#define MCA_COLL_SYMM_DEVICE_PLACE_H

#include "mca/coll/symm/base/call.h"
#include "mca/coll/symm/data/kinds.h"

/*
 * Find out where the buffers of a call lie, as a part of describing the call.  call->device is the
 * device of both, or -1 for host memory.  call->asymmetric says that the buffers lie in different
 * places, and at least one on a device.  The buffers' `memory` is about device memory that is not
 * of our heaps.  call->unusable says that our kernels cannot use at least
 * one buffer.  `kinds` is what the program has promised about the buffers.
 */
void mca_coll_symm_device_describe(struct symm_call *call, enum symm_kinds kinds);

/*
 * A rank without any data has no memory that tells whether the call is on devices.  It takes part
 * as in the last call of the collective in which it had data, or in which it has learned where the
 * others' are.  If that is wrong, the call is made below.
 *
 * To be called for each exchange, after its buffers have been described.
 */
void mca_coll_symm_device_guess(struct symm_call *call);

/* This rank has had data in such a call, on this device, or in host memory: -1. */
void mca_coll_symm_device_note(enum symm_collective collective, int device);

/*
 * The data of another rank are on a device, or are not, in a call in which this rank has none.  A
 * process that has used no device so far does not begin to: that takes memory of the device.
 */
void mca_coll_symm_device_learn(const struct symm_call *call, bool on_device);

#endif /* MCA_COLL_SYMM_DEVICE_PLACE_H */
