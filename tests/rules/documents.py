"""documents.py - whether documents hold together: links, their anchors, and files that are named
lead somewhere, where documents are installed as well; README.md leads to each; none has the path of
a machine, or says that what is served is not; tables have one direction.
"""
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

import glob
import os
import re

import tree

README_MOST = 150

# What names of files are relative to, beside the document's own folder.
BASES = ["", "heap", "heap/gpu", "heap/server", "heap/team", "kernels", "kernels/cuda",
         "kernels/cuda/launch", "kernels/cuda/device_code", "kernels/host", "mca",
         "mca/coll/symm", "tests"]
# What programs and pairs of source and header are named without.
SUFFIXES = ["", ".c", ".h", ".tap"]
SOURCE = re.compile(r".*\.(c|cc|cu|cuh|h|md|mk|py|sh|svg|table|tap|txt|[137])$")
MENTION = re.compile(r"(?<![\w/.$*}{-])((?:tests|bench|docs|heap|kernels|mca|mpix|info|examples|"
                     r"m4)/[\w/.-]*\w\.(?:c|cc|cu|cuh|h|md|mk|py|sh|tap|txt|svg))\b(?!\.)")
# [text](target), and [name]: target.
LINK = re.compile(r"\[[^\]]*\](?:\(|: )([^)\s]+)")
# Folders that a person's machine has, or a temporary one by its name.
MACHINE = re.compile(r"(?<![\w.$}~/])/(?:(?:root|work|workspace)\b|(?:home|Users|mnt)/\w|"
                     r"tmp/(?!ompi\.|prterun\.)\w)[^\s`'\")]*")


def documents(top):
    return [name for name in tree.files(top) if name.endswith(".md")]


def lines(top, document):
    """Number, kind (code, table, heading or prose) and text of each line."""
    fenced = False
    for number, text in tree.lines(top, document):
        if text.startswith("```"):
            fenced = not fenced
            yield number, "code", text
        elif fenced or text.startswith("    "):
            yield number, "code", text
        elif text.startswith("|"):
            yield number, "table", text
        elif text.startswith("#"):
            yield number, "heading", text
        else:
            yield number, "prose", text


def anchors(top, document):
    """The anchors of the headings, as code hosts make them."""
    found = {}
    for _, kind, text in lines(top, document):
        if kind == "heading":
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text.lstrip("#").strip())
            name = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            found[name] = found.get(name, -1) + 1
            yield name if found[name] == 0 else "%s-%d" % (name, found[name])


def outside_code(top, document):
    """The document without code, as paragraphs: a link may be broken over lines."""
    number, paragraph = 0, []
    for number_now, kind, text in lines(top, document):
        if kind != "code":
            if paragraph and (kind != "prose" or text.strip() == ""):
                yield number, " ".join(paragraph)
                paragraph = []
            number = number if paragraph else number_now
            paragraph.append(text.strip())
    if paragraph:
        yield number, " ".join(paragraph)


def tables(top, document):
    """Line and text of each table."""
    number, rows = 0, []
    for number_now, kind, text in list(lines(top, document)) + [(0, "end", "")]:
        if rows and kind != "table":
            yield number, "\n".join(rows)
            rows = []
        if kind == "table":
            number = number if rows else number_now
            rows.append(text)


def links(top, document):
    """Line of the paragraph, document or file, and anchor of each relative link."""
    folder = os.path.dirname(document)
    for number, text in outside_code(top, document):
        for target in LINK.findall(re.sub(r"`[^`]*`", "", text)):
            if not re.match(r"[a-z]+:", target):
                path, _, anchor = target.partition("#")
                path = os.path.normpath(os.path.join(folder, path)) if path else document
                yield number, path, anchor


def check_links(top, _):
    for document in documents(top):
        for number, path, anchor in links(top, document):
            if not os.path.exists(os.path.join(top, path)):
                print("%s:%d: there is no %s" % (document, number, path))
            elif anchor and anchor not in anchors(top, path):
                print("%s:%d: %s has no heading %s" % (document, number, path, anchor))


def listed(top, variable):
    """The files in a variable of the makefiles."""
    found = []
    for name in tree.files(top):
        if name.endswith((".am", ".mk")):
            text = tree.text(top, name).replace("\\\n", " ")
            for row in re.findall(r"^%s *\+?=(.*)$" % variable, text, re.M):
                found += row.split()
    return found


def check_installed(top, _):
    """What an installed document leads to is installed with it."""
    installed = listed(top, "nobase_dist_doc_DATA")
    manuals = listed(top, "dist_man_MANS")
    known = set(installed) | {os.path.dirname(name) for name in installed}
    for document in installed:
        if document.endswith(".md"):
            for number, path, _ in links(top, document):
                if path not in known:
                    print("%s:%d: %s is not installed" % (document, number, path))
    names = {os.path.basename(name) for name in manuals}
    for manual in manuals:
        for number, text in tree.lines(top, manual):
            for name, section in re.findall(r"^\.Xr (\S*symm\S*) (\d)", text):
                if "%s.%s" % (name, section) not in names:
                    print("%s:%d: there is no %s(%s)" % (manual, number, name, section))
            for name in re.findall(r"([\w/-]+\.md)\b", text):
                if name not in known:
                    print("%s:%d: %s is not installed" % (manual, number, name))


def check_machines(top, _):
    helps = [name for name in tree.files(top) if re.match(r".*/help-[^/]*\.txt$", name)]
    for name in listed(top, "nobase_dist_doc_DATA") + listed(top, "dist_man_MANS") + helps:
        if not name.endswith(".svg"):
            for number, text in tree.lines(top, name):
                for path in MACHINE.findall(text):
                    print("%s:%d: %s is a path of a machine" % (name, number, path))


def exists(top, document, name):
    return any(glob.glob(os.path.join(top, base, name + suffix))
               for base in BASES + [os.path.dirname(document)] for suffix in SUFFIXES)


def is_ours(top, name):
    """Whether it is the name of a file, and not of a component (pml/ucx) or of a built file."""
    first = name.split("/")[0]
    others = ("..", "...", "build", "coll", "include", "mpool")
    return first not in others and "/." not in name and (
        SOURCE.match(name) or
        any(os.path.isdir(os.path.join(top, base, first)) for base in BASES))


def check_names(top, _):
    for document in documents(top):
        for number, text in outside_code(top, document):
            for word in " ".join(re.findall(r"`([^`]+)`", text)).split():
                name = re.sub(r"^\./", "", word).rstrip("/")
                if re.fullmatch(r"[\w.+*-]+(/[\w.+*-]+)+", name) and is_ours(top, name) and \
                        not re.search(r"[A-Z]{4}[^/.]*(/|\.|$)", name) and \
                        not exists(top, document, name):
                    print("%s:%d: there is no %s" % (document, number, name))


def check_mentions(top, _):
    """Comments and messages name files that exist; they give the whole path where they name one."""
    for name in tree.files(top):
        if not (name.endswith(".md") or tree.DATA.match(name) or name.startswith("tests/rules/")):
            for number, text in tree.lines(top, name):
                for path in MENTION.findall(text):
                    if not glob.glob(os.path.join(top, path) + "*"):
                        print("%s:%d: there is no %s" % (name, number, path))


def check_reached(top, _):
    reached, todo = set(), ["README.md"]
    while todo:
        document = todo.pop()
        if document not in reached and os.path.isfile(os.path.join(top, document)):
            reached.add(document)
            todo += [path for _, path, _ in links(top, document) if path.endswith(".md")]
    for document in documents(top):
        if document.startswith("docs/") and document not in reached:
            print("%s: no way from README.md" % document)


def check_directions(top, _):
    for document in documents(top):
        for number, text in tables(top, document):
            if "ratio" in text and re.search("times (faster|as fast)", text):
                print("%s:%d: ratios, and how many times as fast" % (document, number))


def check_served(top, _):
    """What docs/served.md lists as served is nowhere said not to be."""
    short = [text for _, text in tables(top, "docs/served.md")][0]
    calls = {call for row in short.splitlines() if row.endswith("served |")
             for call in re.findall(r"`(MPI_\w+)`", row)}
    for document in documents(top):
        for number, text in outside_code(top, document):
            for sentence in re.split(r"\. |\|", text):
                if re.search("(does not|do not|never) serve|(is|are) not served", sentence):
                    for call in sorted(calls & set(re.findall(r"`(MPI_\w+)`", sentence))):
                        print("%s:%d: %s is served" % (document, number, call))


def check_readme(top, _):
    count = sum(1 for _ in tree.lines(top, "README.md"))
    if count > README_MOST:
        print("README.md has %d lines" % count)
