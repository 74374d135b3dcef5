# words.sh - what quickstart says on the terminal and writes to its log, and commands that are run
# with their output in the log; sourced by quickstart.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154

say() {
    printf '%s\n' "$*"
    printf '\n%s\n' "$*" >>"$log"
}

# Last words: what went wrong, and how to go on.
fail() {
    printf 'quickstart: %s\n' "$@" >&2
    [[ ! -e $log ]] || printf 'quickstart: the full log is %s\n' "$log_name" >&2
    exit 1
}

# Standard input goes to the log, and with an argument to the terminal. There, 10 silent seconds are
# followed by a sign of life.
follow() {
    local shown=${1-} line last='' start=$SECONDS next=10 status
    while :; do
        IFS= read -r -t 2 line
        status=$?
        ((status != 0)) || line+=$'\n'
        printf '%s' "$line" >>"$log"
        [[ -n $shown || status -ne 0 ]] || last=": ${line:0:80}"
        [[ -z $shown || -z $line ]] || next=$((SECONDS - start + 10))
        [[ -z $shown ]] || printf '%s' "$line"
        ((status == 0 || status > 128)) || break
        if ((SECONDS - start >= next)); then
            printf '    %d s%s\n' $((SECONDS - start)) "${last%$'\n'}"
            next=$((next + 10))
        fi
    done
}

# attempt TITLE COMMAND...: run quietly.
attempt() {
    say "==> $1"
    shift
    "$@" </dev/null 2>&1 | follow
    ((PIPESTATUS[0] == 0))
}

# step TITLE COMMAND...: the same; if it fails, show its first error and its last lines, and end
# with the remedy that the caller knows.
step() {
    local from
    from=$(wc -l <"$log")
    attempt "$@" && return
    explain "$((from + 1))" >&2
    fail "this failed: ${*:2}" ${remedy:+"$remedy"}
}

# The log from line $1 on: the first line that looks like an error, if it is not among the last 20.
explain() {
    local lines first
    lines=$(tail -n "+$1" "$log")
    first=$(grep -n -m 1 -E '(error|Error|ERROR|^E): ' <<<"$lines" | cut -d: -f1)
    if [[ -n $first ]] && (($(wc -l <<<"$lines") - first >= 20)); then
        tail -n "+$first" <<<"$lines" | head -n 5
        echo '...'
    fi
    tail -n 20 <<<"$lines"
}

# show TITLE COMMAND...: run with its output on the terminal as well as in the log, and in $copy.
show() {
    say "==> $1"
    shift
    fold -s -w 94 <<<"$*" | sed 's/^/    /; s/ $//' | tee -a "$log"
    timeout --foreground 300 "$@" </dev/null 2>&1 | tee "${copy:-/dev/null}" | follow shown
    ((PIPESTATUS[0] == 0)) || fail "this failed: $*"
}
