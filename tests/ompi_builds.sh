# ompi_builds.sh - what tests/ompi_without_headers and tests/ompi_with_cuda share: their arguments,
# builds of Open MPI and of this tree, and checks that are counted.
#
# A script that sources it has a function usage, and sets $tree_options for this tree's configure.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154 # variables of the script

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P) || exit 1
source='' prefix='' build='' folder=''
passed=0 failed=0

# For an Open MPI that depends on little of this machine.
ompi_options=(--with-pmix=internal --with-prrte=internal --with-hwloc=internal
    --with-libevent=internal --disable-mpi-fortran --disable-oshmem --disable-sphinx --without-ucx)

say() { printf '%s\n' "$*"; }

wrong_usage() {
    usage >&2
    exit 2
}

# read_arguments NAMES ARGUMENTS...: the option --NAME sets the variable NAME. Folders become
# absolute, since the builds have folders of their own.
read_arguments() {
    local names=" $1 " name
    shift
    while (($# > 0)); do
        case $1 in
            --help) usage; exit 0 ;;
            --*)
                [[ $names == *" ${1#--} "* && -n ${2:-} ]] || wrong_usage
                printf -v "${1#--}" %s "$2"
                shift
                ;;
            -*) wrong_usage ;;
            *) [[ -z $folder ]] || wrong_usage; folder=$1 ;;
        esac
        shift
    done
    [[ -n $source && -n $folder ]] || wrong_usage
    mkdir -p "$folder" || exit 1
    for name in source prefix build other cuda folder; do
        [[ -z ${!name:-} ]] || printf -v "$name" %s "$(cd "${!name}" && pwd -P)" || exit 1
    done
}

# check DESCRIPTION COMMAND...
check() {
    local description=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
        say "ok - $description"
    else
        failed=$((failed + 1))
        say "not ok - $description"
    fi
}

# The last line, and the exit status.
say_result() {
    say "$passed passed, $failed failed"
    ((failed == 0 && passed > 0))
}

make_ompi() {
    mkdir -p "$build" && cd "$build" &&
        "$source/configure" --prefix="$prefix" "${ompi_options[@]}" &&
        make -j"$(nproc)" && make install
}

# Without --prefix, Open MPI is built in FOLDER/open-mpi.
ensure_ompi() {
    local before=$SECONDS
    [[ -z $prefix ]] || return 0
    prefix=$folder/installed build=$folder/open-mpi
    say "building Open MPI (half an hour; log: open-mpi.log in the folder)"
    make_ompi >"$folder/open-mpi.log" 2>&1 </dev/null || { say '0 passed, 1 failed'; exit 1; }
    say "   in $((SECONDS - before)) s"
}

# Which one it is, for those who keep the output.
describe_ompi() {
    "$prefix/bin/ompi_info" --parsable 2>/dev/null | sed -n -e "s/'--prefix=[^']*' *//" \
        -e 's/^ompi:version:full:/Open MPI /p; s/^config:cli: */configured with /p'
}

# conf NAME OPTION...: configures in FOLDER/NAME; the output is in FOLDER/NAME.log.
conf() {
    local name=$1
    shift
    mkdir -p "$folder/$name"
    cd "$folder/$name" || return
    "$top/configure" --enable-werror --with-ompi="$prefix" "${tree_options[@]}" "$@" \
        >"$folder/$name.log" 2>&1 </dev/null
}

makes() { make -C "$folder/$1" -j"$(nproc)" "${@:2}" >>"$folder/$1.log" 2>&1 </dev/null; }

# builds NAME OPTION...: configured and built, with the programs of the tests.
builds() {
    local name=$1 before=$SECONDS
    check "$name: configured" conf "$@"
    say "   in $((SECONDS - before)) s"
    check "$name: built" makes "$name" all
    check "$name: tests built" makes "$name" check TESTS=
}

# runs NAME LIST: these scripts pass.
runs() {
    local name=$1 before=$SECONDS
    check "$name: $2" makes "$name" -k check TESTS="$2"
    grep -E '^# (TOTAL|PASS|SKIP|FAIL|ERROR):' "$folder/$name.log" | tail -n 5 |
        sed 's/^# *//; s/: */ /' | paste -s -d ' ' | sed 's/^/   /'
    say "   in $((SECONDS - before)) s"
}
