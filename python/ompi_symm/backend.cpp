/*
 * backend.cpp - the backend `symm` of torch.distributed: its collectives are queued on CUDA
 * streams by libsymm_mpix, and can be captured into graphs.
 *
 * A call goes to the program's current stream.  One with async_op goes to a stream of the backend,
 * behind what the program's stream holds, so that it overlaps with what the program does next.
 * What libsymm_mpix has no call for goes to another backend, the fallback, by rules that are alike
 * on all ranks: numbers and sizes of lists, types, operations.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "backend.h"

#include <c10/cuda/CUDAGuard.h>

#include <algorithm>
#include <mutex>

namespace ompi_symm {

typedef std::vector<at::Tensor> tensors;
typedef std::vector<tensors> tensor_lists;
typedef c10::intrusive_ptr<c10d::Work> work_pointer;

class backend : public c10d::Backend {
public:
    backend(int rank, int size, setup given)
        : c10d::Backend(rank, size), setup_(std::move(given)), library_(setup_.path),
          lane_(library_, setup_.open, setup_.close), byte_(reinterpret_cast<handle>(setup_.byte))
    {
    }

    const std::string getBackendName() const override { return "symm"; }
    bool supportsCoalescing() const override { return setup_.fallback_coalesces; }
    void setSequenceNumberForGroup() override {}
    uint64_t getSequenceNumberForGroup() override { return calls_; }
    void setTimeout(std::chrono::milliseconds) override {} // there is none: calls wait

    /* ---- reductions -------------------------------------------------------------------------- */

    work_pointer allreduce(tensors &data, const c10d::AllreduceOptions &options) override
    {
        const at::Tensor &one = only(data);
        reduction what;
        if (!reduction_get(one, options.reduceOp, what)) {
            return fallback("all_reduce").allreduce(data, options);
        }
        return queue(c10d::OpType::ALLREDUCE, "symm:all_reduce", options.asyncOp, data, {}, [&] {
            return library_.allreduce(in_place, one.data_ptr(), one.numel(), what.datatype,
                                      what.op, what.factor, lane_.comm());
        });
    }

    work_pointer allreduce_coalesced(tensors &data,
                                     const c10d::AllreduceCoalescedOptions &options) override
    {
        return each(data, data, [&](size_t i) {
            tensors one{data[i]};
            return allreduce(one, options);
        });
    }

    work_pointer reduce(tensors &data, const c10d::ReduceOptions &options) override
    {
        const at::Tensor &one = only(data);
        const int root = static_cast<int>(options.rootRank);
        reduction what;
        if (!reduction_get(one, options.reduceOp, what)) {
            return fallback("reduce").reduce(data, options);
        }
        return queue(c10d::OpType::REDUCE, "symm:reduce", options.asyncOp, data, {}, [&] {
            const void *send = rank_ == root ? in_place : one.data_ptr();
            return library_.reduce(send, one.data_ptr(), one.numel(), what.datatype, what.op,
                                   what.factor, root, lane_.comm());
        });
    }

    work_pointer _reduce_scatter_base(at::Tensor &output, at::Tensor &input,
                                      const c10d::ReduceScatterOptions &options) override
    {
        reduction what;
        sizes_check("reduce_scatter_tensor", input, output);
        if (!reduction_get(input, options.reduceOp, what)) {
            return fallback("reduce_scatter_tensor")._reduce_scatter_base(output, input, options);
        }
        return queue(c10d::OpType::_REDUCE_SCATTER_BASE, "symm:reduce_scatter_tensor",
                     options.asyncOp, {output}, {input}, [&] {
            return library_.reduce_scatter_block(input.data_ptr(), output.data_ptr(),
                                                 output.numel(), what.datatype, what.op,
                                                 what.factor, lane_.comm());
        });
    }

    work_pointer reduce_scatter_tensor_coalesced(
        tensors &outputs, tensors &inputs, const c10d::ReduceScatterOptions &options) override
    {
        return each(outputs, inputs, [&](size_t i) {
            return _reduce_scatter_base(outputs[i], inputs[i], options);
        });
    }

    work_pointer reduce_scatter(tensors &outputs, tensor_lists &inputs,
                                const c10d::ReduceScatterOptions &options) override
    {
        const at::Tensor &one = only(outputs);
        reduction what;
        list_check("reduce_scatter", inputs);
        if (!are_equal(inputs[0], one) || !reduction_get(one, options.reduceOp, what)) {
            return fallback("reduce_scatter").reduce_scatter(outputs, inputs, options);
        }
        at::Tensor output = one, input = at::cat(flat(inputs[0]));
        return _reduce_scatter_base(output, input, options);
    }

    /* ---- copies ------------------------------------------------------------------------------ */

    work_pointer broadcast(tensors &data, const c10d::BroadcastOptions &options) override
    {
        const at::Tensor &one = only(data);
        return queue(c10d::OpType::BROADCAST, "symm:broadcast", options.asyncOp, data, {}, [&] {
            return library_.bcast(one.data_ptr(), one.nbytes(), byte_,
                                  static_cast<int>(options.rootRank), lane_.comm());
        });
    }

    work_pointer _allgather_base(at::Tensor &output, at::Tensor &input,
                                 const c10d::AllgatherOptions &options) override
    {
        sizes_check("all_gather_into_tensor", output, input);
        return queue(c10d::OpType::_ALLGATHER_BASE, "symm:all_gather_into_tensor",
                     options.asyncOp, {output}, {input}, [&] {
            const char *own = static_cast<char *>(output.data_ptr()) + rank_ * input.nbytes();
            const MPI_Count bytes = input.nbytes();
            return library_.allgather(own == input.data_ptr() ? in_place : input.data_ptr(), bytes,
                                      byte_, output.data_ptr(), bytes, byte_, lane_.comm());
        });
    }

    work_pointer allgather_into_tensor_coalesced(tensors &outputs, tensors &inputs,
                                                 const c10d::AllgatherOptions &options) override
    {
        return each(outputs, inputs, [&](size_t i) {
            return _allgather_base(outputs[i], inputs[i], options);
        });
    }

    /* Into one array, in the stream of the call, and from there to each. */
    work_pointer allgather(tensor_lists &outputs, tensors &inputs,
                           const c10d::AllgatherOptions &options) override
    {
        const at::Tensor &input = only(inputs);
        list_check("all_gather", outputs);
        if (!are_equal(outputs[0], input)) {
            return fallback("all_gather").allgather(outputs, inputs, options);
        }
        return queue(c10d::OpType::ALLGATHER, "symm:all_gather", options.asyncOp, outputs[0],
                     {input}, [&] {
            at::Tensor all = at::empty({size_, input.numel()}, input.options());
            const MPI_Count bytes = input.nbytes();
            library_.check(library_.allgather(input.data_ptr(), bytes, byte_, all.data_ptr(),
                                              bytes, byte_, lane_.comm()));
            for (int i = 0; i < size_; i++) {
                outputs[0][i].copy_(all[i].view_as(outputs[0][i]), true);
            }
            return 0;
        });
    }

    /*
     * Lists of sizes may differ between ranks: a rank whose blocks are equal knows no other's.  All
     * ranks give lists, or none does.
     */
    work_pointer alltoall_base(at::Tensor &output, at::Tensor &input,
                               std::vector<int64_t> &output_sizes,
                               std::vector<int64_t> &input_sizes,
                               const c10d::AllToAllOptions &options) override
    {
        if (!output_sizes.empty() || !input_sizes.empty()) {
            return fallback("all_to_all_single with sizes")
                .alltoall_base(output, input, output_sizes, input_sizes, options);
        }
        need(input.nbytes() == output.nbytes() && input.numel() % size_ == 0, [&] {
            return "all_to_all_single: " + std::to_string(input.numel()) + " elements are sent "
                   "and " + std::to_string(output.numel()) + " received, of " +
                   std::to_string(size_) + " equal blocks";
        });
        return queue(c10d::OpType::ALLTOALL_BASE, "symm:all_to_all_single", options.asyncOp,
                     {output}, {input}, [&] {
            const MPI_Count bytes = input.nbytes() / size_;
            return library_.alltoall(input.data_ptr(), bytes, byte_, output.data_ptr(), bytes,
                                     byte_, lane_.comm());
        });
    }

    work_pointer barrier(const c10d::BarrierOptions &options) override
    {
        const c10::DeviceIndex device = !options.device_ids.empty()
                                            ? static_cast<c10::DeviceIndex>(options.device_ids[0])
                                        : options.device && options.device->has_index()
                                            ? options.device->index()
                                            : c10::cuda::current_device();
        const c10::cuda::CUDAGuard guard(device);
        return queue(c10d::OpType::BARRIER, "symm:barrier", options.asyncOp, {}, {},
                     [&] { return library_.barrier(lane_.comm()); });
    }

    /* ---- what goes to the fallback ----------------------------------------------------------- */

    work_pointer allreduce_sparse(tensors &data, const c10d::AllreduceOptions &options) override
    {
        return fallback("all_reduce of sparse tensors").allreduce_sparse(data, options);
    }

    work_pointer alltoall(tensors &outputs, tensors &inputs,
                          const c10d::AllToAllOptions &options) override
    {
        return fallback("all_to_all").alltoall(outputs, inputs, options);
    }

    work_pointer gather(tensor_lists &outputs, tensors &inputs,
                        const c10d::GatherOptions &options) override
    {
        return fallback("gather").gather(outputs, inputs, options);
    }

    work_pointer scatter(tensors &outputs, tensor_lists &inputs,
                         const c10d::ScatterOptions &options) override
    {
        return fallback("scatter").scatter(outputs, inputs, options);
    }

    work_pointer send(tensors &data, int to, int tag) override
    {
        return fallback("send").send(data, to, tag);
    }

    work_pointer recv(tensors &data, int from, int tag) override
    {
        return fallback("recv").recv(data, from, tag);
    }

    work_pointer recvAnysource(tensors &data, int tag) override
    {
        return fallback("recv").recvAnysource(data, tag);
    }

    /* Own calls need no grouping, but are waited for together. */
    void startCoalescing() override
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        coalesces_ = true;
        grouped_.clear();
    }

    work_pointer endCoalescing() override
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        std::vector<work_pointer> all = std::move(grouped_);
        grouped_.clear();
        coalesces_ = false;
        if (has_started_) {
            has_started_ = false;
            all.push_back(fallback_->endCoalescing());
        }
        return works::together(std::move(all));
    }

    /* ---- the end ----------------------------------------------------------------------------- */

    void abort() override
    {
        if (fallback_) {
            fallback_->abort();
        }
        lane_.abort();
    }

    void shutdown() override
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (fallback_) {
            fallback_->shutdown();
        }
        lane_.close();
    }

private:
    struct reduction {
        handle datatype, op;
        double factor;
    };

    void *const in_place = reinterpret_cast<void *>(1); // MPI_IN_PLACE of Open MPI

    static const at::Tensor &only(const tensors &list)
    {
        need(list.size() == 1, [&] {
            return "a call takes one tensor of a rank, not " + std::to_string(list.size());
        });
        return list[0];
    }

    static tensors flat(const tensors &list)
    {
        tensors made;
        for (const at::Tensor &one : list) {
            made.push_back(one.reshape({-1}));
        }
        return made;
    }

    static bool are_equal(const tensors &list, const at::Tensor &one)
    {
        return std::all_of(list.begin(), list.end(), [&](const at::Tensor &other) {
            return other.numel() == one.numel() && other.scalar_type() == one.scalar_type();
        });
    }

    /* One tensor of each rank. */
    void list_check(const char *name, const tensor_lists &lists) const
    {
        need(lists.size() == 1 && lists[0].size() == static_cast<size_t>(size_), [&] {
            return std::string(name) + ": takes a list of " + std::to_string(size_) + " tensors";
        });
    }

    void sizes_check(const char *name, const at::Tensor &whole, const at::Tensor &block) const
    {
        need(whole.scalar_type() == block.scalar_type() &&
                 whole.numel() == block.numel() * size_, [&] {
            return std::string(name) + ": a tensor of " + std::to_string(whole.numel()) +
                   " elements is not " + std::to_string(size_) + " times one of " +
                   std::to_string(block.numel()) + ", of the same type";
        });
    }

    /* False: MPI or the library does not have it. */
    bool reduction_get(const at::Tensor &data, const c10d::ReduceOp &op, reduction &what) const
    {
        const auto found = setup_.elements.find(static_cast<int>(data.scalar_type()));
        const bool is_mean = op.op_ == c10d::ReduceOp::AVG;
        const size_t number = is_mean ? c10d::ReduceOp::SUM : op.op_;
        if (found == setup_.elements.end() || number >= found->second.ops.size() ||
            found->second.ops[number] == 0 || (is_mean && !data.is_floating_point())) {
            return false;
        }
        what = {found->second.datatype, reinterpret_cast<handle>(found->second.ops[number]),
                is_mean ? 1.0 / size_ : 1.0};
        return true;
    }

    template <class Call>
    work_pointer queue(c10d::OpType type, const char *title, bool is_async, tensors outputs,
                       tensors inputs, const Call &call)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const c10::OptionalDeviceGuard guard(place_of(outputs, inputs));
        const auto stream = lane_.begin(is_async);
        tensors used;
        if (is_async) {
            used = outputs;
            used.insert(used.end(), inputs.begin(), inputs.end());
        }
        {
            const c10::cuda::CUDAStreamGuard current(stream);
            library_.check(call());
        }
        calls_++;
        auto made = c10::make_intrusive<work>(rank_, type, title, stream, std::move(outputs),
                                              std::move(used));
        if (is_async) {
            made->record();
        }
        if (coalesces_) {
            grouped_.push_back(made);
        }
        return made;
    }

    static std::optional<c10::Device> place_of(const tensors &outputs, const tensors &inputs)
    {
        std::optional<c10::Device> place;
        for (const tensors *list : {&outputs, &inputs}) {
            for (const at::Tensor &one : *list) {
                need(one.is_cuda(), [] {
                    return "a tensor is not on a GPU: init_process_group('cpu:gloo,cuda:symm') "
                           "has another backend for those of the host";
                });
                need(one.is_contiguous(), [] {
                    return "a tensor is not contiguous: pass tensor.contiguous()";
                });
                place = one.device();
            }
        }
        return place;
    }

    /* Calls one by one. */
    template <class Call>
    work_pointer each(const tensors &outputs, const tensors &inputs, const Call &call)
    {
        std::vector<work_pointer> all;
        need(outputs.size() == inputs.size(), [&] {
            return std::to_string(outputs.size()) + " outputs and " +
                   std::to_string(inputs.size()) + " inputs in a grouped call";
        });
        for (size_t i = 0; i < outputs.size(); i++) {
            all.push_back(call(i));
        }
        return works::together(std::move(all));
    }

    c10d::Backend &fallback(const char *what)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!fallback_) {
            fallback_ = setup_.fallback();
        }
        need(static_cast<bool>(fallback_), [&] {
            return std::string(what) + " goes to another backend for these arguments, and "
                   "ompi_symm.distributed.fallback is 'none'";
        });
        if (coalesces_ && !has_started_) {
            fallback_->startCoalescing();
            has_started_ = true;
        }
        return *fallback_;
    }

    setup setup_;
    library library_;
    lane lane_;
    handle byte_;
    c10::intrusive_ptr<c10d::Backend> fallback_;
    bool coalesces_ = false, has_started_ = false;
    std::vector<work_pointer> grouped_; // while calls are
    uint64_t calls_ = 0;
    std::mutex mutex_;
};

c10::intrusive_ptr<c10d::Backend> backend_make(int rank, int size, setup given)
{
    return c10::make_intrusive<backend>(rank, size, std::move(given));
}

} // namespace ompi_symm
