/*
 * lanes.cpp - see backend.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "backend.h"

namespace ompi_symm {

lanes::lanes(const library &from, opener open, std::function<void()> close)
    : library_(from), open_(std::move(open)), close_(std::move(close))
{
}

static c10::cuda::CUDAStream apart(std::optional<c10::cuda::CUDAStream> &own,
                                   const c10::cuda::CUDAStream &now)
{
    if (!own) {
        own = c10::cuda::getStreamFromPool(true, now.device_index());
    }
    at::cuda::CUDAEvent before(cudaEventDisableTiming);
    before.record(now);
    before.block(*own);
    return *own;
}

c10::cuda::CUDAStream lanes::begin(bool is_apart)
{
    need(!is_closed_, [] { return "the process group has been destroyed"; });
    const auto now = c10::cuda::getCurrentCUDAStream();
    lane &used = lanes_[now.device_index()];
    if (used.comm == nullptr) {
        used.stream = now.stream();
        used.comm = reinterpret_cast<handle>(
            open_(now.device_index(), reinterpret_cast<uintptr_t>(used.stream)));
    }
    const auto stream = is_apart ? apart(used.own, now) : now;
    if (stream.stream() != used.stream) {
        library_.check(library_.set_stream(used.comm, stream.stream()));
        used.stream = stream.stream();
    }
    now_ = &used;
    return stream;
}

void lanes::abort()
{
    for (const auto &[device, used] : lanes_) {
        if (used.comm != nullptr) {
            library_.check(library_.abort(used.comm));
        }
    }
}

void lanes::close()
{
    is_closed_ = true;
    lanes_.clear();
    close_();
}

} // namespace ompi_symm
