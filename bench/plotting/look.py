"""How a picture looks: colours, axes for sizes and times, and the writing of files.

An SVG has a background of its own, and a style sheet that changes all colours where the reader
prefers dark pages. Texts stay texts. Lines and axes have ids, by which tests find them. The same
data give the same bytes with the same matplotlib.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import html
import io
import re
import sys

from plotting.tables import PlotError

try:
    import matplotlib
    from matplotlib import ticker
    from matplotlib.figure import Figure
except ImportError as error:
    raise PlotError(
        f"{sys.executable} has no matplotlib ({error}); install Debian's python3-matplotlib, or "
        "run bench/plot with a Python that has it, such as: /usr/bin/python3 bench/plot"
    ) from None

# On light and on dark pages. Blue, vermilion, green and purple are those of Okabe and Ito, a
# little darker or lighter where 3:1 of contrast asks for it. The values for light pages differ from
# each other: the style sheet finds colours by them.
COLOURS = {
    "paper": ("#ffffff", "#0d1117"),
    "ink": ("#1f2328", "#e6edf3"),
    "faint": ("#59636e", "#9da7b3"),
    "grid": ("#dde2e7", "#2a313a"),
    "blue": ("#0072b2", "#56b4e9"),
    "vermilion": ("#d55e00", "#f0803c"),
    "green": ("#008a64", "#2fc39a"),
    "purple": ("#b65f90", "#c867a0"),
    "dark": ("#3a4149", "#d4dae0"),
    "floor": ("#6a737d", "#8d96a0"),
}

# Colour, marker, dashes: whoever confuses colours has the others.
STYLES = {
    "ours": ("blue", "o", "-"),
    "rival": ("vermilion", "s", (0, (5, 1.5))),
    "floor": ("floor", "", (0, (1, 1.5))),
    "first": ("blue", "o", "-"),
    "second": ("vermilion", "s", (0, (5, 1.5))),
    "third": ("green", "^", (0, (4, 1.5, 1, 1.5))),
    "fourth": ("dark", "D", (0, (1, 1))),
    "fifth": ("purple", "v", (0, (7, 2))),
}
FONT = "'DejaVu Sans', Verdana, sans-serif"


def light(name):
    return COLOURS[name][0]


SETTINGS = {
    "axes.axisbelow": True,
    "axes.edgecolor": light("faint"),
    "axes.facecolor": light("paper"),
    "axes.grid": True,
    "axes.labelcolor": light("ink"),
    "axes.labelsize": 9,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": light("ink"),
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "figure.facecolor": light("paper"),
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "grid.color": light("grid"),
    "grid.linewidth": 0.7,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "legend.labelcolor": light("ink"),
    "path.simplify": False,
    "savefig.facecolor": light("paper"),
    "svg.fonttype": "none",
    "svg.hashsalt": "ompi-symm",
    "text.color": light("ink"),
    "xtick.color": light("faint"),
    "xtick.labelcolor": light("ink"),
    "xtick.labelsize": 8.5,
    "ytick.color": light("faint"),
    "ytick.labelcolor": light("ink"),
    "ytick.labelsize": 8.5,
}


def figure(width, height, title, note, top=0.8):
    """An empty figure in inches; `top`: where its title is, in inches above the panels."""
    matplotlib.rcParams.update(SETTINGS)
    made = Figure(figsize=(width, height))
    made.subplots_adjust(top=1 - top / height)
    if title:
        made.text(0.12 / width, 1 - 0.1 / height, title, size=12, weight="bold", va="top")
    if note:
        small_print(made, note, line=0)
    return made


def small_print(made, text, line):
    """A line at the foot of a figure; 0 is the lowest."""
    width, height = made.get_size_inches()
    made.text(0.12 / width, (0.08 + 0.15 * line) / height, text, size=7, color=light("faint"))


def subtitle(made, text):
    width, height = made.get_size_inches()
    made.text(0.12 / width, 1 - 0.34 / height, text, size=9, color=light("faint"), va="top")


def legend(made, handles, below=0.0, **options):
    """One legend for all panels, in a row at the top right, or `below` inches below that."""
    width, height = made.get_size_inches()
    made.legend(
        handles=handles,
        loc="upper right",
        bbox_to_anchor=(1 - 0.05 / width, 1 - (0.02 + below) / height),
        ncol=len(handles),
        handlelength=3.2,
        columnspacing=1.5,
        **options,
    )


def labelled(axes):
    """The lines of a panel that belong into a legend."""
    return [line for line in axes.get_lines() if not line.get_label().startswith("_")]


def panel(axes, gid, title):
    axes.set_gid(gid)
    axes.xaxis.set_gid(f"{gid}.x")
    axes.yaxis.set_gid(f"{gid}.y")
    axes.set_title(title)
    axes.tick_params(length=3)


def line(axes, name, points, style, label, marks=True, joined=True, hollow=False, floor=False):
    """A line with the id PANEL.NAME; a test finds each point of it again. Floors are strokes."""
    colour, marker, dashes = STYLES[style]
    if floor:
        marker = "|"
    return axes.plot(
        [x for x, _ in points],
        [y for _, y in points],
        color=light(colour),
        gid=f"{axes.get_gid()}.{name}",
        label=label,
        linestyle=dashes if joined else "none",
        linewidth=1.6,
        marker=marker if marks else "",
        markerfacecolor=light("paper" if hollow else colour),
        markersize=9 if floor else 4.2,
    )[0]


def bar(axes, name, begin, end, place, colour, label):
    """A bar across with the id PANEL.NAME: a thick line, which a test finds as any other."""
    return axes.plot(
        [begin, end],
        [place, place],
        color=light(colour),
        gid=f"{axes.get_gid()}.{name}",
        label=label,
        linewidth=10,
        solid_capstyle="butt",
    )[0]


# ---- axes ----------------------------------------------------------------------------------------


def size_text(size):
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:g} {name}"
    return f"{size:g} B"


def time_text(time):
    if time >= 1e6:
        return f"{time / 1e6:g} s"
    if time >= 1e3:
        return f"{time / 1e3:g} ms"
    return f"{time:g} µs"


def size_axis(axis, sizes, most=6):
    """Powers of two, at most `most` of them with a label."""
    low, high = min(sizes).bit_length() - 1, max(sizes).bit_length() - 1
    step = next(s for s in (1, 2, 3, 4, 5, 6, 8, 10, 20) if (high - low) // s < most)
    set_scale(axis, "log", base=2)
    set_ticks(axis, [2**power for power in range(low, high + 1, step)], size_text)
    axis.axes.margins(x=0.03)


def time_axis(axis, times):
    """Decades; where the times span few, 1, 2 and 5 of each, from one such time to another."""
    low, high = min(times) / 1.35, max(times) * 1.35
    decades = [10.0**power for power in range(-3, 8)]
    within = [d for d in decades if low <= d <= high]
    if len(within) < 3:
        finer = [d * m for d in decades for m in (1, 2, 5)]
        low = max((tick for tick in finer if tick <= min(times)), default=low)
        high = min((tick for tick in finer if tick >= max(times)), default=high)
        low, high = low / 1.05, high * 1.05
        within = [tick for tick in finer if low <= tick <= high]
    set_scale(axis, "log", base=10)
    set_ticks(axis, within, time_text)
    limits = axis.axes.set_xlim if axis.axis_name == "x" else axis.axes.set_ylim
    limits(low, high)


def set_scale(axis, scale, **options):
    change = axis.axes.set_xscale if axis.axis_name == "x" else axis.axes.set_yscale
    change(scale, **options)


def set_ticks(axis, ticks, text):
    axis.set_major_locator(ticker.FixedLocator(ticks))
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: text(value)))
    axis.set_minor_locator(ticker.NullLocator())


# ---- files ---------------------------------------------------------------------------------------


def write(made, path, title, description):
    """Writes an SVG, or what the name of `path` ends in."""
    try:
        if path.suffix == ".svg":
            text = io.StringIO()
            nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
            made.savefig(text, format="svg", metadata=nothing)
            path.write_text(finished(text.getvalue(), title, description), encoding="utf-8")
        else:
            made.savefig(path, dpi=150)
    except OSError as error:
        raise PlotError(f"{path}: {error.strerror}; name a file that can be written") from None
    except ValueError as error:
        raise PlotError(f"{path}: {error}; end the name in .svg or .png") from None


def finished(text, title, description):
    """matplotlib's SVG with a title, what it is drawn from, and colours for dark pages."""
    rules = "".join(
        f'[style*="{what}: {bright}"]{{{what}:{dark}!important}}\n'
        for bright, dark in COLOURS.values()
        for what in ("fill", "stroke")
    )
    start = text.index(">", text.index("<svg")) + 1
    head = (
        f"\n <title>{html.escape(title)}</title>\n <desc>{html.escape(description)}</desc>\n"
        f" <style>\n@media (prefers-color-scheme: dark) {{\n{rules}}}\n </style>"
    )
    text = text[text.index("<svg") : start] + head + text[start:]
    text = text.replace("'DejaVu Sans'", FONT)
    text = re.sub(r"(\d\.\d{3})\d+", r"\1", text)  # a thousandth of a point is enough
    return "\n".join(part.rstrip() for part in text.splitlines()) + "\n"
