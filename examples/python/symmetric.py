"""Arrays over MPI_Alloc_mem: symmetric memory for NumPy, CuPy and PyTorch, with mpi4py.

    array = symmetric.empty((1024, 1024), "float32", "cupy")
    comm.Allreduce(MPI.IN_PLACE, array)

Collectives reach such an array directly, on all ranks of the node. Choose the device before the
first call (torch.cuda.set_device(), cupy.cuda.Device().use()): memory is taken from the current
one. Arrays that are used again and again are quicker as messages, message() says how much.

The memory is freed when the last array over it, or view of one, has died, after its device has come
to rest; at the latest when the interpreter exits, before mpi4py finalizes MPI. Who finalizes MPI
himself keeps what he has until the process ends.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import ctypes
import functools
import math
import weakref

import numpy
from mpi4py import MPI

# From cuda.h.
CUDA_SUCCESS = 0
CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2
CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9
CU_MEMORYTYPE_DEVICE = 2


class Memory:
    """Memory from MPI_Alloc_mem that array libraries can be given, as an array of bytes.

    Arrays made from it (cupy.asarray(), torch.as_tensor(), numpy.asarray()) keep it alive. `device`
    is the number of its device, None for memory of the host.
    """

    def __init__(self, nbytes, kind="cuda"):
        info = MPI.Info.Create()
        info.Set("mpool_hints", f"mpool=symm,kind={kind}")
        try:
            # Nobody has an address for nothing.
            buffer = MPI.Alloc_mem(max(nbytes, 1), info)
        finally:
            info.Free()
        self.address = buffer.address
        self.nbytes = buffer.nbytes
        self.device = _device_of(self.address) if kind == "cuda" else None
        self._free = weakref.finalize(self, _free, buffer, self.device)
        if kind == "cuda" and self.device is None:
            # An MPI without this pool may take no notice of the hint.
            self.free()
            raise MemoryError("MPI_Alloc_mem gave no memory of a device: is mpool/symm loaded?")

    def free(self):
        """Frees it now. Arrays that are still there must not be used any more."""
        self._free()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.free()

    @property
    def __cuda_array_interface__(self):
        if self.device is None:
            raise AttributeError("this is memory of the host")
        # No stream: nothing is at work on new memory that its user would have to wait for.
        return {**self._bytes(), "strides": None, "stream": None}

    @property
    def __array_interface__(self):
        if self.device is not None:
            raise AttributeError("this is memory of a device")
        return self._bytes()

    def _bytes(self):
        return {"shape": (self.nbytes,), "typestr": "|u1", "data": (self.address, False),
                "version": 3}


def alloc(nbytes, kind="cuda"):
    """Memory of the current CUDA device, or with kind="host" of the host."""
    return Memory(nbytes, kind)


def empty(shape, dtype="float32", library="cupy", kind=None):
    """A new array of "numpy", "cupy" or "torch", its elements undefined.

    kind is "host" for NumPy and "cuda" for CuPy; PyTorch has both, "cuda" if nothing is said.
    """
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    kind = kind or ("host" if library == "numpy" else "cuda")
    dtype, itemsize = _element(dtype, library)
    nbytes = math.prod(shape) * itemsize
    return _bytes_in(library, alloc(nbytes, kind))[:nbytes].view(dtype).reshape(shape)


def message(array):
    """What mpi4py can be given in place of an array, to make the same call many times.

    comm.Allreduce(MPI.IN_PLACE, message): mpi4py takes 1 to 30 us to find out where an array lies
    and what is in it, most with PyTorch. With a message that has been done before. It keeps the
    array.
    """
    # PyTorch's types are called torch.float32 and so on.
    dtype = numpy.dtype(str(array.dtype).rpartition(".")[2])
    # No count: mpi4py would take it as given, and as that of each rank's block.
    return [MPI.memory.frombuffer(array), dtype.char]


def _element(dtype, library):
    """A name or type in the library's terms, and the bytes of an element."""
    if library != "torch":
        return dtype, numpy.dtype(dtype).itemsize
    import torch

    dtype = getattr(torch, dtype) if isinstance(dtype, str) else dtype
    return dtype, torch.empty(0, dtype=dtype).element_size()


def _bytes_in(library, memory):
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


# ---- what all libraries have in common: the driver -----------------------------------------------


@functools.lru_cache(None)
def _driver():
    return ctypes.CDLL("libcuda.so.1")


def _device_of(address):
    """The number of the device that has this memory, or None."""

    def ask(attribute):
        value = ctypes.c_int()
        status = _driver().cuPointerGetAttribute(
            ctypes.byref(value), attribute, ctypes.c_uint64(address)
        )
        return value.value if status == CUDA_SUCCESS else None

    try:
        on_device = ask(CU_POINTER_ATTRIBUTE_MEMORY_TYPE) == CU_MEMORYTYPE_DEVICE
    except OSError:  # no driver
        return None
    return ask(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) if on_device else None


def _wait(number):
    """Until the device has done all that it has been given in this process."""
    driver, device, context = _driver(), ctypes.c_int(), ctypes.c_void_p()
    driver.cuDeviceGet(ctypes.byref(device), number)
    if driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == CUDA_SUCCESS:
        driver.cuCtxPushCurrent_v2(context)
        driver.cuCtxSynchronize()
        driver.cuCtxPopCurrent_v2(ctypes.byref(context))
        driver.cuDevicePrimaryCtxRelease_v2(device)


def _free(buffer, device):
    # The last array may die while a kernel that was started on it is still at work.
    if device is not None:
        _wait(device)
    if not MPI.Is_finalized():
        MPI.Free_mem(buffer)
