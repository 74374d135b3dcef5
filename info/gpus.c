/*
 * gpus.c - see gpus.h.  Links between GPUs, and multicast, are in links.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap/gpu/cuda_driver.h"
#include "heap/gpu/cuda_handles.h"
#include "info/gpus.h"
#include "info/links.h"
#include "kernels/cuda/launch/copy.h"
#include "kernels/build_features.h"

/* ---- the driver ------------------------------------------------------------------------------ */

/* The kernel's part of the driver, which containers share with their host. */
static bool kernel_has_driver(void)
{
    return access("/proc/driver/nvidia/version", F_OK) == 0 || access("/dev/nvidiactl", F_OK) == 0;
}

static void missing_warn(const char *library, struct findings *findings)
{
    char failure[SYMM_CUDA_TEXT_SIZE];
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    symm_cuda_last_failure(failure, sizeof(failure));
    bool expected = kernel_has_driver() || library != NULL;
    bool opened = strstr(failure, "cuInit") != NULL;
    finding_add(findings, TOPIC_GPUS, expected || opened ? FINDING_PROBLEM : FINDING_NOTE, "driver",
                "no GPUs, host memory only: %s%s%s", failure,
                visible != NULL ? "; CUDA_VISIBLE_DEVICES=" : "", visible != NULL ? visible : "");
    if (opened) {
        finding_remedy(findings, "look at nvidia-smi -L%s",
                       visible != NULL ? ", and at CUDA_VISIBLE_DEVICES" : "");
    } else if (library != NULL) {
        finding_remedy(findings, "correct mpool_symm_cuda_library, which is %s", library);
    } else if (expected) {
        finding_remedy(findings, "the kernel has NVIDIA's driver: start the container with GPU "
                                 "support, or name the library by mpool_symm_cuda_library");
    } else {
        finding_remedy(findings, "none is needed where there are no GPUs");
    }
}

static void driver_warn(const struct symm_cuda *cuda, struct findings *findings)
{
    int version = 0;
    (void)cuda->cuDriverGetVersion(&version);
    finding_add(findings, TOPIC_GPUS, FINDING_OK, "driver", "the driver is there, of CUDA %d.%d",
                version / 1000, version % 1000 / 10);
    finding_value(findings, "%d.%d", version / 1000, version % 1000 / 10);
}

static void visible_warn(int count, struct findings *findings)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    if (visible != NULL) {
        finding_add(findings, TOPIC_GPUS, FINDING_NOTE, "visible",
                    "CUDA_VISIBLE_DEVICES=%s leaves %d GPU%s", visible, count,
                    count == 1 ? "" : "s");
        finding_value(findings, "%s", visible);
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

/*
 * The image for a device in nvcc's flags, such as "code=[sm_100,compute_100]": one of its own
 * generation, or else PTX of an older one.  Returns its name's length, 0: there is none.
 */
static int image_find(const char *flags, int major, int minor, const char **name)
{
    static const char *const words[] = {"sm_", "compute_"};
    int capability = 10 * major + minor;
    for (int i = 0; i < 2; i++) {
        bool native = i == 0;
        for (const char *at = strstr(flags, "code="); at != NULL; at = strstr(at + 1, "code=")) {
            size_t length = strcspn(at, " ");
            const char *word = strstr(at, words[i]);
            int number = word != NULL && word < at + length ? atoi(word + strlen(words[i])) : 0;
            if (number > 0 && number <= capability && (!native || number / 10 == major)) {
                *name = word;
                return (int)strcspn(word, ",] ");
            }
        }
    }
    return 0;
}

/* ---- one device ------------------------------------------------------------------------------ */

static bool attribute(const struct symm_cuda *cuda, CUdevice device, CUdevice_attribute which,
                      int *value)
{
    *value = 0;
    return cuda->cuDeviceGetAttribute(value, which, device) == CUDA_SUCCESS;
}

static bool has(const struct symm_cuda *cuda, CUdevice device, CUdevice_attribute which)
{
    int value;
    return attribute(cuda, device, which, &value) && value != 0;
}

struct card {
    char text[SYMM_CUDA_TEXT_SIZE]; /* "device 0 (NVIDIA H200, GPU-...)" */
    int major, minor;
    size_t memory;
    bool maps, exports, fabric;
};

static void card_read(const struct symm_cuda *cuda, int number, CUdevice device, struct card *card)
{
    *card = (struct card){.memory = 0};
    symm_cuda_device_describe(number, card->text, sizeof(card->text));
    (void)attribute(cuda, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &card->major);
    (void)attribute(cuda, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &card->minor);
    if (cuda->cuDeviceTotalMem != NULL) {
        (void)cuda->cuDeviceTotalMem(&card->memory, device);
    }
    card->maps = has(cuda, device, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
    card->exports =
        has(cuda, device, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED);
    card->fabric = has(cuda, device, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED);
}

/* Whether memory of the device can be shared, and kernels run on it. */
static bool card_warn(const struct card *card, const char *features, struct findings *findings)
{
    const char *image = "";
    int length = image_find(features, card->major, card->minor, &image);
    const char *lack = !card->maps      ? "it has no virtual memory management"
                       : !card->exports ? "it cannot export memory to other processes"
                       : length == 0    ? "the build has no kernels for it"
                                        : NULL;
    finding_add(findings, TOPIC_GPUS, lack != NULL ? FINDING_PROBLEM : FINDING_OK, "gpu",
                "%s: compute capability %d.%d, %zu MiB; %s%s%.*s%s", card->text, card->major,
                card->minor, card->memory >> 20, lack != NULL ? lack : "",
                lack != NULL ? "" : "kernels ", lack != NULL ? 0 : length, image,
                lack != NULL   ? ""
                : card->fabric ? "; exports file descriptors and fabric handles"
                               : "; exports file descriptors");
    finding_value(findings, "%s", card->text);
    if (lack != NULL) {
        finding_remedy(findings, !card->maps || !card->exports
                                     ? "a whole GPU, not a virtual one"
                                     : "a GPU of compute capability 8.0 or newer");
    }
    if (strstr(card->text, " MIG ") != NULL) {
        finding_add(findings, TOPIC_GPUS, FINDING_NOTE, "mig",
                    "%s is a slice of a GPU (MIG), which does not reach other slices", card->text);
        finding_remedy(findings, "one slice for all ranks of the node, or whole GPUs");
    }
    return lack == NULL;
}

static void fabric_warn(bool fabric, struct findings *findings)
{
    bool channels = access(symm_cuda_imex_channels, F_OK) == 0;
    if (fabric || channels) {
        finding_add(findings, TOPIC_GPUS, FINDING_OK, "imex",
                    "IMEX channels: %s, %s; within a node they are not needed",
                    symm_cuda_imex_channels,
                    channels ? "so memory gets fabric handles"
                             : "which is missing, so memory gets no fabric handles");
        finding_value(findings, channels ? "yes" : "no");
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int cards_look(const struct symm_cuda *cuda, int count, const char *features,
                      struct findings *findings)
{
    int good = 0;
    bool fabric = false;
    for (int i = 0; i < count; i++) {
        CUdevice device;
        struct card card;
        if (cuda->cuDeviceGet(&device, i) == CUDA_SUCCESS) {
            card_read(cuda, i, device, &card);
            good += card_warn(&card, features, findings);
            fabric = fabric || card.fabric;
        }
    }
    fabric_warn(fabric, findings);
    return good;
}

int gpus_look(const struct components *components, const struct settings *settings,
              struct findings *findings)
{
    const struct symm_cuda *cuda;
    const char *library = settings_value(settings, "mpool_symm_cuda_library");
    const char *features = components->features != NULL ? components->features : symm_features();
    int count = 0;
    symm_cuda_configure(library);
    if (symm_cuda_get(&cuda) != SYMM_OK) {
        missing_warn(library, findings);
        return 0;
    }
    driver_warn(cuda, findings);
    (void)cuda->cuDeviceGetCount(&count);
    count = count < SYMM_CUDA_DEVICES_MAX ? count : SYMM_CUDA_DEVICES_MAX;
    visible_warn(count, findings);
    if (strstr(features, "cuda") == NULL) {
        finding_add(findings, TOPIC_GPUS, FINDING_PROBLEM, "cuda",
                    "the components are built without CUDA: they serve host memory only");
        finding_remedy(findings, "build where there is a CUDA toolkit, 12.8 or newer");
        return 0;
    }
    int good = cards_look(cuda, count, features, findings);
    links_look(cuda, count, findings);
    multicast_look(cuda, count, features, settings, findings);
    return good;
}

bool gpus_copy(void *target, const void *source, size_t bytes, char *text, size_t size)
{
    const struct symm_cuda *cuda;
    CUdevice device = 0;
    unsigned type = 0;
    const void *pointers[] = {target, source};
    bool found = symm_cuda_get(&cuda) == SYMM_OK;
    for (int i = 0; found && i < 2; i++) { /* the one of them that a device has */
        CUdeviceptr address = (CUdeviceptr)(uintptr_t)pointers[i];
        if (cuda->cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) ==
                CUDA_SUCCESS &&
            type == CU_MEMORYTYPE_DEVICE) {
            (void)cuda->cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                              address);
        }
    }
    if (found && symm_cuda_copy(device, target, source, bytes) == SYMM_OK) {
        return true;
    }
    symm_cuda_last_failure(text, size);
    return false;
}
