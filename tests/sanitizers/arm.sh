# arm.sh - the parts of tests/sanitizers/run about 64-bit ARM, whose memory model is weaker:
# everything is compiled for it (arm), and linked with Debian's Open MPI for it and run in an
# emulator of the processor (qemu).
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154

# shellcheck source=quickstart.d/apt.sh
. "$top/quickstart.d/apt.sh"

arm=aarch64-linux-gnu

# ---- compiled ------------------------------------------------------------------------------------

# Flags of the build, so that the same C is compiled.
arm_flags() {
    arm_options=(-O2 -Werror -D_GNU_SOURCE "-DSYMM_HELP_DIR=\"\"" -I"$top/build" -I"$top")
    # shellcheck disable=SC2207 # words
    arm_options+=($(of_build SYMM_CFLAGS))
    # What includes cuda.h is compiled where configure has found it.
    read -ra arm_cuda < <(of_build CUDA_CPPFLAGS)
}

# A variable of the build's Makefile.
of_build() { sed -n "s/^$1 = //p" "$top/build/Makefile"; }

part_arm() {
    local log=$folder/arm.log source sources=() openmpi
    local with_cuda='context|driver|handles|imports_state|mappings|sync_flag'
    need $arm-gcc gcc-$arm libc6-dev-arm64-cross || { missing arm gcc-$arm; return; }
    mkdir -p "$folder/arm"
    arm_flags
    for source in "$top"/heap/{,*/}*.c "$top"/kernels/*.c "$top"/kernels/host/*.c; do
        ((${#arm_cuda[@]} > 0)) || ! grep -qE "heap/gpu/cuda_($with_cuda)\.h|nvtx3/" "$source" ||
            continue
        sources+=("$source")
    done
    compile_for_arm "${sources[@]}" >"$log" 2>&1
    result $? 'arm: heap and kernels compile' "$log"
    # What is written with release has to be an instruction of its own there.
    grep -q -E '\bstlr\b' "$folder/arm/allreduce_staged.s" &&
        grep -q -E '\bldap?r\b' "$folder/arm/allreduce_staged.s"
    result $? 'arm: release and acquire are in the code'

    have_arm_root arm || return
    log=$folder/arm-components.log
    openmpi=$arm_root/usr/lib/$arm/openmpi/include
    mapfile -t sources < <(find "$top/mca" -name '*.c')
    compile_for_arm --sysroot="$arm_root" -isystem "$openmpi/openmpi" -isystem "$openmpi" \
        -isystem "$top/mca/shim" "${sources[@]}" >"$log" 2>&1
    result $? 'arm: the components compile' "$log"
    grep -A 4 -w stlrb "$folder/arm/queue.s" | grep -qE '\bdmb\s+(st|ish|ishst)$'
    result $? 'arm: a fence is between what a request has come to and its completion'
}

# compile_for_arm OPTION... SOURCE...: to assembly in build/sanitizers/arm, on all processors.
compile_for_arm() {
    local options=()
    while [[ $1 != *.c ]]; do
        options+=("$1")
        shift
    done
    (cd "$folder/arm" && printf '%s\0' "$@" | xargs -0 -n 8 -P "$(nproc)" \
        "$arm-gcc" "${arm_options[@]}" "${options[@]}" "${arm_cuda[@]}" -S)
}

# ---- Debian for it -------------------------------------------------------------------------------

# have_arm_root PART: libraries and headers in arm_root, unpacked from packages of the release that
# this machine's apt knows. They are kept for other trees, under the versions of this machine's.
have_arm_root() {
    local log=$folder/arm-root.log versions
    versions=$(apt-cache show --no-all-versions libopenmpi-dev libcmocka-dev libc6-dev 2>"$log" |
        sed -n 's/^Version: //p' | tr -c '[:alnum:].+~\n' _ | paste -s -d -)
    arm_root=${SYMM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ompi-symm}/arm64-$versions
    fetch_arm_root >>"$log" 2>&1
    result $? "$1: Debian's Open MPI for it is in a folder of its own" "$log"
}

# Compilers, which libopenmpi-dev depends on, and what else does not concern us are left out.
fetch_arm_root() (
    [[ ! -d $arm_root ]] || exit 0
    mkdir -p "${arm_root%/*}" && new=$(mktemp -d "$arm_root.XXXXXX") || exit 1
    trap 'rm -rf "$new"' EXIT
    arm_apt() {
        private_apt "$new/apt" -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
            -o Dir::State::status=/dev/null --no-install-recommends "$@"
    }
    mkdir "$new/packages" "$new/root" && cd "$new/packages" && arm_apt update || exit 1
    mapfile -t packages < <(arm_apt --simulate install libopenmpi-dev libcmocka-dev |
        sed -n 's/^Inst \([^ ]*\).*/\1/p' | grep -E '^(lib|linux-libc|openmpi|zlib)' |
        grep -vE '^lib(perl|binutils|js-)|san[0-9]+$')
    arm_apt download "${packages[@]:?}" || exit 1
    for package in *.deb; do
        dpkg -x "$package" "$new/root" || exit 1
    done
    mv -T "$new/root" "$arm_root" || [[ -d $arm_root ]]
)

# ---- linked and run ------------------------------------------------------------------------------

# What qemu-user 7.2 cannot do, by unit test and its part:
# - It says that madvise(MADV_REMOVE) has been done, and does nothing.
# - It lets ldar go before stlr, which the processor does not (test_leaving).
# - It sets no RLIMIT_AS and RLIMIT_DATA; it has no mremap() that maps the same pages twice.
# - mmap() does not take the addresses that have just been freed (test_address_is_used_again); and
#   programs are below what the stand-in driver takes for addresses (test_errors_stick).
# - It is too slow where kernels have to end within 200 ms (test_faults).
declare -A qemu_cannot=([test_arena]=test_chunks [test_cuda_devices]=test_use_stuck_ranges
    [test_cuda_heap_peers]=test_freed_memory_is_free [test_pads]=test_growth
    [test_control]=test_leaving [test_headroom]=test_address_space
    [test_reclaim]=test_other_mappings [test_cuda_imports]=test_address_is_used_again
    [test_standin_kernels]=test_errors_stick [test_cuda_hold]=test_faults)
# Whole programs. The stand-in driver clears memory by MADV_REMOVE, too (test_cuda_heap). Of more
# descriptors than there is room for, qemu leaves the others open (test_strangers). It takes 6 MiB
# for each GiB that is only reserved (test_heap_limits). The models of executions in test_ordering
# and test_stream_ordering are the same there, and take too long.
qemu_cannot_run=' test_cuda_heap test_strangers test_heap_limits test_ordering '
qemu_cannot_run+='test_stream_ordering '
# The launch layer has kernels compiled for the processor in its tests, which no device of such a
# machine would run, and which take longer there than the rest together: with --all only.
qemu_skips="$qemu_cannot_run$(cd "$top/tests/unit/cuda" && echo test_*.c | sed 's/\.c\b//g') "
# Ranks that mpirun of this machine starts. qemu has no process_vm_readv().
qemu_programs=(results/check_allreduce results/check_allgather)

select_all_qemu() {
    qemu_skips=$qemu_cannot_run
}

part_qemu() {
    local log=$folder/qemu.log program library under
    local -x SYMM_TEST_PATIENCE=10 SYMM_TEST_USES=1
    local -n cannot=qemu_cannot
    need qemu-aarch64 qemu-user && need $arm-g++ g++-$arm libc6-dev-arm64-cross ||
        { missing qemu "qemu-user or g++-$arm"; return; }
    have_arm_root qemu || return
    under=(qemu-aarch64 -L "$arm_root")
    configure_for_arm >"$log" 2>&1
    result $? 'qemu: configure' "$log" || return
    log=$folder/qemu-build.log
    build qemu '' "\$(unit_tests) \$(standin_tests) ${qemu_programs[*]/#/tests/}" >"$log" 2>&1
    result $? 'qemu: build' "$log" || return
    for library in libsymm mca_coll_symm mca_mpool_symm; do
        lacks_nothing $library >"$folder/qemu-$library.log" 2>&1
        result $? "qemu: $library needs the libraries that it needs here, and finds all functions" \
            "$folder/qemu-$library.log"
    done
    run_unit_tests qemu "$qemu_skips"
    for program in "${qemu_programs[@]}"; do
        run_qemu "$program"
    done
}

# As docs/building.md says, by this machine's mpicc. Kernels for devices are those of the build.
configure_for_arm() {
    local cuda=(--without-cuda) code=kernels/cuda/device_code openmpi=$arm_root/usr/lib/$arm/openmpi
    mkdir -p "$folder/qemu" && cd "$folder/qemu" || return
    if grep -q '^#define HAVE_CUDA' "$top/build/config.h"; then
        cuda=(NVCC="$(of_build NVCC)" CUDA_CPPFLAGS="$(of_build CUDA_CPPFLAGS)")
        mkdir -p $code && cp -u "$top/build/$code/"*.fatbin $code || return
    fi
    [[ -e config.status ]] || OPAL_PREFIX=$arm_root/usr OPAL_LIBDIR=$openmpi/lib \
        OPAL_INCLUDEDIR=$openmpi/include "$top/configure" --host=$arm --enable-werror \
        CC="$arm-gcc --sysroot=$arm_root" CXX="$arm-g++ --sysroot=$arm_root" \
        MPICC="$(of_build MPICC)" "${cuda[@]}"
}

# lacks_nothing LIBRARY: a program is linked with it, for which ld looks up all that it uses.
lacks_nothing() {
    local here=$top/build/.libs/$1.so there=.libs/$1.so
    diff <(needed "$here") <(needed "$there") &&
        $arm-gcc --sysroot="$arm_root" -o "$folder/linked" \
            -x c <(echo 'int main(void) { return 0; }') -x none \
            -Wl,--no-as-needed "$there" -Wl,-rpath-link,.libs \
            -Wl,-rpath-link,"$arm_root/usr/lib/$arm/openmpi/lib"
}

needed() {
    $arm-objdump -p "$1" | awk '$1 == "NEEDED" && $2 !~ /^ld-linux/ { print $2 }' | sort
}

# Components that want a function which is not there are not loaded, and serve nothing.
run_qemu() {
    local log=$PWD/${1##*/}.log status=0
    (
        # shellcheck source=/dev/null
        . tests/env.sh
        under=(env OMPI_MCA_mca_base_component_path="$OMPI_MCA_mca_base_component_path"
            OPAL_PREFIX="$arm_root/usr" LD_BIND_NOW=1 "${under[@]}")
        unset OMPI_MCA_mca_base_component_path # which mpirun itself would read
        # PMIx's shared memory holds locks, which have another size there.
        export PMIX_MCA_gds=hash
        # shellcheck disable=SC2086 # flags are words
        limited "$MPIRUN" $MPIRUN_FLAGS -n 2 $SYMM_PML_OB1_FLAGS $SYMM_NO_SINGLE_COPY_FLAGS \
            --mca coll_symm_report 1 "${under[@]}" "tests/$1" --quick
    ) >"$log" 2>&1 || status=$?
    was_served "$log" || status=1
    result $status "qemu: ${1##*/}, 2 ranks" "$log"
}
