"""Blocking collectives on arrays as they are.

Methods have the names and arguments of mpi4py's: MPI.IN_PLACE stands for the send buffer, or in a
scatter for the receive buffer. Arrays are of NumPy, CuPy or PyTorch, contiguous, of integers,
floats, complex numbers or truth values; half and bfloat16 are possible. Blocks are equal.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

from typing import Any

from mpi4py import MPI

from ompi_symm.elements import describers

_IN_PLACE, _SUM = MPI.IN_PLACE, MPI.SUM


def _message(array: Any) -> Any:
    """For mpi4py; a buffer may be in place, or not significant on this rank."""
    if array is None or array is _IN_PLACE:
        return array
    return describers[type(array)](array)[0]


class Comm:
    """Blocking calls on a communicator of mpi4py, on arrays as they are.

    mpi4py makes them; it is told where the arrays lie and what is in them, because it takes 1 to
    30 us to find out, most with PyTorch, and has no half and bfloat16.

    MPI knows no streams: what is sent has to be there when a call is made. Wait for the stream
    first. Programs that make the same call many times can take mpi4py's own function and describe
    their arrays once, by `message()`.

    >>> import numpy
    >>> array = numpy.arange(3.0)
    >>> Comm(MPI.COMM_SELF).Allreduce(MPI.IN_PLACE, array)
    >>> array
    array([0., 1., 2.])
    """

    def __init__(self, comm: MPI.Comm):
        self.comm = comm
        self.rank: int = comm.rank
        self.size: int = comm.size

    def Allreduce(self, sendbuf: Any, recvbuf: Any, op: MPI.Op = _SUM) -> None:
        """Reduce arrays of all ranks; all get the result."""
        # Written out: each function of Python takes 0.1 us of the 3 that this takes on GPUs.
        receive, element = describers[type(recvbuf)](recvbuf)
        send = sendbuf if sendbuf is _IN_PLACE else describers[type(sendbuf)](sendbuf)[0]
        self.comm.Allreduce(send, receive, op if element.float16 is None else element.op(op))

    def Reduce(self, sendbuf: Any, recvbuf: Any, op: MPI.Op = _SUM, root: int = 0) -> None:
        """The same; the root alone gets the result, and others may pass None for it."""
        array = recvbuf if sendbuf is _IN_PLACE else sendbuf
        element = describers[type(array)](array)[1]
        self.comm.Reduce(_message(sendbuf), _message(recvbuf), element.op(op), root)

    def Reduce_scatter_block(self, sendbuf: Any, recvbuf: Any, op: MPI.Op = _SUM) -> None:
        """Each rank gets one block of the result; in place it is the array's first."""
        receive, element = describers[type(recvbuf)](recvbuf)
        self.comm.Reduce_scatter_block(_message(sendbuf), receive, element.op(op))

    def Bcast(self, buf: Any, root: int = 0) -> None:
        """All ranks get the root's array."""
        self.comm.Bcast(_message(buf), root)

    def Allgather(self, sendbuf: Any, recvbuf: Any) -> None:
        """All ranks get the arrays of all, in the order of ranks."""
        self.comm.Allgather(_message(sendbuf), _message(recvbuf))

    def Alltoall(self, sendbuf: Any, recvbuf: Any) -> None:
        """Each rank gets a block of each other."""
        self.comm.Alltoall(_message(sendbuf), _message(recvbuf))

    def Gather(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        """The root gets the arrays of all; others may pass None for it."""
        self.comm.Gather(_message(sendbuf), _message(recvbuf), root)

    def Scatter(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        """Each rank gets a block of the root's array; others may pass None for that."""
        self.comm.Scatter(_message(sendbuf), _message(recvbuf), root)

    def Barrier(self) -> None:
        """All ranks have come to it."""
        self.comm.Barrier()
