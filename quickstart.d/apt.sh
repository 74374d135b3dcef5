# apt.sh - apt for what must not touch this machine's settings; sourced by quickstart, and by
# tests/sanitizers and tests/debian.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash

# private_apt FOLDER ARGUMENT...: apt-get with lists and a cache of its own, in an absolute FOLDER.
# It may be a folder that apt's own user cannot enter.
private_apt() {
    local folder=$1
    shift
    mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" || return
    apt-get -o Dir::State::Lists="$folder/lists" -o Dir::Cache="$folder/cache" \
        -o APT::Sandbox::User=root "$@"
}

# private_source_entries FOLDER: this machine's archives, as archives of source packages only.
private_source_entries() {
    local folder=$1 list parts file
    eval "$(apt-config shell list Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d)"
    rm -rf "$folder" && mkdir -p "$folder" || return
    for file in "${list:-/etc/apt/sources.list}" \
        "${parts:-/etc/apt/sources.list.d/}"*.{list,sources}; do
        [[ ! -r $file ]] || sed -E 's/^[[:space:]]*deb[[:space:]]/deb-src /
            s/^Types:.*/Types: deb-src/' "$file" >"$folder/${file##*/}" || return
    done
}
