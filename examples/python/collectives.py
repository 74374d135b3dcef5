#!/usr/bin/env python3
"""MPI_Allreduce and MPI_Allgather on arrays of NumPy, CuPy or PyTorch: checked, and timed.

The arrays come from the library's own allocator and from MPI_Alloc_mem (the package ompi_symm).
Calls are mpi4py's, on arrays as they are to begin with, and on messages where they are timed; or
the package's, on arrays as they are. With PyTorch, NCCL can be timed in the same run.

    mpirun -n 2 --mca coll symm python3 collectives.py --library torch --nccl

Exit status: 0 all results are right; 1 one is wrong, or an error; 2 a bad option, or no such
library.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import argparse
import functools
import importlib
import shutil
import statistics
import sys
import tempfile
import time
import traceback

import numpy
import ompi_symm
from mpi4py import MPI

COMM = MPI.COMM_WORLD
DTYPES = ("float32", "float64", "int32", "int64")
COLLECTIVES = ("allreduce", "allgather")
KINDS = {"numpy": ("host",), "cupy": ("cuda",), "torch": ("cuda", "host")}
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


# ---- the libraries: all that differs between them ------------------------------------------------


class NumPy:
    def __init__(self, kind, local_rank):
        self.device = "the host"

    def own(self, count, dtype):
        return numpy.empty(count, dtype)

    def upload(self, array, values):
        array[:] = values

    def download(self, array):
        return array.copy()

    def synchronize(self):
        pass


class CuPy:
    def __init__(self, kind, local_rank):
        self.cupy = importlib.import_module("cupy")
        number = local_rank % self.cupy.cuda.runtime.getDeviceCount()
        self.cupy.cuda.Device(number).use()
        self.device = f"device {number}"

    def own(self, count, dtype):
        return self.cupy.empty(count, dtype)

    def upload(self, array, values):
        array.set(values)

    def download(self, array):
        return array.get()

    def synchronize(self):
        self.cupy.cuda.get_current_stream().synchronize()


class PyTorch:
    def __init__(self, kind, local_rank):
        self.torch = importlib.import_module("torch")
        self.device = self.torch.device("cpu")
        if kind == "cuda":
            number = local_rank % max(self.torch.cuda.device_count(), 1)
            self.device = self.torch.device("cuda", number)
            self.torch.cuda.set_device(self.device)
            # PyTorch makes the device current, for MPI_Alloc_mem to see, when it first works on it.
            self.torch.empty(1, device=self.device)

    def own(self, count, dtype):
        return self.torch.empty(count, dtype=getattr(self.torch, dtype), device=self.device)

    def upload(self, array, values):
        array.copy_(self.torch.from_numpy(values))

    def download(self, array):
        return array.cpu().numpy()

    def synchronize(self):
        if self.device.type == "cuda":
            self.torch.cuda.current_stream().synchronize()


LIBRARIES = {"numpy": NumPy, "cupy": CuPy, "torch": PyTorch}


# ---- data and what must become of them -----------------------------------------------------------


def values_of(rank, count, options):
    """A rank's input, the same wherever it is asked for."""
    random = numpy.random.default_rng([options.seed, rank, count])
    if options.dtype.startswith("int"):
        return random.integers(-1000, 1000, count).astype(options.dtype)
    return random.uniform(-1, 1, count).astype(options.dtype)


def poison(count, dtype):
    return numpy.full(count, -123456789 if dtype.startswith("int") else numpy.nan, dtype)


def sum_is_right(result, options):
    """Within what any order of additions may give; sums of integers exactly."""
    total = numpy.zeros(result.size)
    magnitude = numpy.zeros(result.size)
    for rank in range(COMM.size):
        values = values_of(rank, result.size, options).astype(numpy.float64)
        total += values
        magnitude += numpy.abs(values)
    rounding = 0 if options.dtype.startswith("int") else numpy.finfo(options.dtype).eps
    return bool(numpy.all(numpy.abs(result - total) <= COMM.size * rounding * magnitude))


def blocks_are_right(result, options):
    blocks = result.reshape(COMM.size, -1)
    return all(
        numpy.array_equal(blocks[rank], values_of(rank, blocks.shape[1], options))
        for rank in range(COMM.size)
    )


# ---- the contenders ------------------------------------------------------------------------------


class Call:
    """One collective of one size on arrays of its own; start() returns when the result is there."""

    mpi4py = {"allreduce": COMM.Allreduce, "allgather": COMM.Allgather}

    def __init__(self, library, allocate, collective, count, options):
        self.library = library
        self.collective = collective
        self.options = options
        self.total = count if collective == "allreduce" else count * COMM.size
        self.input = allocate(count, options.dtype)
        self.output = allocate(self.total, options.dtype)
        self.values = values_of(COMM.rank, count, options)
        self.arrays = [MPI.IN_PLACE if options.in_place else self.input, self.output]
        self.messages = [array if array is MPI.IN_PLACE else ompi_symm.message(array)
                         for array in self.arrays]
        functions, given = self.mpi4py, self.messages
        if options.by == "package":
            package = ompi_symm.Comm(COMM)
            functions = {"allreduce": package.Allreduce, "allgather": package.Allgather}
            given = self.arrays
        # Nothing but the call itself is timed.
        self.start = functools.partial(functions[collective], *given)

    def prepare(self):
        self.library.upload(self.input, self.values)
        output = poison(self.total, self.options.dtype)
        if self.options.in_place:
            start = 0 if self.collective == "allreduce" else self.values.size * COMM.rank
            output[start : start + self.values.size] = self.values
        self.library.upload(self.output, output)
        # MPI knows nothing of streams: what it is given must be there when it is called.
        self.library.synchronize()

    def start_plainly(self):
        self.mpi4py[self.collective](*self.arrays)

    def is_right(self, start):
        """On all ranks."""
        check = sum_is_right if self.collective == "allreduce" else blocks_are_right
        self.prepare()
        start()
        right = check(self.library.download(self.output), self.options)
        return COMM.allreduce(right, MPI.LAND)


class NcclCall(Call):
    """torch.distributed, whose all-reduce works in place, on PyTorch's own memory."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.start = self.start_plainly

    def prepare(self):
        super().prepare()
        if self.collective == "allreduce":
            self.library.upload(self.output, self.values)
            self.library.synchronize()

    def start_plainly(self):
        distributed = self.library.torch.distributed
        if self.collective == "allreduce":
            distributed.all_reduce(self.output)
        else:
            distributed.all_gather_into_tensor(self.output, self.input)
        self.library.synchronize()


def open_nccl(library, node):
    """The ranks find each other by a file, so the environment of torchrun is not needed."""
    distributed = library.torch.distributed
    folder = node.bcast(tempfile.mkdtemp(prefix="collectives-") if node.rank == 0 else None)
    store = distributed.FileStore(f"{folder}/store", COMM.size)
    distributed.init_process_group(
        "nccl", store=store, rank=COMM.rank, world_size=COMM.size, device_id=library.device
    )
    distributed.barrier()
    return folder


def close_nccl(library, node, folder):
    library.torch.distributed.destroy_process_group()
    node.Barrier()
    if node.rank == 0:
        shutil.rmtree(folder)


def contenders(library, options):
    """Column titles, each with a function that makes the call."""

    def symmetric_array(count, dtype):
        return ompi_symm.empty(count, dtype, options.library, options.kind)

    def maker(kind_of_call, allocate):
        return lambda *arguments: kind_of_call(library, allocate, *arguments, options)

    columns = {}
    if options.memory in ("own", "both"):
        columns["own"] = maker(Call, library.own)
    if options.memory in ("symmetric", "both"):
        columns["symmetric"] = maker(Call, symmetric_array)
    if options.nccl:
        columns["NCCL"] = maker(NcclCall, library.own)
    return columns


# ---- measuring -----------------------------------------------------------------------------------


def measure(calls, options, nbytes):
    """Microseconds of each: the slowest rank's median. They alternate block by block."""
    count = options.calls if nbytes <= 1 << 20 else max(options.calls // 5, options.blocks)
    times = {title: [] for title in calls}
    for _ in range(options.blocks):
        for title, call in calls.items():
            call.start()
            for _ in range(max(count // options.blocks, 1)):
                COMM.Barrier()
                start = time.perf_counter()
                call.start()
                times[title].append(time.perf_counter() - start)
    return {
        title: COMM.allreduce(statistics.median(measured) * 1e6, MPI.MAX)
        for title, measured in times.items()
    }


def say(*words):
    if COMM.rank == 0:
        print(*words, flush=True)


def run(library, options):
    """Prints the table. Returns whether all results were right."""
    columns = contenders(library, options)
    itemsize = numpy.dtype(options.dtype).itemsize
    right = True
    say(
        f"collectives.py: {COMM.size} ranks, {options.library}, rank 0 on {library.device},"
        f" {options.dtype}; us a call, slowest rank's median"
    )
    say(f"{'collective':11}{'bytes':>12}" + "".join(f"{title:>12}" for title in columns))
    for collective in COLLECTIVES:
        for nbytes in options.sizes:
            parts = 1 if collective == "allreduce" else COMM.size
            count = max(nbytes // itemsize // parts, 1)
            calls = {title: make(collective, count) for title, make in columns.items()}
            wrong = {title for title, call in calls.items()
                     if not call.is_right(call.start_plainly)}
            times = measure(calls, options, nbytes)
            wrong |= {title for title, call in calls.items() if not call.is_right(call.start)}
            right = right and not wrong
            say(
                f"{collective:11}{count * parts * itemsize:12}"
                + "".join(f"{value:12.2f}" for value in times.values())
                + (f"  WRONG: {', '.join(sorted(wrong))}" if wrong else "")
            )
    say("all results are right" if right else "some results are WRONG")
    return right


# ---- the command line ----------------------------------------------------------------------------


class Parser(argparse.ArgumentParser):
    """All ranks find the same mistake, one of them says so."""

    def error(self, message):
        if COMM.rank == 0:
            print(f"collectives.py: {message} (see --help)", file=sys.stderr)
        sys.exit(2)

    def print_help(self, file=None):
        if COMM.rank == 0:
            super().print_help(file)


def size_of(text):
    number, unit = (text[:-1], text[-1].upper()) if text[-1:].isalpha() else (text, "")
    if not number.isdigit() or int(number) == 0 or unit not in UNITS:
        raise argparse.ArgumentTypeError(f"'{text}' is not a size such as 512, 64K or 1M")
    return int(number) * UNITS[unit]


def sizes_of(text):
    """MIN:MAX, in steps of 4 from MIN, or one size."""
    first, _, last = text.partition(":")
    first, last = size_of(first), size_of(last or first)
    if last < first:
        raise argparse.ArgumentTypeError(f"'{text}' ends before it begins")
    sizes = [first]
    while sizes[-1] * 4 <= last:
        sizes.append(sizes[-1] * 4)
    return sizes


def positive(text):
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number")
    return int(text)


def parse(arguments):
    parser = Parser(prog="collectives.py", description=__doc__.split("\n\n")[0])
    add = parser.add_argument
    add("--library", choices=LIBRARIES, default="numpy", help="whose arrays (default numpy)")
    add("--kind", choices=("host", "cuda"), help="memory; PyTorch can have both (default cuda)")
    add("--memory", choices=("own", "symmetric", "both"), default="both",
        help="the library's own allocator, MPI_Alloc_mem, or both in turn (default)")
    add("--by", choices=("mpi4py", "package"), default="mpi4py",
        help="whose calls are timed: mpi4py's, on messages (default), or the package's, on arrays")
    add("--in-place", action="store_true", help="one array is input and output of mpi4py's calls "
        "and the package's")
    add("--dtype", choices=DTYPES, default="float32")
    add("--bytes", dest="sizes", type=sizes_of, default="1K:64M", metavar="MIN:MAX",
        help="of the vector; all-gather: received in all. Steps of 4 (default 1K:64M)")
    add("--calls", type=positive, default=100, help="timed calls; above 1M a fifth (default 100)")
    add("--blocks", type=positive, default=5, help="turns that they are divided into (default 5)")
    add("--seed", type=int, default=1, help="of the random data (default 1)")
    add("--nccl", action="store_true", help="PyTorch on GPUs: the time of torch.distributed, too")
    options = parser.parse_args(arguments)
    options.kind = options.kind or KINDS[options.library][0]
    if options.kind not in KINDS[options.library]:
        parser.error(f"--kind {options.kind}: {options.library} has no such arrays")
    if options.nccl and (options.library != "torch" or options.kind != "cuda"):
        parser.error("--nccl takes --library torch and GPUs")
    if options.seed < 0:
        parser.error(f"--seed {options.seed} is negative")
    return parser, options


def open_library(options, node):
    """The library, on this rank's device, and what is in the way of that."""
    try:
        library = LIBRARIES[options.library](options.kind, node.rank)
    except (ImportError, RuntimeError) as error:
        return None, f"--library {options.library}: {error}"
    if options.nccl and (node.size < COMM.size or library.torch.cuda.device_count() < node.size):
        return None, "--nccl takes one node, and a GPU for each rank"
    return library, None


def main(arguments):
    parser, options = parse(arguments)
    node = COMM.Split_type(MPI.COMM_TYPE_SHARED)
    library, problem = open_library(options, node)
    problems = [found for found in COMM.allgather(problem) if found]
    if problems:
        parser.error(problems[0])
    folder = open_nccl(library, node) if options.nccl else None
    right = run(library, options)
    if options.nccl:
        close_nccl(library, node, folder)
    node.Free()
    return 0 if right else 1


if __name__ == "__main__":
    try:
        status = main(sys.argv[1:])
    except Exception:  # the other ranks would wait for ever
        traceback.print_exc()
        sys.stderr.flush()
        COMM.Abort(1)
    sys.exit(status)
