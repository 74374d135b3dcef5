"""Symmetric memory and collectives on CUDA streams, for mpi4py with NumPy, CuPy and PyTorch.

    import ompi_symm
    from mpi4py import MPI

    array = ompi_symm.zeros((1024, 1024), "float32", "cupy")   # reached by all ranks of the node
    ompi_symm.Comm(MPI.COMM_WORLD).Allreduce(MPI.IN_PLACE, array)

    with ompi_symm.StreamComm(MPI.COMM_WORLD) as comm:         # queued on the current stream
        comm.Allreduce(MPI.IN_PLACE, array)

`empty()`, `zeros()` and `empty_like()` give arrays over MPI_Alloc_mem. `cupy_allocator()` and
`torch_pool()` have a library take all its memory from there. `Comm` makes blocking calls, and
`StreamComm` calls that are queued on streams, or captured into graphs. Both take half and bfloat16
numbers. docs/python.md is the guide.

Importing this starts MPI, as importing mpi4py.MPI does.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

from ompi_symm.allocators import cupy_allocator, torch_pool
from ompi_symm.blocking import Comm
from ompi_symm.elements import op
from ompi_symm.memory import Memory, alloc, empty, empty_like, message, zeros
from ompi_symm.streams import StreamComm

__all__ = [
    "Comm", "Memory", "StreamComm", "alloc", "cupy_allocator", "empty", "empty_like", "message",
    "op", "torch_pool", "zeros",
]
