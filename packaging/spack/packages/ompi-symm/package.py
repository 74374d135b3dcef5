"""package.py - ompi-symm for Spack, with the Open MPI that Spack has or knows as an external one.

docs/packages.md (Spack) says how it is used. The archive is taken from the folder of this file, or
from a mirror: there is no place to download it from.
"""
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

import os

from spack.package import *

try:
    from spack_repo.builtin.build_systems.autotools import AutotoolsPackage
except ImportError:  # before Spack 1.0 it comes with spack.package
    pass

# Open MPI's archives, whose headers components are compiled with.
_SOURCES = {
    "5.0.10": "0acecc4fc218e5debdbcb8a41d182c6b0f1d29393015ed763b2a91d5d7374cc6",
    "5.0.9": "dfb72762531170847af3e4a0f21d77d7b23cf36f67ce7ce9033659273677d80b",
    "5.0.8": "53131e1a57e7270f645707f8b0b65ba56048f5b5ac3f68faabed3eb0d710e449",
    "5.0.7": "119f2009936a403334d0df3c0d74d5595a32d99497f9b1d41e90019fee2fc2dd",
    "5.0.6": "bd4183fcbc43477c254799b429df1a6e576c042e74a2d2f8b37d537b2ff98157",
    "5.0.5": "6588d57c0a4bd299a24103f4e196051b29e8b55fbda49e11d5b3d32030a32776",
    "5.0.4": "64526852cdd88b2d30e022087c16ab3e03806c451b10cd691d5c1ac887d8ef9d",
    "5.0.3": "990582f206b3ab32e938aa31bbf07c639368e4405dca196fabe7f0f76eeda90b",
    "4.1.8": "466f68e3132a1dc02710cc2011fafced8336d98359fa2dae4dddcfd5719f12a9",
    "4.1.7": "54a33cb7ad81ff0976f15a6cc8003c3922f0f3d8ceed14e1813ef3603f22cd34",
    "4.1.6": "f740994485516deb63b5311af122c265179f5328a0d857a567b85db00b11e415",
    "4.1.5": "a640986bc257389dd379886fdae6264c8cfa56bc98b71ce3ae3dfbd8ce61dbe3",
    "4.1.4": "92912e175fd1234368c8730c03f4996fe5942e7479bb1d10059405e7f2b3930d",
}


class OmpiSymm(AutotoolsPackage):
    """A plug-in for Open MPI that makes collectives fast between the ranks of one node, on GPU
    memory and on host memory."""

    # The archive in the folder of this file; the only line to change where it is elsewhere.
    url = f"file://{os.path.dirname(os.path.abspath(__file__))}/ompi-symm-0.3.0.tar.gz"

    license("BSD-3-Clause")

    # With the checksum of your archive, or `spack install --no-checksum`.
    version("0.3.0")

    variant("cuda", default=False, description="GPU memory (a build without a GPU can have it)")
    variant("tests", default=False, description="Build the unit tests, with cmocka")
    variant(
        "installed_headers",
        default=False,
        description="Open MPI 4.1 has installed its internal headers, as Debian's has",
    )

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("openmpi@4.1:5.0")
    depends_on("cuda@12.8:", type="build", when="+cuda")
    depends_on("cmocka", type="build", when="+tests")
    depends_on("perl", type="build", when="~installed_headers")  # for Open MPI's configure
    depends_on("pkgconfig", type="build")
    conflicts("+installed_headers", when="^openmpi@5:", msg="Open MPI 5.0 never installs all")

    for _version, _sum in _SOURCES.items():
        resource(
            name="openmpi",
            url=f"https://download.open-mpi.org/release/open-mpi/v{_version[:3]}/"
            f"openmpi-{_version}.tar.bz2",
            sha256=_sum,
            placement="openmpi-source",
            when=f"~installed_headers ^openmpi@{_version}",
        )

    def configure_args(self):
        args = [f"--with-ompi={self.spec['openmpi'].prefix}"]
        if self.spec.satisfies("~installed_headers"):
            args.append(f"--with-ompi-source={self.stage.source_path}/openmpi-source")
        if self.spec.satisfies("+cuda"):
            args.append(f"--with-cuda={self.spec['cuda'].prefix}")
        else:
            args.append("--without-cuda")
        if self.spec.satisfies("+tests"):
            args.append(f"--with-cmocka={self.spec['cmocka'].prefix}")
        else:
            args.append("--without-cmocka")
        return args

    @run_after("install")
    def link_folders(self):
        """Links the folders of Open MPI's and PMIx's own components, which configure has found."""
        with working_dir(self.build_directory):
            Executable("sh")(
                "-c",
                '. tests/env.sh; ln -s "$OMPI_PKGLIBDIR" "$0/openmpi"; '
                'test -z "$PMIX_PKGLIBDIR" || ln -s "$PMIX_PKGLIBDIR" "$0/pmix"',
                self.prefix.lib,
            )

    def setup_run_environment(self, env):
        # Ours comes first, then Open MPI's own: it looks no further than one that is missing.
        for folder in ("openmpi", "ompi-symm"):
            path = join_path(self.prefix.lib, folder)
            env.prepend_path("OMPI_MCA_mca_base_component_path", path)
        # PMIx, below Open MPI 5.0, reads that variable unless it has one of its own.
        if self.spec.satisfies("^openmpi@5:") and os.path.isdir(self.prefix.lib.pmix):
            env.prepend_path("PMIX_MCA_mca_base_component_path", self.prefix.lib.pmix)

    def setup_dependent_run_environment(self, env, dependent_spec):
        self.setup_run_environment(env)
