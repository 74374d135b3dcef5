# bench.sh - what scripts about the benchmark share; they have sourced tap.sh.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154

tap_end_jobs_at_once
bench=$top_builddir/bench/symm_bench
test -x "$bench" || tap_skip_all "the benchmark has not been built"

# has_row DESCRIPTION PATTERN: a row of times. Beside other work there may be none that is
# undisturbed, which is said.
has_row() {
    if ! grep -Eq -e "$2" "$tap_output" && grep -q ': no state has 3 blocks' "$tap_output"; then
        tap_skip "$1" "$(tap_load)"
    else
        tap_has "$1" "$2"
    fi
}
