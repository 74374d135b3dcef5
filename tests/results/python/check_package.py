"""check_package.py LIBRARY - the package ompi_symm: blocking calls, and calls on streams where the
library has them, against sums and blocks that NumPy makes; doctests; refusals.

LIBRARY is numpy, cupy or torch. Two ranks or more.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import doctest
import sys

import collectives
import numpy
import ompi_symm
import ompi_symm.blocking
import ompi_symm.elements
import ompi_symm.memory
from mpi4py import MPI

COMM = MPI.COMM_WORLD
RANK, SIZE = COMM.rank, COMM.size
LIBRARY = sys.argv[1]
KIND = "host" if LIBRARY == "numpy" else "cuda"
COUNT = 64
DTYPES = ["float32", "float64", "float16", "int8", "int32", "int64", "uint16", "complex64"]


def fail(what):
    print(f"check_package.py: rank {RANK}: {what}", file=sys.stderr, flush=True)
    COMM.Abort(1)


def numbers(rank, count, dtype):
    """Small whole numbers, exact in every type."""
    random = numpy.random.default_rng([rank, count])
    return random.integers(0, 5, count).astype(dtype)


def array_of(values):
    array = ompi_symm.empty(values.shape, str(values.dtype), LIBRARY)
    MADE.upload(array, values)
    MADE.synchronize()  # blocking calls know no streams
    return array


def poison(count, dtype):
    return array_of(numpy.full(count, 77, dtype))


def compare(what, array, expected):
    found = MADE.download(array)
    if not numpy.array_equal(found, expected):
        fail(f"{what}: {found[:4]} instead of {expected[:4]}")


def calls_check(comm, dtype, what):
    """All methods, in place and not."""
    mine = numbers(RANK, COUNT, dtype)
    every = [numbers(rank, COUNT, dtype) for rank in range(SIZE)]
    total = sum(every[1:], every[0])
    blocks = numpy.concatenate(every)
    wide = [numbers(rank, COUNT * SIZE, dtype) for rank in range(SIZE)]
    own = slice(RANK * COUNT, (RANK + 1) * COUNT)

    array = array_of(mine)
    comm.Allreduce(MPI.IN_PLACE, array)
    compare(f"{what}: all-reduce in place", array, total)
    send, receive = array_of(mine), poison(COUNT, dtype)
    comm.Allreduce(send, receive)
    compare(f"{what}: all-reduce", receive, total)
    if not dtype.startswith("complex"):
        comm.Allreduce(send, receive, MPI.MAX)
        compare(f"{what}: largest", receive, numpy.maximum.reduce(every))
    comm.Reduce(send, receive if RANK == 0 else None)
    if RANK == 0:
        compare(f"{what}: reduce", receive, total)
    receive = poison(COUNT, dtype)
    comm.Reduce_scatter_block(array_of(wide[RANK]), receive)
    compare(f"{what}: reduce-scatter", receive, sum(wide[1:], wide[0])[own])
    array = array_of(mine)
    comm.Bcast(array, SIZE - 1)
    compare(f"{what}: broadcast", array, every[-1])
    gathered = poison(COUNT * SIZE, dtype)
    comm.Allgather(send, gathered)
    compare(f"{what}: all-gather", gathered, blocks)
    comm.Allgather(MPI.IN_PLACE, gathered)
    compare(f"{what}: all-gather in place", gathered, blocks)
    exchanged = poison(COUNT * SIZE, dtype)
    comm.Alltoall(array_of(wide[RANK]), exchanged)
    compare(f"{what}: all-to-all", exchanged, numpy.concatenate([one[own] for one in wide]))
    gathered = poison(COUNT * SIZE, dtype)
    comm.Gather(send, gathered if RANK == 0 else None)
    if RANK == 0:
        compare(f"{what}: gather", gathered, blocks)
    receive = poison(COUNT, dtype)
    comm.Scatter(array_of(wide[0]) if RANK == 0 else None, receive)
    compare(f"{what}: scatter", receive, wide[0][own])
    comm.Barrier()


def refused(error, call, *arguments):
    try:
        call(*arguments)
    except error:
        return
    fail(f"{call.__name__}{arguments[1:]} was not refused")


def refusals_check(comm):
    text = numpy.array(["a"])
    refused(TypeError, comm.Bcast, text)
    refused(TypeError, comm.Bcast, [1, 2])
    refused(TypeError, comm.Allreduce, MPI.IN_PLACE, numpy.ones(2, "float16"), MPI.BAND)
    refused(ValueError, comm.Bcast, numpy.ones((4, 4))[:, :2])
    refused(ValueError, comm.Allgather, numpy.ones(2), numpy.ones(2 * SIZE + 1))
    refused(ValueError, comm.Allreduce, numpy.ones(2), numpy.ones(3))
    refused(MPI.Exception, comm.Bcast, numpy.ones(2), SIZE)


def message_check():
    array = array_of(numbers(RANK, COUNT, "float16"))
    COMM.Allreduce(MPI.IN_PLACE, ompi_symm.message(array), ompi_symm.op(MPI.SUM, "float16"))
    compare("a message of half numbers", array,
            sum(numbers(rank, COUNT, "float16") for rank in range(SIZE)))


def bfloat16_check(comm):
    torch = MADE.torch
    tensor = ompi_symm.zeros(COUNT, "bfloat16", "torch") + RANK + 1
    comm.Allreduce(MPI.IN_PLACE, tensor)
    if not bool((tensor == SIZE * (SIZE + 1) // 2).all()):
        fail("bfloat16")
    if ompi_symm.empty_like(tensor).dtype != torch.bfloat16:
        fail("another type than bfloat16")


def graph_check(comm):
    torch = MADE.torch
    tensor, graph = torch.ones(COUNT, device="cuda"), torch.cuda.CUDAGraph()
    comm.Allreduce(MPI.IN_PLACE, tensor)
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        comm.Allreduce(MPI.IN_PLACE, tensor)
    tensor.fill_(1)
    for _ in range(3):
        graph.replay()
    torch.cuda.synchronize()
    if not bool((tensor == SIZE**3).all()):
        fail(f"a graph: {tensor[:3]}")
    del graph


def pools_check():
    if LIBRARY == "torch":
        torch = MADE.torch
        with torch.cuda.use_mem_pool(ompi_symm.torch_pool()):
            tensor = torch.full((1 << 20,), float(RANK + 1), device="cuda")
        torch.cuda.synchronize()
        ompi_symm.Comm(COMM).Allreduce(MPI.IN_PLACE, tensor)
        if not bool((tensor == SIZE * (SIZE + 1) // 2).all()):
            fail("PyTorch's pool")
    elif hasattr(MADE.cupy.cuda, "MemoryPool"):  # not the stand-in
        MADE.cupy.cuda.set_allocator(ompi_symm.cupy_allocator())
        array = MADE.cupy.full(1 << 20, RANK + 1, "float32")
        MADE.synchronize()
        ompi_symm.Comm(COMM).Allreduce(MPI.IN_PLACE, array)
        if not bool((array == SIZE * (SIZE + 1) // 2).all()):
            fail("CuPy's pool")
        MADE.cupy.cuda.set_allocator(None)


def streams_check():
    with ompi_symm.StreamComm(COMM) as comm:
        for dtype in DTYPES:
            calls_check(comm, dtype, f"on streams, {dtype}")
        refused(MPI.Exception, comm.Bcast, numpy.ones(2))
        if "2 ranks" not in comm.state() and SIZE == 2:
            fail(f"the state is '{comm.state()}'")
        if LIBRARY == "torch":
            bfloat16_check(comm)
            graph_check(comm)
    with ompi_symm.StreamComm(COMM) as comm:
        comm.abort()
        refused(MPI.Exception, comm.Barrier)


MADE = collectives.LIBRARIES[LIBRARY](KIND, RANK)
for module in (ompi_symm.memory, ompi_symm.elements, ompi_symm.blocking):
    if LIBRARY == "numpy" and doctest.testmod(module).failed:
        fail(f"the examples of {module.__name__}")
blocking = ompi_symm.Comm(COMM)
for name in DTYPES:
    calls_check(blocking, name, f"blocking, {name}")
message_check()
refusals_check(blocking)
if LIBRARY == "torch":
    bfloat16_check(blocking)
if KIND == "cuda":
    streams_check()
    pools_check()
COMM.Barrier()
if RANK == 0:
    print(f"check_package.py: {LIBRARY}, {SIZE} ranks: all is right")
