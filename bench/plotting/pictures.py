"""The pictures of docs/pictures: one function each, and the table that names them with their files.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import dataclasses
import functools
import re
import typing

from plotting import osu as osu_collectives
from plotting import decode, nodes, overlap, series
from plotting.tables import SEGMENTATION_FAULT, PlotError, read_lines, read_osu, read_timelines

COLLECTIVES = {"allreduce": "All-reduce", "allgather": "All-gather"}
GPUS = {2: "2 H200", 4: "4 H100"}
MEMORIES = {"alloc": "MPI_Alloc_mem", "malloc": "malloc"}
GPU_MEMORIES = {"alloc": "MPI_Alloc_mem", "cudamalloc": "cudaMalloc"}
GPU_LINES = (
    ("ours", "ours", "ompi-symm"),
    ("nccl", "rival", "NCCL, best of its ways"),
    ("floor", "floor", "floor (launch and link)"),
)
HOST_LINES = (("with", "ours", "with ompi-symm"), ("without", "rival", "Open MPI alone"))
FLOOR = "Floor: two meetings of the hosts, a launch, and the bytes into each GPU at 391 GB/s"
GPU_OSU, HOST_OSU = "gpu-2-osu.txt", "gpu-host-osu.txt"
GPU_OVERLAP = "gpu-2-overlap.txt"


def gpu_time(look, results):
    made = look.figure(9, 7, "GPU memory: time of a call", note_of("gpu-time"))
    look.subtitle(made, "over NVLink, multicast off for both; lower is better")
    look.small_print(made, FLOOR, line=1)
    axes, every = made.subplots(2, 2, sharey=True), []
    for row, collective in enumerate(COLLECTIVES):
        for column, ranks in enumerate((2, 4)):
            every += gpu_time_panel(look, results, axes[row][column], collective, ranks)
    look.time_axis(axes[0][0].yaxis, every)
    look.legend(made, look.labelled(axes[0][0]))
    made.subplots_adjust(left=0.08, right=0.98, bottom=0.12, hspace=0.36, wspace=0.08)
    return made


def gpu_time_panel(look, results, axes, collective, ranks):
    """Returns all times, for the axis that panels may have in common."""
    look.panel(axes, f"{collective}-{ranks}", f"{COLLECTIVES[collective]}, {GPUS[ranks]}")
    times = series.gpu_times(results, collective, ranks)
    for name, style, label in GPU_LINES:
        look.line(axes, name, times[name], style, label)
    sizes(look, axes, times["ours"], collective)
    return [time for points in times.values() for _, time in points]


def sizes(look, axes, points, collective):
    look.size_axis(axes.xaxis, [size for size, _ in points])
    axes.set_xlabel("size of the vector" if collective == "allreduce" else "size gathered in all")


def gpu_speedup(look, results):
    made = look.figure(
        9, 3.9, "GPU memory: NCCL's time over that of ompi-symm", note_of("gpu-speedup")
    )
    look.subtitle(made, "over NVLink, multicast off for both; above 1, ompi-symm is faster")
    axes = made.subplots(1, 2, sharey=True)
    for column, collective in enumerate(COLLECTIVES):
        look.panel(axes[column], collective, COLLECTIVES[collective])
        equality(look, axes[column])
        for ranks, style in ((2, "first"), (4, "second")):
            points = series.gpu_speedup(results, collective, ranks)
            look.line(axes[column], f"{ranks}", points, style, GPUS[ranks])
        sizes(look, axes[column], points, collective)
    axes[0].set_ylim(0.9, 1.9)
    look.legend(made, look.labelled(axes[0]))
    made.subplots_adjust(left=0.06, right=0.98, bottom=0.19, wspace=0.06)
    return made


def equality(look, axes):
    """The line on which both sides take the same time."""
    axes.axhline(1, color=look.light("ink"), linewidth=1)


def host_time(look, results):
    made = look.figure(9, 7, "Host memory, 2 ranks: time of a call", note_of("host-time"))
    look.subtitle(made, "2 cores, Open MPI 4.1.4 (coll/tuned); lower is better")
    return time_panels(look, made, MEMORIES, functools.partial(series.host_times, results))


def gpu_ompi_cuda(look, results):
    made = look.figure(
        9, 7, "GPU memory, beside an Open MPI built with CUDA", note_of("gpu-ompi-cuda")
    )
    look.subtitle(made, "2 H100, a rank each, Open MPI 5.0.7 over pml/ob1; lower is better")
    return time_panels(
        look, made, GPU_MEMORIES, functools.partial(series.ompi_cuda_times, results)
    )


def gpu_overlap(look, results):
    timelines = read_timelines(results / GPU_OVERLAP)
    if not timelines:
        raise PlotError(f"{results / GPU_OVERLAP}: no timelines; bench/gpu_run overlap writes them")
    return overlap.draw(
        look,
        timelines,
        (overlap.NONBLOCKING, *overlap.RIVALS),
        "Behind a matrix product",
        f"{machine_of(results / GPU_OVERLAP)}, nonblocking calls; one run of each",
        note_of("gpu-overlap"),
    )


def machine_of(path):
    """"2 H100", from the first line of a file of bench/gpu_run."""
    match = re.search(r"(\d+) x NVIDIA (\w+)", read_lines(path)[0])
    return f"{match[1]} {match[2]}" if match else "GPUs"


def time_panels(look, made, memories, times):
    """A panel for each collective and memory: times(collective, memory), with and without."""
    axes, every = made.subplots(2, 2, sharey=True), []
    for row, collective in enumerate(COLLECTIVES):
        for column, memory in enumerate(memories):
            title = f"{COLLECTIVES[collective]}, {memories[memory]}"
            look.panel(axes[row][column], f"{collective}-{memory}", title)
            every += time_panel(look, axes[row][column], collective, times(collective, memory))
    look.time_axis(axes[0][0].yaxis, every)
    look.legend(made, look.labelled(axes[0][0]))
    made.subplots_adjust(left=0.08, right=0.98, bottom=0.1, hspace=0.34, wspace=0.08)
    return made


def time_panel(look, axes, collective, times):
    for name, style, label in HOST_LINES:
        look.line(axes, name, times[name], style, label)
    look.size_axis(axes.xaxis, [size for size, _ in times["with"]])
    axes.set_xlabel("size of the vector" if collective == "allreduce" else "size of a rank's block")
    return [time for points in times.values() for _, time in points]


# The machines stand beside each other on one axis: where the first rank number of each is.
MACHINES = {2: 0.0, 16: 2.6, 64: 7.2}


def host_ranks(look, results):
    made = look.figure(
        9, 7.2, "Host memory: time with ompi-symm over time without", note_of("host-ranks")
    )
    look.subtitle(made, "below 1, ompi-symm is faster")
    axes = made.subplots(2, 2, sharex=True, sharey=True)
    for row, collective in enumerate(COLLECTIVES):
        for column, memory in enumerate(MEMORIES):
            host_ranks_panel(look, results, axes[row][column], collective, memory)
    look.legend(made, look.labelled(axes[0][0])[: len(series.HOST_SIZES)], below=0.24)
    made.subplots_adjust(left=0.06, right=0.98, bottom=0.11, hspace=0.34, wspace=0.05)
    return made


def host_ranks_panel(look, results, axes, collective, memory):
    look.panel(axes, f"{collective}-{memory}", f"{COLLECTIVES[collective]}, {MEMORIES[memory]}")
    equality(look, axes)
    places = {
        (cores, ranks): start + number
        for cores, start in MACHINES.items()
        for number, ranks in enumerate(series.HOST_FILES[cores])
    }
    styles = ("first", "second", "third", "fourth", "fifth")
    for cores, start in MACHINES.items():
        for size, style in zip(series.HOST_SIZES, styles):
            ratios = series.host_ratios(results, collective, memory, cores, size)
            points = [(places[cores, ranks], ratio) for ranks, ratio in ratios]
            if points:
                look.line(axes, f"{cores}.bytes-{size}", points, style, look.size_text(size))
        middle = start + (len(series.HOST_FILES[cores]) - 1) / 2
        axes.text(middle, 1.3, f"{cores} cores", ha="center", va="top", color=look.light("faint"))
        if start:
            axes.axvline(start - 0.8, color=look.light("faint"), linewidth=0.7)
    names = {place: str(ranks) for (_, ranks), place in places.items()}
    look.set_ticks(axes.xaxis, sorted(names), names.get)
    axes.set_ylim(0, 1.32)
    axes.set_xlim(-0.6, max(names) + 0.6)
    axes.tick_params(labelbottom=True)
    axes.set_xlabel("ranks")


def osu(look, results):
    beside = (results / HOST_OSU).exists()
    width = 13 if beside else 9
    made = look.figure(
        width, 5.4, "OSU micro-benchmarks, unmodified, 2 ranks", note_of("osu", beside)
    )
    look.subtitle(
        made, "latency with ompi-symm" + (" (filled) and without (hollow)" if beside else "")
    )
    axes = made.subplots(1, 2 if beside else 1, squeeze=False)[0]
    osu_panel(look, axes[0], "gpu", "GPU memory, 2 H200 (-d cuda)", read_osu(results / GPU_OSU))
    if beside:
        osu_panel(look, axes[1], "host", "Host memory", read_osu(results / HOST_OSU))
    look.legend(made, look.labelled(axes[0]), handletextpad=0.2)
    left, right = 2 / width, 1 - (0.3 if beside else 1.75) / width
    made.subplots_adjust(left=left, right=right, bottom=0.12, wspace=0.95)
    return made


def osu_panel(look, axes, gid, title, rows):
    """A row for each benchmark that moves data, a point for each size, hollow without us."""
    look.panel(axes, gid, title)
    names = list(
        dict.fromkeys(row.benchmark for row in rows if row.mode == "with" and len(row.times) > 1)
    )
    styles = ("first", "second", "third", "fourth", "fifth")
    every = []
    for mode in ("with", "without"):
        of = {row.benchmark: row for row in rows if row.mode == mode}
        labels = of[names[0]].times if names[0] in of else {}
        for size, style in zip(labels, styles):
            points = [
                (of[n].times[size], p)
                for p, n in enumerate(names)
                if n in of and size in of[n].times
            ]
            every += [time for time, _ in points]
            name = f"{mode}.{size.replace(' ', '')}"
            label = size if mode == "with" else "_"
            look.line(axes, name, points, style, label, joined=False, hollow=mode == "without")
        if mode == "without":
            osu_faults(look, axes, [(p, n) for p, n in enumerate(names) if crashed(of.get(n))])
    look.set_ticks(axes.yaxis, range(len(names)), lambda place: names[int(place)])
    axes.set_ylim(len(names) - 0.4, -0.6)
    look.time_axis(axes.xaxis, every)
    axes.set_xlabel("latency")


def crashed(row):
    return row is not None and row.status == SEGMENTATION_FAULT


def osu_faults(look, axes, places):
    """At the right of each benchmark that Open MPI alone does not survive."""
    for place, name in places:
        axes.text(
            1.02,
            place,
            "✕ segmentation fault",
            color=look.light("vermilion"),
            gid=f"{axes.get_gid()}.without.{name}",
            transform=axes.get_yaxis_transform(),
            va="center",
        )
    if places:
        axes.text(1.02, 1.025, "Open MPI alone", transform=axes.transAxes, size=10)


def readme(look, results):
    made = look.figure(8, 3, "", note_of("readme"), top=0.5)
    axes = made.subplots(1, 2)
    look.time_axis(axes[0].yaxis, gpu_time_panel(look, results, axes[0], "allreduce", 2))
    times = series.host_times(results, "allreduce", "alloc")
    look.panel(axes[1], "allreduce-alloc", "")
    look.time_axis(axes[1].yaxis, time_panel(look, axes[1], "allreduce", times))
    ratios = [ratio for _, ratio in series.gpu_speedup(results, "allreduce", 2)]
    head(look, axes[0], "All-reduce, 2 GPUs (H200)", ratios, "NCCL")
    ratios = [b / a for (_, a), (_, b) in zip(times["with"], times["without"])]
    head(look, axes[1], "All-reduce, host memory, 2 ranks", ratios, "Open MPI alone")
    for panel in axes:
        panel.legend(loc="upper left", handlelength=3)
    made.subplots_adjust(left=0.08, right=0.98, bottom=0.24, wspace=0.2)
    return made


def head(look, axes, title, ratios, rival):
    """Over a panel: what it shows, and how much faster."""
    axes.set_title(title, pad=17, fontweight="bold")
    text = f"{min(ratios):.1f} to {max(ratios):.1f} times as fast as {rival}"
    axes.text(0, 1.035, text, transform=axes.transAxes, color=look.light("faint"))


# ---- the table -----------------------------------------------------------------------------------


def gpu_files():
    return list(dict.fromkeys(series.GPU_FILES.values()))


@dataclasses.dataclass
class Picture:
    title: str
    draw: typing.Callable
    files: list  # in bench/results
    note: str  # the files in short, for the small print


PICTURES = {
    "gpu-time": Picture(
        "GPU all-reduce and all-gather: time against size, ompi-symm, NCCL and the floor",
        gpu_time,
        gpu_files(),
        "gpu-2-ranks-*.txt (H200), gpu-h100-4-ranks-collectives.txt",
    ),
    "gpu-speedup": Picture(
        "GPU all-reduce and all-gather: NCCL's time over that of ompi-symm",
        gpu_speedup,
        gpu_files(),
        "gpu-2-ranks-*.txt (H200), gpu-h100-4-ranks-collectives.txt",
    ),
    "osu": Picture("OSU micro-benchmarks with and without ompi-symm", osu, [GPU_OSU], GPU_OSU),
    "osu-collectives": Picture(
        "OSU micro-benchmarks on GPU memory: each collective, and the floor",
        lambda look, results: osu_collectives.draw(look, results, note_of("osu-collectives")),
        osu_collectives.FILES,
        ", ".join(osu_collectives.FILES),
    ),
    "host-ranks": Picture(
        "Host memory: time with ompi-symm over time without, by number of ranks",
        host_ranks,
        series.host_files(),
        "host-{2,4}-ranks-*.txt, gpu-host-{2,4,8,16}-ranks-*.txt, host-64-cores-*-ranks.txt",
    ),
    "host-time": Picture(
        "Host memory, two ranks: time against size, with ompi-symm and without",
        host_time,
        [series.host_file(2, 2, memory) for memory in MEMORIES],
        "host-2-ranks-alloc.txt, host-2-ranks-malloc.txt",
    ),
    "gpu-ompi-cuda": Picture(
        "GPU memory beside an Open MPI built with CUDA: time against size, with ompi-symm and "
        "without",
        gpu_ompi_cuda,
        [series.ompi_cuda_file(memory) for memory in GPU_MEMORIES],
        "gpu-2-ompi-cuda-{alloc,cudamalloc}.txt",
    ),
    "gpu-overlap": Picture(
        "An all-gather and an all-reduce behind a matrix product: when each began and ended",
        gpu_overlap,
        [GPU_OVERLAP],
        GPU_OVERLAP,
    ),
    "decode": Picture(
        "A captured decode step of PyTorch, kernel by kernel, with ompi-symm and with NCCL",
        lambda look, results: decode.draw(look, results, note_of("decode")),
        decode.FILES,
        "gpu-h200-2-decode-{symm,nccl}.txt",
    ),
    "nodes": Picture(
        "All-reduces over 2 to 1000 nodes, modelled: bus bandwidth by each plan, and the limit",
        lambda look, results: nodes.draw(look, results, note_of("nodes")),
        [nodes.FILE],
        nodes.FILE,
    ),
    "readme": Picture(
        "All-reduce in GPU memory and in host memory: time against size, lower is better",
        readme,
        ["gpu-2-ranks-allreduce.txt", "host-2-ranks-alloc.txt"],
        "gpu-2-ranks-allreduce.txt, host-2-ranks-alloc.txt",
    ),
}


def files_of(name, results):
    files = PICTURES[name].files
    return files + [HOST_OSU] if name == "osu" and (results / HOST_OSU).exists() else files


def note_of(name, more=False):
    return f"Data in bench/results: {PICTURES[name].note}" + (f", {HOST_OSU}" if more else "")
