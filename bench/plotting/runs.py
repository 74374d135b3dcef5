"""A picture of somebody's own run: output of symm_bench, timelines of bench/overlap, and results of
the training of examples/.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import re
import statistics

from plotting import overlap
from plotting.tables import PlotError, read_tables, read_timelines, read_training

COLLECTIVES = {"allreduce": "All-reduce", "allgather": "All-gather"}
MEMORIES = {
    "alloc": "MPI_Alloc_mem",
    "malloc": "malloc",
    "cuda": "GPU memory",
    "cudamalloc": "cudaMalloc",
}

# What is drawn of a table, by the column that it must have: id, style, label, columns (the least).
FORMS = {
    "with(us)": (
        ("with", "ours", "with ompi-symm", ("with(us)",)),
        ("without", "rival", "without", ("without(us)",)),
    ),
    "MPI(us)": (
        ("ours", "ours", "MPI", ("MPI(us)",)),
        ("nccl", "rival", "NCCL", ("NCCL(us)", "window(us)", "CE(us)")),
        ("floor", "floor", "floor", ("floor(us)",)),
    ),
    "Avg-Latency(us)": (
        ("time", "ours", "time", ("Avg-Latency(us)",)),
        ("floor", "floor", "floor", ("floor(us)",)),
    ),
}


def form_of(table):
    return next((form for column, form in FORMS.items() if column in table.columns), ())


def drawable(table):
    return table.collective in COLLECTIVES and bool(form_of(table))


def draw(look, paths):
    """Timelines if there are any, else a panel for each table, and one for results of training."""
    timelines = [t for path in paths if path.suffix != ".result" for t in read_timelines(path)]
    if timelines:
        return draw_timelines(look, timelines, paths)
    tables = []
    for path in paths:
        if path.suffix == ".result":
            continue
        found = [table for table in read_tables(path) if drawable(table)]
        if not found:
            raise PlotError(
                f"{path}: no table of all-reduces or all-gathers with times; write one with: "
                "mpirun -n 2 --mca coll symm symm_bench --compare >FILE"
            )
        tables += found
    training = read_trainings([path for path in paths if path.suffix == ".result"])
    rows, columns = -(-len(tables) // 2), 2 if training else min(len(tables), 2)
    heights = [3.1] * rows + [2.2] * bool(training)
    height = 0.7 + sum(heights)
    made = look.figure(9 if columns == 2 else 5.5, height, "Times of this run", "")
    look.subtitle(made, "lower is better; from " + ", ".join(sources(paths)))
    grid = made.add_gridspec(len(heights), columns, height_ratios=heights)
    for number, table in enumerate(tables):
        axes = made.add_subplot(grid[number // 2, number % 2])
        draw_table(look, axes, number + 1, table)
    if training:
        draw_training(look, made.add_subplot(grid[rows, :]), training)
    made.subplots_adjust(left=0.09, right=0.97, bottom=0.55 / height, hspace=0.42, wspace=0.22)
    return made


def draw_timelines(look, timelines, paths):
    rows = (overlap.NONBLOCKING, overlap.PERSISTENT, *overlap.RIVALS)
    return overlap.draw(
        look,
        timelines,
        rows,
        "Collectives behind a matrix product",
        "one run of each; from " + ", ".join(sources(paths)),
        "",
    )


def sources(paths):
    return list(dict.fromkeys(re.sub(r"-\d+(?=\.result$)", "-*", path.name) for path in paths))


def draw_table(look, axes, number, table):
    ranks = f", {table.ranks} ranks" if table.ranks else ""
    memory = MEMORIES.get(table.memory, table.memory)
    look.panel(
        axes, f"{table.collective}-{number}", f"{COLLECTIVES[table.collective]}, {memory}{ranks}"
    )
    every = []
    for name, style, label, columns in form_of(table):
        of_columns = [dict(table.points(c)) for c in columns if c in table.columns]
        if of_columns:
            points = [(s, min(of[s] for of in of_columns)) for s in of_columns[0]]
            look.line(axes, name, points, style, label)
            every += points
    look.size_axis(axes.xaxis, [size for size, _ in every])
    axes.set_xlabel(
        "size of the vector" if table.collective == "allreduce" else "size of a rank's block"
    )
    look.time_axis(axes.yaxis, [time for _, time in every])
    axes.legend(loc="upper left", handlelength=3.2)


# ---- training ------------------------------------------------------------------------------------


def read_trainings(paths):
    """Name, ranks, seconds in collectives and in all: medians of files NAME-1, NAME-2, ..."""
    runs = {}
    for path in paths:
        runs.setdefault(re.sub(r"[-_.]?\d+$", "", path.stem), []).append(read_training(path))
    return [
        (
            name,
            int(values[0]["ranks"]),
            statistics.median(value["collective_seconds"] for value in values),
            statistics.median(value["total_seconds"] for value in values),
        )
        for name, values in runs.items()
    ]


def draw_training(look, axes, runs):
    look.panel(axes, "training", f"Training on handwritten digits, {runs[0][1]} ranks")
    places = range(len(runs))
    collectives = [run[2] for run in runs]
    others = [run[3] - run[2] for run in runs]
    dark, pale = look.light("floor"), look.light("grid")
    axes.barh(places, collectives, color=dark, height=0.5, label="in collectives")
    axes.barh(places, others, left=collectives, color=pale, height=0.5, label="computing")
    for place, (_, _, seconds, total) in zip(places, runs):
        text = f"{seconds:.3f} s in collectives, {total:.3f} s in all"
        axes.text(0, place - 0.32, text, va="bottom", size=8.5)
    look.set_ticks(axes.yaxis, list(places), lambda place: runs[int(place)][0])
    axes.set_ylim(len(runs) - 0.6, -0.8)
    axes.grid(False, axis="y")
    axes.set_xlabel("seconds")
    axes.legend(loc="lower right", bbox_to_anchor=(1, 0.98), ncol=2)
