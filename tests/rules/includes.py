"""includes.py - which includes point up, or in a circle, and which two sources need each other.

A source is a .c with the .h of its name. It needs another one if it uses a function that the other
defines, and that a header declares which both include.
"""
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

import collections
import fnmatch
import os
import re

import tree

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)
BUILT = "config.h"
NOISE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)((?:\\\n|[^\n])*)", re.M)
EXTERN_C = re.compile(r"\bextern\s*\{")
ATTRIBUTE = re.compile(r"__attribute__\s*\(\(.*?\)\)", re.S)
FUNCTION = re.compile(r"(\w+)\s*\(")
WORD = re.compile(r"\w+")
HEADER = re.compile(r".*\.(h|cuh)$")


class Includes:
    """What each file includes: files of the tree, and names that are not in it."""

    def __init__(self, top):
        self.top = top
        self.files = [name for name in tree.files(top) if tree.C_SOURCE.match(name)]
        known = set(self.files)
        self.inside, self.outside = {}, {}
        for name in self.files:
            self.inside[name], self.outside[name] = [], []
            for target in INCLUDE.findall(tree.text(top, name)):
                beside = os.path.normpath(os.path.join(os.path.dirname(name), target))
                path = next((path for path in (beside, target) if path in known), None)
                if path:
                    self.inside[name].append(path)
                elif target != BUILT:
                    self.outside[name].append(target)

    def reached(self, name):
        """All that NAME includes, and what that includes, and so on."""
        found, todo = set(), [name]
        while todo:
            new = set(self.inside[todo.pop()]) - found
            found |= new
            todo += new
        return found


class Layers:
    """The list of folders and files from the bottom up; see the file `layers`."""

    def __init__(self, path):
        self.path, self.rows, self.used = path, [], set()
        for number, words in tree.listed(path):
            name, colon = words[0].rstrip(":"), words[0].endswith(":")
            self.rows.append((name, words[1:] if colon else None, number))

    def row(self, name):
        """The place of a file: its own, or that of its folder, or of a pattern."""
        folder = os.path.dirname(name)
        for place, (pattern, _, _) in enumerate(self.rows):
            if pattern in (name, folder):
                break
        else:
            place = next((place for place, (pattern, _, _) in enumerate(self.rows)
                          if fnmatch.fnmatchcase(folder, pattern)), None)
        self.used.add(place)
        return place

    def allows(self, lower, upper):
        only = self.rows[upper][1]
        return lower == upper or lower < upper and (only is None or any(
            fnmatch.fnmatchcase(self.rows[lower][0], pattern) for pattern in only))

    def has_outside(self, place):
        return "outside" in (self.rows[place][1] or [])


def check_layers(top, lists):
    """Includes point down."""
    includes, layers = Includes(top), Layers(os.path.join(lists, "layers"))
    places = {name: layers.row(name) for name in includes.files}
    for folder in sorted({os.path.dirname(name) for name in places if places[name] is None}):
        print("the folder %s is not in %s" % (folder, layers.path))
    for name, place in places.items():
        if place is None:
            continue
        for target in includes.inside[name]:
            lower = places[target]
            if lower is not None and not layers.allows(lower, place):
                print("%s includes %s: that points up, or past what it may" % (name, target))
        for target in includes.outside[name]:
            if not layers.has_outside(place):
                print("%s includes %s, which is not in this tree" % (name, target))
    for place, (pattern, _, number) in enumerate(layers.rows):
        if place not in layers.used:
            print("%s:%d: there is no source in %s" % (layers.path, number, pattern))


def check_circles(top, _):
    """No file includes itself by way of others."""
    includes = Includes(top)
    for name in includes.files:
        if name in includes.reached(name):
            print("%s is included by what it includes" % name)


class Names:
    """The functions that a file declares, defines and uses, read without a compiler."""

    def __init__(self, name, text):
        self.declared, self.defined, self.own, self.used = set(), set(), set(), set()
        self.is_header = HEADER.match(name)
        text = NOISE.sub(" ", text)
        for word, body in DIRECTIVE.findall(text):
            if word == "define":
                self.used.update(WORD.findall(body))
        depth, head = 0, ""
        for part in re.split(r"([{};])", EXTERN_C.sub("", DIRECTIVE.sub("", text))):
            if part in "{;" and depth == 0:
                self.note(head, part == "{")
            depth = max(depth + {"{": 1, "}": -1}.get(part, 0), 0)
            if depth > 0:
                self.used.update(WORD.findall(part))
            head = part if depth == 0 else ""

    def note(self, head, defined):
        """HEAD stands outside of braces, before some or before a semicolon."""
        head, _, value = ATTRIBUTE.sub("", head).partition("=")
        self.used.update(WORD.findall(value))
        found = FUNCTION.search(head)
        if found and not value and not head.strip().startswith("typedef"):
            if self.is_header and defined:
                self.declared.add(found.group(1))
            elif re.search(r"\bstatic\b", head):
                self.own.add(found.group(1))
                return
            (self.defined if defined else self.declared).add(found.group(1))


def needs(top):
    """Each source with the sources that it needs, and for which names."""
    includes = Includes(top)
    names = {name: Names(name, tree.text(top, name)) for name in includes.files}
    source = {name: os.path.splitext(name)[0] for name in includes.files}
    headers = {name: {header for header in includes.reached(name) | {name}
                      if HEADER.match(header)} for name in includes.files}
    definers, declarers = collections.defaultdict(set), collections.defaultdict(set)
    for name in includes.files:
        for word in names[name].declared:
            declarers[word].add(name)
        for word in names[name].defined:
            definers[word].add(name)
    found = collections.defaultdict(lambda: collections.defaultdict(set))
    for name in includes.files:
        for word in names[name].used & set(definers) - names[name].own - names[name].defined:
            for definer in definers[word]:
                if (headers[name] & headers[definer] & declarers[word] and
                        source[definer] != source[name] and
                        (name.startswith("tests/") or not definer.startswith("tests/"))):
                    found[source[name]][source[definer]].add(word)
    return found


def check_pairs(top, lists):
    """No two sources need each other, but those in the list."""
    path, found = os.path.join(lists, "pairs"), needs(top)
    pairs = {(one, two) for one in found for two in found[one]
             if one < two and one in found.get(two, ())}
    known = {}
    for number, words in tree.listed(path):
        known[tuple(sorted(words))] = number
    for one, two in sorted(pairs - set(known)):
        print("%s and %s need each other: %s; %s" % (one, two, ", ".join(
            sorted(found[one][two])[:3]), ", ".join(sorted(found[two][one])[:3])))
    for pair in sorted(set(known) - pairs):
        print("%s:%d: %s and %s no longer need each other" % ((path, known[pair]) + pair))
