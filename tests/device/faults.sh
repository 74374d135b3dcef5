# faults.sh - runs programs on device memory while functions of the stand-in driver fail, and judges
# how they end; sourced by scripts behind tap.sh. They set $every, of which one case is run.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154

# After one of these has failed, what it should have given back may stay, and be in the way of a
# later call, which is then the one that is named.
gives_back='^cu(MulticastUnbind|MemUnmap|MemRelease|MemAddressFree|MemFreeHost|MemHostUnregister|'
gives_back=$gives_back'CtxPopCurrent|CtxPushCurrent|ThreadExchangeStreamCaptureMode|StreamDestroy|'
gives_back=$gives_back'EventDestroy|ModuleUnload|'
gives_back=$gives_back'DevicePrimaryCtxRelease|GraphExecDestroy|GraphDestroy)$'

# Failures that need no message: the function only tells what could be done in another way, too.
need_no_word='^(cuCtxSetFlags|cuCtxGetFlags|cuDeviceGetName|cuDeviceGetUuid)$'

# What may say what has failed: what is said once a job, another pair may have said. The last line
# of a program has the name of its case, and says nothing.
words_of_case() {
    cat "$folder"/* | grep -v ' has ended with '
}

# So many pairs of ranks run at a time, for so long at most; a single one for less.
pairs=12
batch_seconds=$tap_seconds
case_seconds=60

# run_cases FOLDER FLAGS SCRIPT CASE...: what they print goes to the folder.
run_cases() {
    folder=$tap_folder/$1
    run_flags=$2
    shift 2
    rm -rf "$folder"
    mkdir "$folder"
    ranks=2
    case $1 in rooted* | three-*) ranks=3 ;; esac
    # shellcheck disable=SC2086 # flags are words
    tap_run -n $((ranks * ($# - 1))) $SYMM_PML_OB1_FLAGS $SYMM_GO_ON_FLAGS \
        --mca mpool_symm_cuda_library "$SYMM_STANDIN_DRIVER" \
        --mca mpool_symm_segment_size 2097152 $pads $run_flags \
        "$top_builddir/tests/device/faults/check_faults" "$folder" "$@"
}

# case_has_ended FOLDER CASE: its ranks have come to their ends; the last output is what they have
# printed.
case_has_ended() {
    cat "$tap_folder/$1/$2".[012] >"$tap_output" 2>/dev/null
    test "$(grep -c '^check_faults: .* has ended with' "$tap_output")" -eq "$ranks"
}

# Whether the case, which is in the last output, has ended as it may.  2: but for a word about a
# refusal.
case_is_well() {
    function=${1%%:*}
    case $function in
        cuGetProcAddress) said='the driver has no cu' ;;
        kernel | copy) said='CUDA_ERROR_LAUNCH_FAILED' ;;
        *) said=$function ;;
    esac
    if echo "$function" | grep -Eq "$gives_back"; then
        said='cu[A-Z]'
    elif grep -q ' at exit .* are left' "$tap_output"; then
        return 1
    fi
    ! grep -Eiq 'FAILED on rank|signal|segmentation|is wrong|not understood|sorry|no help' \
        "$tap_output" || return 1
    # It may go on as if nothing had happened, in another way, but not be refused anything in
    # silence.
    if grep -q 'was refused' "$tap_output"; then
        echo "$function" | grep -Eq "$need_no_word" || words_of_case | grep -Eq "$said" ||
            return 2
    fi
}

# Lines "USE RANK", "" for both ranks, of a function with $1 uses, $2 on rank 1.
choices() {
    if test "${SYMM_TEST_FAULTS:-}" = all; then
        for use in $(seq 1 "$(($1 < 20 ? $1 : 20))") "$1"; do
            printf '%s\n' "$use" "$use 0" "$use 1"
        done
    elif test -z "$tap_all"; then
        test "$2" -eq 0 || echo "$2 1"
    else
        echo "1 1"
        test "$1" -lt 2 || echo "2 0"
        test "$1" -lt 3 || printf '%s\n' "$1 1" "$1"
    fi | sort -u
}

# The same of work on devices in the scripts "exchanges": each use in the first of its two rounds. A
# fault breaks the context, so that no later call is tested, and each call has work of its own.
choices_of_work() {
    if test "${SYMM_TEST_FAULTS:-}" = all; then
        choices "$1"
        return
    fi
    for use in $(seq 1 "$((($1 + 1) / 2))"); do
        echo "$use $((use % ranks))"
    done
}

# Functions, how often the rank uses them that does so most, and how often rank 1.
list_uses() {
    awk '{ if ($3 > most[$2]) most[$2] = $3 }
        $1 == 1 { own[$2] = $3 }
        END { for (name in most) print name, most[name], own[name] + 0 }' "$1" |
        LC_ALL=C sort
}

# What algorithms use as often as the first ones do, they use for the same: to set up, to copy for
# the component below. That has failed there; what is left is what they do in their own ways.
leave_out_known() {
    if test "${SYMM_TEST_FAULTS:-}" = all || test "$1" != calls; then
        cat
    elif test -e "$tap_folder/known"; then
        LC_ALL=C comm -23 - "$tap_folder/known"
    else
        tee "$tap_folder/known"
    fi
}

# list_cases SCRIPT COUNTS: the cases that follow from the counts, a line each.
list_cases() {
    list_uses "$2" | leave_out_known "$1" |
        grep -E -e "${SYMM_TEST_FUNCTIONS:-.}" |
        while read -r function uses own; do
            case $1:$function in
                *exchanges:kernel | *exchanges:copy | gaps:kernel | gaps:copy)
                    choices_of_work "$uses"
                    ;;
                *) choices "$uses" "$own" ;;
            esac | while read -r use rank; do
                echo "$function:$use${rank:+@$rank}"
            done
        done
}

# judge_cases FLAGS SCRIPT CASE...: one that hangs, or whose rank ends too soon, is in the way of
# the others; what has not come to its end runs again, alone.
judge_cases() {
    flags=$1
    script=$2
    shift 2
    tap_seconds=$batch_seconds
    run_cases batch "$flags" "$script" "$@"
    tap_seconds=$case_seconds
    for name in "$@"; do
        folder=$tap_folder/batch
        if ! case_has_ended batch "$name"; then
            run_cases single "$flags" "$script" "$name"
            case_has_ended single "$name"
        fi && case_is_well "$name"
        verdict=$?
        if test $verdict -eq 2; then # of several faults in a job, the first may have spoken for all
            run_cases single "$flags" "$script" "$name"
            case_has_ended single "$name" && case_is_well "$name"
            verdict=$?
        fi
        tap_ok $verdict "$script${flags:+, $flags}: $name"
    done
}

# fail_each FLAGS SCRIPT [FUNCTIONS]: all functions of the driver, or those with such names; one of
# $every, others in each run.
test -z "$tap_all${SYMM_TEST_FAULTS:-}${SYMM_TEST_FUNCTIONS:-}" || every=1
turn=${SYMM_TEST_SEED:-$$}
echo "# SYMM_TEST_SEED=$turn"
fail_each() {
    SYMM_STANDIN_COUNT=$tap_folder/counts
    export SYMM_STANDIN_COUNT
    rm -f "$SYMM_STANDIN_COUNT"
    run_cases single "$1" "$2" none
    unset SYMM_STANDIN_COUNT
    case_has_ended single none && case_is_well none &&
        test "$(grep -c 'with 0 errors and 0 failures' "$tap_output")" -eq "$ranks"
    tap_ok $? "$2${1:+, $1}: without a fault"
    list_cases "$2" "$tap_folder/counts" | grep -E -e "${3:-.}" |
        awk -v "every=$every" -v "turn=$turn" '{ lines[NR] = $0 }
            END {
                most = NR < every ? NR : every
                for (i = 1 + turn % (most ? most : 1); i <= NR; i += every) print lines[i]
            }' >"$tap_folder/list"
    while test -s "$tap_folder/list"; do
        # shellcheck disable=SC2046 # names are words
        judge_cases "$1" "$2" $(head -n $pairs "$tap_folder/list")
        sed -i "1,${pairs}d" "$tap_folder/list"
    done
}
