/*
 * gather.cu - symm_copy: copy one block to one or several places; symm_push: several blocks, each
 * to a place of its own; symm_nests: blocks with gaps (nests.cuh); symm_exchange: to other
 * ranks' scratch, and out of own scratch (exchange.cuh).
 *
 * An all-gather by kernel stores a rank's block to all outputs.  An all-gather by copy engines has
 * its own block copied by a few blocks of this kernel, since the engines are slow within a device.
 * An all-reduce by pushing sends each slice to its owner.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernels/cuda/device_code/copy.cuh"
#include "kernels/cuda/device_code/exchange.cuh"
#include "kernels/cuda/device_code/nests.cuh"

namespace symm {

SYMM_DEVICE void copy(const symm_cuda_copy &arguments, uint64_t thread, uint64_t threads)
{
    const block all = {arguments.input, arguments.outputs, arguments.output_count,
                       arguments.bytes};
    copy_block(all, thread, threads);
}

/*
 * Copy one block after the other.  Ranks that begin with different peers then do not meet at one.
 * The last block may have threads of its own: a rank's own block does not cross a link, and is
 * copied meanwhile.
 */
SYMM_DEVICE void push(const symm_cuda_pushes &arguments, uint64_t thread, uint64_t threads)
{
    const uint64_t others = threads - arguments.apart;
    const bool is_apart = thread >= others;
    const int begin = is_apart ? arguments.count - 1 : 0;
    const int end = arguments.count - (arguments.apart != 0 && !is_apart ? 1 : 0);
    thread -= is_apart ? others : 0;
    threads = is_apart ? arguments.apart : others;
#pragma unroll 1
    for (int i = begin; i < end; i++) {
        const block one = {arguments.pushes[i].input, &arguments.pushes[i].output, 1,
                           arguments.pushes[i].bytes};
        copy_block(one, thread, threads);
    }
}

} // namespace symm

SYMM_CUDA_KERNEL(symm_copy, symm_cuda_copy, symm::copy);
SYMM_CUDA_KERNEL(symm_push, symm_cuda_pushes, symm::push);
SYMM_CUDA_KERNEL(symm_nests, symm_cuda_nests, symm::nests<symm_cuda_nests>);
SYMM_CUDA_KERNEL(symm_few_nests, symm_cuda_few_nests, symm::nests<symm_cuda_few_nests>);
SYMM_CUDA_PATIENT_KERNEL(symm_exchange, symm_cuda_exchange,
                         symm::exchange_push<symm_cuda_exchange>,
                         symm::exchange_copy<symm_cuda_exchange>);
SYMM_CUDA_PATIENT_KERNEL(symm_few_exchange, symm_cuda_few_exchange,
                         symm::exchange_push<symm_cuda_few_exchange>,
                         symm::exchange_copy<symm_cuda_few_exchange>);
