# openmpi.sh - what components need of Open MPI beyond its package: headers that it does not install
# come from its source, which the distribution has; sourced by quickstart.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2154

# The source that is fetched is in a folder here that is named after its version.
openmpi_folder=$build/openmpi
openmpi_options=()

# The release that is installed, or the one that apt would install. Nothing is known before apt has
# read its lists.
openmpi_version() {
    if have mpicc; then
        mpicc --showme:version 2>/dev/null | sed -n 's/.*Open MPI v*\([0-9][0-9a-z.]*\).*/\1/p'
    else
        apt-cache policy libopenmpi-dev 2>/dev/null |
            sed -n 's/^ *Candidate: \([0-9]*:\)\{0,1\}\([0-9][0-9a-z.]*\).*/\2/p'
    fi
}

# The package that mpicc is in, if the distribution has it.
openmpi_package() {
    ! have mpicc || dpkg -S "$(readlink -f "$(type -P mpicc)")" 2>/dev/null | sed 's/:.*//; q'
}

# Folders of installed headers, internal ones included.
openmpi_folders() {
    local folder
    for folder in $(mpicc --showme:incdirs 2>/dev/null); do
        printf '%s\n' "$folder" "$folder/openmpi"
    done
}

openmpi_has_headers() {
    local folder
    while IFS= read -r folder; do
        [[ ! -e $folder/ompi_config.h ]] || return 0
    done < <(openmpi_folders)
    return 1
}

# Whether the installed headers will do, which configure looks at more closely.
openmpi_headers_do() {
    local folder flags=()
    while IFS= read -r folder; do
        flags+=(-isystem "$folder")
    done < <(openmpi_folders)
    compile_with_pmix '#include "mca/ompi_compat.h"' -I"$top" "${flags[@]}" \
        -isystem "$top/mca/shim"
}

compile_with_pmix() {
    local flags
    read -ra flags < <(pkg-config --cflags pmix 2>/dev/null)
    echo "$1" | mpicc -E "${@:2}" "${flags[@]}" - >/dev/null 2>&1
}

# Headers that Open MPI 5.0 has installed include PMIx's. One that has installed none needs none:
# its source has them. While nothing is known of the Open MPI, it counts as Debian 13's, 5.0.
pmix_is_missing() {
    [[ "${configure_options[*]}" != *--with-pmix=* && $(openmpi_version) != 4.* ]] || return
    ! pkg-config --exists pmix 2>/dev/null || return
    ! have mpicc || { openmpi_has_headers && ! compile_with_pmix '#include <pmix.h>'; }
}

# Whether quickstart has to look for the source: the user has said nothing of Open MPI.
openmpi_source_is_needed() {
    local version
    [[ ! " ${configure_options[*]}" =~ \ (--with-ompi|MPICC=) ]] || return
    version=$(openmpi_version)
    if have mpicc && have cc; then
        [[ -n $version ]] && ! openmpi_headers_do
    else
        [[ $version != 4.* ]]
    fi
}

openmpi_source_is_missing() {
    [[ ! -e $build/config.status && ! -e $(openmpi_source)/VERSION ]] && openmpi_source_is_needed
}

# Where the source of the installed Open MPI is, or will be.
openmpi_source() {
    echo "$openmpi_folder/$(openmpi_source_package version)/source"
}

# openmpi_source_package package|version: of the installed Open MPI.
openmpi_source_package() {
    local package
    package=$(openmpi_package)
    [[ -z $package ]] || dpkg-query -W -f "\${source:${1^}}\n" "$package" 2>/dev/null | head -n 1
}

# The source of an Open MPI that did not come from the distribution cannot be had from there.
refuse_foreign_openmpi() {
    have mpicc && have cc && [[ -z $(openmpi_package) ]] && openmpi_source_is_needed || return 0
    fail "Open MPI $(openmpi_version) of $(type -P mpicc) lacks headers that its source has" \
        'unpack the source of that release, then run this again with --with-ompi-source=DIR'
}

# Sets openmpi_options to what configure has to be told.
ensure_openmpi_source() {
    local source
    openmpi_source_is_needed || return 0
    source=$(openmpi_source)
    if [[ ! -e $source/VERSION ]]; then
        have dpkg-source ||
            fail 'no dpkg-source, which unpacks the source of Open MPI (Debian: dpkg-dev)'
        rm -rf "$openmpi_folder"
        mkdir -p "${source%/*}" || fail "cannot make the folder ${source%/*}"
        fetch_openmpi_source "${source%/*}"
        mv "${source%/*}"/*/ "$source" || fail "no source in ${source%/*}"
    fi
    openmpi_options=("--with-ompi-source=$source")
}

# fetch_openmpi_source FOLDER: for the version that is installed; apt's settings stay as they are.
fetch_openmpi_source() {
    local source size apt=$build/apt apt_of_sources
    local remedy='if the archives lack that version, unpack its source: --with-ompi-source=DIR'
    source=$(openmpi_source_package package)=$(openmpi_source_package version)
    private_source_entries "$apt/entries" || fail "cannot write to $apt"
    apt_of_sources=(private_apt "$apt" -o Dir::Etc::sourcelist=/dev/null
        -o Dir::Etc::sourceparts="$apt/entries")
    step 'apt: reading the lists of source packages' "${apt_of_sources[@]}" update
    size=$("${apt_of_sources[@]}" source --print-uris "$source" 2>/dev/null |
        awk "/^'/ { sum += \$3 } END { printf \"%.0f\", sum / 1e6 }")
    cd "$1" || fail "cannot enter $1"
    step "apt: Open MPI's source, for headers that its package lacks ($size MB)" \
        "${apt_of_sources[@]}" source "$source"
    cd "$top" || exit 1
    rm -rf "$apt"
}
