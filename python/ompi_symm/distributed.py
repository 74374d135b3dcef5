"""The backend `symm` of torch.distributed: collectives that are queued on CUDA streams.

    import ompi_symm.distributed
    import torch

    torch.cuda.set_device(...)
    torch.distributed.init_process_group("symm", init_method="mpi://")

`mpi://` has the ranks of MPI_COMM_WORLD find each other; other methods work as well, for processes
that mpirun has started. A group's communicator is made with its first collective, on the device
that its tensors are on: all of them have to be there.

What libsymm_mpix has no call for goes to the backend that `fallback` names: point-to-point
messages, gather, scatter, all_to_all and all_to_all_single with lists of sizes, lists of tensors
that differ in size, reductions of types that MPI does not have. docs/pytorch.md is the guide.

The backend's C++ is built for the first group, by torch.utils.cpp_extension.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import functools
import os
import pathlib
import socket
from typing import Any, Iterator, List, Optional, Tuple

import torch
import torch.distributed as dist
from mpi4py import MPI

from ompi_symm import elements, library
from ompi_symm.streams import StreamComm

fallback: Optional[str] = None
"""The name of another backend, or "none". None: nccl, where PyTorch has it, and otherwise gloo."""

blocks: Optional[int] = 64
"""Thread blocks of a collective's kernel, at most: the others of the GPU's multiprocessors compute
meanwhile. None: as many as make the collective alone quickest."""

# ---- building ------------------------------------------------------------------------------------


def _includes(extension: Any) -> List[str]:
    """Where CUDA's headers are: of the toolkit, or of the packages that PyTorch has with it."""
    if extension.CUDA_HOME is not None:
        return [os.path.join(extension.CUDA_HOME, "include")]
    site = pathlib.Path(torch.__file__).parent.parent / "nvidia"
    return [str(path) for path in site.glob("*/include")]


@functools.lru_cache(None)
def _extension() -> Any:
    import torch.utils.cpp_extension as extension

    here = pathlib.Path(__file__).parent
    libraries = pathlib.Path(torch.__file__).parent / "lib"
    return extension.load(
        name="ompi_symm_backend",
        sources=[str(here / f"{name}.cpp") for name in ("backend", "lane", "module", "work")],
        extra_cflags=["-O2"],
        extra_include_paths=_includes(extension),
        extra_ldflags=[f"-L{libraries}", "-lc10_cuda", "-ltorch_cuda"],
        with_cuda=False,
    )


# ---- what the backend is told --------------------------------------------------------------------

# By the numbers of ReduceOp, whose AVG is a sum with a factor.
_NUMBERS = (MPI.SUM, None, MPI.PROD, MPI.MIN, MPI.MAX, MPI.BAND, MPI.BOR, MPI.BXOR)
_TRUTHS = (MPI.LOR, None, MPI.LAND, MPI.LAND, MPI.LOR, MPI.LAND, MPI.LOR, MPI.LXOR)
_TYPES = ("float32", "float64", "float16", "bfloat16", "complex64", "complex128", "bool", "int8",
          "int16", "int32", "int64", "uint8")


def _ops(name: str) -> List[int]:
    """Handles of the operations that MPI has for a type; 0: it has none."""
    element = elements.element(name)
    arithmetic = 3 if name.startswith("complex") else 5 if "float" in name else len(_NUMBERS)
    wanted = _TRUTHS if name == "bool" else _NUMBERS[:arithmetic]
    return [0 if op is None else library.handle(element.op(op)) for op in wanted]


@functools.lru_cache(None)
def _known() -> List[Tuple[Any, int, List[int]]]:
    return [(getattr(torch, name), elements.element(name).handle, _ops(name)) for name in _TYPES]


# ---- groups --------------------------------------------------------------------------------------


class _Group:
    """The communicator of a process group: made with the first call, freed with the group."""

    def __init__(self, store: Any, rank: int, size: int):
        self.store, self.rank, self.size = store, rank, size
        self.comm: Optional[MPI.Comm] = None
        self.queued: Optional[StreamComm] = None
        store.set(f"mpi/{rank}", str(MPI.COMM_WORLD.rank))

    def open(self, device: int, stream: int) -> int:
        ranks = [int(self.store.get(f"mpi/{rank}")) for rank in range(self.size)]
        if len(set(ranks)) < self.size or max(ranks) >= MPI.COMM_WORLD.size:
            raise RuntimeError(
                f"the {self.size} ranks of the process group are ranks {ranks} of MPI jobs; they "
                "have to be of one job: start them with mpirun"
            )
        world = MPI.COMM_WORLD.Get_group()
        group = world.Incl(ranks)
        self.comm = MPI.COMM_WORLD.Create_group(group)
        group.Free()
        world.Free()
        try:
            with torch.cuda.device(device):
                self.queued = StreamComm(self.comm, stream, blocks)
        except MPI.Exception:
            self.comm.Free()
            self.comm = None
            raise
        return self.queued._comm.value or 0

    def close(self) -> None:
        queued, comm, self.queued, self.comm = self.queued, self.comm, None, None
        if comm is not None and not MPI.Is_finalized():
            try:
                queued.free()
            finally:
                comm.Free()


def _fallback_name() -> str:
    if fallback is not None:
        return fallback
    return "nccl" if dist.is_nccl_available() and torch.cuda.is_available() else "gloo"


def _fallback_make(name: str, options: Any) -> Any:
    store = dist.PrefixStore("symm fallback", options.store)
    rank, size = options.group_rank, options.group_size
    if name == "nccl":
        return dist.ProcessGroupNCCL(store, rank, size, timeout=options.timeout)
    if name == "gloo":
        return dist.ProcessGroupGloo(store, rank, size, timeout=options.timeout)
    if name == "none":
        return None
    raise ValueError(f"ompi_symm.distributed.fallback is '{name}'; possible are nccl, gloo, none")


def _create(options: Any, _given: Any) -> Any:
    group = _Group(options.store, options.group_rank, options.group_size)
    name = _fallback_name()
    return _extension().create(
        options.group_rank, options.group_size, library.load()._name, _known(),
        library.handle(MPI.BYTE), group.open, group.close,
        functools.partial(_fallback_make, name, options), name == "nccl",
    )


# ---- how ranks find each other -------------------------------------------------------------------


def _rendezvous(_url: str, timeout: Any = dist.default_pg_timeout,
                **_arguments: Any) -> Iterator[Tuple[Any, int, int]]:
    """The ranks of MPI_COMM_WORLD; a store at rank 0."""
    world = MPI.COMM_WORLD
    node = world.Split_type(MPI.COMM_TYPE_SHARED)
    is_one_node = node.size == world.size
    node.Free()
    store, place = None, None
    if world.rank == 0:
        name = "127.0.0.1" if is_one_node else socket.gethostname()
        try:
            store = dist.TCPStore(name, 0, world.size, True, timeout, wait_for_workers=False)
            place = name, store.port
        except Exception as error:  # the others wait to hear of it
            place = str(error), 0
    name, port = world.bcast(place)
    if port == 0:
        raise RuntimeError(f"mpi://: rank 0 has no store: {name}")
    if store is None:
        store = dist.TCPStore(name, port, world.size, False, timeout)
    yield store, world.rank, world.size
    raise RuntimeError("mpi://: ranks meet once")


def _register() -> None:
    if "SYMM" not in dist.Backend._plugins:
        dist.Backend.register_backend("symm", _create, extended_api=True, devices=["cuda"])
        dist.register_rendezvous_handler("mpi", _rendezvous)


_register()
