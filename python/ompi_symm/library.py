"""The shared libraries: MPI, libsymm and libsymm_mpix, by ctypes.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import ctypes
import functools
import os
from ctypes import POINTER, c_char_p, c_int, c_longlong, c_void_p
from typing import Any

from mpi4py import MPI

IN_PLACE = 1  # MPI_IN_PLACE of Open MPI
_SONAME = "libsymm_mpix.so.0"

_ARRAY = [c_void_p, c_longlong, c_void_p]  # buffer, count, datatype
_ARRAYS = {
    "Allreduce": [c_void_p, c_void_p, c_longlong, c_void_p, c_void_p],
    "Reduce": [c_void_p, c_void_p, c_longlong, c_void_p, c_void_p, c_int],
    "Reduce_scatter_block": [c_void_p, c_void_p, c_longlong, c_void_p, c_void_p],
    "Bcast": [*_ARRAY, c_int],
    "Allgather": _ARRAY + _ARRAY,
    "Alltoall": _ARRAY + _ARRAY,
    "Gather": [*_ARRAY, *_ARRAY, c_int],
    "Scatter": [*_ARRAY, *_ARRAY, c_int],
    "Barrier": [],
}


def _path() -> str:
    """OMPI_SYMM_LIBRARY, or the path of the installation, or what the loader finds."""
    try:
        from ompi_symm._paths import LIBRARY
    except ImportError:
        LIBRARY = _SONAME
    return os.environ.get("OMPI_SYMM_LIBRARY", LIBRARY)


@functools.lru_cache(None)
def load() -> ctypes.CDLL:
    """libsymm_mpix, with the functions of what it is linked with: libsymm and MPI."""
    path = _path()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"ompi_symm cannot load '{path}': {error}; install ompi-symm, or set OMPI_SYMM_LIBRARY "
            "to the path of its libsymm_mpix.so"
        ) from error
    if not MPI.Get_library_version().startswith("Open MPI"):
        raise ImportError("ompi_symm is for Open MPI, and mpi4py uses another MPI: "
                          + MPI.Get_library_version().split("\n")[0])
    for name, arguments in _ARRAYS.items():
        tail = "" if name == "Barrier" else "_c"
        queued = getattr(library, f"MPIX_{name}_enqueue{tail}")
        queued.argtypes = [*arguments, c_void_p]
        queued.restype = c_int
    library.MPIX_Stream_create.argtypes = [c_void_p, POINTER(c_void_p)]
    library.MPIX_Stream_free.argtypes = [POINTER(c_void_p)]
    library.MPIX_Stream_comm_create.argtypes = [c_void_p, c_void_p, POINTER(c_void_p)]
    library.MPI_Comm_free.argtypes = [POINTER(c_void_p)]
    library.symm_mpix_comm_set_stream.argtypes = [c_void_p, c_void_p]
    library.symm_mpix_comm_state.argtypes = [c_void_p, c_char_p, c_int]
    library.symm_mpix_comm_abort.argtypes = [c_void_p]
    library.MPI_Op_create.argtypes = [c_void_p, c_int, POINTER(c_void_p)]
    return library


def handle(of: Any) -> int:
    """MPI's handle of a communicator, datatype, operation or info of mpi4py."""
    return c_void_p.from_address(MPI._addressof(of)).value or 0


def check(code: int) -> None:
    """Raise what a function of MPI has returned."""
    if code != 0:
        raise MPI.Exception(code)
