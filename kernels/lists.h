/*
 * lists.h - the list of collectives and the list of algorithms, from which their numbers and tables
 * are generated, and all that goes by them.
 *
 * The numbers travel in the ranks' lines, and stand in performance variables and in values of
 * parameters.  So a new row goes to the end of its list.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_LISTS_H
#define SYMM_KERNELS_LISTS_H

/*
 * The collectives that are served: number, name, MPI's name, and what the collective does with its
 * data, as fields of struct symm_collective_row (kernels/collective.h).  Each has an algorithm
 * SYMM_number_INLINE, whose data travel in the lines.
 *
 * A communicator that makes barriers and no other served call sets up shared memory late.  That
 * takes 2 us among two ranks that have met (bench/results/host-communicators.txt), but in a
 * process's first communicator 2 ms with two ranks and 13 ms with sixteen.  A barrier gains 0.1 us
 * with two ranks and 1.5 us with sixteen (bench/results/gpu-host-osu.txt), so set-up pays after ten
 * barriers or after 10,000.
 *
 * MPI_Gatherv and MPI_Scatterv are all-to-all calls in which all blocks but the root's are empty.
 */
#define SYMM_COLLECTIVES(F)                                                                       \
    F(ALLREDUCE, allreduce, "MPI_Allreduce", .reduces = true, .reads_inputs = true,               \
      .writes_outputs = true, .in_place_by_copy = true, .device_reads_peers = true)               \
    F(ALLGATHER, allgather, "MPI_Allgather", .reads_inputs = true, .writes_outputs = true,        \
      .gathers = true)                                                                            \
    F(BARRIER, barrier, "MPI_Barrier", .calls_before_set_up = 1024)                               \
    F(REDUCE_SCATTER, reduce_scatter, "MPI_Reduce_scatter", .reduces = true, .has_counts = true,  \
      .reads_inputs = true, .writes_outputs = true, .scatters = true,                             \
      .device_reads_peers = true)                                                                 \
    F(REDUCE_SCATTER_BLOCK, reduce_scatter_block, "MPI_Reduce_scatter_block", .reduces = true,    \
      .reads_inputs = true, .writes_outputs = true, .scatters = true,                             \
      .device_reads_peers = true)                                                                 \
    F(SCAN, scan, "MPI_Scan", .reduces = true, .reads_inputs = true, .writes_outputs = true,      \
      .is_prefix = true, .device_reads_peers = true)                                              \
    F(EXSCAN, exscan, "MPI_Exscan", .reduces = true, .reads_inputs = true,                        \
      .writes_outputs = true, .is_prefix = true, .device_reads_peers = true)                      \
    F(ALLTOALL, alltoall, "MPI_Alltoall", .reads_inputs = true, .writes_outputs = true,           \
      .has_blocks = true, .own_stays = true)                                                      \
    F(ALLGATHERV, allgatherv, "MPI_Allgatherv", .has_counts = true, .reads_inputs = true,         \
      .writes_outputs = true, .gathers = true, .has_blocks = true)                                \
    F(ALLTOALLV, alltoallv, "MPI_Alltoallv", .reads_inputs = true, .writes_outputs = true,        \
      .has_blocks = true, .has_tables = true)                                                     \
    F(ALLTOALLW, alltoallw, "MPI_Alltoallw", .reads_inputs = true, .writes_outputs = true,        \
      .has_blocks = true, .has_tables = true)                                                     \
    F(BCAST, bcast, "MPI_Bcast", .is_rooted = true, .from_root = true, .reads_inputs = true,      \
      .writes_outputs = true)                                                                     \
    F(REDUCE, reduce, "MPI_Reduce", .reduces = true, .is_rooted = true, .to_root = true,          \
      .reads_inputs = true, .writes_outputs = true, .device_reads_peers = true)                   \
    F(GATHER, gather, "MPI_Gather", .is_rooted = true, .to_root = true, .reads_inputs = true,     \
      .writes_outputs = true, .gathers = true, .own_stays = true)                                 \
    F(SCATTER, scatter, "MPI_Scatter", .is_rooted = true, .from_root = true,                      \
      .reads_inputs = true, .writes_outputs = true, .own_stays = true)                            \
    F(GATHERV, gatherv, "MPI_Gatherv", .is_rooted = true, .to_root = true, .reads_inputs = true,  \
      .writes_outputs = true, .has_blocks = true, .has_tables = true)                             \
    F(SCATTERV, scatterv, "MPI_Scatterv", .is_rooted = true, .from_root = true,                   \
      .reads_inputs = true, .writes_outputs = true, .has_blocks = true, .has_tables = true)

/* The algorithms: number, and the row in the algorithm's own file (kernels/algorithm.h). */
#define SYMM_ALGORITHMS(F)                                                                        \
    F(SYMM_ALLREDUCE_INLINE, symm_allreduce_inline)                                               \
    F(SYMM_ALLREDUCE_STAGED, symm_allreduce_staged)                                               \
    F(SYMM_ALLREDUCE_STAGED_ONE_SHOT, symm_allreduce_staged_one_shot)                             \
    F(SYMM_ALLREDUCE_ONE_SHOT, symm_allreduce_one_shot)                                           \
    F(SYMM_ALLREDUCE_TWO_SHOT, symm_allreduce_two_shot)                                           \
    F(SYMM_ALLGATHER_INLINE, symm_allgather_inline)                                               \
    F(SYMM_ALLGATHER_STAGED, symm_allgather_staged)                                               \
    F(SYMM_ALLGATHER_PULL, symm_allgather_pull)                                                   \
    F(SYMM_ALLGATHER_PUSH, symm_allgather_push)                                                   \
    F(SYMM_ALLREDUCE_CUDA_ONE_SHOT, symm_allreduce_cuda_one_shot)                                 \
    F(SYMM_ALLREDUCE_CUDA_TWO_SHOT, symm_allreduce_cuda_two_shot)                                 \
    F(SYMM_ALLGATHER_CUDA_COPY_ENGINE, symm_allgather_cuda_copy_engine)                           \
    F(SYMM_ALLGATHER_CUDA_KERNEL, symm_allgather_cuda_kernel)                                     \
    F(SYMM_ALLREDUCE_CUDA_PUSH, symm_allreduce_cuda_push)                                         \
    F(SYMM_ALLREDUCE_CUDA_COPY_ENGINE, symm_allreduce_cuda_copy_engine)                           \
    F(SYMM_ALLREDUCE_CUDA_SCRATCH, symm_allreduce_cuda_scratch)                                   \
    F(SYMM_ALLGATHER_CUDA_SCRATCH, symm_allgather_cuda_scratch)                                   \
    F(SYMM_ALLREDUCE_MULTIMEM, symm_allreduce_multimem)                                           \
    F(SYMM_ALLGATHER_MULTIMEM, symm_allgather_multimem)                                           \
    F(SYMM_ALLREDUCE_CUDA_MULTIMEM, symm_allreduce_cuda_multimem)                                 \
    F(SYMM_ALLREDUCE_CUDA_MULTIMEM_ONE_SHOT, symm_allreduce_cuda_multimem_one_shot)               \
    F(SYMM_ALLGATHER_CUDA_MULTIMEM, symm_allgather_cuda_multimem)                                 \
    F(SYMM_BARRIER_INLINE, symm_barrier_inline)                                                   \
    F(SYMM_REDUCE_SCATTER_INLINE, symm_reduce_scatter_inline)                                     \
    F(SYMM_REDUCE_SCATTER_STAGED, symm_reduce_scatter_staged)                                     \
    F(SYMM_REDUCE_SCATTER_PULL, symm_reduce_scatter_pull)                                         \
    F(SYMM_REDUCE_SCATTER_CUDA_PULL, symm_reduce_scatter_cuda_pull)                               \
    F(SYMM_REDUCE_SCATTER_BLOCK_INLINE, symm_reduce_scatter_block_inline)                         \
    F(SYMM_REDUCE_SCATTER_BLOCK_STAGED, symm_reduce_scatter_block_staged)                         \
    F(SYMM_REDUCE_SCATTER_BLOCK_PULL, symm_reduce_scatter_block_pull)                             \
    F(SYMM_REDUCE_SCATTER_BLOCK_CUDA_PULL, symm_reduce_scatter_block_cuda_pull)                   \
    F(SYMM_REDUCE_SCATTER_CUDA_PUSH, symm_reduce_scatter_cuda_push)                               \
    F(SYMM_REDUCE_SCATTER_BLOCK_CUDA_PUSH, symm_reduce_scatter_block_cuda_push)                   \
    F(SYMM_SCAN_INLINE, symm_scan_inline)                                                         \
    F(SYMM_SCAN_STAGED, symm_scan_staged)                                                         \
    F(SYMM_SCAN_TWO_SHOT, symm_scan_two_shot)                                                     \
    F(SYMM_SCAN_CUDA_PULL, symm_scan_cuda_pull)                                                   \
    F(SYMM_SCAN_CUDA_SCRATCH, symm_scan_cuda_scratch)                                             \
    F(SYMM_EXSCAN_INLINE, symm_exscan_inline)                                                     \
    F(SYMM_EXSCAN_STAGED, symm_exscan_staged)                                                     \
    F(SYMM_EXSCAN_TWO_SHOT, symm_exscan_two_shot)                                                 \
    F(SYMM_EXSCAN_CUDA_PULL, symm_exscan_cuda_pull)                                               \
    F(SYMM_EXSCAN_CUDA_SCRATCH, symm_exscan_cuda_scratch)                                         \
    F(SYMM_ALLTOALL_INLINE, symm_alltoall_inline)                                                 \
    F(SYMM_ALLTOALL_STAGED, symm_alltoall_staged)                                                 \
    F(SYMM_ALLTOALL_PULL, symm_alltoall_pull)                                                     \
    F(SYMM_ALLTOALL_CUDA_KERNEL, symm_alltoall_cuda_kernel)                                       \
    F(SYMM_ALLTOALL_CUDA_COPY_ENGINE, symm_alltoall_cuda_copy_engine)                             \
    F(SYMM_ALLTOALL_CUDA_SCRATCH, symm_alltoall_cuda_scratch)                                     \
    F(SYMM_ALLGATHERV_INLINE, symm_allgatherv_inline)                                             \
    F(SYMM_ALLGATHERV_STAGED, symm_allgatherv_staged)                                             \
    F(SYMM_ALLGATHERV_PULL, symm_allgatherv_pull)                                                 \
    F(SYMM_ALLGATHERV_CUDA_KERNEL, symm_allgatherv_cuda_kernel)                                   \
    F(SYMM_ALLGATHERV_CUDA_COPY_ENGINE, symm_allgatherv_cuda_copy_engine)                         \
    F(SYMM_ALLGATHERV_CUDA_SCRATCH, symm_allgatherv_cuda_scratch)                                 \
    F(SYMM_ALLTOALLV_INLINE, symm_alltoallv_inline)                                               \
    F(SYMM_ALLTOALLV_STAGED, symm_alltoallv_staged)                                               \
    F(SYMM_ALLTOALLV_PULL, symm_alltoallv_pull)                                                   \
    F(SYMM_ALLTOALLV_CUDA_KERNEL, symm_alltoallv_cuda_kernel)                                     \
    F(SYMM_ALLTOALLV_CUDA_COPY_ENGINE, symm_alltoallv_cuda_copy_engine)                           \
    F(SYMM_ALLTOALLV_CUDA_SCRATCH, symm_alltoallv_cuda_scratch)                                   \
    F(SYMM_ALLTOALLW_INLINE, symm_alltoallw_inline)                                               \
    F(SYMM_ALLTOALLW_STAGED, symm_alltoallw_staged)                                               \
    F(SYMM_ALLTOALLW_PULL, symm_alltoallw_pull)                                                   \
    F(SYMM_ALLTOALLW_CUDA_KERNEL, symm_alltoallw_cuda_kernel)                                     \
    F(SYMM_ALLTOALLW_CUDA_COPY_ENGINE, symm_alltoallw_cuda_copy_engine)                           \
    F(SYMM_ALLTOALLW_CUDA_SCRATCH, symm_alltoallw_cuda_scratch)                                   \
    F(SYMM_REDUCE_SCATTER_CUDA_COPY_ENGINE, symm_reduce_scatter_cuda_copy_engine)                 \
    F(SYMM_REDUCE_SCATTER_BLOCK_CUDA_COPY_ENGINE, symm_reduce_scatter_block_cuda_copy_engine)     \
    F(SYMM_BCAST_INLINE, symm_bcast_inline)                                                       \
    F(SYMM_BCAST_STAGED, symm_bcast_staged)                                                       \
    F(SYMM_BCAST_PULL, symm_bcast_pull)                                                           \
    F(SYMM_BCAST_CUDA_PUSH, symm_bcast_cuda_push)                                                 \
    F(SYMM_BCAST_CUDA_COPY_ENGINE, symm_bcast_cuda_copy_engine)                                   \
    F(SYMM_BCAST_CUDA_CHAIN, symm_bcast_cuda_chain)                                               \
    F(SYMM_BCAST_CUDA_SCRATCH, symm_bcast_cuda_scratch)                                           \
    F(SYMM_BCAST_CUDA_MULTIMEM, symm_bcast_cuda_multimem)                                         \
    F(SYMM_REDUCE_INLINE, symm_reduce_inline)                                                     \
    F(SYMM_REDUCE_STAGED, symm_reduce_staged)                                                     \
    F(SYMM_REDUCE_ONE_SHOT, symm_reduce_one_shot)                                                 \
    F(SYMM_REDUCE_TWO_SHOT, symm_reduce_two_shot)                                                 \
    F(SYMM_REDUCE_CUDA_ONE_SHOT, symm_reduce_cuda_one_shot)                                       \
    F(SYMM_REDUCE_CUDA_TWO_SHOT, symm_reduce_cuda_two_shot)                                       \
    F(SYMM_REDUCE_CUDA_SCRATCH, symm_reduce_cuda_scratch)                                         \
    F(SYMM_GATHER_INLINE, symm_gather_inline)                                                     \
    F(SYMM_GATHER_STAGED, symm_gather_staged)                                                     \
    F(SYMM_GATHER_PUSH, symm_gather_push)                                                         \
    F(SYMM_GATHER_CUDA_PUSH, symm_gather_cuda_push)                                               \
    F(SYMM_GATHER_CUDA_COPY_ENGINE, symm_gather_cuda_copy_engine)                                 \
    F(SYMM_GATHER_CUDA_SCRATCH, symm_gather_cuda_scratch)                                         \
    F(SYMM_SCATTER_INLINE, symm_scatter_inline)                                                   \
    F(SYMM_SCATTER_STAGED, symm_scatter_staged)                                                   \
    F(SYMM_SCATTER_PULL, symm_scatter_pull)                                                       \
    F(SYMM_SCATTER_CUDA_PUSH, symm_scatter_cuda_push)                                             \
    F(SYMM_SCATTER_CUDA_COPY_ENGINE, symm_scatter_cuda_copy_engine)                               \
    F(SYMM_SCATTER_CUDA_SCRATCH, symm_scatter_cuda_scratch)                                       \
    F(SYMM_GATHER_PULL, symm_gather_pull)                                                         \
    F(SYMM_GATHERV_INLINE, symm_gatherv_inline)                                                   \
    F(SYMM_GATHERV_STAGED, symm_gatherv_staged)                                                   \
    F(SYMM_GATHERV_PULL, symm_gatherv_pull)                                                       \
    F(SYMM_GATHERV_CUDA_KERNEL, symm_gatherv_cuda_kernel)                                         \
    F(SYMM_GATHERV_CUDA_COPY_ENGINE, symm_gatherv_cuda_copy_engine)                               \
    F(SYMM_GATHERV_CUDA_SCRATCH, symm_gatherv_cuda_scratch)                                       \
    F(SYMM_SCATTERV_INLINE, symm_scatterv_inline)                                                 \
    F(SYMM_SCATTERV_STAGED, symm_scatterv_staged)                                                 \
    F(SYMM_SCATTERV_PULL, symm_scatterv_pull)                                                     \
    F(SYMM_SCATTERV_CUDA_KERNEL, symm_scatterv_cuda_kernel)                                       \
    F(SYMM_SCATTERV_CUDA_COPY_ENGINE, symm_scatterv_cuda_copy_engine)                             \
    F(SYMM_SCATTERV_CUDA_SCRATCH, symm_scatterv_cuda_scratch)                                     \
    F(SYMM_SCAN_CUDA_TWO_SHOT, symm_scan_cuda_two_shot)                                           \
    F(SYMM_EXSCAN_CUDA_TWO_SHOT, symm_exscan_cuda_two_shot)                                       \
    F(SYMM_ALLREDUCE_CUDA_PACKETS, symm_allreduce_cuda_packets)                                   \
    F(SYMM_REDUCE_SCATTER_CUDA_PACKETS, symm_reduce_scatter_cuda_packets)                         \
    F(SYMM_REDUCE_SCATTER_BLOCK_CUDA_PACKETS, symm_reduce_scatter_block_cuda_packets)             \
    F(SYMM_SCAN_CUDA_PACKETS, symm_scan_cuda_packets)                                             \
    F(SYMM_EXSCAN_CUDA_PACKETS, symm_exscan_cuda_packets)                                         \
    F(SYMM_REDUCE_CUDA_PACKETS, symm_reduce_cuda_packets)                                         \
    F(SYMM_ALLGATHER_CUDA_PACKETS, symm_allgather_cuda_packets)                                   \
    F(SYMM_ALLTOALL_CUDA_PACKETS, symm_alltoall_cuda_packets)                                     \
    F(SYMM_BCAST_CUDA_PACKETS, symm_bcast_cuda_packets)                                           \
    F(SYMM_GATHER_CUDA_PACKETS, symm_gather_cuda_packets)                                         \
    F(SYMM_SCATTER_CUDA_PACKETS, symm_scatter_cuda_packets)                                       \
    F(SYMM_REDUCE_STAGED_ONE_SHOT, symm_reduce_staged_one_shot)                                   \
    F(SYMM_GATHERV_PUSH, symm_gatherv_push)                                                       \
    F(SYMM_REDUCE_CUDA_RING, symm_reduce_cuda_ring)                                               \
    F(SYMM_REDUCE_SCATTER_CUDA_HOLD, symm_reduce_scatter_cuda_hold)                               \
    F(SYMM_REDUCE_SCATTER_BLOCK_CUDA_HOLD, symm_reduce_scatter_block_cuda_hold)

#endif /* SYMM_KERNELS_LISTS_H */
