"""sources.py - how long files and lines are, and of which words names of files consist."""
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

import os
import re

import tree

LINES_MOST, COLUMNS_MOST, TAB = 450, 100, 8
GLOSSARY = "docs/glossary.md"
# **term** or *term*, and no bullet of a list.
EMPHASIS = re.compile(r"\*\*[^*]+\*\*|\*(?=[^\s*])[^*]+\*")
# A line may be longer by an address, which cannot be broken.
ADDRESS = re.compile(r"https?://[^\s)>]+")


def check_lengths(top, _):
    for name in tree.files(top):
        if tree.SOURCE.match(name) and not tree.DATA.match(name):
            count = sum(1 for _ in tree.lines(top, name))
            if count > LINES_MOST:
                print("%s has %d lines" % (name, count))


def check_columns(top, _):
    for name in tree.files(top):
        if not tree.DATA.match(name):
            for number, text in tree.lines(top, name):
                if name.endswith(".md"):
                    text = "" if text.lstrip().startswith("|") else ADDRESS.sub("", text)
                columns = len(text.expandtabs(TAB))
                if columns > COLUMNS_MOST:
                    print("%s:%d: %d columns" % (name, number, columns))


def check_archive(top, _):
    """Headers are named in a *.mk file: else `make dist` leaves them out, and nothing says so."""
    found = tree.files(top)
    made = "\n".join(tree.text(top, name) for name in found if name.endswith((".mk", ".am")))
    for name in found:
        if name.endswith((".h", ".cuh")) and name not in made:
            print("%s is in no *.mk file, and so in no archive" % name)


def parts(text):
    return set(re.findall("[a-z]{2,}", text.lower()))


def check_words(top, lists):
    """Each word in names of files and folders is a plain one or in the glossary."""
    path, used = os.path.join(lists, "plain_words"), {}
    for name in tree.files(top):
        for word in parts(name):
            used.setdefault(word, name)
    terms = parts(" ".join(EMPHASIS.findall(tree.text(top, GLOSSARY))))
    rows = [word for _, words in tree.listed(path) for word in words]
    known = terms | set(rows)
    known |= {word + "s" for word in known}
    for word in sorted(set(used) - known):
        print("%s: the word %s is neither in %s nor in %s" % (used[word], word, GLOSSARY, path))
    for before, after in zip(rows, rows[1:]):
        if before >= after:
            print("%s: %s stands before %s" % (path, before, after))
