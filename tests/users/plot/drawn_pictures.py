"""drawn_pictures.py - what a picture of docs/pictures shows, read from its SVG alone.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import math
import re
import xml.etree.ElementTree

CLOSE = 0.003  # points; coordinates have three decimals, and two ticks make the scale
SVG = "{http://www.w3.org/2000/svg}"
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "µs": 1, "ms": 1e3, "s": 1e6,
         "kB/s": 1e-6, "MB/s": 1e-3, "GB/s": 1}


class Axis:
    """Turns values into coordinates by the ticks: numbers are linear, sizes and times logarithmic.

    Names are places, counted from 0, and so are ranks, which machines have in common.
    """

    def __init__(self, name, ticks):
        self.places = [coordinate for coordinate, _ in ticks]
        values = [self.value_of(label) for _, label in ticks]
        self.has_scale = None not in values and len(set(values)) == len(values)
        if self.has_scale:
            self.logarithmic = bool(re.search(r"[Bs]$", ticks[0][1]))
            self.set_scale(name, values)

    def set_scale(self, name, values):
        first, last = self.scaled(values[0]), self.scaled(values[-1])
        self.slope = (self.places[-1] - self.places[0]) / (last - first)
        self.origin = self.places[0] - first * self.slope
        for place, value in zip(self.places, values):
            if abs(self.at(value) - place) > CLOSE:
                raise SystemExit(f"{name}: the tick for {value:g} is not where the others have it")

    @staticmethod
    def value_of(label):
        match = re.fullmatch(r"([\d.]+)(?: (\S+))?", label)
        return float(match[1]) * UNITS[match[2] or "B"] if match else None

    def scaled(self, value):
        return math.log10(value) if self.logarithmic else value

    def at(self, value):
        if not self.has_scale:
            return self.places[value]
        return self.origin + self.slope * self.scaled(value)


def numbers(path):
    values = [float(value) for value in re.findall(r"-?[\d.]+", path.get("d"))]
    return list(zip(values[::2], values[1::2]))


class Picture:
    def __init__(self, path):
        self.groups = {}
        root = xml.etree.ElementTree.parse(path).getroot()
        self.description = root.findtext(f"{SVG}desc", "")
        for group in root.iter(f"{SVG}g"):
            self.groups.setdefault(group.get("id"), group)
        self.panels = [name[:-2] for name in self.groups if name and name.endswith(".x")]

    def axis(self, panel, letter):
        """Of panels side by side only the first has labels; the ticks are at the same places."""
        ticks = []
        for group in self.groups[f"{panel}.{letter}"]:
            mark = group.find(f".//{SVG}use")
            if mark is not None:
                ticks.append((float(mark.get(letter)), group.findtext(f".//{SVG}text", "")))
        if not any(label for _, label in ticks):
            others = {}
            for other in self.panels:
                for group in self.groups[f"{other}.{letter}"]:
                    text = group.findtext(f".//{SVG}text")
                    if text and group.find(f".//{SVG}use") is not None:
                        others[float(group.find(f".//{SVG}use").get(letter))] = text
            ticks = [(c, others[c]) for c, _ in ticks]
        return Axis(f"{panel}.{letter}", ticks)

    def lines(self, panel):
        start = f"{panel}."
        return {n[len(start) :] for n in self.groups if n and n.startswith(start)} - {"x", "y"}

    def points(self, panel, name):
        """Of its marks, which must be where the line bends; of the line if it has no marks."""
        group = self.groups[f"{panel}.{name}"]
        marks = [(float(m.get("x")), float(m.get("y"))) for m in group.iter(f"{SVG}use")]
        path = group.find(f"{SVG}path")
        line = numbers(path) if path is not None else marks
        if marks and marks != line:
            raise SystemExit(f"{panel}.{name}: marks and line are not at the same places")
        return line

    def colour(self, panel, name):
        """Of a line's marks, which is also the line's."""
        mark = self.groups[f"{panel}.{name}"].find(f".//{SVG}use")
        return re.search(r"stroke: (#\w+)", mark.get("style"))[1]

    def frame(self, panel):
        corners = numbers(self.groups[panel].find(f"{SVG}g/{SVG}path"))
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        return min(xs), max(xs), min(ys), max(ys)
