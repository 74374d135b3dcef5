#!/usr/bin/env python3
"""Are the points of the pictures what the raw files hold? Every point of every line, none else.

    check_pictures.py RESULTS FOLDER NAME...    # FOLDER/NAME.svg against the files in RESULTS
    check_pictures.py --run FILE SVG            # a picture of output of symm_bench or bench/overlap

Reads files and pictures by itself, with nothing of bench/plotting and without matplotlib. Raw
values become coordinates by the ticks of the picture's own axes, and are compared there. Exit
status 1 and a line for each difference if there is one.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import pathlib
import re
import statistics
import sys

sys.dont_write_bytecode = True

from drawn_pictures import CLOSE, Picture  # noqa: E402

MIB = 2**20


# ---- the raw files -------------------------------------------------------------------------------


class Results:
    """The folder of raw files; keeps in mind which ones were asked for."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.used = set()

    def text(self, name):
        self.used.add(name)
        return (self.folder / name).read_text()


def rows(text):
    """Each row of each table: its columns, and 'collective' and 'command' as they stood above."""
    columns, above = [], {"collective": "", "command": ""}
    for line in text.splitlines():
        words = line.replace("Avg Latency", "Avg").lstrip("# ").replace(",", " ").split()
        if words[:1] == ["Size"] and "(us)" in line:
            columns = words
        elif " Latency Test" in line:
            above["collective"] = line.split()[1][len("MPI_") :].lower()
        elif "mpirun " in line:
            above["command"] = line
            above["collective"] = words[-1]
        elif words and words[0].isdigit() and len(words) == len(columns) and line[0] != "#":
            yield {**dict(zip(columns, words)), **above}


def most_blocks(candidates):
    """Of rows of one size in several states the one that most blocks were in."""
    return max(candidates, key=lambda row: int(row["blocks"]))


def by_size(text, collective):
    found = {}
    for row in rows(text):
        if row["collective"] == collective:
            found.setdefault(int(row["Size"]), []).append(row)
    return {size: most_blocks(candidates) for size, candidates in found.items()}


# ---- what each picture should show ---------------------------------------------------------------


def gpu(results, collective, ranks):
    name = f"gpu-2-ranks-{collective}.txt" if ranks == 2 else "gpu-h100-4-ranks-collectives.txt"
    table = by_size(results.text(name), collective)
    ours = {size: float(row["MPI(us)"]) for size, row in table.items()}
    factor = ranks if collective == "allgather" else 1
    nccl = {
        s: min(float(r[c]) for c in r if c in ("NCCL(us)", "window(us)", "CE(us)"))
        for s, r in table.items()
    }
    floor = {size: float(row["floor(us)"]) for size, row in table.items()}
    return {
        name: [(size * factor, times[size]) for size in sorted(times)]
        for name, times in (("ours", ours), ("nccl", nccl), ("floor", floor))
    }


def gpu_time(results):
    return {f"{c}-{n}": gpu(results, c, n) for c in ("allreduce", "allgather") for n in (2, 4)}


def gpu_speedup(results):
    panels = {}
    for collective in ("allreduce", "allgather"):
        panels[collective] = {}
        for ranks in (2, 4):
            lines = gpu(results, collective, ranks)
            pairs = zip(lines["ours"], lines["nccl"])
            panels[collective][str(ranks)] = [(s, nccl / ours) for (s, ours), (_, nccl) in pairs]
    return panels


def host_time(results):
    return with_without(results, "host-2-ranks-{}.txt", ("alloc", "malloc"))


def gpu_ompi_cuda(results):
    return with_without(results, "gpu-2-ompi-cuda-{}.txt", ("alloc", "cudamalloc"))


def with_without(results, files, memories):
    panels = {}
    for memory in memories:
        for collective in ("allreduce", "allgather"):
            table = sorted(by_size(results.text(files.format(memory)), collective).items())
            panels[f"{collective}-{memory}"] = {
                side: [(size, float(row[f"{side}(us)"])) for size, row in table]
                for side in ("with", "without")
            }
    return panels


def ratio(text, collective, memory, size):
    """The median over the runs in the last part that has a sweep from 8 bytes; None without one."""
    for part in reversed(text.split("# ----")):
        own = [
            row
            for row in rows(part)
            if row["collective"] == collective
            and f" --memory {memory} " in row["command"] + " "
            and "--bind-to none" not in row["command"]
        ]
        if not any(" -m 8:" in row["command"] for row in own):
            continue
        runs = {}
        for row in own:
            if int(row["Size"]) == size:
                run = re.search(r"# run (\d+)", row["command"])
                commands = runs.setdefault(run[1] if run else "1", {})
                commands.setdefault(row["command"], []).append(row)
        first = [next(iter(commands.values())) for commands in runs.values()]
        return statistics.median(float(most_blocks(r)["ratio"]) for r in first) if first else None
    return None


def host_ranks(results):
    machines = {
        2: ["host-2-ranks-{}.txt", "host-4-ranks-{}.txt"],
        16: [f"gpu-host-{n}-ranks-{{}}.txt" for n in (2, 4, 8, 16)],
        64: [f"host-64-cores-{n}-ranks.txt" for n in (24, 32, 48, 64)],
    }
    panels = {}
    for memory in ("alloc", "malloc"):
        for collective in ("allreduce", "allgather"):
            lines, place = {}, 0
            for cores, names in machines.items():
                for name in names:
                    text = results.text(name.format(memory))
                    for size in (8, 1024, 16384, 262144, 4194304):
                        value = ratio(text, collective, memory, size)
                        if value is not None:
                            # The number of the tick, from the left.
                            lines.setdefault(f"{cores}.bytes-{size}", []).append((place, value))
                    place += 1
            panels[f"{collective}-{memory}"] = lines
    return panels


def osu(results):
    panels = {"gpu": osu_panel(results.text("gpu-2-osu.txt"))}
    if (results.folder / "gpu-host-osu.txt").exists():
        panels["host"] = osu_panel(results.text("gpu-host-osu.txt"))
    return panels


def osu_panel(text):
    head = next(line for line in text.splitlines() if line.startswith("benchmark"))
    sizes = [size.replace(" ", "") for size in re.findall(r"\d+ [KM]?i?B", head)]
    table = [line.split() for line in text.splitlines() if line.startswith("osu_")]
    names = [row[0] for row in table if row[1] == "with" and row[5] != "-"]
    lines = {}
    for name, mode, status, _, *cells in table:
        if name in names and mode in ("with", "without"):
            if status == "139":
                lines[f"{mode}.{name}"] = None  # a text, no line
            for size, cell in zip(sizes, cells):
                if cell != "-":
                    points = lines.setdefault(f"{mode}.{size}", [])
                    points.append((float(cell), names.index(name)))
    for name, points in lines.items():
        if points:
            points.sort(key=lambda point: point[1])
    return lines


def osu_collectives(results):
    """The output of one job below the other, and the floor: 6.84 us, and 391 GB/s at a GPU."""
    cells = [line.split() for line in results.text("gpu-2-osu.txt").splitlines()]
    before = {row[0]: row[6] for row in cells if row[1:2] == ["with"] and row[6] != "-"}
    before = {name: time for name, time in before.items()
              if name not in ("osu_allgather", "osu_allreduce")}  # served then
    return {"gpu-2": served_panel(results.text("gpu-h200-2-osu.txt"), 2, before),
            "gpu-4": served_panel(results.text("gpu-h100-4-osu.txt"), 4, {})}


def served_panel(text, ranks, before):
    times, name = {}, None
    for line in text.splitlines():
        words = line.split()
        if line.startswith("## "):
            name = words[1]
        elif name and words[0].isdigit():
            times[name, int(words[0])] = float(words[1])
    lines = {}
    for place, name in enumerate(sorted({name for name, _ in times})):
        others = (ranks - 1) / ranks
        crossing = {"osu_allreduce": 2 * others, "osu_reduce_scatter": others,
                    "osu_reduce_scatter_block": others, "osu_bcast": 1, "osu_reduce": 1}
        for size, label in ((8, "8B"), (2**13, "8KiB"), (2**20, "1MiB"), (2**26, "64MiB")):
            if (name, size) in times:
                lines.setdefault(label, []).append((times[name, size], place))
            if size >= MIB:
                floor = 6.84 + size * crossing.get(name, ranks - 1) / 391e3
                lines.setdefault(f"floor.{label}", []).append((floor, place))
        if name in before:
            lines.setdefault("before.1MiB", []).append((float(before[name]), place))
    return lines


def nodes(results):
    """Of each number of nodes the plans' bus bandwidths, those of the plan taken, and the limit."""
    lines = [line for line in results.text("nodes-model.txt").splitlines() if line[:1] != "#"]
    panels = {}
    for line in lines:
        if line.startswith("Size"):
            names = line.split(",")
            continue
        row = dict(zip(names, line.split(",")))
        panel = panels.setdefault(f"nodes-{row['nodes']}", {})
        point = int(row["Size"]), float(row["bus(GB/s)"])
        panel.setdefault(row["plan"], []).append(point)
        if row["taken"] == "yes":
            panel.setdefault("taken", []).append(point)
            panel.setdefault("limit", []).append((point[0], float(row["limit(GB/s)"])))
    return panels


def readme(results):
    gpus, host = gpu(results, "allreduce", 2), host_time(results)
    results.used.discard("host-2-ranks-malloc.txt")
    return {"allreduce-2": gpus, "allreduce-alloc": host["allreduce-alloc"]}


def timelines(text, kinds):
    """The first size of each collective; of each kind of sides the first one that there is."""
    found, sizes = {}, {}
    for line in text.splitlines():
        if line.startswith("timeline "):
            collective, size, side, rank, lane, begin, end = line.split()[1:]
            if size == sizes.setdefault(collective, size) and lane in ("collective", "product"):
                place = 2 * int(rank) + ("collective", "product").index(lane)
                panel = found.setdefault(collective, {}).setdefault(side, {})
                panel[f"{rank}.{lane}"] = [(float(t) / 1000, place) for t in (begin, end)]
    return {
        f"{collective}-{side}": sides[side]
        for collective, sides in found.items()
        for kind in kinds
        for side in [s for s in kind if s in sides][:1]
    }


RIVAL_SIDES = (("CE", "window"), ("NCCL",))


def gpu_overlap(results):
    return timelines(results.text("gpu-2-overlap.txt"), (("MPI",), *RIVAL_SIDES))


def own_run(text):
    """Tables in their order: with and without, or the time alone and its floor. Or timelines."""
    if "\ntimeline " in text:
        return timelines(text, (("MPI",), ("persistent",), *RIVAL_SIDES))
    panels, number = {}, 0
    for collective in [
        line.split()[1][4:].lower() for line in text.splitlines() if " Latency Test" in line
    ]:
        number += 1
        table = by_size(text, collective)
        names = {
            "with": "with(us)",
            "without": "without(us)",
            "time": "Avg(us)",
            "floor": "floor(us)",
        }
        panels[f"{collective}-{number}"] = {
            name: [(size, float(table[size][column])) for size in sorted(table)]
            for name, column in names.items()
            if column in next(iter(table.values()))
        }
    return panels


PICTURES = {
    "gpu-time": gpu_time,
    "gpu-speedup": gpu_speedup,
    "host-time": host_time,
    "gpu-ompi-cuda": gpu_ompi_cuda,
    "gpu-overlap": gpu_overlap,
    "host-ranks": host_ranks,
    "osu": osu,
    "osu-collectives": osu_collectives,
    "nodes": nodes,
    "readme": readme,
}


# ---- both together -------------------------------------------------------------------------------


def compare(picture, expected):
    """Yields what is wrong."""
    if set(picture.panels) != set(expected):
        yield f"panels are {sorted(picture.panels)}, not {sorted(expected)}"
        return
    for panel, lines in expected.items():
        if picture.lines(panel) != set(lines):
            yield f"{panel}: lines are {sorted(picture.lines(panel))}, not {sorted(lines)}"
            continue
        x, y = picture.axis(panel, "x"), picture.axis(panel, "y")
        for name, points in lines.items():
            if points is not None:
                drawn = picture.points(panel, name)
                yield from compare_line(
                    f"{panel}.{name}", drawn, points, x, y, picture.frame(panel)
                )


def compare_floors(picture, expected):
    """A floor is that of one size: it has its colour, and no measured point of it is below it."""
    for panel, lines in expected.items():
        for name in lines:
            size = name[len("floor.") :]
            if name == f"floor.{size}" and size in lines:
                floors, times = ({place: x for x, place in lines[n]} for n in (name, size))
                if picture.colour(panel, name) != picture.colour(panel, size):
                    yield f"{panel}.{name}: it has another colour than {size}"
                if any(times[place] < floors[place] for place in times):
                    yield f"{panel}.{name}: it is above a measured point"


def compare_line(name, drawn, points, x, y, frame):
    left, right, top, bottom = frame
    if len(drawn) != len(points):
        yield f"{name}: {len(drawn)} points are drawn, the files hold {len(points)}"
        return
    for (across, down), point in zip(drawn, points):
        off = (across - x.at(point[0]), down - y.at(point[1]))
        if max(map(abs, off)) > CLOSE:
            yield f"{name}: the point {point} is drawn {off[0]:.3f}, {off[1]:.3f} points away"
        if not (left <= across <= right and top <= down <= bottom):
            yield f"{name}: the point {point} is outside of its panel"


def check(path, expected, files):
    picture = Picture(path)
    wrong = list(compare(picture, expected)) or list(compare_floors(picture, expected))
    wrong += [
        f"its description does not name {f}" for f in sorted(files) if f not in picture.description
    ]
    for text in wrong:
        print(f"{path}: {text}")
    points = [
        point for lines in expected.values() for line in lines.values() for point in line or ()
    ]
    print(f"{path}: {len(points)} points in the files, {len(wrong)} differences")
    return not wrong and len(points) > 0


def main(arguments):
    if arguments[0] == "--run":
        file, svg = arguments[1:]
        return check(svg, own_run(pathlib.Path(file).read_text()), [pathlib.Path(file).name])
    folder, right = pathlib.Path(arguments[1]), True
    for name in arguments[2:]:
        results = Results(arguments[0])
        right = check(folder / f"{name}.svg", PICTURES[name](results), results.used) and right
    return right


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
