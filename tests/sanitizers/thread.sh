# thread.sh - the part of tests/sanitizers/run about data races.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154

# CI's selection.
thread_programs=(check_threads check_communicators check_later)
progress_programs=(check_progress_thread check_later) # with the thread that moves requests on

# Calls on 4 GiB: ThreadSanitizer keeps four times as much beside it. A thread of the parent is a
# leak to it in a child of fork().
thread_skips=' test_large test_fork '

# Left to --all: the algorithms. Their ranks are processes, whose only other thread serves
# descriptors, as it does in test_peer and test_server. And the models of orderings, which have one
# thread.
thread_left='test_algorithms test_ordering test_pads_ordering test_request_ordering '
thread_left+='test_stream_ordering '
thread_skips+=$thread_left

select_all_thread() {
    thread_skips=${thread_skips%"$thread_left"}
    thread_programs+=(check_allgather check_allreduce check_bursts check_counters check_memory
        check_user_ops)
}

part_thread() {
    local program names=("${thread_programs[@]}" "${progress_programs[@]}")
    build thread --enable-sanitizers=thread \
        "\$(unit_tests) \$(filter ${names[*]/#/%/},\$(mpi_programs))" >"$folder/thread.log" 2>&1
    result $? 'thread: build' "$folder/thread.log" || return
    run_unit_tests thread "$thread_skips"
    for program in "${thread_programs[@]}"; do
        run_thread "$program"
    done
    for program in "${progress_programs[@]}"; do
        OMPI_MCA_coll_symm_progress_thread=1 run_thread "$program"
    done
}

# judged_races: ThreadSanitizer's reports without those that a suppression might be meant for.
# Suppressions name functions of the earlier access. Where its stack is no longer known, the stacks
# that are left (where the block was allocated, the later access) are searched for these names.
judged_races() {
    local names
    names=$(sed -n 's/^race://p' "$top/tests/sanitizers/thread.supp" | paste -s -d '|')
    awk -v "names=($names)" '
        /^=+$/ { print_one(); report = ""; lost = 0; next }
        /failed to restore the stack/ { lost = 1 }
        { report = report $0 "\n" }
        END { print_one() }
        function print_one() {
            if (report ~ /: ThreadSanitizer/ && !(lost && report ~ names)) printf "%s\n", report
        }'
}

reports_in() { grep -c ': ThreadSanitizer' "$1"; }

# The components are preloaded, so that reports can name their functions at every time. What is in
# the reports decides, not an exit status of ThreadSanitizer's own.
run_thread() {
    local log=$PWD/$1.log status=0 options lost more=()
    rm -f "$log".*
    [[ $1 != check_later ]] || more=(--threads 2)
    # The longest history: suppressions name functions of the earlier access, too.
    options="exitcode=0 ignore_noninstrumented_modules=1 history_size=7 log_path=$log"
    (
        # shellcheck source=/dev/null
        . tests/env.sh
        export TSAN_OPTIONS="$options suppressions=$top/tests/sanitizers/thread.supp"
        # shellcheck disable=SC2086 # flags are words
        limited "$MPIRUN" $MPIRUN_FLAGS -n 2 $SYMM_PML_OB1_FLAGS --mca coll_symm_report 1 \
            -x LD_PRELOAD="$PWD/.libs/mca_coll_symm.so $PWD/.libs/mca_mpool_symm.so" \
            -x SYMM_TEST_THREADS=4 "$(program "$1")" --quick "${more[@]}"
    ) >"$log" 2>&1 || status=$?
    was_served "$log" || status=1
    cat "$log".[0-9]* >"$log.all" 2>/dev/null
    judged_races <"$log.all" >"$log.races"
    [[ ! -s $log.races ]] || status=1
    lost=$(($(reports_in "$log.all") - $(reports_in "$log.races")))
    cat "$log.races" >>"$log"
    result $status "thread: $1, 2 ranks, reports without the earlier stack left out: $lost" "$log"
}
