/*
 * packets.cu - kernels of packets: symm_packets_<type>_<operation>, one for each that MPI allows,
 * and symm_packets_copy; the same of few ranks, symm_few_...
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernels/cuda/device_code/combinations.cuh"
#include "kernels/cuda/device_code/packets_few.cuh"

#define REDUCTION(type, T, op)                                                                     \
    SYMM_CUDA_PATIENT_KERNEL(symm_packets_##type##_##op, symm_cuda_packets,                        \
                             symm::packets_send<symm::packed<T>::packets>,                         \
                             symm::packets_reduce<symm::op<T>, T>);                                \
    SYMM_CUDA_PATIENT_KERNEL(symm_few_##type##_##op, symm_cuda_few_packets,                        \
                             symm::few_send<symm::packed<T>::packets>,                             \
                             symm::few_reduce<symm::op<T>, T>);

SYMM_CUDA_COMBINATIONS(REDUCTION, REDUCTION)

#undef REDUCTION

SYMM_CUDA_PATIENT_KERNEL(symm_packets_copy, symm_cuda_packets, symm::packets_send<1>,
                         symm::packets_copy);
SYMM_CUDA_PATIENT_KERNEL(symm_few_copy, symm_cuda_few_packets, symm::few_send<1>, symm::few_copy);
