"""Arrays over MPI_Alloc_mem, which the ranks of a node reach directly.

Choose the device before the first call (torch.cuda.set_device(), cupy.cuda.Device().use()): memory
is taken from the current one.

The memory is freed when the last array over it, or view of one, has died, after its device has come
to rest; at the latest when the interpreter exits, before mpi4py finalizes MPI. Who finalizes MPI
himself keeps what he has until the process ends.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import math
import weakref
from typing import Any, Optional, Tuple, Union

import numpy
from mpi4py import MPI

from ompi_symm import driver, elements

Shape = Union[int, Tuple[int, ...]]


class Memory:
    """Memory from MPI_Alloc_mem that array libraries can be given, as an array of bytes.

    Arrays made from it (cupy.asarray(), torch.as_tensor(), numpy.asarray()) keep it alive. `device`
    is the number of its device, None for memory of the host.

    >>> with Memory(100, "host") as memory:
    ...     numpy.asarray(memory).shape[0] >= 100
    True
    """

    def __init__(self, nbytes: int, kind: str = "cuda"):
        info = MPI.Info.Create()
        info.Set("mpool_hints", f"mpool=symm,kind={kind}")
        try:
            # Nobody has an address for nothing.
            buffer = MPI.Alloc_mem(max(nbytes, 1), info)
        finally:
            info.Free()
        self.address: int = buffer.address
        self.nbytes: int = buffer.nbytes
        self.device: Optional[int] = driver.device_of(self.address) if kind == "cuda" else None
        self._free = weakref.finalize(self, _free, buffer, self.device)
        if kind == "cuda" and self.device is None:
            # An MPI without this pool may take no notice of the hint.
            self.free()
            raise MemoryError("MPI_Alloc_mem gave no memory of a device: is mpool/symm loaded?")

    def free(self) -> None:
        """Frees it now. Arrays that are still there must not be used any more."""
        self._free()

    def __enter__(self) -> "Memory":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.free()

    @property
    def __cuda_array_interface__(self) -> dict:
        if self.device is None:
            raise AttributeError("this is memory of the host")
        # No stream: nothing is at work on new memory that its user would have to wait for.
        return {**self._bytes(), "strides": None, "stream": None}

    @property
    def __array_interface__(self) -> dict:
        if self.device is not None:
            raise AttributeError("this is memory of a device")
        return self._bytes()

    def _bytes(self) -> dict:
        return {"shape": (self.nbytes,), "typestr": "|u1", "data": (self.address, False),
                "version": 3}


def _free(buffer: Any, device: Optional[int]) -> None:
    # The last array may die while a kernel that was started on it is still at work.
    if device is not None:
        driver.wait(device)
    if not MPI.Is_finalized():
        MPI.Free_mem(buffer)


def alloc(nbytes: int, kind: str = "cuda") -> Memory:
    """Memory of the current CUDA device, or with kind="host" of the host."""
    return Memory(nbytes, kind)


# ---- arrays --------------------------------------------------------------------------------------


def empty(shape: Shape, dtype: Any = "float32", library: str = "cupy",
          kind: Optional[str] = None) -> Any:
    """A new array of "numpy", "cupy" or "torch", its elements undefined.

    `kind` is "host" for NumPy and "cuda" for CuPy; PyTorch has both, "cuda" if nothing is said.

    >>> empty((2, 3), "int32", "numpy").shape
    (2, 3)
    """
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    kind = kind or ("host" if library == "numpy" else "cuda")
    dtype, itemsize = _element(dtype, library)
    nbytes = math.prod(shape) * itemsize
    return _bytes_in(library, alloc(nbytes, kind))[:nbytes].view(dtype).reshape(shape)


def zeros(shape: Shape, dtype: Any = "float32", library: str = "cupy",
          kind: Optional[str] = None) -> Any:
    """The same, of zeros.

    >>> zeros(3, "int64", "numpy")
    array([0, 0, 0])
    """
    array = empty(shape, dtype, library, kind)
    if library == "torch":
        array.zero_()
    else:
        array.fill(0)
    return array


def empty_like(array: Any) -> Any:
    """A new array with the shape, the type, the library and the kind of memory of another.

    >>> empty_like(numpy.ones((2, 2))).dtype
    dtype('float64')
    """
    library = elements.library_of(type(array))
    on_host = library == "numpy" or (library == "torch" and array.device.type == "cpu")
    return empty(tuple(array.shape), array.dtype, library, "host" if on_host else "cuda")


def _element(dtype: Any, library: str) -> Tuple[Any, int]:
    """A name or type in the library's terms, and the bytes of an element."""
    if library != "torch":
        return dtype, numpy.dtype(dtype).itemsize
    import torch

    dtype = getattr(torch, dtype) if isinstance(dtype, str) else dtype
    return dtype, torch.empty(0, dtype=dtype).element_size()


def _bytes_in(library: str, memory: Memory) -> Any:
    """The library's array of all bytes of the memory, which is not copied."""
    if library == "numpy":
        return numpy.asarray(memory)
    if library == "cupy":
        import cupy

        return cupy.asarray(memory)
    if library == "torch":
        import torch

        if memory.device is None:
            return torch.from_numpy(numpy.asarray(memory))
        # Without its own device named, PyTorch would copy to the one it prefers.
        return torch.as_tensor(memory, device=f"cuda:{memory.device}")
    raise ValueError(f"library '{library}' is not numpy, cupy or torch")


# ---- messages ------------------------------------------------------------------------------------


class _Message(list):
    """Keeps its array."""

    array: Any


def message(array: Any) -> list:
    """What mpi4py can be given in place of an array, to make the same call many times.

    mpi4py takes 1 to 30 us to find out where an array lies and what is in it, most with PyTorch.
    With a message that has been done before. It keeps the array. Elements of half and bfloat16
    travel as integers of 16 bits; for reductions of them op() has the operation.

    >>> MPI.COMM_SELF.Allreduce(MPI.IN_PLACE, message(numpy.ones(4, "float16")),
    ...                         elements.op(MPI.SUM, "float16"))
    """
    made = _Message(elements.describers[type(array)](array)[0])
    made.array = array
    return made
