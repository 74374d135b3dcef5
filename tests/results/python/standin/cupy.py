"""Test double of CuPy: what the package and examples/python use of it, on whatever driver
libcuda.so.1 is.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import ctypes
import math
import types

import numpy

driver = ctypes.CDLL("libcuda.so.1")


def check(status):
    if status != 0:
        raise RuntimeError(f"the driver says {status}")


class Allocation:
    def __init__(self, nbytes):
        address = ctypes.c_uint64()
        check(driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(max(nbytes, 1))))
        self.address = address.value

    def __del__(self):
        check(driver.cuMemFree_v2(ctypes.c_uint64(self.address)))


class ndarray:
    """Elements one after another in memory of `owner`."""

    def __init__(self, owner, address, shape, dtype):
        self.owner, self.address, self.shape = owner, address, shape
        self.dtype = numpy.dtype(dtype)
        self.nbytes = math.prod(shape) * self.dtype.itemsize

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.shape, "typestr": self.dtype.str, "data": (self.address, False),
            "version": 3, "strides": None, "stream": None,
        }

    def __getitem__(self, key):
        first, last, _ = key.indices(self.shape[0])
        row = self.nbytes // max(self.shape[0], 1)
        shape = (last - first, *self.shape[1:])
        return ndarray(self.owner, self.address + first * row, shape, self.dtype)

    def view(self, dtype):
        count = self.nbytes // numpy.dtype(dtype).itemsize
        return ndarray(self.owner, self.address, (count,), dtype)

    def reshape(self, shape):
        return ndarray(self.owner, self.address, shape, self.dtype)

    def fill(self, value):
        self.set(numpy.full(self.shape, value, self.dtype))

    def set(self, values):
        assert values.dtype == self.dtype and values.shape == self.shape
        if self.nbytes > 0:
            check(driver.cuMemcpyHtoD_v2(ctypes.c_uint64(self.address),
                                         ctypes.c_void_p(values.ctypes.data),
                                         ctypes.c_size_t(self.nbytes)))

    def get(self):
        values = numpy.empty(self.shape, self.dtype)
        if self.nbytes > 0:
            check(driver.cuMemcpyDtoH_v2(ctypes.c_void_p(values.ctypes.data),
                                         ctypes.c_uint64(self.address),
                                         ctypes.c_size_t(self.nbytes)))
        return values


def empty(count, dtype):
    owner = Allocation(count * numpy.dtype(dtype).itemsize)
    return ndarray(owner, owner.address, (count,), dtype)


def asarray(owner):
    interface = owner.__cuda_array_interface__
    return ndarray(owner, interface["data"][0], interface["shape"], interface["typestr"])


class Device:
    def __init__(self, number):
        self.number = number

    def use(self):
        device, context = ctypes.c_int(), ctypes.c_void_p()
        check(driver.cuDeviceGet(ctypes.byref(device), self.number))
        check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
        check(driver.cuCtxSetCurrent(context))


def device_count():
    count = ctypes.c_int()
    check(driver.cuInit(0))
    check(driver.cuDeviceGetCount(ctypes.byref(count)))
    return count.value


cuda = types.SimpleNamespace(
    Device=Device,
    runtime=types.SimpleNamespace(getDeviceCount=device_count),
    get_current_stream=lambda: types.SimpleNamespace(
        synchronize=lambda: check(driver.cuCtxSynchronize()), ptr=0
    ),
)
