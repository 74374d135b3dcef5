# multicast_links.sh - the bytes that cross the links of each GPU in a call by multicast: proof that
# the switches do the work. Sourced by bench/multicast_bringup, whose functions and variables it
# uses.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of the script

# link_totals FILE: KiB sent and received by each GPU since it was started, over all of its links.
link_totals() {
    nvidia-smi nvlink -gt d | awk '/^GPU/ { gpu = $2 + 0 }
        /Data Tx:/ { sent[gpu] += $(NF - 1) } /Data Rx:/ { got[gpu] += $(NF - 1) }
        END { for (gpu in sent) print gpu, sent[gpu], got[gpu] }' | sort -n >"$1"
}

# Two runs that differ by 100 calls; what each does besides, cancels out. The counters count
# payload.
links_of() {
    local n=$1 collective=$2 bytes=67108864 i name=link/$2-$1-ranks sent got
    [[ $collective == allreduce ]] || bytes=$((bytes / n))
    for i in 50 150; do
        link_totals "$work/link/before"
        timed_multicast "$name-$i-calls" "$n" "$collective" -- -m "$bytes:$bytes" -i "$i" -x 0 \
            -b 1 ||
            return
        link_totals "$work/link/after"
        join "$work/link/before" "$work/link/after" |
            awk '{ print $1, $4 - $2, $5 - $3 }' >"$work/link/$i"
    done
    # All-reduce: a slice more than the buffer, both ways. All-gather: one block out, all blocks in.
    sent=$(awk "BEGIN { print \"$collective\" == \"allreduce\" ? 1 + 1 / $n : 1 / $n }")
    got=$(awk "BEGIN { print \"$collective\" == \"allreduce\" ? 1 + 1 / $n : 1 }")
    if join "$work/link/50" "$work/link/150" | awk -v sent="$sent" -v got="$got" \
        'function far(a, b) { return a < 0.9 * b || a > 1.1 * b }
        { s = ($4 - $2) / 100 / 65536; r = ($5 - $3) / 100 / 65536
          if (s < 0.01 && r < 0.01) next # not in the job
          n++; if (far(s, sent) || far(r, got)) bad++
          printf "GPU %d: sent %.3f, received %.3f of the buffer a call; expected %.3f, %.3f\n",
              $1, s, r, sent, got }
        END { exit n == 0 || bad > 0 }' >"$work/$name.txt"; then
        pass "$name: $(head -n 1 "$work/$name.txt")"
    else
        fail "$name: $(head -n 1 "$work/$name.txt")"
    fi
    rm -f "$work/link/before" "$work/link/after" "$work/link/50" "$work/link/150"
}

step_link() {
    local n collective
    mkdir -p "$work/link"
    if ! command -v nvidia-smi >/dev/null ||
        ! nvidia-smi nvlink -gt d 2>&1 | grep -q 'Data Tx: [0-9]'; then
        skip 'link: no counters of NVLink (nvidia-smi nvlink -gt d)'
        return
    fi
    for n in $ranks; do
        for collective in allreduce allgather; do
            links_of "$n" "$collective"
        done
    done
}
