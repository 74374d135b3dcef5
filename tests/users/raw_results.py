"""raw_results.py - reads the raw files of bench/results, for check_results.py.

FOLDER is where they are. Lines that begin with "# ----" separate the parts of a file.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import functools
import os
import re

FOLDER = None


@functools.cache
def lines(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8", errors="replace") as file:
        return file.read().splitlines()


def field(name, title, words, place):
    """A number of the first line that begins with WORDS, below the line TITLE, or None."""
    start = lines(name).index(title) + 1 if title else 0
    for line in lines(name)[start:]:
        if title and line.startswith("# ----"):
            break
        if line.split()[:len(words)] == [str(word) for word in words]:
            return float(line.split()[place])
    return None


@functools.cache
def bench(name):
    """What symm_bench has printed, by ranks, collective and size: of most blocks, by column."""
    found, ranks, rows, columns = {}, None, None, None
    for line in lines(name):
        if line.startswith("# ----"):
            rows = None
        elif match := re.match(r"# ranks: (\d+)", line):
            ranks = int(match[1])
        elif match := re.match(r"# MPI_(\w+) Latency Test", line):
            rows = found.setdefault((ranks, match[1].lower()), {})
        elif line.startswith("# Size ") and "blocks" in line:
            columns = line.replace("Avg Latency", "MPI")[1:].split()
        elif rows is not None and line[:1].isdigit():
            row = dict(zip(columns, line.split()))
            size = int(row["Size"])
            if size not in rows or int(row["blocks"]) > int(rows[size]["blocks"]):
                rows[size] = row
    return found


@functools.cache
def many_runs(ranks):
    """The ratios of all runs, by part of the file, binding, memory, collective and size."""
    found, part, key = {}, 0, None
    for line in lines(f"host-64-cores-{ranks}-ranks.txt"):
        part += line.startswith("# ----")
        if match := re.match(r"# run (\d+): .*--bind-to (\w+) .*--memory (\w+) (.*) (\w+)$", line):
            run, bind, memory, options, collective = match.groups()
            key = (part, bind, memory, collective)
        elif re.match(r"\d+,\d", line):
            size, _, _, ratio, *_, blocks = line.split(",")
            states = found.setdefault((*key, int(size)), {}).setdefault((run, options), {})
            states[int(blocks)] = float(ratio)
    return {key: [states[max(states)] for states in runs.values()] for key, runs in found.items()}


@functools.cache
def overlap(name):
    """Rows of bench/overlap: by kind of job (sides, in place, algorithms), collective, size and
    side.
    """
    found, command, kind = {}, "", ""
    for line in lines(name):
        words = line.split()
        if line.startswith("# mpirun "):
            command = line
        elif line.startswith("# cuBLAS "):
            kind = "algorithms" if "algorithm" in command else "sides"
            kind = "in place" if line.endswith("in place") else kind
        elif words[:1] in (["allgather"], ["allreduce"], ["bcast"]) and words[-1:] == ["Pass"]:
            columns = ("products", "product", "alone", "in turn", "overlapped", "hidden", "slowed")
            values = [float(word.rstrip("%")) for word in words[3:-1]]
            key = (kind, words[0], int(words[1]))
            found.setdefault(key, {})[words[2]] = dict(zip(columns, values))
    return found
