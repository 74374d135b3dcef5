#!/bin/sh
# autogen.sh - generate configure; needed after a checkout from git, not with a release archive.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

set -eu
cd "$(dirname "$0")"

missing=
for program in autoconf automake libtoolize; do
    command -v "$program" >/dev/null 2>&1 || missing="$missing $program"
done
if [ -n "$missing" ]; then
    echo "autogen.sh: not found:$missing" >&2
    echo "autogen.sh: Debian and Ubuntu: apt-get install autoconf automake libtool" >&2
    exit 1
fi
exec autoreconf --install --force
