# valgrind.sh - the part of tests/sanitizers/run about undefined values, and what is left.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154

valgrind_programs=(check_communicators)

# Tests that cannot run there. Calls on 4 GiB take minutes. test_ordering and test_stream_ordering
# go through models of executions, for minutes. test_team wants more memory than there are
# addresses, and valgrind says EINVAL to that, not ENOMEM. Four tests of the stand-in driver touch
# on purpose what is not there. valgrind accepts a connection before it finds that there is no
# descriptor for it (test_flood), has no room for test_headroom's mappings, and knows no mremap()
# that maps the same pages twice (test_reclaim).
valgrind_skips=' test_large test_ordering test_stream_ordering test_team '
valgrind_skips+='test_standin_memory test_standin_streams test_standin_kernels test_standin_graphs '
valgrind_skips+='test_flood test_headroom test_reclaim '

# Left to --all: the algorithms, which the other two checkers know, would take most of the time. So
# would the bodies of device kernels, which work on arrays of their program's, where memcheck sees
# little.
valgrind_skips+='test_algorithms test_cuda_kernels test_cuda_multimem test_cuda_scans '

# Processes that are forked to meet a fault are slow under valgrind: the first use of each function
# is enough.
export SYMM_TEST_USES=1

select_all_valgrind() {
    valgrind_skips=${valgrind_skips%test_algorithms *}
    unset SYMM_TEST_USES
    # Not check_allreduce: memcheck calls results undefined. Probably it is wrong, as it does not
    # see what another process stores to shared memory; this has not been tracked down.
    valgrind_programs+=(check_allgather check_bursts check_memory check_user_ops)
}

# Logs of processes: LOG.PID. What is invalid counts in all of them; what is left at the end does
# not where a unit test's rank ends in the middle of things.
valgrind_run() {
    local log=$1
    shift
    rm -f "$log".*
    limited "$@" >"$log" 2>&1
}

memcheck=(valgrind --keep-debuginfo=yes --leak-check=full "--show-leak-kinds=definite,indirect"
    --track-fds=yes --num-callers=40 --suppressions="$top/tests/sanitizers/memcheck.supp")

# Paragraphs of valgrind's that are about invalid accesses.
invalid_of() {
    cat "$@" |
        paragraphs 'Invalid (read|write|free)|Mismatched|(Use|points to|depends) .*uninitialised'
}

# Paragraphs about what is left, if a function of ours has made it. Forked processes do not count.
left_of() {
    local log parent
    for log in "$@"; do
        parent=$(sed -n 's/^==[0-9]*== Parent PID: //p' "$log")
        [[ -e ${log%.*}.$parent ]] || cat "$log"
    done | paragraphs '(definitely|indirectly) lost|Open (file descriptor|AF_)' |
        awk -v "sources=$(sources_pattern)" 'BEGIN { RS = ""; ORS = "\n\n" } $0 ~ sources'
}

# paragraphs PATTERN: those that it matches, without valgrind's prefix.
paragraphs() {
    sed 's/^==[0-9]*== \{0,1\}//' | awk -v "pattern=$1" '
        BEGIN { RS = ""; ORS = "\n\n" } $0 ~ pattern'
}

# Matches "(heap.c:123)" and so on.
sources_pattern() {
    local names
    names=$(cd "$top" && find heap kernels mca -name '*.c' -printf '%f|' | sed 's/\./[.]/g; s/|$//')
    printf '[(](%s):[0-9]+[)]' "$names"
}

part_valgrind() {
    local path log paths=() before=$failed
    need valgrind valgrind || { missing valgrind valgrind; return; }
    mkdir -p "$folder/valgrind"
    log=$folder/valgrind.log
    make -C "$top/build" --no-print-directory -j"$(nproc)" check TESTS= >"$log" 2>&1
    result $? 'valgrind: build' "$log" || return
    cd "$top/build" || return
    for path in $(if [[ -n $changed_only ]]; then changed_units; else unit_programs; fi); do
        [[ $valgrind_skips == *" ${path##*/} "* ]] || paths+=("$path")
    done
    echo "# valgrind: ${#paths[@]} unit tests"
    at_once "$(nproc)" valgrind_unit_test "${paths[@]}"
    for path in "${paths[@]}"; do
        log=$folder/valgrind/${path##*/}
        judge "$(status_of "$path")" "valgrind: ${path##*/}" "$log" "$log".[0-9]*
    done
    for path in "${valgrind_programs[@]}"; do
        run_valgrind "$path"
    done
    ((failed > before)) || changed_passed
}

valgrind_unit_test() {
    local log=$folder/valgrind/${1##*/}
    valgrind_run "$log" "${memcheck[@]}" --log-file="$log.%p" "$1"
}

run_valgrind() {
    local log=$folder/valgrind/$1 status
    # shellcheck source=/dev/null
    . tests/env.sh
    # shellcheck disable=SC2086 # flags are words
    valgrind_run "$log" "$MPIRUN" $MPIRUN_FLAGS -n 2 $SYMM_PML_OB1_FLAGS --mca coll_symm_report 1 \
        "${memcheck[@]}" --suppressions="$(openmpi_suppressions)" --log-file="$log.%p" \
        "$(program "$1")" --quick
    status=$?
    was_served "$log" || status=1
    judge $status "valgrind: $1, 2 ranks" "$log" "$log".[0-9]*
}

# Open MPI's own, or nothing.
openmpi_suppressions() {
    local file
    file=$(dirname "$MPIRUN")/../share/openmpi/openmpi-valgrind.supp
    if [[ -r $file ]]; then echo "$file"; else echo /dev/null; fi
}

# judge STATUS DESCRIPTION LOG LOGS...: of valgrind's processes.
judge() {
    local status=$1 description=$2 log=$3
    shift 3
    result "$status" "$description" "$log"
    invalid_of "$@" >"$log-invalid"
    left_of "$@" >"$log-left"
    [[ ! -s $log-invalid ]]
    result $? "$description: no invalid access" "$log-invalid"
    [[ ! -s $log-left ]]
    result $? "$description: nothing left at the end" "$log-left"
}
