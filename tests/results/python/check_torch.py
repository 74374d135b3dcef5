"""The backend `symm` of torch.distributed, on GPUs: each collective with each type and operation,
in the current stream, with async_op and in graphs, against sums of float64 on the host; groups of
some ranks; what goes to the fallback; what is refused.

    mpirun -n RANKS python3 check_torch.py

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import os
import sys

import ompi_symm.distributed
import torch
import torch.distributed as dist

COUNTS = (1, 7, 1000, 100003)
FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
WHOLE = (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64)
SUM, AVG, MAX, MIN, PRODUCT = (dist.ReduceOp.SUM, dist.ReduceOp.AVG, dist.ReduceOp.MAX,
                               dist.ReduceOp.MIN, dist.ReduceOp.PRODUCT)
failures = 0
rank = size = 0
HOST = torch.device("cpu")


def check(is_right, what):
    global failures
    if not is_right:
        failures += 1
        print(f"rank {rank}: {what}", file=sys.stderr, flush=True)


def data(count, dtype, of, seed=0):
    """Small whole numbers, so that sums are exact in all types."""
    generator = torch.Generator().manual_seed(100 * seed + of)
    return torch.randint(0, 4, (count,), generator=generator).to(dtype)


def all_of(count, dtype, seed=0):
    return torch.stack([data(count, dtype, of, seed).double() for of in range(size)])


def reduced(count, dtype, op, seed=0):
    every = all_of(count, dtype, seed)
    made = {SUM: every.sum(0), AVG: every.mean(0), MAX: every.max(0)[0], MIN: every.min(0)[0],
            PRODUCT: every.prod(0)}[op]
    return made.to(dtype)


def same(found, expected, what):
    check(torch.equal(found.cpu(), expected), what)


# Each takes a count, a type, an operation and how to call, and returns tensors to fill, the call,
# and what is looked at with what is expected.

def all_reduce(count, dtype, op, **how):
    tensor = torch.empty(count, dtype=dtype, device="cuda")

    def fill(seed):
        tensor.copy_(data(count, dtype, rank, seed))

    return fill, lambda: dist.all_reduce(tensor, op, **how), \
        lambda seed: (tensor, reduced(count, dtype, op, seed))


def reduce(count, dtype, op, **how):
    tensor = torch.empty(count, dtype=dtype, device="cuda")
    root = count % size

    def fill(seed):
        tensor.copy_(data(count, dtype, rank, seed))

    return fill, lambda: dist.reduce(tensor, root, op, **how), \
        lambda seed: (tensor, reduced(count, dtype, op, seed) if rank == root
                      else data(count, dtype, rank, seed))


def reduce_scatter_tensor(count, dtype, op, **how):
    source = torch.empty(count * size, dtype=dtype, device="cuda")
    tensor = torch.empty(count, dtype=dtype, device="cuda")

    def fill(seed):
        source.copy_(data(count * size, dtype, rank, seed))
        tensor.fill_(9)

    return fill, lambda: dist.reduce_scatter_tensor(tensor, source, op, **how), \
        lambda seed: (tensor, reduced(count * size, dtype, op, seed)[rank * count:][:count])


def reduce_scatter(count, dtype, op, **how):
    source = [torch.empty(count, dtype=dtype, device="cuda") for _ in range(size)]
    tensor = torch.empty(count, dtype=dtype, device="cuda")

    def fill(seed):
        for i in range(size):
            source[i].copy_(data(count * size, dtype, rank, seed)[i * count:][:count])
        tensor.fill_(9)

    return fill, lambda: dist.reduce_scatter(tensor, source, op, **how), \
        lambda seed: (tensor, reduced(count * size, dtype, op, seed)[rank * count:][:count])


def all_gather_into_tensor(count, dtype, _op, **how):
    tensor = torch.empty(count, dtype=dtype, device="cuda")
    whole = torch.empty(count * size, dtype=dtype, device="cuda")

    def fill(seed):
        tensor.copy_(data(count, dtype, rank, seed))
        whole.fill_(9)

    return fill, lambda: dist.all_gather_into_tensor(whole, tensor, **how), \
        lambda seed: (whole, all_of(count, dtype, seed).to(dtype).flatten())


def all_gather_in_place(count, dtype, _op, **how):
    whole = torch.empty(count * size, dtype=dtype, device="cuda")
    tensor = whole[rank * count:][:count]

    def fill(seed):
        whole.fill_(9)
        tensor.copy_(data(count, dtype, rank, seed))

    return fill, lambda: dist.all_gather_into_tensor(whole, tensor, **how), \
        lambda seed: (whole, all_of(count, dtype, seed).to(dtype).flatten())


def all_gather(count, dtype, _op, **how):
    tensor = torch.empty(count, dtype=dtype, device="cuda")
    whole = [torch.empty(count, dtype=dtype, device="cuda") for _ in range(size)]

    def fill(seed):
        tensor.copy_(data(count, dtype, rank, seed))

    return fill, lambda: dist.all_gather(whole, tensor, **how), \
        lambda seed: (torch.stack(whole), all_of(count, dtype, seed).to(dtype))


def all_to_all_single(count, dtype, _op, **how):
    source = torch.empty(count * size, dtype=dtype, device="cuda")
    tensor = torch.empty(count * size, dtype=dtype, device="cuda")

    def fill(seed):
        source.copy_(data(count * size, dtype, rank, seed))
        tensor.fill_(9)

    return fill, lambda: dist.all_to_all_single(tensor, source, **how), \
        lambda seed: (tensor, all_of(count * size, dtype, seed).to(dtype)
                      .view(size, size, count)[:, rank].flatten())


def broadcast(count, dtype, _op, **how):
    tensor = torch.empty(count, dtype=dtype, device="cuda")
    root = count % size

    def fill(seed):
        tensor.copy_(data(count, dtype, rank, seed))

    return fill, lambda: dist.broadcast(tensor, root, **how), \
        lambda seed: (tensor, data(count, dtype, root, seed))


REDUCTIONS = (all_reduce, reduce, reduce_scatter_tensor, reduce_scatter)
COPIES = (all_gather_into_tensor, all_gather_in_place, all_gather, all_to_all_single, broadcast)


def call_try(make, count, dtype, op=SUM):
    what = f"{make.__name__} of {count} {dtype}, {op}"
    fill, call, look = make(count, dtype, op)
    fill(1)
    call()
    same(*look(1), f"{what}: queued")

    fill, call, look = make(count, dtype, op, async_op=True)
    fill(2)
    work = call()
    work.wait()
    same(*look(2), f"{what}: async")
    work = None

    fill, call, look = make(count, dtype, op)
    fill(3)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    for seed in (4, 5):
        fill(seed)
        graph.replay()
        same(*look(seed), f"{what}: in a graph")


def calls_try():
    for count in COUNTS:
        for dtype in (*FLOATS, *WHOLE):
            for make in REDUCTIONS:
                for op in (SUM, AVG, MAX, MIN, PRODUCT):
                    is_first = count == COUNTS[0] or op is SUM
                    if is_first and (op is not AVG or dtype in FLOATS):
                        call_try(make, count, dtype, op)
        for dtype in (torch.float32, torch.uint8):
            for make in COPIES:
                call_try(make, count, dtype)


def bits_try():
    mine = torch.tensor([rank, 6, 5], dtype=torch.int32, device="cuda")
    dist.all_reduce(mine, dist.ReduceOp.BOR)
    same(mine, torch.tensor([size - 1 if size in (2, 4, 8) else int(mine[0]), 6, 5],
                            dtype=torch.int32), "bitwise or")
    truth = torch.tensor([rank == 0, True, False], device="cuda")
    dist.all_reduce(truth)
    same(truth, torch.tensor([True, True, False]), "a sum of truths")
    complex_numbers = torch.full((5,), 1 + 2j, device="cuda")
    dist.all_reduce(complex_numbers)
    same(complex_numbers, torch.full((5,), size * (1 + 2j)), "a complex sum")


def groups_try():
    evens = dist.new_group(list(range(0, size, 2)))
    alone = dist.new_group([size - 1])
    tensor = torch.ones(3, device="cuda")
    if rank % 2 == 0:
        dist.all_reduce(tensor, group=evens)
        same(tensor, torch.full((3,), float((size + 1) // 2)), "a group of some ranks")
    if rank == size - 1:
        tensor.fill_(2)
        dist.all_reduce(tensor, AVG, group=alone)
        same(tensor, torch.full((3,), 2.0), "a group of one rank")
    dist.barrier()
    if rank % 2 == 0:
        dist.destroy_process_group(evens)


def grouping_try():
    tensors = [torch.full((4,), float(rank + i), device="cuda") for i in range(3)]
    with dist._coalescing_manager(async_ops=True) as grouped:
        for tensor in tensors:
            dist.all_reduce(tensor)
    grouped.wait()
    for i, tensor in enumerate(tensors):
        same(tensor, torch.full((4,), size * (size - 1) / 2 + size * i), "grouped calls")


def objects_try():
    found = [None] * size
    dist.all_gather_object(found, {"rank": rank, "text": "x" * (10 * rank + 1)})
    check([one["rank"] for one in found] == list(range(size)), "all_gather_object")
    sent = [{"from": rank}]
    dist.broadcast_object_list(sent, src=size - 1)
    check(sent[0] == {"from": size - 1}, "broadcast_object_list")


def fallback_try():
    """What libsymm_mpix does not have."""
    after, before = (rank + 1) % size, (rank - 1) % size
    tensor = torch.full((10,), float(rank), device="cuda")
    other = torch.empty_like(tensor)
    for work in dist.batch_isend_irecv([dist.P2POp(dist.isend, tensor, after),
                                        dist.P2POp(dist.irecv, other, before)]):
        work.wait()
    same(other, torch.full((10,), float(before)), "send and receive")
    sizes = [i + 1 for i in range(size)]
    source = torch.cat([torch.full((n,), float(rank), device="cuda") for n in sizes])
    target = torch.empty(size * (rank + 1), device="cuda")
    dist.all_to_all_single(target, source, [rank + 1] * size, sizes)
    same(target, torch.arange(size).repeat_interleave(rank + 1).float(), "blocks that differ")
    whole = [torch.empty(10, device="cuda") for _ in range(size)] if rank == 0 else None
    dist.gather(tensor, whole, 0)
    if rank == 0:
        same(torch.stack(whole)[:, 0], torch.arange(size).float(), "gather")


def refused(call, words, what):
    try:
        call()
    except Exception as error:
        check(words in str(error), f"{what}: {error}")
    else:
        check(False, f"{what} is not refused")


def refusals_try():
    refused(lambda: dist.all_reduce(torch.ones(4)), "cpu", "a tensor of the host")
    gaps = torch.ones(8, device="cuda")[::2]
    refused(lambda: dist.all_reduce(gaps), "contiguous", "a tensor with gaps")
    turned = torch.ones(4, 8, device="cuda").t()
    refused(lambda: dist.all_reduce(turned), "contiguous", "a tensor that is turned")
    refused(lambda: dist.all_gather([torch.ones(3, device="cuda")] * (size + 1),
                                    torch.ones(3, device="cuda")), "list", "a list too long")
    three = torch.ones(3, device="cuda")
    refused(lambda: dist.all_gather_into_tensor(torch.ones(4, device="cuda"), three),
            "elements", "tensors that do not fit")


def main():
    global rank, size
    local = int(os.environ["OMPI_COMM_WORLD_LOCAL_RANK"])
    torch.cuda.set_device(local % torch.cuda.device_count())
    dist.init_process_group("symm", init_method="mpi://")
    rank, size = dist.get_rank(), dist.get_world_size()
    check(dist.get_backend() == "symm", "the backend's name")
    calls_try()
    bits_try()
    groups_try()
    grouping_try()
    objects_try()
    if torch.cuda.device_count() >= size:
        fallback_try() # NCCL takes no two ranks on a GPU
    refusals_try()
    dist.barrier()
    print(f"rank {rank}: {failures} failures", flush=True)
    dist.destroy_process_group()
    sys.exit(1 if failures else 0)


main()
