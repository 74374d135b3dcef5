"""The picture of OSU's collectives on GPU memory: what is served, what went by the host, the floor.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

from plotting.tables import read_osu, read_osu_output

SERVED, BEFORE = "gpu-h200-2-osu.txt", "gpu-2-osu.txt"
SIZES = {8: ("8B", "first"), 8192: ("8KiB", "third"), 1 << 20: ("1MiB", "second"),
         1 << 26: ("64MiB", "fifth")}
LAUNCH, LINK = 6.84, 391e3  # microseconds; bytes into a GPU in one of them
SERVED_BEFORE = ("osu_allgather", "osu_allreduce")
HALF = ("osu_reduce_scatter", "osu_reduce_scatter_block")  # so much of a vector enters a GPU


def floor(benchmark, size):
    return LAUNCH + (size / 2 if benchmark in HALF else size) / LINK


def draw(look, results, note):
    served = read_osu_output(results / SERVED)
    before = {row.benchmark: row.times for row in read_osu(results / BEFORE) if row.mode == "with"}
    names = sorted(served)
    made = look.figure(9, 5.4, "OSU micro-benchmarks on GPU memory, 2 H200", note)
    look.subtitle(made, "hollow: before; |: the floor")
    axes = made.subplots()
    look.panel(axes, "gpu", "Latency with ompi-symm (-d cuda, cudaMalloc)")
    every = []

    def points(name, style, label, times, **options):
        marks = [(times[n], place) for place, n in enumerate(names) if n in times]
        every.extend(time for time, _ in marks)
        look.line(axes, name, marks, style, label, joined=False, **options)

    for size, (text, style) in SIZES.items():
        points(text, style, look.size_text(size),
               {n: served[n][size] for n in names if size in served[n]})
    points("before.1MiB", "second", "1 MiB on host copies",
           {n: before[n]["1 MiB"] for n in names
            if n not in SERVED_BEFORE and "1 MiB" in before.get(n, {})}, hollow=True)
    for size in (1 << 20, 1 << 26):
        points(f"floor.{SIZES[size][0]}", "least", "_",
               {n: floor(n, size) for n in names if size in served[n]})
    look.set_ticks(axes.yaxis, range(len(names)), lambda place: names[int(place)])
    axes.set_ylim(len(names) - 0.4, -0.6)
    look.time_axis(axes.xaxis, every)
    axes.set_xlabel("latency")
    look.legend(made, look.labelled(axes), below=0.25, handletextpad=0.2)
    made.subplots_adjust(left=0.24, right=0.97, bottom=0.12)
    return made
