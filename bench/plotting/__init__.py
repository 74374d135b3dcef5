"""What bench/plot is made of.

    tables.py    reads the raw files: tables of symm_bench, of OSU runs, results of the training
    series.py    the points that are drawn: which rows of which files
    look.py      colours, axes, and what makes an SVG readable on light and dark backgrounds
    nodes.py     the model of several nodes
    overlap.py   timelines of bench/overlap
    pictures.py  the pictures of docs/pictures
    runs.py      a picture of anybody's own run (--run)

Only look.py imports matplotlib.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""
