# tools.sh - what the parts of tests/sanitizers/run share: results, builds, and programs that run
# beside each other.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154

# ---- results -------------------------------------------------------------------------------------

passed=0
failed=0

# result STATUS DESCRIPTION [LOG]: returns whether it was good.
result() {
    if (($1 == 0)); then
        passed=$((passed + 1))
        echo "ok $((passed + failed)) - $2"
        return 0
    else
        failed=$((failed + 1))
        echo "not ok $((passed + failed)) - $2"
        [[ -z ${3-} ]] || complaints "$3" | sed 's/^/# /'
        return 1
    fi
}

# missing PART PACKAGE
missing() {
    failed=$((failed + 1))
    echo "not ok $((passed + failed)) - $1: $2 is missing and cannot be installed"
}

# What a log has to say: from its first complaint on, or its end.
complaints() {
    local first
    first=$(grep -n -m 1 -E 'ERROR: |WARNING: |runtime error|^not ok|error:' "$1" | cut -d: -f1)
    if [[ -n $first ]]; then
        sed -n "$first,$((first + 40))p" "$1"
    elif (($(wc -l <"$1") > 60)); then
        head -n 40 "$1" && echo '...' && tail -n 20 "$1"
    else
        cat "$1"
    fi
}

# ---- tools ---------------------------------------------------------------------------------------

have() { command -v "$1" >/dev/null 2>&1; }

# need COMMAND PACKAGES...: whether the command is there, perhaps from now on.
need() {
    local command=$1
    shift
    have "$command" && return
    if have apt-get && ((EUID == 0)); then
        {
            apt-get update &&
                DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$@"
        } >"$folder/apt.log" 2>&1
    fi
    have "$command"
}

# build FOLDER OPTION PROGRAMS: configure, build what is tested, and the test programs named.
build() {
    local at=$folder/$1
    mkdir -p "$at" && cd "$at" || return 1
    if [[ ! -e config.status ]]; then
        "$top/configure" --enable-werror --without-cuda "$2" || return 1
    fi
    make --no-print-directory -j"$(nproc)" check TESTS= bin_PROGRAMS= noinst_PROGRAMS= \
        check_PROGRAMS="$3"
}

# limited COMMAND...: run it for as long as one program may take.
limited() {
    timeout --kill-after=10 "$seconds" "$@" </dev/null
}

# A program that the components have had no part in shows nothing.
was_served() {
    grep -q 'served: inline' "$1" || { echo 'error: no call has been served' >>"$1"; return 1; }
}

# The unit tests of the build folder that we are in, and its program of some name: paths.
unit_programs() {
    find tests/unit -type f -perm -u+x -name 'test_*' ! -name '*.log' ! -path '*/.libs/*' | sort
}

program() {
    find tests -type f -perm -u+x -name "$1" ! -path '*/.libs/*'
}

# at_once MOST COMMAND PATH...: COMMAND with each path, as many at a time as that; status_of PATH:
# how it has ended.
at_once() {
    local most=$1 command=$2 path
    shift 2
    for path in "$@"; do
        while (($(jobs -pr | wc -l) >= most)); do
            wait -n
        done
        { "$command" "$path"; echo $? >"$folder/status.${path##*/}"; } &
    done
    wait
}

status_of() {
    cat "$folder/status.${1##*/}"
}

# run_unit_tests WHAT [SKIPS]: under the command `under`, without parts of tests that it cannot run.
under=()
declare -A cannot=()

run_unit_tests() {
    local path what=$1 paths=()
    for path in $(unit_programs); do
        [[ ${2-} == *" ${path##*/} "* ]] || paths+=("$path")
    done
    at_once "$(nproc)" run_unit_test "${paths[@]}"
    for path in "${paths[@]}"; do
        result "$(status_of "$path")" "$what: ${path##*/}" "$PWD/${path##*/}.$what.log"
    done
}

run_unit_test() {
    SYMM_TEST_SKIP=${cannot[${1##*/}]-} limited "${under[@]}" "$1" \
        >"$PWD/${1##*/}.$what.log" 2>&1
}
