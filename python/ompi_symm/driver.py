"""What is asked of the CUDA driver.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import ctypes
import functools
from typing import Optional

# From cuda.h.
CUDA_SUCCESS = 0
CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2
CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9
CU_MEMORYTYPE_DEVICE = 2


@functools.lru_cache(None)
def _driver() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")


def _ask(address: int, attribute: int) -> Optional[int]:
    value = ctypes.c_int()
    status = _driver().cuPointerGetAttribute(
        ctypes.byref(value), attribute, ctypes.c_uint64(address)
    )
    return value.value if status == CUDA_SUCCESS else None


def device_of(address: int) -> Optional[int]:
    """The number of the device that has this memory, or None."""
    try:
        on_device = _ask(address, CU_POINTER_ATTRIBUTE_MEMORY_TYPE) == CU_MEMORYTYPE_DEVICE
    except OSError:  # no driver
        return None
    return _ask(address, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) if on_device else None


def wait(number: int) -> None:
    """Until the device has done all that it has been given in this process."""
    driver, device, context = _driver(), ctypes.c_int(), ctypes.c_void_p()
    driver.cuDeviceGet(ctypes.byref(device), number)
    if driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == CUDA_SUCCESS:
        driver.cuCtxPushCurrent_v2(context)
        driver.cuCtxSynchronize()
        driver.cuCtxPopCurrent_v2(ctypes.byref(context))
        driver.cuDevicePrimaryCtxRelease_v2(device)
