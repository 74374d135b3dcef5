"""Elements of arrays, as MPI knows them; half and bfloat16, which MPI does not have.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import ctypes
import functools
from typing import Any, Dict, Optional, Tuple

from mpi4py import MPI

from ompi_symm import library

_FLOAT16 = {"float16": "half", "bfloat16": "bfloat16"}
_DATATYPES = {
    "float32": MPI.FLOAT, "float64": MPI.DOUBLE, "complex64": MPI.C_FLOAT_COMPLEX,
    "complex128": MPI.C_DOUBLE_COMPLEX, "bool": MPI.C_BOOL, "int8": MPI.INT8_T,
    "int16": MPI.INT16_T, "int32": MPI.INT32_T, "int64": MPI.INT64_T, "uint8": MPI.UINT8_T,
    "uint16": MPI.UINT16_T, "uint32": MPI.UINT32_T, "uint64": MPI.UINT64_T,
    **{name: MPI.UINT16_T for name in _FLOAT16},
}
_HANDLES = {name: library.handle(datatype) for name, datatype in _DATATYPES.items()}
_FLOAT16_OPS = {
    library.handle(MPI.SUM): "sum", library.handle(MPI.PROD): "prod",
    library.handle(MPI.MIN): "min", library.handle(MPI.MAX): "max",
}
_SUM = library.handle(MPI.SUM)


class Element:
    """What MPI is told of the elements of an array: their datatype, and operations on them."""

    __slots__ = ("name", "handle", "datatype", "float16", "sum")
    name: str
    handle: int
    float16: Optional[str]
    sum: int

    def __init__(self, name: str):
        if name not in _DATATYPES:
            raise TypeError(f"elements of type {name} have no datatype of MPI; "
                            f"possible are {', '.join(sorted(_DATATYPES))}")
        self.name = name
        self.handle = _HANDLES[name]
        self.datatype = _DATATYPES[name]
        self.float16 = _FLOAT16.get(name)
        self.sum = self.op(MPI.SUM)

    def op(self, wanted: Any) -> int:
        """The handle of an operation on such elements."""
        number = library.handle(wanted)
        if self.float16 is None:
            return number
        word = _FLOAT16_OPS.get(number)
        if word is None:
            raise TypeError(f"operations on {self.name} are SUM, PROD, MIN and MAX")
        return _float16_op(self.float16, word)


@functools.lru_cache(None)
def _float16_op(kind: str, word: str) -> int:
    lib = library.load()
    made = ctypes.c_void_p()
    function = ctypes.cast(lib[f"symm_{kind}_{word}"], ctypes.c_void_p)
    library.check(lib.MPI_Op_create(function, 1, ctypes.byref(made)))
    return made.value or 0


@functools.lru_cache(None)
def element(dtype: Any) -> Element:
    """Of a type of NumPy, CuPy (numpy.dtype) or PyTorch (torch.float32)."""
    return Element(str(dtype).rpartition(".")[2])


def op(wanted: MPI.Op, dtype: Any) -> MPI.Op:
    """An operation for mpi4py's own functions, on elements of `dtype`.

    For half and bfloat16 it is one of ompi-symm's; otherwise it is `wanted`.

    >>> op(MPI.SUM, "float32") == MPI.SUM
    True
    """
    found = element(dtype)
    if found.float16 is None:
        return wanted
    made = MPI.Op()
    ctypes.c_void_p.from_address(MPI._addressof(made)).value = found.op(wanted)
    return made


# ---- arrays --------------------------------------------------------------------------------------

Description = Tuple[int, int, Element]  # address, elements, their type


def _numpy(array: Any) -> Description:
    if not array.flags.c_contiguous:
        raise ValueError("the array is not contiguous: pass numpy.ascontiguousarray(array)")
    # NumPy's own ways to the address take five times as long.
    return MPI.memory(array).address, array.size, element(array.dtype)


def _cupy(array: Any) -> Description:
    if not array.flags.c_contiguous:
        raise ValueError("the array is not contiguous: pass cupy.ascontiguousarray(array)")
    return array.data.ptr, array.size, element(array.dtype)


def _torch(tensor: Any) -> Description:
    if not tensor.is_contiguous():
        raise ValueError("the tensor is not contiguous: pass tensor.contiguous()")
    return tensor.data_ptr(), tensor.numel(), element(tensor.dtype)


def _by_interface(array: Any) -> Description:
    import numpy

    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is None:
        raise TypeError(f"'{type(array).__name__}' is no array of NumPy, CuPy or PyTorch")
    if interface.get("strides") is not None:
        raise ValueError("the array is not contiguous")
    count = 1
    for length in interface["shape"]:
        count *= length
    return interface["data"][0] or 0, count, element(numpy.dtype(interface["typestr"]))


_LIBRARIES = {"numpy": _numpy, "cupy": _cupy, "torch": _torch}
_describers: Dict[type, Any] = {}


def library_of(array: Any) -> str:
    """"numpy", "cupy" or "torch"; of other arrays, where their class is from."""
    for base in type(array).__mro__:
        name = base.__module__.partition(".")[0]
        if name in _LIBRARIES:
            return name
    return type(array).__module__.partition(".")[0]


def describe(array: Any) -> Description:
    """Where an array lies, and what is in it."""
    kind = type(array)
    found = _describers.get(kind)
    if found is None:
        found = _LIBRARIES.get(library_of(array), _by_interface)
        if found is _cupy and not hasattr(array, "data"):
            found = _by_interface
        _describers[kind] = found
    return found(array)
