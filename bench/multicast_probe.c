/*
 * multicast_probe.c - whether this machine's GPUs can take part in NVLink multicast, as far as the
 * driver's attributes tell. Nothing is created, and no GPU is used.
 *
 *     bench/multicast_probe
 *
 * The exit status is 0 if two GPUs or more can, and 1, with the reason in the last line, otherwise.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdio.h>

#if defined(HAVE_CUDA)

#include "cuda.h"
#include "failure.h"

#include <stdbool.h>

enum { NAME_LENGTH = 100, UUID_GROUPS = 5 };

/* How a UUID's bytes are grouped. */
static const int uuid_groups[UUID_GROUPS] = {4, 2, 2, 2, 6};

static void uuid_print(const CUuuid *uuid)
{
    int at = 0;
    printf("GPU");
    for (int group = 0; group < UUID_GROUPS; group++) {
        printf("-");
        for (int i = 0; i < uuid_groups[group]; i++) {
            printf("%02x", (unsigned char)uuid->bytes[at++]);
        }
    }
}

/* A device has no attribute that its driver does not know. */
static int attribute_of(const struct cuda *cuda, CUdevice device, CUdevice_attribute attribute)
{
    int value = 0;
    return cuda->cuDeviceGetAttribute(&value, attribute, device) == CUDA_SUCCESS ? value : 0;
}

static const char *yes_or_no(int value)
{
    return value != 0 ? "yes" : "no";
}

/* One line; true if the device has multicast. */
static bool device_print(const struct cuda *cuda, int number)
{
    CUdevice device;
    CUuuid uuid;
    char name[NAME_LENGTH];
    if (cuda->cuDeviceGet(&device, number) != CUDA_SUCCESS ||
        cuda->cuDeviceGetName(name, sizeof(name), device) != CUDA_SUCCESS ||
        cuda->cuDeviceGetUuid(&uuid, device) != CUDA_SUCCESS) {
        printf("device %d: cannot be asked\n", number);
        return false;
    }
    int multicast = attribute_of(cuda, device, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED);
    printf("device %d: %s, ", number, name);
    uuid_print(&uuid);
    printf(", compute capability %d.%d, multicast %s, descriptors %s, fabric handles %s\n",
           attribute_of(cuda, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
           attribute_of(cuda, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
           yes_or_no(multicast),
           yes_or_no(attribute_of(cuda, device,
                                  CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED)),
           yes_or_no(attribute_of(cuda, device,
                                  CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED)));
    return multicast != 0;
}

int main(void)
{
    struct cuda cuda;
    char text[FAILURE_LENGTH];
    int version = 0, devices = 0, able = 0;
    if (!cuda_open(&cuda, text)) {
        printf("multicast: no: %s\n", text);
        return 1;
    }
    CUresult result = cuda.cuInit(0);
    if (result != CUDA_SUCCESS) {
        cuda_describe(&cuda, "cuInit", result, text);
        printf("multicast: no: %s\n", text);
        return 1;
    }
    (void)cuda.cuDriverGetVersion(&version);
    (void)cuda.cuDeviceGetCount(&devices);
    printf("driver: CUDA %d.%d\n", version / 1000, version % 1000 / 10);
    for (int number = 0; number < devices; number++) {
        able += device_print(&cuda, number) ? 1 : 0;
    }
    if (able < 2) {
        printf("multicast: no: %d of %d devices have it, two are the least\n", able, devices);
        return 1;
    }
    printf("multicast: yes: %d of %d devices\n", able, devices);
    return 0;
}

#else

int main(void)
{
    printf("multicast: no: built without CUDA\n");
    return 1;
}

#endif
