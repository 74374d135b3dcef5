"""rules.py TOP LISTS CHECK...: prints what breaks the rules below TOP, one finding a line.

LISTS is the folder of the lists: layers, pairs, plain_words.
"""
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

import os
import sys

sys.dont_write_bytecode = True

import documents  # noqa: E402
import includes  # noqa: E402
import sources  # noqa: E402

for check in sys.argv[3:]:
    module = next(module for module in (includes, sources, documents)
                  if hasattr(module, "check_" + check))
    getattr(module, "check_" + check)(os.path.realpath(sys.argv[1]), sys.argv[2])
