"""The points that the pictures show: which rows of which files in bench/results, and why those.

Points are pairs of bytes, or a number of ranks, and a value. Times are in microseconds. Nothing
here knows how a point is drawn. The rules are those of the tables in docs/results-*.md.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import statistics

from plotting.tables import PlotError, read_tables

KIB, MIB = 1 << 10, 1 << 20
WITH, WITHOUT = "with(us)", "without(us)"

# ---- GPUs ----------------------------------------------------------------------------------------

# Sizes are those of the files, a rank's block in all-gathers.
GPU_FILES = {
    ("allreduce", 2): "gpu-2-ranks-allreduce.txt",
    ("allgather", 2): "gpu-2-ranks-allgather.txt",
    ("allreduce", 4): "gpu-h100-4-ranks-collectives.txt",
    ("allgather", 4): "gpu-h100-4-ranks-collectives.txt",
}


def gpu_times(results, collective, ranks):
    """Points of 'ours', 'nccl' (the best of its columns) and 'floor'; all-gathers: bytes in all."""
    ours, nccl, floor = {}, {}, {}
    table = only_table(results / GPU_FILES[collective, ranks], collective, "MPI(us)")
    for row in table.rows:
        size = int(row["Size"])
        rivals = ("NCCL(us)", "window(us)", "CE(us)")
        ours[size] = float(row["MPI(us)"])
        nccl[size] = min(float(row[rival]) for rival in rivals if rival in row)
        floor[size] = float(row["floor(us)"])
    factor = ranks if collective == "allgather" else 1
    named = (("ours", ours), ("nccl", nccl), ("floor", floor))
    return {name: sorted((s * factor, t) for s, t in times.items()) for name, times in named}


def gpu_speedup(results, collective, ranks):
    times = gpu_times(results, collective, ranks)
    nccl = dict(times["nccl"])
    return [(size, nccl[size] / time) for size, time in times["ours"]]


def only_table(path, collective, column):
    for table in read_tables(path):
        if table.collective == collective and column in table.columns:
            return table
    raise PlotError(
        f"{path}: no table of {collective} with a column {column}; is it the right file?"
    )


# ---- host memory ---------------------------------------------------------------------------------

# Machines by their cores, with the files of each number of ranks.
HOST_FILES = {
    2: {2: "host-2-ranks-{}.txt", 4: "host-4-ranks-{}.txt"},
    16: {ranks: f"gpu-host-{ranks}-ranks-{{}}.txt" for ranks in (2, 4, 8, 16)},
    64: {ranks: f"host-64-cores-{ranks}-ranks.txt" for ranks in (24, 32, 48, 64)},
}
HOST_SIZES = (8, KIB, 16 * KIB, 256 * KIB, 4 * MIB)


def host_file(cores, ranks, memory):
    return HOST_FILES[cores][ranks].format(memory)


def host_files():
    every = [
        host_file(c, r, m) for c in HOST_FILES for r in HOST_FILES[c] for m in ("alloc", "malloc")
    ]
    return list(dict.fromkeys(every))


def host_times(results, collective, memory):
    """Points of two ranks on two cores, 'with' and 'without'."""
    table = only_table(results / host_file(2, 2, memory), collective, WITH)
    return {"with": table.points(WITH), "without": table.points(WITHOUT)}


def ompi_cuda_file(memory):
    return f"gpu-2-ompi-cuda-{memory}.txt"


def ompi_cuda_times(results, collective, memory):
    """Points of two GPUs, with ompi-symm and by an Open MPI built with CUDA alone."""
    table = only_table(results / ompi_cuda_file(memory), collective, WITH)
    return {"with": table.points(WITH), "without": table.points(WITHOUT)}


def host_ratios(results, collective, memory, cores, size):
    """(ranks, time with / time without) on one machine, where ranks and size were measured.

    A sweep is a run that begins at 8 bytes. Of a file's parts the last one with a sweep counts;
    there, the median of the runs. Runs not bound to cores on the machine with 64, and those that
    repeated a few sizes, are left out.
    """
    points = []
    for ranks in HOST_FILES[cores]:
        tables = [
            table
            for table in read_tables(results / host_file(cores, ranks, memory))
            if (table.collective, table.memory) == (collective, memory)
            and "ratio" in table.columns
            and "--bind-to none" not in table.command
        ]
        sweeps = [table for table in tables if table.rows[0]["Size"] == "8"]
        if not sweeps:
            continue
        part = max(table.part for table in sweeps)
        ratios = {}
        for table in tables:
            found = dict(table.points("ratio"))
            if table.part == part and size in found:
                ratios.setdefault(table.run, found[size])
        if ratios:
            points.append((ranks, statistics.median(ratios.values())))
    return points
