"""check_results.py RESULTS DOCUMENT... - the tables of docs/results*.md against the raw files.

The numbers of each cell are recomputed from the files in the folder RESULTS, and compared in as
many digits as the cell has. CHECKED, at the end, names the heading above each table and the
function that recomputes its cells. Prints TAP: a line for each table, and what differs.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import fnmatch
import functools
import os
import re
import statistics
import sys

import raw_results
from raw_results import bench, field, lines, many_runs, overlap

RESULTS, *DOCUMENTS = sys.argv[1:]
raw_results.FOLDER = RESULTS
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

# ---- the cells: a function gets the first cell of the row and the heading of the column, and
# returns the numbers that the cell has to have; None stands for an empty cell


def size_of(text):
    number, unit = re.search(r"(\d+) (B|KiB|MiB|GiB)", text).groups()
    return int(number) * UNITS[unit]


def collective_in(text):
    return "allgather" if "all-gather" in text else "allreduce"


def memory_in(text):
    return "malloc" if "malloc" in text else "alloc"


def host_two_ranks(row, column):
    found = bench(f"host-2-ranks-{memory_in(column)}.txt")[2, collective_in(column)][size_of(row)]
    return [float(found[name]) for name in ("with(us)", "without(us)", "ratio")]


def host_by_ranks(row, column):
    ranks, cores = map(int, re.findall(r"\d+", column))
    name = f"{'gpu-' if cores == 16 else ''}host-{ranks}-ranks-{memory_in(row)}.txt"
    return [float(bench(name)[ranks, collective_in(row)][size_of(row)]["ratio"])]


def many_cores(row, column):
    """Of the last part of the file that has all sizes."""
    found = many_runs(int(re.search(r"(\d+) ranks", row)[1]))
    key = ("none" if "not bound" in row else "core", memory_in(row), collective_in(row))
    part = max(other[0] for other in found if other[1:] == (*key, 8))
    ratios = found.get((part, *key, size_of(column)))
    return [statistics.median(ratios) if ratios else None]


def barrier(row, column):
    ranks, cores = re.findall(r"\d+", row)
    values, here = [], False
    for head, line in zip(lines("host-barrier.txt"), lines("host-barrier.txt")[1:]):
        here = head.startswith(f"# {cores} cores") if " cores " in head else here
        if here and head.endswith(f" ranks {ranks}"):
            place = ("with, µs", "without, µs", "ratio").index(column)
            values.append(float(line.split(",")[place + 1]))
    return [statistics.median(values)]


def alloc_time(row, column):
    """Medians of the seeds with and without the component."""
    live = {"one block, all bytes": "1 all", "64 blocks, all bytes": "64 all"}.get(row, "64 ends")
    pattern = {"average alloc, µs": "average us alloc", "average free, µs": r"average .*? free",
               "worst alloc, µs": "worst us alloc", "worst free, µs": r"worst .*? free",
               "whole run, ms": "all", "resident at the end, MiB": "at once",
               "2 s later, MiB": "after 2 s"}[column]
    text = "\n".join(lines("host-alloc-time.txt"))
    runs = {side: re.findall(rf"^{side}, seed \d: live +{live} *:.*?{pattern} ([\d.]+)", text, re.M)
            for side in ("with", "without")}
    return [statistics.median(map(float, numbers)) for numbers in runs.values()]


def beside_nccl(row, column):
    ours = float(row["MPI(us)"])
    best = min(float(row[name]) for name in ("NCCL(us)", "window(us)", "CE(us)") if name in row)
    return [{"µs": ours, "best of NCCL": best, "faster": best / ours,
             "floor / µs": float(row["floor(us)"]) / ours}[column.split(": ")[1]]]


def gpu(collective, row, column):
    ranks = int(column[0])
    name = f"gpu-2-ranks-{collective}.txt" if ranks == 2 else "gpu-h100-4-ranks-collectives.txt"
    size = size_of(row) // (ranks if collective == "allgather" else 1)
    return beside_nccl(bench(name)[ranks, collective][size], column)


def other_collectives(name, row, column):
    """Of as many ranks as the file's name tells."""
    collective = row.split("`")[1].removeprefix("MPI_").lower()
    found = bench(name)[int(name.split("-")[2]), collective][size_of(column)]
    return [beside_nccl(found, f": {what}")[0] for what in ("µs", "best of NCCL", "faster")]


def typed(row, column):
    """Gaps on GPUs: the same program with packing on the device, and without."""
    case, ranks = row.removesuffix(" ranks").split(", ")
    words = [case, size_of(column)]
    if column.endswith("without gaps"):
        return [field("gpu-typed.txt", f"# -n {ranks} bench/typed_time 256", words, 3)]
    below = {"2": "256 5", "4": "16 5"}[ranks]
    without = f"# -n {ranks} --mca coll_symm_device_packing 0 bench/typed_time {below}"
    found = [field("gpu-typed.txt", title, words, 2)
             for title in (f"# -n {ranks} bench/typed_time 256", without)]
    return found[:1] if ranks == "4" and words[1] > 16 << 20 else found


def host_collectives(row, column):
    name = row.split("`")[1].removeprefix("MPI_").lower()
    memory = "malloc" if row.endswith("malloc") else "alloc"
    ranks = int(column.split()[0])
    found = bench(f"gpu-host-collectives-{memory}.txt")[ranks, name].get(size_of(column))
    return [float(found["ratio"]) if found else None]


def blocks(row, column):
    name = f"gpu-2-ranks-{collective_in(row)}-blocks.txt"
    size = 128 << 20 if collective_in(row) == "allgather" else 256 << 20
    return [field(name, f"# ---- {row.split('`')[1]}, {column}", [size], 1)]


def any_origin(row, column):
    collective = collective_in(column)
    memory = "heap" if "MPI_Alloc" in column else column.split(": ")[1].replace(" ", "-")
    size = size_of(row) // (2 if collective == "allgather" else 1)
    name = f"gpu-2-ranks-elsewhere-{collective}-{memory}.txt"
    return [float(bench(name)[2, collective][size]["MPI(us)"])]


def osu(row, column):
    benchmark = row.split("`")[1]
    if column == "without":
        crashed = all(field(f"gpu-{gpus}-osu.txt", "", [benchmark, column], 2) == 139
                      for gpus in (1, 2))
        return [] if crashed else ["no segmentation fault"]
    place = ("8 B", "8 KiB", "1 MiB").index(column.split(": ")[1]) + 4
    mode = "heap" if "MPI_Alloc" in row else "with"
    return [field(f"gpu-{column[0]}-osu.txt", "", [benchmark, mode], place)]


def osu_served(ranks, file, row, column):
    """The floor is of what must enter or leave the busiest GPU."""
    name = row.split("`")[1]
    if column == "floor":
        shares = {"osu_allreduce": 2 - 2 / ranks, "osu_bcast": 1, "osu_reduce": 1,
                  "osu_reduce_scatter": 1 - 1 / ranks, "osu_reduce_scatter_block": 1 - 1 / ranks}
        return [2 * 0.37 + 6.1 + shares.get(name, ranks - 1) * (64 << 20) / 391e3]
    return [field(file, f"## {name}", [size_of(column)], 1)]


def osu_host(row, column):
    words = [row.split("`")[1], column.split()[0], size_of(row)]
    return [field("gpu-host-osu-sizes.txt", "", words, place) for place in (3, 6, 9)]


def python(row, column):
    library = "cupy" if "CuPy" in column else "torch"
    place = 4 if "NCCL" in column else 3 if "MPI_Alloc" in column else 2
    return [field(f"gpu-2-python-{library}.txt", "", [collective_in(row), size_of(row)], place)]


def host_copies(row, column):
    pinned = {"ratio, 256 MiB": "256m", "ratio, none": "0"}.get(column, "1g")
    title = f"# ---- mpirun -n 2 --mca coll_symm_host_pinned {pinned} bench/host_copy_time 512"
    place = ("block", "call", "host", "link", "ratio").index(column.partition(",")[0])
    return [field("gpu-h100-host-copies.txt", title, [size_of(row)], place)]


def messages(row, column):
    kind = ("-heap" if "MPI_Alloc" in column else "") + ("-bw" if "GB/s" in column else "")
    value = field("gpu-2-ucx.txt", f"# ---- p2p-cuda-ucx{kind}", [size_of(row)], 1)
    return [value / 1000 if value and "GB/s" in column else value]


def behind_product(row, column):
    """NCCL's are those of the side that hides most."""
    gpus = 4 if "4 GPUs" in row else 2
    kind = "in place" if "in place" in row else "sides"
    sides = overlap(f"gpu-{gpus}-overlap.txt")[kind, collective_in(row), size_of(row)]
    rivals = [side for side in ("NCCL", "window", "CE") if side in sides]
    side = "persistent" if "persistent" in column else "MPI"
    if "NCCL" in column:
        side = max(rivals, key=lambda rival: sides[rival]["hidden"])
    name = next(name for name in ("alone", "hidden", "slowed") if name in column)
    return [abs(sides[side][name])]


def uneven(row, column):
    title = f"# ---- {column.partition(',')[0]}"
    words = [row.split("`")[1], size_of(column)]
    return [field("gpu-h200-uneven.txt", title, words, place) for place in (2, 4)]


def outstanding(row, column):
    collective = "MPI_Ialltoall" if "all-to-all" in row else "MPI_Ireduce_scatter_block"
    gpus, when = re.search(r"(\d) GPUs", row)[1], "before" if "before" in column else "now"
    title = f"# ---- {collective}, {gpus} GPUs, {when}"
    place = ("1", "2", "4").index(column.partition(",")[0]) + 1
    return [field("gpu-h100-outstanding.txt", title, [size_of(row)], place)]


def bcast_behind_product(row, column):
    sides = overlap("gpu-h100-4-ranks-bcast-overlap.txt")["algorithms", "bcast", size_of(row)]
    side = "copy_engine" if "root's engines" in column else "MPI"
    if "NCCL" in column:
        side = max(("NCCL", "window"), key=lambda rival: sides[rival]["hidden"])
    name = next(name for name in ("alone", "hidden", "slowed") if name in column)
    return [sides[side][name]]


def behind_product_by(row, column):
    sides = overlap("gpu-2-overlap.txt")["algorithms", collective_in(row), size_of(column)]
    name = next(name for name in ("alone", "hidden", "slowed") if name in column)
    return [abs(sides[row.split("`")[1]][name])]


def chosen(row, column):
    """How many choices there are; how many of them are the best, or within 5 % of it."""
    names = {"2 cores": "host-chosen.txt", "16 cores": "gpu-host-chosen.txt"}
    names = fnmatch.filter(os.listdir(RESULTS), names.get(row, "gpu-2-ranks-*-chosen*.txt"))
    least, cases, good = 0, 0, 0
    for line in [line for name in sorted(names) for line in lines(name)]:
        least = 65536 if line.startswith("# Up to 16 MiB") else least
        if re.match(r"\d+ ", line) and int(line.split()[0]) > least:
            _, _, ours, _, best, ratio = line.split()
            cases += 1
            good += ours == best or float(ratio) <= 1.05
    return [cases if column == "cases" else good]


CHECKED = {
    "Two ranks on two cores": host_two_ranks,
    "More ranks": host_by_ranks,
    "Nodes with many cores": many_cores,
    "MPI_Barrier": barrier,
    "MPI_Alloc_mem": alloc_time,
    "How good the choice of algorithms is": chosen,
    "All-reduce beside NCCL": functools.partial(gpu, "allreduce"),
    "All-gather beside NCCL": functools.partial(gpu, "allgather"),
    "Collectives of more ranks": host_collectives,
    "Other collectives beside NCCL":
        functools.partial(other_collectives, "gpu-h200-2-ranks-collectives.txt"),
    "Other collectives of four GPUs beside NCCL":
        functools.partial(other_collectives, "gpu-h200-4-ranks-collectives.txt"),
    "Datatypes with gaps on GPUs": typed,
    "Multiprocessors left to the program": blocks,
    "GPU memory of any origin": any_origin,
    "Calls on host copies": host_copies,
    "OSU micro-benchmarks on GPU memory": osu,
    "OSU micro-benchmarks on two H200": functools.partial(osu_served, 2, "gpu-h200-2-osu.txt"),
    "OSU micro-benchmarks on four H100": functools.partial(osu_served, 4, "gpu-h100-4-osu.txt"),
    "OSU micro-benchmarks on host memory": osu_host,
    "Behind a matrix product": behind_product,
    "Blocks that differ": uneven,
    "Several under way": outstanding,
    "Broadcasts behind a matrix product": bcast_behind_product,
    "Behind a matrix product, by each algorithm": behind_product_by,
    "Python": python,
    "Messages over UCX": messages,
}

# ---- the document


def matches(text, value):
    """Whether the number is the value, rounded to the number's digits; halves may go either way."""
    digits = len(text.partition(".")[2])
    return isinstance(value, float | int) and abs(float(text) - value) <= 0.5001 * 10.0**-digits


def wrong_cells(table, recompute):
    columns, _, *rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in table]
    for row in rows:
        for column, cell in zip(columns[1:], row[1:]):
            try:
                wanted = [value for value in recompute(row[0], column) if value is not None]
            except (KeyError, ValueError, OSError) as error:
                wanted = [f"nothing: {error!r}"]
            got = re.findall(r"\d+(?:\.\d+)?", re.sub(r"\(.*?\)", "", cell))
            if len(got) != len(wanted) or not all(map(matches, got, wanted)):
                yield f"{row[0]} | {column}: {cell or 'empty'}, in the files {wanted}"


def names_in(text):
    """Names of files; of a{b,c}d both."""
    names = re.findall(r"[\w*{},-]+\.(?:txt|table)", text)
    while braces := [name for name in names if "{" in name]:
        names.remove(braces[0])
        head, choices, tail = re.fullmatch(r"(.*?)\{(.*?)\}(.*)", braces[0]).groups()
        names += [head + choice + tail for choice in choices.split(",")]
    return set(names)


def main():
    text = ""
    for document in DOCUMENTS:
        with open(document, encoding="utf-8") as file:
            text += file.read() + "\n"
    sections = {part.partition("\n")[0].lstrip("# "): part for part in re.split(r"\n(?=#+ )", text)}
    tests = []
    for heading, recompute in CHECKED.items():
        table = re.search(r"(?:^\|.*\n)+", sections.get(heading, ""), re.M)
        wrong = list(wrong_cells(table[0].splitlines(), recompute)) if table else ["no such table"]
        tests.append((f"{heading}: all cells are as in the files", wrong))
    files, names = set(os.listdir(RESULTS)) - {"README.md"}, names_in(text)
    tests.append(("every file of bench/results is named",
                  [file for file in files
                    if not any(fnmatch.fnmatch(file, name) for name in names)]))
    tests.append(("every file that is named is there",
                  [name for name in names if not fnmatch.filter(files, name)]))
    for number, (description, wrong) in enumerate(tests, 1):
        print(f"{'not ok' if wrong else 'ok'} {number} - {description}", *sorted(wrong), sep="\n# ")
    print(f"1..{len(tests)}")


main()
