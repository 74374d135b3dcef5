# multicast_speed.sh - the speed of multicast, the best numbers of blocks, and the table of choices.
# Sourced by bench/multicast_bringup, whose functions and variables it uses.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of the script

# timed NAME RANKS COLLECTIVE ARGUMENT-OF-MPIRUN... -- OPTION-OF-SYMM_BENCH...
timed() {
    local name=$1 n=$2 collective=$3 arguments=()
    shift 3
    while [[ $1 != -- ]]; do
        arguments+=("$1")
        shift
    done
    job "$name" 900 "$n" "${arguments[@]}" --mca coll_symm_report 1 --mca coll_symm_verbose 2 \
        bench/symm_bench "${memory[@]}" "${@:2}" "$collective"
}

# The same by multicast.
timed_multicast() {
    local must="$3 multimem"
    timed "$1" "$2" "$3" --mca "coll_symm_$3_algorithm" multimem "${@:4}"
}

# sizes COLLECTIVE RANKS: of a rank's block, where the size is meant in all.
sizes() {
    local least=${BENCH_MIN:-1024} most=${BENCH_MAX:-1073741824} share=1
    [[ -z $try ]] || { least=${BENCH_MIN:-4096}; most=${BENCH_MAX:-65536}; }
    [[ $1 == allreduce ]] || share=$2
    echo "$((least / share)):$((most / share))"
}

# One variable switches NCCL's multicast and is an opt-out for us: so what has NCCL without
# multicast beside it is our unicast, and multicast stands beside NCCL's.
step_speed() {
    local n collective place flags NCCL_NVLS_ENABLE
    export NCCL_NVLS_ENABLE
    local launch=("${launch[@]}" -x NCCL_NVLS_ENABLE)
    for n in $ranks; do
        [[ $try == host ]] || ints_of "$n"
        for collective in allreduce allgather; do
            for place in out-of-place in-place; do
                flags=(-c -m "$(sizes "$collective" "$n")" "${rival[@]}")
                [[ $place == out-of-place ]] || flags+=(--in-place)
                speed_of "speed/$n-ranks-$collective-$place" "$n" "$collective" "${flags[@]}"
            done
        done
    done
}

speed_of() {
    local name=$1 n=$2 collective=$3
    shift 3
    NCCL_NVLS_ENABLE=1
    timed_multicast "$name-multicast" "$n" "$collective" -- "$@"
    timed "$name-chosen" "$n" "$collective" -- "$@"
    NCCL_NVLS_ENABLE=0
    timed "$name-without" "$n" "$collective" --mca coll_symm_multicast never -- "$@"
}

# Only integers and bits have a one-shot by multicast: where it stops being quicker. Sizes are its
# own.
ints_of() {
    local n=$1 way must most=1M
    [[ -z $try ]] || most=4K
    NCCL_NVLS_ENABLE=1
    for way in multimem_one_shot multimem two_shot; do
        must="allreduce $way"
        timed "speed/$n-ranks-allreduce-int-$way" "$n" allreduce \
            --mca coll_symm_allreduce_algorithm "$way" -- -c -T int -m "1K:$most"
    done
}

step_blocks() {
    local n collective blocks range=1M:256M
    [[ -z $try ]] || range=64K:128K
    for n in $ranks; do
        for collective in allreduce allgather; do
            for blocks in 1 2 4 8 16 32 64; do
                timed_multicast "blocks/$n-ranks-$collective-$blocks-blocks" "$n" "$collective" \
                    --mca coll_symm_multicast_blocks "$blocks" -- -m "$range"
            done
            blocks_table "$n" "$collective"
        done
    done
}

# Microseconds by size and number of blocks, from the files of one sweep.
blocks_table() {
    local name=blocks/$1-ranks-$2 blocks
    {
        echo "# $2, $1 ranks, microseconds: bytes, then 1 2 4 8 16 32 64 blocks"
        for blocks in 1 2 4 8 16 32 64; do
            awk -v blocks="$blocks" '/^[0-9]/ { print $1, blocks, $2 }' \
                "$work/$name-$blocks-blocks.txt" 2>/dev/null
        done | awk '{ if (!($1 in row)) order[++n] = $1; row[$1] = row[$1] " " $3 }
            END { for (i = 1; i <= n; i++) print order[i] row[order[i]] }'
    } >"$work/$name.txt"
}

step_tune() {
    local n table sizes=${BENCH_MIN:-1024}:${BENCH_MAX:-268435456} few=()
    if [[ -n $try ]]; then
        sizes=4096:4096
        few=(-i 10 -x 1 -b 2)
    fi
    for n in $ranks; do
        table=$work/tune/$n-ranks.table
        mkdir -p "${table%/*}"
        job "tune/$n-ranks" 1800 "$n" bench/symm_bench "${memory[@]}" --tune-to "$table" \
            -m "$sizes" "${few[@]}" && chosen_by "$n" "$table" "$sizes" "${few[@]}"
    done
}

# chosen_by RANKS TABLE SIZES OPTION...: what the table chooses is within 5 % of the best.
chosen_by() {
    local collective name n=$1 table=$2 sizes=$3
    for collective in allreduce allgather; do
        name=tune/$n-ranks-$collective-chosen
        timed "$name" "$n" "$collective" --mca coll_symm_table "$table" -- --chosen -m "$sizes" \
            "${@:4}" || continue
        all_near "$work/$name.txt" || [[ -n $try ]] ||
            fail "$name: not near the best for some sizes"
    done
}
