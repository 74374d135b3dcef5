"""tree.py - the files of a tree: which there are, what they are, and their lines."""
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

import functools
import os
import re
import subprocess

# What configure and make leave in an archive's folder is not the tree's.
GENERATED = re.compile(r"(.*/)?(build|build-aux|autom4te\.cache|__pycache__|\.(?!ci/).*|configure|"
                       r"aclocal\.m4|config\.h\.in|.*Makefile\.in|l(ib)?t[^/]*\.m4)(/.*)?")
SOURCE = re.compile(r".*\.(c|h|cc|cu|cuh|py|sh|tap|m4|mk|am|ac)$|(.*/)?[^.]+(\.in)?$")
C_SOURCE = re.compile(r".*\.(c|h|cc|cu|cuh)$")
# Numbers as programs have printed them, and pictures.
DATA = re.compile(r"bench/results/.*\.(txt|table)$|.*\.(csv|svg)$")


def walk(top):
    for folder, folders, names in os.walk(top):
        folders[:] = [name for name in folders
                      if not os.path.exists(os.path.join(folder, name, "config.status"))]
        yield from (os.path.relpath(os.path.join(folder, name), top) for name in names)


def files(top):
    """All files, relative to TOP: as git knows them, or those that are there."""
    found = None
    if os.path.exists(os.path.join(top, ".git")):
        command = ["git", "-C", top, "ls-files", "--cached", "--others", "--exclude-standard"]
        git = subprocess.run(command, capture_output=True, text=True, check=False)
        found = git.stdout.splitlines() if git.returncode == 0 else None
    if found is None:
        found = [name for name in walk(top) if not GENERATED.fullmatch(name)]
    return sorted(name for name in found if os.path.isfile(os.path.join(top, name)))


@functools.lru_cache(maxsize=None)
def text(top, name):
    with open(os.path.join(top, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def lines(top, name):
    """Number and text of each line."""
    return enumerate(text(top, name).splitlines(), 1)


def listed(path):
    """Number and words of each line of a list; # begins a comment."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = line.partition("#")[0].split()
            if words:
                yield number, words
