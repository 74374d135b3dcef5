# cuda.sh - the CUDA toolkit: whether there is one, whether one is worth fetching, and where from;
# sourced by quickstart.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2154

# The toolkit that is fetched where there is none: these PyPI packages, all of this version.
cuda_version=13.0.88
cuda_packages=(nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt nvidia-cuda-runtime)
cuda_folder=$build/cuda
cuda_prefix=$cuda_folder/nvidia/cu13
cuda_options=()
cuda_missing=

# In a build folder without CUDA because nobody has asked for it.
cuda_unasked=$build/quickstart.no-cuda
cuda_unasked_words="no GPU, and no CUDA 12.8 or newer: building for host memory only \
(--fetch-cuda fetches a compiler, 102 MB)"

# Whether the user has told configure what to do about it.
cuda_is_chosen() {
    [[ -n ${NVCC:-}${CUDA_CPPFLAGS:-} ||
        " ${configure_options[*]}" =~ \ (--with-cuda|--without-cuda|NVCC=|CUDA_CPPFLAGS=) ]]
}

# Whether it is worth fetching: we are asked, or there is a GPU to use it for.
cuda_is_wanted() {
    [[ -n $cuda_asked ]] || nvidia-smi -L 2>/dev/null | grep -q '^GPU ' ||
        compgen -G '/dev/nvidia[0-9]*' >/dev/null
}

# configure's choice.
installed_nvcc() { PATH=$PATH:/usr/local/cuda/bin type -P nvcc; }

cuda_is_there() { [[ -n $(installed_nvcc) || -x $cuda_prefix/bin/nvcc ]]; }

# Whether nvcc $1 has a cuda.h that will do, and compiles for all devices that we build kernels for.
nvcc_works() {
    [[ -x $1 ]] || return
    cat >"$build/quickstart.cu" <<'END'
#include <cuda.h>
#if CUDA_VERSION < 12080
#error "this toolkit is too old"
#endif
__global__ void kernel(int *word) { *word = 1; }
END
    echo "$1: does it work?" >>"$log"
    "$1" -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 \
        -gencode arch=compute_100,code=sm_100 -fatbin -o "$build/quickstart.fatbin" \
        "$build/quickstart.cu" >>"$log" 2>&1
}

# pip's --target touches no Python installation, so it may be used where the system manages that.
download_cuda() {
    local from
    rm -rf "$cuda_folder"
    from=$(wc -l <"$log")
    attempt "fetching CUDA $cuda_version from PyPI into build/cuda (102 MB)" \
        python3 -m pip install --target "$cuda_folder" --no-deps --only-binary :all: \
        --no-cache-dir --no-compile --disable-pip-version-check --progress-bar off --retries 1 \
        "${cuda_packages[@]/%/==$cuda_version}" && return
    rm -rf "$cuda_folder"
    tail -n "+$((from + 1))" "$log" | decisive_line | fold -s -w 94 | sed 's/^/    /; s/ $//'
    return 1
}

# What pip could not do, of its output: an error of the network or of a certificate comes before the
# complaint that nothing has been found.
decisive_line() {
    awk '/connection broken by|Could not fetch URL/ { network = $0 }
        /^ERROR: / && !error { error = $0 }
        END { print network ? network : error }'
}

# Sets cuda_options to what configure has to be told, or cuda_missing to why there is no CUDA.
find_cuda() {
    local packages
    rm -f "$cuda_unasked"
    cuda_is_chosen && return
    mapfile -t packages < <(missing_for_cuda)
    if ((${#packages[@]} > 0 && EUID == 0)) && have apt-get; then
        install attempt "${packages[@]}"
    fi
    if have g++ && nvcc_works "$(installed_nvcc)"; then
        return
    elif have g++ && nvcc_works "$cuda_prefix/bin/nvcc"; then
        cuda_options=("--with-cuda=$cuda_prefix")
    elif ! cuda_is_wanted && { have g++ || ! cuda_is_there; }; then
        touch "$cuda_unasked"
        say "==> $cuda_unasked_words"
    elif fetch_cuda; then
        cuda_options=("--with-cuda=$cuda_prefix")
    else
        say "==> $cuda_missing: building for host memory only"
    fi
}

fetch_cuda() {
    if ! have g++; then
        cuda_missing='no g++, which nvcc needs (Debian: g++)'
    elif ! have_pip; then
        cuda_missing='no CUDA 12.8 or newer, and no pip to fetch it with (Debian: python3-pip)'
    elif ! download_cuda; then
        cuda_missing='no CUDA 12.8 or newer, and none to be had from PyPI'
    elif ! nvcc_works "$cuda_prefix/bin/nvcc"; then
        cuda_missing='no CUDA 12.8 or newer, and the one from PyPI does not work here'
    fi
    [[ -z $cuda_missing ]]
}
