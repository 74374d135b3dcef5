"""All-reduces over several nodes as bench/scale models them: bus bandwidth by each plan.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

from plotting.tables import PlotError, read_lines

FILE = "nodes-model.txt"
PANELS = {(2, 8): "2 nodes of 8 GPUs", (8, 8): "8 nodes of 8", (64, 8): "64 nodes of 8",
          (1000, 72): "1000 nodes of 72 (NVL72)"}
LINES = (("flat", "rival", "flat"), ("leaders", "third", "leaders"), ("rails", "ours", "rails"))
DECADES = [10.0**power for power in range(-4, 4)]


def draw(look, results, note):
    made = look.figure(9, 7, "All-reduce over several nodes: a model", note)
    look.subtitle(made, "bus bandwidth; higher is better")
    rows = rows_of(results / FILE)
    axes = made.subplots(2, 2, sharey=True)
    for place, (shape, title) in zip(axes.flat, PANELS.items()):
        draw_panel(look, place, rows, shape, title)
    look.set_scale(axes[0][0].yaxis, "log", base=10)
    look.set_ticks(axes[0][0].yaxis, DECADES, rate_text)
    look.legend(made, look.labelled(axes[0][0]), below=0.2)
    made.subplots_adjust(left=0.11, right=0.98, bottom=0.1, hspace=0.34, wspace=0.06)
    return made


def rows_of(path):
    rows, columns = [], None
    for line in read_lines(path):
        if line.startswith("Size,"):
            columns = line.split(",")
        elif columns and not line.startswith("#"):
            rows.append(dict(zip(columns, line.split(","))))
    if not rows:
        raise PlotError(f"{path}: no rows; bench/scale --csv --all-plans writes them")
    return rows


def draw_panel(look, axes, rows, shape, title):
    look.panel(axes, f"nodes-{shape[0]}", title)
    own = [row for row in rows if (int(row["nodes"]), int(row["ranks"])) == shape]
    for plan, style, label in LINES:
        points = points_of([row for row in own if row["plan"] == plan], "bus(GB/s)")
        look.line(axes, plan, points, style, label, marks=False)
    taken = [row for row in own if row["taken"] == "yes"]
    look.line(axes, "taken", points_of(taken, "bus(GB/s)"), "fourth", "taken", joined=False,
              hollow=True)
    look.line(axes, "limit", points_of(taken, "limit(GB/s)"), "floor", "limit", marks=False)
    look.size_axis(axes.xaxis, [int(row["Size"]) for row in own])
    axes.set_xlabel("size of the vector")


def rate_text(rate):
    for unit, name in ((1, "GB/s"), (1e-3, "MB/s")):
        if rate > 0.999 * unit:
            return f"{rate / unit:g} {name}"
    return f"{rate / 1e-6:g} kB/s"


def points_of(rows, column):
    return [(int(row["Size"]), float(row[column])) for row in rows]
