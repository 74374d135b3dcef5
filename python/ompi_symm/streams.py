"""Collectives that are queued on CUDA streams.

Methods and arrays are those of `ompi_symm.Comm`.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import ctypes
import sys
from typing import Any, Callable, Optional, Tuple

from mpi4py import MPI

from ompi_symm import library
from ompi_symm.elements import Element, describers, library_of

_IN_PLACE, _SUM = MPI.IN_PLACE, MPI.SUM
_Array = Tuple[int, int, Optional[Element]]  # address, elements, type
_BYTE = library.handle(MPI.BYTE)


def _whole(array: Any) -> Tuple[int, int, Element]:
    (memory, _), element = describers[type(array)](array)
    return memory.address, memory.nbytes // element.size, element


def _side(array: Any) -> _Array:
    """A buffer that may be in place, or not significant on this rank."""
    if array is None:
        return 0, 0, None
    if array is _IN_PLACE:
        return library.IN_PLACE, 0, None
    return _whole(array)


def _handle(element: Optional[Element]) -> int:
    return _BYTE if element is None else element.handle


def _sent(side: _Array) -> Tuple[int, int, int]:
    return side[0], side[1], _handle(side[2])


def _torch_stream(array: Any) -> int:
    import torch

    return torch.cuda.current_stream(array.device).cuda_stream


def _cupy_stream(array: Any) -> int:
    import cupy

    return cupy.cuda.get_current_stream().ptr


_STREAMS = {"torch": _torch_stream, "cupy": _cupy_stream}


def _loaded_stream() -> int:
    """The current stream of the library that the program uses."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        return torch.cuda.current_stream().cuda_stream
    if "cupy" in sys.modules:
        return _cupy_stream(None)
    raise RuntimeError("neither PyTorch nor CuPy has been used on a GPU: pass stream=, the number "
                       "of a CUDA stream")


class StreamComm:
    """Calls that are queued on CUDA streams, like kernels, or captured into graphs.

    A duplicate of `comm`, made by all ranks together. A call goes to the current stream of the
    library that its arrays are of, or to `stream`, the number of a CUDA stream. When the stream
    changes, the new one waits for the old one (symm_mpix_comm_set_stream). A kernel has `blocks`
    thread blocks at most, which leaves multiprocessors to others. It is freed by free(), or at the
    end of a `with` block, by all ranks, and before its stream.

        with ompi_symm.StreamComm(MPI.COMM_WORLD) as comm:
            with torch.cuda.graph(graph):
                comm.Allreduce(MPI.IN_PLACE, tensor)
            graph.replay()
    """

    def __init__(self, comm: MPI.Comm, stream: Optional[int] = None,
                 blocks: Optional[int] = None):
        self._library = library.load()
        self._stream = _loaded_stream() if stream is None else stream
        self._is_free = False
        self.rank: int = comm.rank
        self.size: int = comm.size
        self._comm = ctypes.c_void_p()
        made = ctypes.c_void_p()
        info = MPI.Info.Create()
        try:
            info.Set("type", "cudaStream_t")
            info.Set("value", self._stream.to_bytes(8, sys.byteorder).hex())
            if blocks is not None:
                info.Set("symm_blocks", str(blocks))
            library.check(self._library.MPIX_Stream_create(library.handle(info),
                                                           ctypes.byref(made)))
        finally:
            info.Free()
        try:
            library.check(self._library.MPIX_Stream_comm_create(library.handle(comm), made,
                                                                ctypes.byref(self._comm)))
        finally:
            self._library.MPIX_Stream_free(ctypes.byref(made))

    def free(self) -> None:
        """Free it, on all ranks. Work that is queued goes on."""
        if not self._is_free:
            self._is_free = True
            if not MPI.Is_finalized():
                library.check(self._library.MPI_Comm_free(ctypes.byref(self._comm)))

    def __enter__(self) -> "StreamComm":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.free()

    def use(self, stream: int) -> None:
        """Later calls without arrays go to this CUDA stream."""
        if stream != self._stream:
            library.check(self._library.symm_mpix_comm_set_stream(self._comm, stream))
            self._stream = stream

    def state(self) -> str:
        """A sentence on the communicator: how its ranks meet, or what has failed."""
        text = ctypes.create_string_buffer(1024)
        self._library.symm_mpix_comm_state(self._comm, text, len(text))
        return text.value.decode(errors="replace")

    def abort(self) -> None:
        """For a watchdog: calls that wait end without results, on all ranks."""
        library.check(self._library.symm_mpix_comm_abort(self._comm))

    def _reduction(self, sendbuf: Any, recvbuf: Any, op: MPI.Op) -> tuple:
        send, receive = _side(sendbuf), _side(recvbuf)
        element = receive[2] or send[2]
        if element is None:
            raise TypeError("a reduction has an array to send or to receive")
        return send, receive, element, library.handle(element.op(op))

    def Allreduce(self, sendbuf: Any, recvbuf: Any, op: MPI.Op = _SUM) -> None:
        """Reduce arrays of all ranks; all get the result."""
        address, count, element = _whole(recvbuf)
        at = library.IN_PLACE
        if sendbuf is not _IN_PLACE:
            at, sent, _ = _whole(sendbuf)
            if sent != count:
                raise ValueError(f"{sent} elements are sent, and {count} received")
        self._make("Allreduce", (recvbuf, sendbuf), at, address, count, element.handle,
                   library.handle(element.op(op)))

    def Reduce(self, sendbuf: Any, recvbuf: Any, op: MPI.Op = _SUM, root: int = 0) -> None:
        """The same; the root alone gets the result, and others may pass None for it."""
        send, receive, element, number = self._reduction(sendbuf, recvbuf, op)
        self._make("Reduce", (sendbuf, recvbuf), send[0], receive[0], send[1] or receive[1],
                   element.handle, number, root)

    def Reduce_scatter_block(self, sendbuf: Any, recvbuf: Any, op: MPI.Op = _SUM) -> None:
        """Each rank gets one block of the result; in place it is the array's first."""
        send, receive, element, number = self._reduction(sendbuf, recvbuf, op)
        in_place = send[0] == library.IN_PLACE
        whole = receive[1] if in_place else send[1]
        count = self._block(whole)
        if not in_place and receive[1] != count:
            raise ValueError(f"blocks of {count} elements are sent, and {receive[1]} received")
        self._make("Reduce_scatter_block", (recvbuf, sendbuf), send[0], receive[0], count,
                   element.handle, number)

    def Bcast(self, buf: Any, root: int = 0) -> None:
        """All ranks get the root's array."""
        address, count, element = _whole(buf)
        self._make("Bcast", (buf,), address, count, element.handle, root)

    def Allgather(self, sendbuf: Any, recvbuf: Any) -> None:
        """All ranks get the arrays of all, in the order of ranks."""
        send, receive = _side(sendbuf), _whole(recvbuf)
        self._make("Allgather", (recvbuf, sendbuf), *_sent(send),
                   receive[0], self._block(receive[1]), receive[2].handle)

    def Alltoall(self, sendbuf: Any, recvbuf: Any) -> None:
        """Each rank gets a block of each other."""
        send, receive = _side(sendbuf), _whole(recvbuf)
        self._make("Alltoall", (recvbuf, sendbuf), send[0], self._block(send[1]),
                   _handle(send[2]), receive[0], self._block(receive[1]), receive[2].handle)

    def Gather(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        """The root gets the arrays of all; others may pass None for it."""
        send, receive = _side(sendbuf), _side(recvbuf)
        self._make("Gather", (sendbuf, recvbuf), *_sent(send),
                   receive[0], self._block(receive[1]), _handle(receive[2]), root)

    def Scatter(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        """Each rank gets a block of the root's array; others may pass None for that."""
        send, receive = _side(sendbuf), _side(recvbuf)
        self._make("Scatter", (recvbuf, sendbuf), send[0], self._block(send[1]),
                   _handle(send[2]), *_sent(receive), root)

    def Barrier(self) -> None:
        """All ranks have come to it."""
        self._make("Barrier", ())

    def _block(self, count: int) -> int:
        """Of an array of all ranks' blocks."""
        if count % self.size != 0:
            raise ValueError(f"an array of {count} elements has no equal blocks for "
                             f"{self.size} ranks")
        return count // self.size

    def _make(self, name: str, arrays: tuple, *arguments: Any) -> None:
        for array in arrays:
            if array is not None and array is not MPI.IN_PLACE:
                find: Optional[Callable[[Any], int]] = _STREAMS.get(library_of(type(array)))
                if find is not None:
                    self.use(find(array))
                break
        tail = "" if name == "Barrier" else "_c"
        code = getattr(self._library, f"MPIX_{name}_enqueue{tail}")(*arguments, self._comm)
        if code != 0:
            library.check(code)
