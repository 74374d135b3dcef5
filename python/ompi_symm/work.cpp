/*
 * work.cpp - see backend.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "backend.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>
#include <dlfcn.h>

#include <algorithm>

namespace ompi_symm {

/* ---- the library ----------------------------------------------------------------------------- */

namespace {

template <class Function> void find(void *in, const char *name, Function *found)
{
    *found = reinterpret_cast<Function>(dlsym(in, name));
    need(*found != nullptr, [&] {
        return std::string("libsymm_mpix has no ") + name + ": it is of another release";
    });
}

} // namespace

library::library(const std::string &path)
{
    void *in = dlopen(path.c_str(), RTLD_NOW);
    need(in != nullptr, [] { return dlerror(); });
    find(in, "symm_mpix_allreduce_scaled", &allreduce);
    find(in, "symm_mpix_reduce_scaled", &reduce);
    find(in, "symm_mpix_reduce_scatter_block_scaled", &reduce_scatter_block);
    find(in, "MPIX_Bcast_enqueue_c", &bcast);
    find(in, "MPIX_Allgather_enqueue_c", &allgather);
    find(in, "MPIX_Alltoall_enqueue_c", &alltoall);
    find(in, "MPIX_Barrier_enqueue", &barrier);
    find(in, "symm_mpix_comm_set_stream", &set_stream);
    find(in, "symm_mpix_comm_abort", &abort);
    find(in, "MPI_Error_string", &error_string);
}

void library::check(int code) const
{
    char text[1024] = "";
    int length = 0;
    if (code != 0) {
        error_string(code, text, &length);
        TORCH_CHECK_WITH(DistBackendError, false, std::string("symm: ") + text);
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

work::work(int rank, c10d::OpType type, const char *title, c10::cuda::CUDAStream stream,
           std::vector<at::Tensor> outputs, std::vector<at::Tensor> used)
    : c10d::Work(rank, type, title), stream_(stream), outputs_(std::move(outputs)),
      held_(std::move(used)), is_barrier_(type == c10d::OpType::BARRIER)
{
}

/* Nobody has waited: the allocator is told that the memory is used in that stream. */
work::~work()
{
    for (const at::Tensor &tensor : is_apart_ ? held_ : std::vector<at::Tensor>()) {
        c10::cuda::CUDACachingAllocator::recordStream(tensor.storage().data_ptr(), stream_);
    }
}

at::cuda::CUDAEvent &work::end()
{
    if (!end_) {
        end_.emplace(cudaEventDisableTiming);
        end_->record(stream_);
    }
    return *end_;
}

void work::record()
{
    is_apart_ = true;
    end();
}

bool work::isCompleted()
{
    return end().query();
}

bool work::wait(std::chrono::milliseconds)
{
    const auto now = c10::cuda::getCurrentCUDAStream(stream_.device_index());
    if (now != stream_) {
        end().block(now);
    }
    held_.clear();
    if (is_barrier_ && c10::cuda::currentStreamCaptureStatusMayInitCtx() ==
                           c10::cuda::CaptureStatus::None) {
        now.synchronize();
    }
    return true;
}

/* One that is complete: what follows in the streams of those who wait for it comes behind. */
c10::intrusive_ptr<c10::ivalue::Future> work::getFuture()
{
    const c10::cuda::CUDAStreamGuard guard(stream_);
    auto future = c10::make_intrusive<c10::ivalue::Future>(
        c10::ListType::create(c10::TensorType::get()),
        std::vector<c10::Device>{stream_.device()});
    future->markCompleted(c10::IValue(outputs_));
    return future;
}

c10::intrusive_ptr<c10d::Work>
works::together(std::vector<c10::intrusive_ptr<c10d::Work>> all)
{
    const c10::intrusive_ptr<c10d::Work> none;
    all.erase(std::remove(all.begin(), all.end(), none), all.end());
    if (all.size() < 2) {
        return all.empty() ? none : all[0];
    }
    return c10::make_intrusive<works>(std::move(all));
}

bool works::isCompleted()
{
    bool are_done = true;
    for (const auto &one : all_) {
        are_done = one->isCompleted() && are_done;
    }
    return are_done;
}

bool works::wait(std::chrono::milliseconds timeout)
{
    bool are_done = true;
    for (const auto &one : all_) {
        are_done = one->wait(timeout) && are_done;
    }
    return are_done;
}

} // namespace ompi_symm
