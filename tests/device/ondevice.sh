# ondevice.sh - jobs on device memory, for scripts that have sourced tap.sh: on the machine's GPUs
# with SYMM_TEST_GPUS=1, otherwise on the stand-in driver, which runs the same kernels on the host.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154

test -z "$SYMM_SANITIZERS" || tap_skip_all "a sanitizer wants to be the first preloaded library"
ondevice_preload=$(tap_library device/ondevice/ondevice)
test -n "$ondevice_preload" || tap_skip_all "built without CUDA"
driver=$tap_driver
SYMM_BENCH_CUDA_LIBRARY=$driver
SYMM_TEST_CUDA_LIBRARY=$driver
export SYMM_BENCH_CUDA_LIBRARY
ondevice_flags="--mca mpool_symm_cuda_library $driver --mca coll_symm_report 1"
# With these ondevice/ondevice.c has the program's buffers on devices.
ondevice_moved="-x LD_PRELOAD=$ondevice_preload -x SYMM_TEST_CUDA_LIBRARY=$driver $ondevice_flags"

# ondevice_run MPIRUN-ARGUMENTS...
ondevice_run() {
    # shellcheck disable=SC2086 # flags are words
    tap_run $ondevice_moved "$@"
}

# ondevice DESCRIPTION MPIRUN-ARGUMENTS...: likewise, and the program passes.
ondevice() {
    tap_description=$1
    shift
    ondevice_run "$@"
    tap_judge
}

# ondevice_sweep DESCRIPTION LISTS MPIRUN-ARGUMENTS...: likewise with one algorithm after the other.
ondevice_sweep() {
    tap_description=$1
    lists=$2
    shift 2
    # shellcheck disable=SC2086 # flags are words
    sweep_run "$tap_description" "$lists" $ondevice_moved "$@"
}

# ondevice_bench DESCRIPTION RANKS BYTES ARGUMENTS...: so many bytes by the benchmark, once, with
# results checked; ARGUMENTS are those of mpirun up to --, and the benchmark's.
ondevice_bench() {
    tap_description=$1
    ranks=$2
    bytes=$3
    shift 3
    flags=
    while test "$1" != --; do
        flags="$flags $1"
        shift
    done
    shift
    # shellcheck disable=SC2086 # flags are words
    tap_passes "$tap_description" -n "$ranks" $ondevice_flags --mca coll symm $flags \
        "$top_builddir/bench/symm_bench" -c -i 1 -x 0 -b 1 -m "$bytes:$bytes" "$@"
}

# served ALGORITHM PATTERN: of the last job, a collective by that algorithm.
served() {
    tap_has "$tap_description: $2 by $1" "^ *$2 +served: $1 +[1-9]"
}
