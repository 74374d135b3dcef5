# steps.sh - the functions that bench/gpu_run and bench/multicast_bringup share: they run steps
# whose output goes to files, clean up, and pack the files. Sourced by bash.
#
# It reads $top, the source; $build, the build folder; $out, the folder for results; and $work, the
# folder in $out that is packed. It sets $status to 1 when a step has failed.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables of those who source this

status=0

say() {
    printf '== %s\n' "$*" >&2
}

broken() {
    say "FAILED: $*"
    status=1
}

# ---- processes -----------------------------------------------------------------------------------

# What runs is the leader of a session of its own, so that all its descendants can be ended with it,
# whatever groups mpirun has put them into. It is told when we die.
running=

finish_running() {
    [[ -n $running ]] || return 0
    kill -TERM "$running" 2>/dev/null
    wait "$running" 2>/dev/null
    sweep
}

# Whatever is left of the session; true if there was something.
sweep() {
    local swept=1
    pkill -KILL -s "$running" 2>/dev/null && swept=0
    running=
    return "$swept"
}

# within SECONDS FILE COMMAND...: its output goes to FILE, behind what is there.
within() {
    local seconds=$1 file=$2 result death=()
    shift 2
    if setpriv --pdeathsig TERM true 2>/dev/null; then
        death=(setpriv --pdeathsig TERM)
    fi
    setsid "${death[@]}" timeout --kill-after=10 "$seconds" "$@" </dev/null >>"$file" 2>&1 &
    running=$!
    echo "$running" >"$out/.leader"
    wait "$running"
    result=$?
    if sweep; then
        say "ended what was left of: $1"
    fi
    ((result != 124)) || printf '# ended after %d seconds\n' "$seconds" >>"$file"
    return "$result"
}

# Into an archive that has the name of the folder, which goes then.
pack() {
    local name=${work##*/}
    finish_running
    [[ -d $work ]] || return
    rm -f "$out/.leader"
    tar -C "$out" -czf "$out/$name.tar.gz" "$name" && rm -rf "$work"
    say "results: $name.tar.gz"
}

pack_at_exit() {
    trap pack EXIT
    trap 'exit 130' INT TERM HUP
}

# ---- the machine ---------------------------------------------------------------------------------

gpu_count() {
    if command -v nvidia-smi >/dev/null; then
        nvidia-smi --list-gpus | grep -c '^GPU'
    else
        echo 0
    fi
}

# One line: GPUs, driver, CUDA, processor, Open MPI.
machine() {
    local gpus='no nvidia-smi' processor cuda
    if command -v nvidia-smi >/dev/null; then
        gpus=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sort | uniq -c |
            sed 's/^ *\([0-9]*\) \(.*\), \(.*\)/\1 x \2, driver \3/' | paste -sd ';')
    fi
    cuda=$(nvcc --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/CUDA \1/p')
    processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
    echo "$gpus, ${cuda:-no nvcc}, $(nproc) cores (${processor:-processor unnamed})," \
        "Linux $(uname -r), Open MPI ${OMPI_VERSION:-not asked yet}"
}

# MiB used of each GPU.
gpu_memory() {
    nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits | paste -sd ' '
}

# begin FILE COMMAND...: a new file of results, headed by date, machine and command. The command is
# shown as one would type it in the build folder.
begin() {
    local file=$1
    shift
    {
        echo "# $(date -u +%F), $(machine)"
        printf '# %s\n' "$*" | sed "s|$build/||g; s|$top/||g"
    } >"$file"
}

# cuda_algorithms COLLECTIVE: the algorithms on devices, without those by multicast, as the
# component's variables name them.
cuda_algorithms() {
    "$OMPI_INFO" --param coll symm --level 9 --parsable 2>/dev/null |
        sed -n "s/^mca:coll:symm:pvar:coll_symm_$1_cuda_\([a-z_]*\)_calls:class:.*/\1/p" |
        grep -v '^multimem'
}

# ---- builds and jobs -----------------------------------------------------------------------------

# build_in FOLDER FILE OPTION...: configure, unless that has been done, and make, with all test
# programs.
build_in() {
    local folder=$1 file=$2
    shift 2
    mkdir -p "$folder" || exit 1
    if [[ ! -e $folder/config.status ]]; then
        within 300 "$file" env -C "$folder" "$top/configure" "$@" || return
    fi
    within 600 "$file" make -C "$folder" -j"$(nproc)" all &&
        within 600 "$file" make -C "$folder" -j"$(nproc)" check TESTS=
}

# build_with_loops FILE: a build in which the kernels for multicast have loops over the replicas
# instead of its instructions, which must not meet ordinary memory. It has addresses of its own
# making for multicast objects.
build_with_loops() {
    local options=()
    read -ra options <<<"${CONFIGURE:-}"
    build_in "$build/loops" "$1" "${options[@]}" --enable-multicast=unicast
}

# For a subshell that runs steps: signals end what it runs, too.
begin_apart() {
    trap 'finish_running; exit 130' INT TERM HUP
}

# Go to the build. Sets launch, the options of mpirun; and rival, those that add NCCL to the
# benchmark.
enter_build() {
    local folder more
    [[ -r $build/tests/env.sh ]] || { say "there is no build: run bench/${0##*/} build"; exit 1; }
    cd "$build" || exit 1
    # shellcheck source=/dev/null
    . tests/env.sh
    read -ra launch <<<"${MPI_FLAGS:---bind-to none --mca pml ob1 --mca btl vader,self}"
    read -ra more <<<"$MPIRUN_FLAGS"
    launch+=("${more[@]}" --mca coll symm)

    rival=()
    [[ ${NCCL_LIBRARY:-} != none ]] || { launch+=(-x LD_LIBRARY_PATH); return; }
    folder=$(dirname "${NCCL_LIBRARY:-$(nccl_of_python)}")
    if [[ -e $folder/libnccl.so.2 ]]; then
        export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        rival=(--rival nccl)
    elif [[ -n ${NCCL_LIBRARY:-} ]]; then
        rival=(--rival "nccl=$NCCL_LIBRARY")
    elif ldconfig -p | grep -q 'libnccl\.so\.2'; then
        rival=(--rival nccl)
    fi
    launch+=(-x LD_LIBRARY_PATH)
}

nccl_of_python() {
    python3 - 2>/dev/null <<'END'
import nvidia.nccl
print(list(nvidia.nccl.__path__)[0] + "/lib/libnccl.so.2")
END
}

# Test programs run on GPU memory by a library that stands before MPI's functions.
on_device() {
    launch+=(-x "LD_PRELOAD=$build/tests/device/ondevice/.libs/ondevice.so"
        -x "SYMM_TEST_CUDA_LIBRARY=${DRIVER:-libcuda.so.1}")
}

# ---- what files say ------------------------------------------------------------------------------

# is_served FILE COLLECTIVE ALGORITHM: an algorithm that is forced but cannot be used is replaced
# without a word, and results are right all the same: only the report tells. $prefix is cuda_, or
# nothing for host memory.
is_served() {
    grep -Eq "$2 +served: $prefix$3 +[1-9]" "$1"
}

# all_near FILE: whether symm_bench --chosen found each size within its limit of the best.
all_near() {
    awk '/^# [0-9]+ of [0-9]+ sizes: / { near = $2; all = $4 }
        END { exit near == "" || near < all }' "$1"
}

# ---- tools ---------------------------------------------------------------------------------------

# Sets checker; false if there is none.
find_checker() {
    checker=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
    [[ -x $checker ]]
}

ranks_for() {
    case $1 in
        0 | 1 | 2) echo 2 ;;
        3) echo 2 3 ;;
        4) echo 2 4 ;;
        *) echo 2 4 "$1" ;;
    esac
}
