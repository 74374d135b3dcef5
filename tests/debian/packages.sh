# packages.sh - what the parts of tests/debian/packages share: results, and names; sourced by those
# that run inside a root.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034

export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive

packages=/srv/packages # what has been built
version=$(sed -n '1s/.*(\(.*\)).*/\1/p' "$top/debian/changelog")
upstream=${version%-*}
log=/var/log/symm-packages.log

# check DESCRIPTION COMMAND...: quietly; a failure shows the end of what the command has said.
check() {
    local what=$1 begun=$SECONDS
    shift
    if "$@" </dev/null >"$log" 2>&1; then
        echo "ok - $what ($((SECONDS - begun)) s)"
    else
        echo "not ok - $what"
        tail -n 60 "$log" | sed 's/^/# /'
        return 1
    fi
}
