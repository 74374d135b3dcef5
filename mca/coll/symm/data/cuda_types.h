/*
 * data/cuda_types.h - which device kernel does what an MPI datatype and operation ask for.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_DATA_CUDA_TYPES_H
#define MCA_COLL_SYMM_DATA_CUDA_TYPES_H

#include "mca/ompi_compat.h"

#include "kernels/cuda/device_code/arguments.h"

/*
 * The kernel's enum symm_cuda_type and enum symm_cuda_op for a reduction with this operation and
 * datatype.  False: there is no such kernel.
 */
bool mca_coll_symm_cuda_type(const struct ompi_op_t *op, const struct ompi_datatype_t *dtype,
                             int *type, int *cuda_op);

#endif /* MCA_COLL_SYMM_DATA_CUDA_TYPES_H */
