/*
 * backend.h - what the files of the backend `symm` of torch.distributed share: the functions of
 * libsymm_mpix, which Python has loaded, its communicator, and calls that have been queued.
 *
 * No header of MPI is needed: handles are pointers, as Open MPI's are.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef OMPI_SYMM_BACKEND_H
#define OMPI_SYMM_BACKEND_H

#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ompi_symm {

typedef void *handle; // of MPI
typedef long long MPI_Count;

/*
 * Raise, unless it is so; `why` is asked for then.  Messages are put together as strings: streams
 * of a C++ library that is linked into an extension, as some compilers do, do not work there.
 */
template <class Why> void need(bool is_so, const Why &why)
{
    if (!is_so) {
        TORCH_CHECK(false, "symm: " + std::string(why()));
    }
}

/* ---- the library ----------------------------------------------------------------------------- */

struct library {
    /* The path of one that is loaded.  What is missing raises. */
    explicit library(const std::string &path);

    int (*allreduce)(const void *, void *, MPI_Count, handle, handle, double, handle);
    int (*reduce)(const void *, void *, MPI_Count, handle, handle, double, int, handle);
    int (*reduce_scatter_block)(const void *, void *, MPI_Count, handle, handle, double, handle);
    int (*bcast)(void *, MPI_Count, handle, int, handle);
    int (*allgather)(const void *, MPI_Count, handle, void *, MPI_Count, handle, handle);
    int (*alltoall)(const void *, MPI_Count, handle, void *, MPI_Count, handle, handle);
    int (*barrier)(handle);
    int (*set_stream)(handle, void *);
    int (*abort)(handle);
    int (*error_string)(int, char *, int *);

    /* Raise DistBackendError, with MPI's sentence, if it is an error. */
    void check(int code) const;
};

/* ---- calls ----------------------------------------------------------------------------------- */

/*
 * A call in a stream.  The program's stream waits for it in wait(); the host does for a barrier
 * alone.  Nothing is recorded for a call in the program's own stream until somebody asks.
 */
class work : public c10d::Work {
public:
    work(int rank, c10d::OpType type, const char *title, c10::cuda::CUDAStream stream,
         std::vector<at::Tensor> outputs, std::vector<at::Tensor> used);
    ~work() override;

    /* It is in a stream of the backend: its memory is held until the program's stream waits. */
    void record();

    bool isCompleted() override;
    bool isSuccess() const override { return true; }
    bool wait(std::chrono::milliseconds timeout) override;
    void synchronize() override { wait(kNoTimeout); }
    std::vector<at::Tensor> result() override { return outputs_; }
    c10::intrusive_ptr<c10::ivalue::Future> getFuture() override;

private:
    at::cuda::CUDAEvent &end(); // recorded when it is first asked for

    c10::cuda::CUDAStream stream_;
    std::optional<at::cuda::CUDAEvent> end_;
    std::vector<at::Tensor> outputs_, held_;
    bool is_barrier_, is_apart_ = false;
};

/* Several calls, which may be in several streams and of several backends. */
class works : public c10d::Work {
public:
    explicit works(std::vector<c10::intrusive_ptr<c10d::Work>> all) : all_(std::move(all)) {}

    /* One is itself; none is a null pointer. */
    static c10::intrusive_ptr<c10d::Work>
    together(std::vector<c10::intrusive_ptr<c10d::Work>> all);

    bool isCompleted() override;
    bool isSuccess() const override { return true; }
    bool wait(std::chrono::milliseconds timeout) override;
    void synchronize() override { wait(kNoTimeout); }
    c10::intrusive_ptr<c10::ivalue::Future> getFuture() override
    {
        for (size_t i = 0; i + 1 < all_.size(); i++) {
            all_[i]->wait();
        }
        return all_.back()->getFuture();
    }

private:
    std::vector<c10::intrusive_ptr<c10d::Work>> all_;
};

/* ---- a communicator -------------------------------------------------------------------------- */

/*
 * A communicator of libsymm_mpix, made with the first call, in which all ranks are, for the device
 * of its data.
 */
class lane {
public:
    /* Of a device's number and a stream, a communicator; all ranks call it together. */
    typedef std::function<uintptr_t(int, uintptr_t)> opener;

    lane(const library &from, opener open, std::function<void()> close);

    /*
     * The next call is for the stream that is returned: the program's current one, or one of the
     * lane's own behind what that holds now.
     */
    c10::cuda::CUDAStream begin(bool is_apart);
    handle comm() const { return comm_; }
    void abort();
    void close(); /* for good */

private:
    c10::cuda::CUDAStream apart(const c10::cuda::CUDAStream &now);

    const library &library_;
    opener open_;
    std::function<void()> close_;
    std::atomic<handle> comm_{nullptr}; // a watchdog aborts it in any thread
    c10::DeviceIndex device_ = -1;
    void *stream_ = nullptr; // the communicator's
    std::optional<c10::cuda::CUDAStream> own_;
    bool is_closed_ = false;
};

/* ---- what Python gives ----------------------------------------------------------------------- */

/* What MPI has for a type of PyTorch. */
struct element {
    handle datatype;
    std::vector<uintptr_t> ops; // by c10d::ReduceOp::RedOpType; 0: there is none
};

struct setup {
    std::string path; // of libsymm_mpix
    std::unordered_map<int, element> elements; // by at::ScalarType
    uintptr_t byte;
    lane::opener open;
    std::function<void()> close;
    std::function<c10::intrusive_ptr<c10d::Backend>()> fallback;
    bool fallback_coalesces;
};

c10::intrusive_ptr<c10d::Backend> backend_make(int rank, int size, setup given);

} // namespace ompi_symm

#endif /* OMPI_SYMM_BACKEND_H */
