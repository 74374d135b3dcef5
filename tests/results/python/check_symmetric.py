"""check_symmetric.py LIBRARY - the life of memory from the package ompi_symm, and whether
examples/python/collectives.py notices wrong results.

Two ranks. When the program ends, rank 0 still has an array, which has to be freed before MPI is
finalized; rank 1 finalizes MPI with an array, which must not be freed afterwards.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import ctypes
import sys

import collectives
import numpy
import ompi_symm
from mpi4py import MPI

COMM = MPI.COMM_WORLD
LIBRARY = sys.argv[1]
KIND = "host" if LIBRARY == "numpy" else "cuda"

freed = []
free_mem = MPI.Free_mem


def count_free(buffer):
    freed.append(buffer.address)
    free_mem(buffer)


MPI.Free_mem = count_free


def check(condition, what):
    if not condition:
        print(f"check_symmetric.py: rank {COMM.rank}: {what}", file=sys.stderr, flush=True)
        COMM.Abort(1)


def check_life():
    array = ompi_symm.empty((3, 5), "int32", LIBRARY)
    check(array.shape == (3, 5) and str(array.dtype).endswith("int32"), "another shape or type")
    view = array[1:].reshape((10,))
    del array
    check(not freed, "memory was freed with a view of it alive")
    message = ompi_symm.message(view)
    check((message[0].nbytes, message[1]) == (40, MPI.INT32_T), "a message of other elements")
    del view
    check(not freed, "memory was freed with a message of it alive")
    del message
    check(len(freed) == 1, "memory was not freed with its last array")

    check(ompi_symm.empty(0, "float64", LIBRARY).shape == (0,), "no array of no elements")
    check(len(freed) == 2, "memory of no elements was not freed")

    with ompi_symm.alloc(100, KIND) as memory:
        check(memory.nbytes >= 100 and (memory.device is None) == (KIND == "host"), "other memory")
    check(len(freed) == 3, "memory was not freed at the end of its block")
    memory.free()
    check(len(freed) == 3, "memory was freed twice")
    freed.clear()


def check_device():
    """Memory lies on the current device, and is not freed as long as that is at work on it."""
    driver, count, stream = ctypes.CDLL("libcuda.so.1"), ctypes.c_int(), ctypes.c_void_p()
    nbytes = 1 << 20
    status = [
        driver.cuDeviceGetCount(ctypes.byref(count)),
        driver.cuStreamCreate(ctypes.byref(stream), 1),
    ]
    memory = ompi_symm.alloc(nbytes)
    check(memory.device == COMM.rank % count.value, "memory is not on the current device")
    address = ctypes.c_uint64(memory.address)
    for _ in range(20):
        status.append(driver.cuMemsetD8Async(address, 1, ctypes.c_size_t(nbytes), stream))
    del memory
    check(len(freed) == 1, "memory of a device was not freed")
    check(driver.cuStreamQuery(stream) == 0, "memory was freed while its device was at work on it")
    check(not any(status), "the driver refused a call")
    freed.clear()


def check_checks():
    for dtype in collectives.DTYPES:
        _, options = collectives.parse(["--dtype", dtype])
        inputs = [collectives.values_of(rank, 1000, options) for rank in range(COMM.size)]
        for right, correct in (
            (collectives.sum_is_right, sum(inputs[1:], inputs[0])),
            (collectives.blocks_are_right, numpy.concatenate(inputs)),
        ):
            check(right(correct, options), f"{dtype}: a correct result was refused")
            for wrong in (correct[-1] + numpy.asarray(1e-3 if dtype[0] == "f" else 1, dtype),
                          collectives.poison(1, dtype)[0]):
                result = correct.copy()
                result[-1] = wrong
                check(not right(result, options), f"{dtype}: a wrong result was taken")


def check_refusal():
    """An MPI that takes no notice of the hint."""
    try:
        ompi_symm.alloc(100)
        check(False, "memory of the host was taken for a device's")
    except MemoryError:
        check(len(freed) == 1, "memory of the wrong kind was not freed")


if LIBRARY == "refused":
    check_refusal()
    sys.exit(0)
collectives.LIBRARIES[LIBRARY](KIND, COMM.rank)
check_life()
check_checks()
if KIND == "cuda":
    check_device()

last = ompi_symm.empty(1000, "float32", LIBRARY)
if COMM.rank == 0:
    MPI.Free_mem = lambda buffer: print(f"freed at exit: {not MPI.Is_finalized()}", flush=True)
else:
    MPI.Free_mem = lambda buffer: print("freed too late", flush=True)
    MPI.Finalize()
