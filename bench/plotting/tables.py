"""The raw files, read: tables that symm_bench printed, timelines of bench/overlap, tables of OSU
runs, results of the training.

Nothing here knows what is drawn of them. Each error names the file and what to do.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import dataclasses
import re

COLLECTIVES = ("allreduce", "allgather", "barrier")
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
SEGMENTATION_FAULT = 139


class PlotError(Exception):
    """What the user is told; the text names a file or a value, and the remedy."""


@dataclasses.dataclass
class Table:
    """One table of symm_bench with the comments above it."""

    collective: str
    memory: str  # as --memory names it: alloc, malloc, cuda, cudamalloc
    ranks: int  # 0 where the file does not say
    command: str
    run: int  # of several runs of the same command, else 1
    part: int  # a line "# ----" begins the next part of a file
    columns: list
    rows: list = dataclasses.field(default_factory=list)

    def points(self, column):
        """(bytes, value) of each row, for one column; of several states the one of most blocks."""
        best = {}
        for row in self.rows:
            size = int(row["Size"])
            if size not in best or blocks(row) > blocks(best[size]):
                best[size] = row
        return [(size, float(best[size][column])) for size in sorted(best)]


def blocks(row):
    return int(row.get("blocks", 0))


def read_lines(path):
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise PlotError(f"{path}: {error.strerror}; name a file that can be read") from None
    except UnicodeDecodeError:
        raise PlotError(f"{path}: this is not text; name output of symm_bench") from None


# ---- symm_bench ----------------------------------------------------------------------------------

MEMORIES = (
    ("MPI_Alloc_mem GPU memory", "cuda"),
    ("CUDA driver", "cudamalloc"),
    ("malloc memory", "malloc"),
    ("MPI_Alloc_mem memory", "alloc"),
)


def columns_of(line):
    """The columns that a line names, or None if it is no head of a table."""
    if line.startswith("Size,"):
        return line.split(",")
    if not re.match(r"# Size\s", line):
        return None
    columns = re.sub(r"(Avg|Min|Max) Latency", r"\1-Latency", line[2:]).split()
    return columns if any("(us)" in column for column in columns) else None


def read_tables(path):
    """All tables of a file, in its order."""
    tables, columns = [], None
    collective, memory, command, run, part, ranks = "", "", "", 1, 0, 0
    for line in read_lines(path):
        head = columns_of(line)
        if head:
            columns = head
            tables.append(Table(collective, memory, ranks, command, run, part, columns))
        elif line.startswith("# ----"):
            part, columns = part + 1, None
        elif match := re.match(r"# (?:run (\d+): )?(mpirun .*)", line):
            run, command, columns = int(match[1] or 1), match[2], None
            collective = next((c for c in COLLECTIVES if command.endswith(" " + c)), "")
            match = re.search(r" --memory (\w+)", command)
            memory = match[1] if match else ""
            match = re.search(r" -np? (\d+)", command)
            ranks = int(match[1]) if match else 0
        elif match := re.match(r"# ranks: (\d+)", line):
            ranks = int(match[1])
        elif match := re.match(r"# MPI_(\w+) Latency Test", line):
            collective, columns = match[1].lower(), None
        elif line.startswith("# Size: "):
            memory = next((name for text, name in MEMORIES if text in line), memory)
        elif columns and re.match(r"\d", line):
            cells = line.split(",") if "," in line else line.split()
            if len(cells) == len(columns):
                tables[-1].rows.append(dict(zip(columns, cells)))
    return [table for table in tables if table.rows]


# ---- bench/overlap --timeline --------------------------------------------------------------------


@dataclasses.dataclass
class Timeline:
    """One run of one case."""

    collective: str
    size: int  # of a result, in bytes
    side: str
    spans: dict = dataclasses.field(default_factory=dict)  # (rank, lane): begin and end, us

    @property
    def ranks(self):
        return 1 + max(rank for rank, _ in self.spans)

    @property
    def begin(self):
        return min(begin for begin, _ in self.spans.values())

    @property
    def end(self):
        return max(end for _, end in self.spans.values())


def read_timelines(path):
    """All timelines of a file, in its order; a file without any gives none."""
    found = {}
    for line in read_lines(path):
        if line.startswith("timeline "):
            try:
                _, collective, size, side, rank, lane, begin, end = line.split()
                key = (collective, int(size), side)
                timeline = found.setdefault(key, Timeline(*key))
                timeline.spans[int(rank), lane] = (float(begin), float(end))
            except ValueError:
                raise PlotError(
                    f"{path}: '{line}' is no row of a timeline; write them with: "
                    "bench/overlap --timeline >FILE"
                ) from None
    return list(found.values())


# ---- the OSU micro-benchmarks --------------------------------------------------------------------


@dataclasses.dataclass
class OsuRow:
    benchmark: str
    mode: str  # with, heap or without
    status: int
    times: dict  # by size as the head names it, "8 B"; microseconds


def read_osu(path):
    rows, sizes = [], []
    for line in read_lines(path):
        if line.startswith("benchmark "):
            sizes = re.findall(r"\d+ (?:B|KiB|MiB)", line)
        elif line.startswith("osu_") and sizes:
            name, mode, status, _, *cells = line.split()
            times = {s: float(cell) for s, cell in zip(sizes, cells) if cell != "-"}
            rows.append(OsuRow(name, mode, int(status), times))
    if not rows:
        raise PlotError(f"{path}: no rows of OSU benchmarks below a line 'benchmark mode ...'")
    return rows


# ---- the training of examples/ -------------------------------------------------------------------


def read_training(path):
    """The lines key=value of a file of digits_training --result."""
    values = dict(line.split("=", 1) for line in read_lines(path) if "=" in line)
    for key in ("ranks", "collective_seconds", "total_seconds"):
        try:
            values[key] = float(values[key])
        except (KeyError, ValueError):
            raise PlotError(
                f"{path}: no number in a line '{key}='; name a file of digits_training --result"
            ) from None
    return values


def read_osu_output(path):
    """By benchmark, microseconds by size: the output of jobs, one below the other."""
    found, times = {}, None
    for line in read_lines(path):
        words = line.split()
        if line.startswith("## "):
            times = found.setdefault(words[1], {})
        elif times is not None and len(words) > 1 and words[0].isdigit():
            times[int(words[0])] = float(words[1])
    if not found:
        raise PlotError(f"{path}: no line '## osu_...' above the output of a benchmark")
    return found
