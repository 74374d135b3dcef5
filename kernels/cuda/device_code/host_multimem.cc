/*
 * host_multimem.cc - the kernels of multicast for the host, with loops over the replicas for the
 * accesses.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernels/cuda/device_code/multimem.cu"
