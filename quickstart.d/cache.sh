# cache.sh - what runs of the tests leave for later ones, outside the tree: objects (ccache), images
# of device code, and roots of Debian. Sourced by quickstart and by the runners in tests. It spares
# time and changes no result, so any of it may be removed.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154

cache_folder=${SYMM_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/ompi-symm}

# For builds from here on. A ccache of the user's own is used as it is.
use_cache() {
    mkdir -p "$cache_folder/images" || return
    export SYMM_DEVICE_IMAGES=$cache_folder/images
    # Images of sources that are no more.
    find "$SYMM_DEVICE_IMAGES" -type f -mtime +30 -delete
    [[ -z ${CCACHE_DIR-} ]] || return 0
    # Work trees share it, wherever they are. Debian's compilers have the same dates in all roots.
    export CCACHE_DIR=$cache_folder/ccache CCACHE_MAXSIZE=2G CCACHE_COMPILERCHECK=content
    export CCACHE_BASEDIR=$top CCACHE_NOHASHDIR=1
    PATH=/usr/lib/ccache:$PATH
}
