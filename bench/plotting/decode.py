"""A captured decode step of PyTorch, kernel by kernel, with each backend of torch.distributed.

Two panels with one axis of time: the whole step, and its first two layers.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

from plotting.tables import PlotError, read_lines

SIDES = {"symm": ("blue", "ompi-symm's collectives"), "nccl": ("vermilion", "NCCL's collectives")}
FILES = [f"gpu-h200-2-decode-{side}.txt" for side in SIDES]
OTHERS = "other kernels"
CLOSE = 120  # us of the second panel


def draw(look, results, note):
    made = look.figure(9, 3.6, "A captured decode step", note, top=0.95)
    look.subtitle(
        made,
        "PyTorch on two H200, 8 layers of 4096, one sequence, bfloat16; gaps: between kernels",
    )
    sides = {side: kernels_of(results / name) for side, name in zip(SIDES, FILES)}
    end = max(begin + length for kernels in sides.values() for begin, length, _ in kernels)
    axes = made.subplots(2, 1)
    for place, gid, limit, title in ((axes[0], "step", end, "the step"),
                                     (axes[1], "begin", CLOSE, "how it begins")):
        look.panel(place, gid, title)
        for row, side in enumerate(sides):
            draw_side(look, place, side, row, sides[side], limit)
        look.set_ticks(place.yaxis, [0, 1], lambda row: list(SIDES)[int(row)])
        place.set_xlim(0, 1.01 * limit)
        place.set_ylim(1.6, -0.6)
        place.grid(False, axis="y")
    axes[1].set_xlabel("µs from the step's first kernel")
    lines = {line.get_label(): line for line in axes[0].get_lines()}
    look.legend(made, [lines[label] for label in (*(label for _, label in SIDES.values()), OTHERS)])
    made.subplots_adjust(left=0.07, right=0.985, bottom=0.19, hspace=0.75)
    return made


def kernels_of(path):
    """Begin and length in us, and name."""
    kernels = []
    for line in read_lines(path):
        words = line.split()
        if len(words) == 3 and not line.startswith("#"):
            kernels.append((float(words[0]), float(words[1]), words[2]))
    if not kernels:
        raise PlotError(f"{path}: no kernels; examples/python/decode.py --timelines has them")
    return kernels


def draw_side(look, axes, side, row, kernels, limit):
    colour, label = SIDES[side]
    for number, (begin, length, name) in enumerate(kernels):
        if begin < limit:
            is_collective = name.startswith(("symm_", "nccl"))
            look.bar(axes, f"{side}.{number}", begin, min(begin + length, limit), row,
                     colour if is_collective else "floor", label if is_collective else OTHERS)
