"""read_recipes.py - reads the recipes of Spack and EasyBuild with stand-ins for what these tools
give them, checks what modules set, and prints the options that configure gets, one a line.

Usage: read_recipes.py PACKAGING RECIPE; RECIPE is "spack, cuda", "easybuild, 5.0" and so on.
"""
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

import glob
import os
import shlex
import sys
import types

OURS, THEIRS = "lib/ompi-symm", "lib/openmpi"


def expect(what, found, expected):
    if found != expected:
        sys.exit("%s: %s, expected %s" % (what, found, expected))


class Prefix(str):
    def __getattr__(self, name):
        return Prefix(self + "/" + name)


class Spec:
    """A concrete one: the package's conditions that hold, and where others are."""
    prefix = Prefix("/prefix")

    def __init__(self, *conditions):
        self.conditions = conditions

    def satisfies(self, condition):
        return condition in self.conditions

    def __getitem__(self, name):
        return types.SimpleNamespace(prefix=Prefix("/" + name))


class Environment(dict):
    def prepend_path(self, name, path):
        self.setdefault(name, []).insert(0, path)


class Package:
    """Stands for AutotoolsPackage."""
    prefix = Prefix("/prefix")
    stage = types.SimpleNamespace(source_path="/stage")


def read_spack(packaging, kind):
    said = []
    names = {"AutotoolsPackage": Package, "join_path": os.path.join,
             "run_after": lambda _: lambda function: function}
    for name in ("license", "version", "variant", "depends_on", "conflicts", "resource"):
        names[name] = lambda *words, _name=name, **options: said.append((_name, words, options))
    module = types.ModuleType("spack.package")
    module.__dict__.update(names)
    sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": module})
    path = packaging + "/spack/packages/ompi-symm/package.py"
    scope = {"__name__": "package", "__file__": path}
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), scope)

    expect("variants", [words[0] for name, words, _ in said if name == "variant"],
           ["cuda", "tests", "installed_headers"])
    for name, _, options in said:
        if name == "resource":
            release = options["when"].rpartition("@")[2]
            expect("resource", options["url"].rpartition("/")[2], "openmpi-%s.tar.bz2" % release)
            expect("length of a checksum", len(options["sha256"]), 64)
    package = scope["OmpiSymm"]()
    package.spec = Spec("+cuda", "+tests", "~installed_headers") if kind == "cuda" else Spec()
    environment = Environment()
    package.setup_run_environment(environment)
    expect("modules", dict(environment), {"OMPI_MCA_mca_base_component_path":
                                          ["/prefix/" + OURS, "/prefix/" + THEIRS]})
    expect("the archive's folder", os.path.dirname(package.url), "file://" + os.path.dirname(path))
    return package.configure_args()


def read_easybuild(packaging, kind):
    path, = glob.glob(packaging + "/easybuild/*.eb")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if kind == "4.1":
        text = text.replace("'version': '2025a'", "'version': '2023b'")
    scope = {"SYSTEM": {}, "SHLIB_EXT": "so", "SOURCE_TAR_GZ": "%(name)s-%(version)s.tar.gz"}
    exec(compile(text, path, "exec"), scope)

    expect("checksums", len(scope["checksums"]),
           len(scope["sources"]) + len(scope.get("patches", [])))
    variables = [("OMPI_MCA_mca_base_component_path", THEIRS),
                 ("OMPI_MCA_mca_base_component_path", OURS)]
    if kind == "5.0":
        variables.append(("PMIX_MCA_mca_base_component_path", "lib/pmix"))
    expect("Lua", scope["modluafooter"].splitlines(),
           ['prepend_path("%s", pathJoin(root, "%s"))' % row for row in variables])
    expect("Tcl", scope["modtclfooter"].splitlines(),
           ["prepend-path %s $root/%s" % row for row in variables])
    return shlex.split(scope["configopts"])


tool, _, kind = sys.argv[2].partition(", ")
print("\n".join({"spack": read_spack, "easybuild": read_easybuild}[tool](
    os.path.abspath(sys.argv[1]), kind)))
