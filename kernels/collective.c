/*
 * collective.c - see collective.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/algorithm.h"

const struct symm_collective_row symm_collectives[SYMM_COLLECTIVE_COUNT] = {
    [SYMM_ALLREDUCE] =
        {
            .name = "allreduce",
            .mpi_name = "MPI_Allreduce",
            .reduces = true,
            .reads_inputs = true,
            .writes_outputs = true,
            .inline_algorithm = SYMM_ALLREDUCE_INLINE,
            .in_place_by_copy = true,
            .device_reads_peers = true,
        },
    [SYMM_ALLGATHER] =
        {
            .name = "allgather",
            .mpi_name = "MPI_Allgather",
            .reads_inputs = true,
            .writes_outputs = true,
            .gathers = true,
            .inline_algorithm = SYMM_ALLGATHER_INLINE,
        },
    /*
     * A communicator that makes barriers and no other served call sets up shared memory late.  That
     * takes 2 us among two ranks that have met (bench/results/host-communicators.txt), but in a
     * process's first communicator 2 ms with two ranks and 13 ms with sixteen.  A barrier gains
     * 0.1 us with two ranks and 1.5 us with sixteen (bench/results/gpu-host-osu.txt), so set-up
     * pays after ten barriers or after 10,000.
     */
    [SYMM_BARRIER] =
        {
            .name = "barrier",
            .mpi_name = "MPI_Barrier",
            .inline_algorithm = SYMM_BARRIER_INLINE,
            .calls_before_set_up = 1024,
        },
    [SYMM_REDUCE_SCATTER] =
        {
            .name = "reduce_scatter",
            .mpi_name = "MPI_Reduce_scatter",
            .reduces = true,
            .has_counts = true,
            .reads_inputs = true,
            .writes_outputs = true,
            .scatters = true,
            .inline_algorithm = SYMM_REDUCE_SCATTER_INLINE,
            .device_reads_peers = true,
        },
    [SYMM_REDUCE_SCATTER_BLOCK] =
        {
            .name = "reduce_scatter_block",
            .mpi_name = "MPI_Reduce_scatter_block",
            .reduces = true,
            .reads_inputs = true,
            .writes_outputs = true,
            .scatters = true,
            .inline_algorithm = SYMM_REDUCE_SCATTER_BLOCK_INLINE,
            .device_reads_peers = true,
        },
    [SYMM_SCAN] =
        {
            .name = "scan",
            .mpi_name = "MPI_Scan",
            .reduces = true,
            .reads_inputs = true,
            .writes_outputs = true,
            .is_prefix = true,
            .inline_algorithm = SYMM_SCAN_INLINE,
            .device_reads_peers = true,
        },
    [SYMM_EXSCAN] =
        {
            .name = "exscan",
            .mpi_name = "MPI_Exscan",
            .reduces = true,
            .reads_inputs = true,
            .writes_outputs = true,
            .is_prefix = true,
            .inline_algorithm = SYMM_EXSCAN_INLINE,
            .device_reads_peers = true,
        },
    [SYMM_ALLTOALL] =
        {
            .name = "alltoall",
            .mpi_name = "MPI_Alltoall",
            .reads_inputs = true,
            .writes_outputs = true,
            .has_blocks = true,
            .own_stays = true,
            .inline_algorithm = SYMM_ALLTOALL_INLINE,
        },
    [SYMM_ALLGATHERV] =
        {
            .name = "allgatherv",
            .mpi_name = "MPI_Allgatherv",
            .has_counts = true,
            .reads_inputs = true,
            .writes_outputs = true,
            .gathers = true,
            .has_blocks = true,
            .inline_algorithm = SYMM_ALLGATHERV_INLINE,
        },
    [SYMM_ALLTOALLV] =
        {
            .name = "alltoallv",
            .mpi_name = "MPI_Alltoallv",
            .reads_inputs = true,
            .writes_outputs = true,
            .has_blocks = true,
            .has_tables = true,
            .inline_algorithm = SYMM_ALLTOALLV_INLINE,
        },
    [SYMM_ALLTOALLW] =
        {
            .name = "alltoallw",
            .mpi_name = "MPI_Alltoallw",
            .reads_inputs = true,
            .writes_outputs = true,
            .has_blocks = true,
            .has_tables = true,
            .inline_algorithm = SYMM_ALLTOALLW_INLINE,
        },
    [SYMM_BCAST] =
        {
            .name = "bcast",
            .mpi_name = "MPI_Bcast",
            .is_rooted = true,
            .from_root = true,
            .reads_inputs = true,
            .writes_outputs = true,
            .inline_algorithm = SYMM_BCAST_INLINE,
        },
    [SYMM_REDUCE] =
        {
            .name = "reduce",
            .mpi_name = "MPI_Reduce",
            .reduces = true,
            .is_rooted = true,
            .to_root = true,
            .reads_inputs = true,
            .writes_outputs = true,
            .inline_algorithm = SYMM_REDUCE_INLINE,
            .device_reads_peers = true,
        },
    [SYMM_GATHER] =
        {
            .name = "gather",
            .mpi_name = "MPI_Gather",
            .is_rooted = true,
            .to_root = true,
            .reads_inputs = true,
            .writes_outputs = true,
            .gathers = true,
            .own_stays = true,
            .inline_algorithm = SYMM_GATHER_INLINE,
        },
    [SYMM_SCATTER] =
        {
            .name = "scatter",
            .mpi_name = "MPI_Scatter",
            .is_rooted = true,
            .from_root = true,
            .reads_inputs = true,
            .writes_outputs = true,
            .own_stays = true,
            .inline_algorithm = SYMM_SCATTER_INLINE,
        },
    /* All-to-all calls in which all blocks but the root's are empty. */
    [SYMM_GATHERV] =
        {
            .name = "gatherv",
            .mpi_name = "MPI_Gatherv",
            .is_rooted = true,
            .to_root = true,
            .reads_inputs = true,
            .writes_outputs = true,
            .has_blocks = true,
            .has_tables = true,
            .inline_algorithm = SYMM_GATHERV_INLINE,
        },
    [SYMM_SCATTERV] =
        {
            .name = "scatterv",
            .mpi_name = "MPI_Scatterv",
            .is_rooted = true,
            .from_root = true,
            .reads_inputs = true,
            .writes_outputs = true,
            .has_blocks = true,
            .has_tables = true,
            .inline_algorithm = SYMM_SCATTERV_INLINE,
        },
};
