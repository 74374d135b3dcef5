/*
 * lane.cpp - see backend.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "backend.h"

namespace ompi_symm {

lane::lane(const library &from, opener open, std::function<void()> close)
    : library_(from), open_(std::move(open)), close_(std::move(close))
{
}

c10::cuda::CUDAStream lane::apart(const c10::cuda::CUDAStream &now)
{
    if (!own_) {
        own_ = c10::cuda::getStreamFromPool(true, now.device_index());
    }
    at::cuda::CUDAEvent before(cudaEventDisableTiming);
    before.record(now);
    before.block(*own_);
    return *own_;
}

c10::cuda::CUDAStream lane::begin(bool is_apart)
{
    need(!is_closed_, [] { return "the process group has been destroyed"; });
    const auto now = c10::cuda::getCurrentCUDAStream();
    if (comm_ == nullptr) {
        device_ = now.device_index();
        stream_ = now.stream();
        comm_ = reinterpret_cast<handle>(open_(device_, reinterpret_cast<uintptr_t>(stream_)));
    }
    need(now.device_index() == device_, [&] {
        return "a call on device " + std::to_string(now.device_index()) + "; the group's first " +
               "one was on device " + std::to_string(device_) + ", where all of them have to be";
    });
    const auto stream = is_apart ? apart(now) : now;
    if (stream.stream() != stream_) {
        library_.check(library_.set_stream(comm_, stream.stream()));
        stream_ = stream.stream();
    }
    return stream;
}

void lane::abort()
{
    const handle comm = comm_;
    if (comm != nullptr) {
        library_.check(library_.abort(comm));
    }
}

void lane::close()
{
    is_closed_ = true;
    if (comm_ != nullptr) {
        comm_ = nullptr;
        close_();
    }
}

} // namespace ompi_symm
