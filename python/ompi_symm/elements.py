"""Elements of arrays, as MPI knows them; half and bfloat16, which MPI does not have.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import ctypes
import functools
import math
from typing import Any, Callable, Dict, Optional, Tuple

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
_FLOAT16_OPS = {
    library.handle(MPI.SUM): "sum", library.handle(MPI.PROD): "prod",
    library.handle(MPI.MIN): "min", library.handle(MPI.MAX): "max",
}


class Element:
    """What MPI is told of the elements of an array: their datatype, and operations on them."""

    __slots__ = ("name", "handle", "datatype", "size", "float16")
    name: str
    handle: int
    size: int
    float16: Optional[str]

    def __init__(self, name: str):
        if name not in _DATATYPES:
            raise TypeError(f"elements of type {name} have no datatype of MPI; "
                            f"possible are {', '.join(sorted(_DATATYPES))}")
        self.name = name
        self.datatype = _DATATYPES[name]
        self.handle = library.handle(self.datatype)
        self.size = self.datatype.Get_size()
        self.float16 = _FLOAT16.get(name)

    def op(self, wanted: MPI.Op) -> MPI.Op:
        """An operation on such elements: the same, or for half and bfloat16 one of ompi-symm's."""
        if self.float16 is None:
            return wanted
        word = _FLOAT16_OPS.get(library.handle(wanted))
        if word is None:
            raise TypeError(f"operations on {self.name} are SUM, PROD, MIN and MAX")
        return _float16_op(self.float16, word)


@functools.lru_cache(None)
def _float16_op(kind: str, word: str) -> MPI.Op:
    lib = library.load()
    made = MPI.Op()
    at = ctypes.c_void_p.from_address(MPI._addressof(made))
    function = ctypes.cast(lib[f"symm_{kind}_{word}"], ctypes.c_void_p)
    library.check(lib.MPI_Op_create(function, 1, ctypes.byref(at)))
    return made


class _Elements(Dict[Any, Element]):
    """Those that have been asked for; a dictionary answers in a third of a function's time."""

    def __missing__(self, dtype: Any) -> Element:
        self[dtype] = Element(str(dtype).rpartition(".")[2])
        return self[dtype]


_elements = _Elements()


def element(dtype: Any) -> Element:
    """Of a type of NumPy, CuPy (numpy.dtype) or PyTorch (torch.float32)."""
    return _elements[dtype]


def op(wanted: MPI.Op, dtype: Any) -> MPI.Op:
    """An operation for mpi4py's own functions, on elements of `dtype`.

    For half and bfloat16 it is one of ompi-symm's; otherwise it is `wanted`.

    >>> op(MPI.SUM, "float32") == MPI.SUM
    True
    """
    return element(dtype).op(wanted)


# ---- arrays --------------------------------------------------------------------------------------

# What mpi4py takes in place of an array: all bytes (MPI.memory) and their datatype. Without a
# count, which mpi4py would take as that of each rank's block. And what the bytes are.
Description = Tuple[Tuple[Any, MPI.Datatype], Element]
_memory = MPI.memory.fromaddress


def _numpy(array: Any) -> Description:
    if not array.flags.c_contiguous:
        raise ValueError("the array is not contiguous: pass numpy.ascontiguousarray(array)")
    # NumPy's own ways to the address take five times as long.
    found = _elements[array.dtype]
    return (MPI.memory(array), found.datatype), found


def _cupy(array: Any) -> Description:
    if not array.flags.c_contiguous:
        raise ValueError("the array is not contiguous: pass cupy.ascontiguousarray(array)")
    found = _elements[array.dtype]
    return (_memory(array.data.ptr, array.nbytes), found.datatype), found


def _torch(tensor: Any) -> Description:
    if not tensor.is_contiguous():
        raise ValueError("the tensor is not contiguous: pass tensor.contiguous()")
    found = _elements[tensor.dtype]
    return (_memory(tensor.data_ptr(), tensor.nbytes), found.datatype), found


def _by_interface(array: Any) -> Description:
    import numpy

    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is None:
        raise TypeError(f"'{type(array).__name__}' is no array of NumPy, CuPy or PyTorch")
    if interface.get("strides") is not None:
        raise ValueError("the array is not contiguous")
    found = _elements[numpy.dtype(interface["typestr"])]
    nbytes = math.prod(interface["shape"]) * found.size
    return (_memory(interface["data"][0] or 0, nbytes), found.datatype), found


_LIBRARIES = {"numpy": _numpy, "cupy": _cupy, "torch": _torch}


def library_of(kind: type) -> str:
    """"numpy", "cupy" or "torch"; of other classes of arrays, where they are from."""
    for base in kind.__mro__:
        name = base.__module__.partition(".")[0]
        if name in _LIBRARIES:
            return name
    return kind.__module__.partition(".")[0]


class _Describers(Dict[type, Callable[[Any], Description]]):
    """For the classes of arrays."""

    def __missing__(self, kind: type) -> Callable[[Any], Description]:
        found = _LIBRARIES.get(library_of(kind), _by_interface)
        if found is _cupy and not hasattr(kind, "data"):
            found = _by_interface
        self[kind] = found
        return found


describers = _Describers()  # describers[type(array)](array)
