"""Timelines of bench/overlap: when a collective and a matrix product began and ended on each GPU.

A panel for each collective and side, with two bars for each GPU, all on the same axis of time.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

COLLECTIVES = {"allgather": "All-gather", "allreduce": "All-reduce"}
LANES = ("collective", "product")
SIDES = {
    "MPI": "ompi-symm",
    "persistent": "ompi-symm, persistent",
    "CE": "NCCL, copy engines",
    "window": "NCCL, registered memory",
    "NCCL": "NCCL",
}

# A row of panels shows the first one of these sides that a collective has.
NONBLOCKING = ("MPI",)
PERSISTENT = ("persistent",)
RIVALS = (("CE", "window"), ("NCCL",))

# Where a bar takes this share of the axis, its text stands on it.
LONG = 0.3
ROOM = 1.12  # of the axis for the longest run: texts stand behind bars


def draw(look, timelines, rows, title, subtitle, note):
    """`timelines`: in the order of the file; of each collective the first size is drawn."""
    grid = panels(timelines, rows)
    gpus = max(timeline.ranks for row in grid for timeline in row.values())
    columns = [c for c in COLLECTIVES if any(c in row for row in grid)]
    panel = 0.45 + 0.4 * gpus
    top, bottom = 0.95, 0.82
    height = top + bottom + panel * len(grid) + 0.45 * (len(grid) - 1)
    made = look.figure(9 if len(columns) == 2 else 6, height, title, note, top=top)
    look.subtitle(made, subtitle)
    look.small_print(
        made,
        "ompi-symm's bars: from the call to the MPI_Test that completes it. "
        "All others: events on their streams",
        line=1,
    )
    axes = made.subplots(len(grid), len(columns), squeeze=False, sharex=True, sharey=True)
    drawn = [t for row in grid for t in row.values()]
    # A GPU's clock is placed to within some us only: what began at once may seem to begin before.
    begin = min(0, min(t.begin for t in drawn)) / 1000
    end = ROOM * max(t.end for t in drawn) / 1000
    for places, row in zip(axes, grid):
        for place, collective in zip(places, columns):
            if collective in row:
                draw_panel(look, place, row[collective], gpus, (begin, end))
            else:
                place.set_axis_off()
    for place in axes[-1]:
        place.set_xlabel("ms from the first call")
    look.legend(made, legend_of(axes))
    made.subplots_adjust(
        left=1.25 / made.get_figwidth(),
        right=0.98,
        bottom=bottom / height,
        hspace=0.45 / panel,
        wspace=0.08,
    )
    return made


def panels(timelines, rows):
    """For each row, of each collective what is drawn there; rows with nothing are left out."""
    sizes = {}
    for timeline in timelines:
        sizes.setdefault(timeline.collective, timeline.size)
    found = {(t.collective, t.side): t for t in timelines if t.size == sizes[t.collective]}
    grid = []
    for sides in rows:
        row = {}
        for collective in sizes:
            of = [found[collective, side] for side in sides if (collective, side) in found]
            if of:
                row[collective] = of[0]
        grid += [row] if row else []
    return grid


def draw_panel(look, axes, timeline, gpus, limits):
    title = f"{COLLECTIVES[timeline.collective]} of {look.size_text(timeline.size)}"
    look.panel(
        axes, f"{timeline.collective}-{timeline.side}", f"{title}: {SIDES[timeline.side]}"
    )
    ours = timeline.side in NONBLOCKING + PERSISTENT
    colours = {"collective": "blue" if ours else "vermilion", "product": "floor"}
    labels = {"collective": "ompi-symm" if ours else "NCCL", "product": "matrix product"}
    names = [(gpu, lane) for gpu in range(gpus) for lane in LANES]
    for place, (gpu, lane) in enumerate(names):
        if (gpu, lane) in timeline.spans:
            begin, over = (time / 1000 for time in timeline.spans[gpu, lane])
            label = labels[lane] if gpu == 0 else "_"
            look.bar(axes, f"{gpu}.{lane}", begin, over, place, colours[lane], label)
            bar_text(look, axes, begin, over, place, limits[1])
    look.set_ticks(
        axes.yaxis,
        list(range(len(names))),
        lambda place: "GPU {}, {}".format(*names[int(place)]),
    )
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(*limits)
    axes.grid(False, axis="y")


def bar_text(look, axes, begin, over, place, end):
    """How long it took: on the bar, or behind it."""
    text = f"{1000 * (over - begin):,.0f} µs"
    if over - begin >= LONG * end:
        middle, paper = (begin + over) / 2, look.light("paper")
        axes.text(middle, place, text, ha="center", va="center", size=8, color=paper)
    else:
        axes.text(over + end / 100, place, text, ha="left", va="center", size=8)


def legend_of(axes):
    """One line of each label, of all panels; the product's last."""
    lines = {}
    for place in axes.flat:
        for line in place.get_lines():
            lines.setdefault(line.get_label(), line)
    return [lines[label] for label in ("ompi-symm", "NCCL", "matrix product") if label in lines]
