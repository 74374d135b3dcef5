"""Have a library take all its memory from MPI_Alloc_mem: programs change one line.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import functools
from typing import Any, Callable, Dict

from ompi_symm import library
from ompi_symm.memory import Memory


@functools.lru_cache(None)
def cupy_allocator() -> Callable[[int], Any]:
    """For cupy.cuda.set_allocator(): a memory pool over symmetric memory.

        cupy.cuda.set_allocator(ompi_symm.cupy_allocator())

    CuPy keeps what is freed in the pool, and gives it out again. The pool is one for the process.
    """
    import cupy

    taken: Dict[int, Memory] = {}

    def malloc(nbytes: int, device: int) -> int:
        with cupy.cuda.Device(device):
            memory = Memory(nbytes)
        taken[memory.address] = memory
        return memory.address

    def free(address: int, device: int) -> None:
        taken.pop(address).free()

    return cupy.cuda.MemoryPool(cupy.cuda.PythonFunctionAllocator(malloc, free).malloc).malloc


@functools.lru_cache(None)
def _torch_allocator() -> Any:
    import torch

    return torch.cuda.memory.CUDAPluggableAllocator(
        library.load()._name, "symm_mpix_device_alloc", "symm_mpix_device_free"
    )


def torch_pool() -> Any:
    """A torch.cuda.MemPool over symmetric memory.

        with torch.cuda.use_mem_pool(ompi_symm.torch_pool()):
            weights = torch.empty(1 << 20, device="cuda")

    PyTorch takes memory in blocks of 2 MiB and more, and keeps them as long as the pool lives.
    """
    import torch

    return torch.cuda.MemPool(_torch_allocator().allocator())
