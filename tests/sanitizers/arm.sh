# sanitizers_arm.sh - the part of tests/sanitizers about 64-bit ARM, whose memory model is weaker:
# everything is compiled for it, the components with the headers of its Open MPI.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154

# shellcheck source=quickstart.d/apt.sh
. "$top/quickstart.d/apt.sh"

arm_compiler=aarch64-linux-gnu-gcc
arm_headers=$folder/arm/root/usr

# Flags of the build, so that the same C is compiled.
arm_flags() {
    arm_options=(-O2 -Werror -D_GNU_SOURCE "-DSYMM_HELP_DIR=\"\"" -I"$top/build" -I"$top")
    # shellcheck disable=SC2207 # words
    arm_options+=($(sed -n 's/^SYMM_CFLAGS = //p' "$top/build/Makefile"))
    # What includes cuda.h is compiled where configure has found it.
    read -ra arm_cuda < <(sed -n 's/^CUDA_CPPFLAGS = //p' "$top/build/Makefile")
    arm_openmpi=()
    local name
    for name in lib/aarch64-linux-gnu/openmpi/include{/openmpi,} include{/aarch64-linux-gnu,}; do
        arm_openmpi+=(-isystem "$arm_headers/$name")
    done
}

part_arm() {
    local log=$folder/arm.log source sources=()
    local with_cuda='context|driver|handles|imports_state|mappings|sync_flag'
    need $arm_compiler gcc-aarch64-linux-gnu libc6-dev-arm64-cross ||
        { missing arm gcc-aarch64-linux-gnu; return; }
    mkdir -p "$folder/arm"
    arm_flags
    for source in "$top"/heap/*.c "$top"/kernels/*.c "$top"/kernels/host/*.c; do
        ((${#arm_cuda[@]} > 0)) || ! grep -qE "heap/cuda_($with_cuda)\.h" "$source" ||
            continue
        sources+=("$source")
    done
    compile_for_arm "${sources[@]}" >"$log" 2>&1
    result $? 'arm: heap and kernels compile' "$log"
    # What is written with release has to be an instruction of its own there.
    grep -q -E '\bstlr\b' "$folder/arm/allreduce_staged.s" &&
        grep -q -E '\bldap?r\b' "$folder/arm/allreduce_staged.s"
    result $? 'arm: release and acquire are in the code'

    log=$folder/arm-components.log
    fetch_arm_headers >"$log" 2>&1
    result $? "arm: headers of its Open MPI" "$log" || return
    mapfile -t sources < <(find "$top/mca" -name '*.c')
    compile_for_arm "${arm_openmpi[@]}" -isystem "$top/mca/shim" "${sources[@]}" >"$log" 2>&1
    result $? 'arm: the components compile' "$log"
}

# compile_for_arm OPTION... SOURCE...: to assembly in build/sanitizers/arm, on all processors.
compile_for_arm() {
    local options=()
    while [[ $1 != *.c ]]; do
        options+=("$1")
        shift
    done
    (cd "$folder/arm" && printf '%s\0' "$@" | xargs -0 -n 8 -P "$(nproc)" \
        "$arm_compiler" "${arm_options[@]}" "${options[@]}" "${arm_cuda[@]}" -S)
}

# The packages of the release that this machine's apt knows, unpacked only.
fetch_arm_headers() (
    [[ ! -e $arm_headers/lib/aarch64-linux-gnu/openmpi/include/mpi.h ]] || exit 0
    mkdir -p "$folder/arm/packages" && cd "$folder/arm/packages" || exit 1
    arm_apt() { private_apt "$folder/arm/apt" -o APT::Architecture=arm64 "$@"; }
    arm_apt update && arm_apt download libopenmpi-dev:arm64 libhwloc-dev:arm64 || exit 1
    for package in *.deb; do
        dpkg -x "$package" "$folder/arm/root" || exit 1
    done
    rm -rf "$folder/arm/apt"
)
