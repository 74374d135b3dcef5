# packages.sh - which of Debian's packages are missing, and their installation; sourced by
# quickstart.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154

have() { command -v "$1" >/dev/null 2>&1; }

have_pip() { python3 -m pip --version >/dev/null 2>&1; }

compiles() { cc -E - >/dev/null 2>&1; }

# configure has to be generated in a git checkout, not in a release archive.
configure_is_stale() {
    [[ ! -x $top/configure || ! -e $top/Makefile.in ]] && return
    [[ ! -e $top/.git ]] && return 1
    [[ -n $(find "$top"/configure.ac "$top"/m4/symm_*.m4 -newer "$top/configure") ||
        -n $(find "$top"/Makefile.am "$top"/*/local.mk -newer "$top/Makefile.in") ]]
}

# Debian's names of the packages whose programs or headers are not there.
missing_packages() {
    have cc || echo gcc
    have cc && compiles <<<'#include <stdlib.h>' || echo libc6-dev
    have make || echo make
    if configure_is_stale; then
        have autoconf || echo autoconf
        have automake || echo automake
        have libtoolize || echo libtool
    fi
    have mpicc || echo libopenmpi-dev
    have mpirun || echo openmpi-bin
    pmix_is_missing && printf '%s\n' libpmix-dev pkgconf
    openmpi_source_is_missing && ! have dpkg-source && echo dpkg-dev
    have cc && compiles <<<'#include <stdarg.h>
        #include <stddef.h>
        #include <stdint.h>
        #include <setjmp.h>
        #include <cmocka.h>' || echo libcmocka-dev
}

# What CUDA needs beside; a build without it does not.
missing_for_cuda() {
    [[ " ${configure_options[*]}" == *\ --without-cuda* ]] && return
    cuda_is_chosen || cuda_is_there || cuda_is_wanted || return
    have g++ || echo g++
    cuda_is_chosen || cuda_is_there || have_pip || echo python3-pip
}

# python_with MODULES: the Python that has them, of the first and Debian's.
python_with() {
    local python
    for python in python3 /usr/bin/python3; do
        "$python" -c "import $1" 2>/dev/null && echo "$python" && return
    done
}

# What tests are skipped without: mpi4py, which Debian has for its own Open MPI, matplotlib, and ip
# for networks of their own; and for the long form a Slurm, whose daemons have nothing to do.
missing_for_tests() {
    python_with mpi4py,numpy >/dev/null || [[ -z $(openmpi_package) ]] ||
        printf '%s\n' python3-mpi4py python3-numpy
    python_with matplotlib >/dev/null || echo python3-matplotlib
    have ip || echo iproute2
    [[ -z ${SYMM_TEST_ALL-} ]] || PATH=$PATH:/usr/sbin have slurmctld ||
        printf '%s\n' slurmctld slurmd slurm-client munge
}

# read_lists STEP: once; STEP is `step`, or `attempt` for what can be done without.
read_lists() {
    [[ -n ${lists_are_read-} ]] || "$1" 'apt: reading the package lists' apt-get update || return
    lists_are_read=yes
}

# install STEP PACKAGE...: says what it will download.
install() {
    local how=$1 size
    shift
    export DEBIAN_FRONTEND=noninteractive
    read_lists "$how" || return
    size=$(apt-get install --assume-no --no-install-recommends "$@" 2>/dev/null |
        sed -n 's/^Need to get \(.*\) of archives.*/ (\1)/p')
    "$how" "apt: installing $*$size" apt-get install --yes --no-install-recommends "$@"
}

ensure_packages() {
    local packages
    [[ -e $build/config.status ]] || refuse_foreign_openmpi
    mapfile -t packages < <(missing_packages)
    ((${#packages[@]} == 0)) && return
    if ! have apt-get; then
        fail "missing (names of Debian's packages): ${packages[*]}" \
            "this system has no apt-get: install their equivalents, then run this again"
    fi
    if ((EUID != 0)); then
        fail "missing packages: ${packages[*]}" \
            "as we are not root, please run: sudo apt-get install --yes ${packages[*]}"
    fi
    # The lists say which Open MPI there will be, and so what it needs.
    read_lists step
    mapfile -t packages < <(missing_packages; missing_for_cuda)
    install step "${packages[@]}"
    mapfile -t packages < <(missing_packages)
    ((${#packages[@]} == 0)) || fail "still missing after installation: ${packages[*]}"
}
