"""The picture of OSU's collectives on GPU memory: what is served, what went by the host, the floor.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

from plotting.tables import read_osu, read_osu_output

# What is served, with so many GPUs of this kind.
SERVED = {2: ("gpu-h200-2-osu.txt", "H200"), 4: ("gpu-h100-4-osu.txt", "H100")}
BEFORE = "gpu-2-osu.txt"
FILES = [name for name, _ in SERVED.values()] + [BEFORE]
SIZES = {8: ("8B", "first"), 8192: ("8KiB", "third"), 1 << 20: ("1MiB", "second"),
         1 << 26: ("64MiB", "fifth")}
LAUNCH, LINK = 6.84, 391e3  # microseconds; bytes into a GPU in one of them
SERVED_BEFORE = ("osu_allgather", "osu_allreduce")
# How many times the bytes that OSU tells must enter or leave the busiest GPU; else all but its own.
SHARES = {"osu_allreduce": lambda ranks: 2 * (ranks - 1) / ranks,
          "osu_reduce_scatter": lambda ranks: (ranks - 1) / ranks,
          "osu_reduce_scatter_block": lambda ranks: (ranks - 1) / ranks,
          "osu_bcast": lambda ranks: 1, "osu_reduce": lambda ranks: 1}


def floor(benchmark, ranks, size):
    return LAUNCH + size * SHARES.get(benchmark, lambda ranks: ranks - 1)(ranks) / LINK


def panel(look, axes, ranks, served, before):
    """One point for each benchmark and size. Returns all times."""
    every, names = [], sorted(served)

    def points(name, style, label, times, **options):
        marks = [(times[n], place) for place, n in enumerate(names) if n in times]
        every.extend(time for time, _ in marks)
        if marks:
            look.line(axes, name, marks, style, label, joined=False, **options)

    for size, (text, style) in SIZES.items():
        points(text, style, look.size_text(size),
               {n: served[n][size] for n in names if size in served[n]})
    points("before.1MiB", "second", "1 MiB on host copies", before, hollow=True)
    for size in (1 << 20, 1 << 26):
        text, style = SIZES[size]
        points(f"floor.{text}", style, "_",
               {n: floor(n, ranks, size) for n in names if size in served[n]}, floor=True)
    look.set_ticks(axes.yaxis, range(len(names)), lambda place: names[int(place)])
    axes.set_ylim(len(names) - 0.4, -0.6)
    return every


def draw(look, results, note):
    before = {row.benchmark: row.times["1 MiB"] for row in read_osu(results / BEFORE)
              if row.mode == "with" and row.benchmark not in SERVED_BEFORE and "1 MiB" in row.times}
    made = look.figure(9, 9.4, "OSU micro-benchmarks on GPU memory", note)
    look.subtitle(made, "hollow: before; |: floor of the size of that colour")
    every = []
    panels = made.subplots(2, 1, height_ratios=(14, 11))
    for axes, (ranks, (name, kind)) in zip(panels, SERVED.items()):
        look.panel(axes, f"gpu-{ranks}", f"{ranks} {kind}")
        served = read_osu_output(results / name)
        every += panel(look, axes, ranks, served, before if ranks == 2 else {})
    for axes in panels:
        look.time_axis(axes.xaxis, every)
    panels[-1].set_xlabel("latency")
    look.legend(made, look.labelled(panels[0]), below=0.25, handletextpad=0.2)
    made.subplots_adjust(left=0.24, right=0.97, bottom=0.08, top=0.9, hspace=0.2)
    return made
