# gpu_overlap.sh - the step `overlap` of bench/gpu_run: nonblocking and persistent calls beside
# computations. Sourced by bash.
#
# It reads what gpu_run has set ($ranks, $flags, $rival, $work), and uses its check_program.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of those who source this

# The folder of cuBLAS, if it is not for the loader to find.
cublas_folder() {
    local file
    for file in "${CUBLAS_LIBRARY:-}" /usr/local/cuda/lib64/libcublas.so.1[0-9] \
        "$(cublas_of_python)"; do
        if [[ -e $file ]]; then
            dirname "$file"
            return
        fi
    done
}

# Packages of CUDA 13 share a folder; older ones have one each.
cublas_of_python() {
    python3 - 2>/dev/null <<'END'
import glob
import nvidia
for folder in nvidia.__path__:
    for file in glob.glob(folder + "/*/lib/libcublas.so.1[0-9]"):
        print(file)
        raise SystemExit
END
}

# Jobs of which the first is the longest, half a minute. All parts of a number of ranks are put into
# one file, as bench/results has it.
step_overlap() {
    local n part folder seconds file flags=() parts=()
    ((gpus >= 2)) || { broken 'overlap: needs two GPUs, one for each rank'; return; }
    read -ra flags <<<"${OVERLAP_FLAGS:-}"
    read -ra parts <<<"${OVERLAP_PARTS:-sides in-place algorithms}"
    folder=$(cublas_folder)
    [[ -z $folder ]] || export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    for n in $ranks; do
        for part in "${parts[@]}"; do
            say "overlap, $n ranks, $part"
            file=$work/overlap-$n-ranks-$part.txt
            overlap_part "$file" "$n" "$part"
            [[ ! -e $work/gpu-$n-overlap.txt ]] || printf '\n# ----\n' >>"$work/gpu-$n-overlap.txt"
            cat "$file" >>"$work/gpu-$n-overlap.txt"
        done
        grep -v '^timeline ' "$work/gpu-$n-overlap.txt"
    done
}

# overlap_part FILE RANKS PART
overlap_part() {
    local algorithm collective
    case $3 in
        sides)
            seconds=50 check_program "$1" "$2" --mca coll_symm_report 1 bench/overlap --timeline \
                "${rival[@]}" "${flags[@]}"
            ;;
        in-place)
            seconds=20 check_program "$1" "$2" --mca coll_symm_report 1 bench/overlap --in-place \
                "${rival[@]}" -m 64M -r 21 "${flags[@]}"
            ;;
        algorithms)
            seconds=30 check_program "$1" "$2" --mca coll_symm_report 1 bench/overlap \
                --algorithms --side MPI -r 15 "${flags[@]}"
            for collective in allgather allreduce; do
                grep -q "^$collective " "$1" || continue
                for algorithm in $(cuda_algorithms "$collective"); do
                    is_served "$1" "i$collective" "$algorithm" ||
                        broken "${1##*/}: no i$collective was served by $algorithm"
                done
            done
            ;;
        *)
            echo "# there is no part '$3'" >"$1"
            broken "overlap: no part '$3'; choose of OVERLAP_PARTS=\"sides in-place algorithms\""
            ;;
    esac
}
