/*
 * devices.c - which devices there are, and what they say of themselves.
 *
 * SYMM_STANDIN_DEVICES=N devices exist (default 2), of which CUDA_VISIBLE_DEVICES leaves those that
 * it names by number or by the beginning of "GPU-<uuid>", up to the first name that fits none.
 * SYMM_STANDIN_MEMORY=BYTES is what one process can create on a device (default 64 GiB).  What it
 * has created counts until no process has it mapped any more.
 * SYMM_STANDIN_CAPABILITY=N is their compute capability's first number (default 9).
 * SYMM_STANDIN_MULTIPROCESSORS=N is how many a device has (default 132).
 * SYMM_STANDIN_PCIE=1  links between devices have no native atomics, as those of PCIe.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/standin.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct standin_device standin_devices[STANDIN_DEVICES_MAX];
int standin_device_count;

static size_t memory_size(void)
{
    return (size_t)standin_setting("SYMM_STANDIN_MEMORY", 64LL << 30);
}

/* The same in all processes of a machine, and different from device to device. */
static CUuuid uuid_of(int physical)
{
    CUuuid uuid;
    for (int i = 0; i < (int)sizeof uuid.bytes; i++) {
        uuid.bytes[i] = (char)(0x5d ^ (i * 29) ^ (physical * (i + 101)));
    }
    return uuid;
}

static void uuid_text(const CUuuid *uuid, char text[41])
{
    char *at = text + sprintf(text, standin_machine_is_sliced() ? "MIG-" : "GPU-");
    for (int i = 0; i < (int)sizeof uuid->bytes; i++) {
        at += sprintf(at, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
                      (unsigned char)uuid->bytes[i]);
    }
}

static void add_device(int physical)
{
    struct standin_device *device = &standin_devices[standin_device_count++];
    device->physical = physical;
    device->uuid = uuid_of(physical);
}

static int physical_by_name(const char *name, size_t length, int count)
{
    if (length > 0 && isdigit((unsigned char)name[0])) {
        long number = strtol(name, NULL, 10);
        return number < count ? (int)number : -1;
    }
    for (int i = 0; i < count && length > 4; i++) {
        char text[41];
        CUuuid uuid = uuid_of(i);
        uuid_text(&uuid, text);
        if (strncasecmp(text, name, length) == 0) {
            return i;
        }
    }
    return -1;
}

static bool is_there_already(int physical)
{
    for (int i = 0; i < standin_device_count; i++) {
        if (standin_devices[i].physical == physical) {
            return true;
        }
    }
    return false;
}

static void add_visible(const char *list, int count)
{
    while (*list != '\0') {
        size_t length = strcspn(list, ",");
        int physical = physical_by_name(list, length, count);
        if (physical < 0 || is_there_already(physical)) {
            return;
        }
        add_device(physical);
        list += length + (list[length] == ',');
    }
}

CUresult standin_devices_start(void)
{
    long long count = standin_setting("SYMM_STANDIN_DEVICES", 2);
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    count = count < 0 ? 0 : count > STANDIN_DEVICES_MAX ? STANDIN_DEVICES_MAX : count;
    if (standin_device_count == 0 && visible != NULL) {
        add_visible(visible, (int)count);
    } else if (standin_device_count == 0) {
        for (int i = 0; i < count; i++) {
            add_device(i);
        }
    }
    if (standin_machine_is_sliced() && standin_device_count > 1) {
        standin_device_count = 1; /* only the first slice is there */
    }
    return standin_device_count == 0 ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}

bool standin_device_is(int device)
{
    return device >= 0 && device < standin_device_count;
}

int standin_device_of_uuid(const CUuuid *uuid)
{
    for (int i = 0; i < standin_device_count; i++) {
        if (memcmp(&standin_devices[i].uuid, uuid, sizeof *uuid) == 0) {
            return i;
        }
    }
    return -1;
}

int standin_physical_of_uuid(const CUuuid *uuid)
{
    for (int i = 0; i < STANDIN_DEVICES_MAX; i++) {
        CUuuid other = uuid_of(i);
        if (memcmp(&other, uuid, sizeof other) == 0) {
            return i;
        }
    }
    return -1;
}

CUresult standin_device_charge(int device, size_t size)
{
    standin_memory_sweep();
    if (size > memory_size() - standin_devices[device].used) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    standin_devices[device].used += size;
    return CUDA_SUCCESS;
}

void standin_device_refund(int device, size_t size)
{
    standin_devices[device].used -= size;
}

/* ---- the driver's functions ------------------------------------------------------------------ */

CUresult cuInit(unsigned flags)
{
    CUresult result = standin_begin_anytime(__func__);
    if (result == CUDA_SUCCESS) {
        result = flags != 0 ? CUDA_ERROR_INVALID_VALUE : standin_devices_start();
        standin_initialised = standin_initialised || result == CUDA_SUCCESS;
        (void)standin_end(result);
    }
    return result;
}

CUresult cuDeviceGetCount(int *count)
{
    CUresult result = count == NULL ? CUDA_ERROR_INVALID_VALUE : standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        *count = standin_device_count;
        result = standin_end(CUDA_SUCCESS);
    }
    return result;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    CUresult result = device == NULL ? CUDA_ERROR_INVALID_VALUE : standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        result = standin_device_is(ordinal) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
        *device = result == CUDA_SUCCESS ? ordinal : *device;
        (void)standin_end(result);
    }
    return result;
}

/* The start that functions about one device have in common. */
static CUresult begin_with_device(const char *function, const void *wanted, CUdevice device)
{
    CUresult result = standin_begin(function);
    if (result == CUDA_SUCCESS && wanted == NULL) {
        result = standin_end(CUDA_ERROR_INVALID_VALUE);
    } else if (result == CUDA_SUCCESS && !standin_device_is(device)) {
        result = standin_end(CUDA_ERROR_INVALID_DEVICE);
    }
    return result;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    CUresult result = begin_with_device(__func__, name, device);
    if (result == CUDA_SUCCESS) {
        (void)snprintf(name, length < 0 ? 0 : (size_t)length, "Stand-in device %d%s",
                       standin_devices[device].physical,
                       standin_machine_is_sliced() ? " MIG 1g.10gb" : "");
        result = standin_end(CUDA_SUCCESS);
    }
    return result;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    CUresult result = begin_with_device(__func__, uuid, device);
    if (result == CUDA_SUCCESS) {
        *uuid = standin_devices[device].uuid;
        result = standin_end(CUDA_SUCCESS);
    }
    return result;
}

CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice device)
{
    CUresult result = begin_with_device(__func__, text, device);
    if (result == CUDA_SUCCESS) {
        (void)snprintf(text, length < 0 ? 0 : (size_t)length, "0000:%02X:00.0",
                       16 + standin_devices[device].physical);
        result = standin_end(CUDA_SUCCESS);
    }
    return result;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    CUresult result = begin_with_device(__func__, bytes, device);
    if (result == CUDA_SUCCESS) {
        *bytes = memory_size();
        result = standin_end(CUDA_SUCCESS);
    }
    return result;
}

CUresult cuMemGetInfo(size_t *free_bytes, size_t *total)
{
    CUcontext context;
    CUresult result = free_bytes == NULL || total == NULL
                          ? CUDA_ERROR_INVALID_VALUE
                          : standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        standin_memory_sweep();
        *total = memory_size();
        *free_bytes = *total - standin_devices[context->device].used;
        result = standin_end(CUDA_SUCCESS);
    }
    return result;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    CUresult result = begin_with_device(__func__, can, device);
    if (result == CUDA_SUCCESS) {
        result = standin_device_is(peer) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
        if (result == CUDA_SUCCESS) {
            *can = device != peer &&
                   standin_machine_are_linked(standin_devices[device].physical,
                                              standin_devices[peer].physical);
        }
        (void)standin_end(result);
    }
    return result;
}

/* A link is NVLink unless SYMM_STANDIN_PCIE says otherwise. */
static int link_value(CUdevice_P2PAttribute attribute, bool linked)
{
    bool nvlink = standin_setting("SYMM_STANDIN_PCIE", 0) == 0;
    switch (attribute) {
    case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
        return linked;
    case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
        return linked && nvlink;
    default:
        return 0;
    }
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice device,
                                 CUdevice peer)
{
    CUresult result = begin_with_device(__func__, value, device);
    if (result == CUDA_SUCCESS) {
        result = !standin_device_is(peer) || peer == device ? CUDA_ERROR_INVALID_DEVICE
                                                            : CUDA_SUCCESS;
        if (result == CUDA_SUCCESS) {
            *value = link_value(attribute,
                                standin_machine_are_linked(standin_devices[device].physical,
                                                           standin_devices[peer].physical));
        }
        (void)standin_end(result);
    }
    return result;
}

static int attribute_value(CUdevice_attribute attribute, int physical)
{
    static const struct {
        CUdevice_attribute attribute;
        int value;
    } values[] = {
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
        {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
        {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
        {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
        {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 3},
        {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
        {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED, 1},
        {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1},
        {CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1},
        {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
        {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1},
        {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1},
    };
    int value = 0;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        value = values[i].attribute == attribute ? values[i].value : value;
    }
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
        return 16 + physical;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        return (int)standin_setting("SYMM_STANDIN_CAPABILITY", 9);
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        return (int)standin_setting("SYMM_STANDIN_MULTIPROCESSORS", 132);
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
        return standin_machine_has_vmm(physical);
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
        return standin_machine_can_export(physical);
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED:
        return standin_machine_has_fabric();
    case CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED:
        return standin_machine_has_multicast();
    default:
        return value;
    }
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    CUresult result = begin_with_device(__func__, value, device);
    if (result == CUDA_SUCCESS) {
        if ((int)attribute <= 0 || attribute >= CU_DEVICE_ATTRIBUTE_MAX) {
            result = CUDA_ERROR_INVALID_VALUE;
        } else {
            *value = attribute_value(attribute, standin_devices[device].physical);
        }
        (void)standin_end(result);
    }
    return result;
}
