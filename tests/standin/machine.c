/*
 * machine.c - what is wrong with the machine's devices.
 *
 * SYMM_STANDIN_NO_PEER=A-B,...  devices A and B (numbers as without CUDA_VISIBLE_DEVICES) do not
 *     reach each other's memory: cuMemSetAccess() fails.
 * SYMM_STANDIN_NO_VMM=A,...  device A has no virtual memory management.
 * SYMM_STANDIN_NO_EXPORT=A,...  device A cannot export memory as a file descriptor.
 * SYMM_STANDIN_MIG=1  each device is a slice of one.  A process sees one of them, and cannot import
 *     what comes from another.
 * SYMM_STANDIN_FABRIC=1  the devices have fabric handles; 2: they say so, and nobody is granted
 *     one, as on a node without an IMEX channel; 3: likewise, in other words.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/standin.h"

#include <stdlib.h>

bool standin_machine_is_sliced(void)
{
    return standin_setting("SYMM_STANDIN_MIG", 0) != 0;
}

/* Whether `setting` lists the device. */
static bool is_listed(const char *setting, int physical)
{
    const char *list = getenv(setting);
    while (list != NULL && *list != '\0') {
        char *end;
        if (strtol(list, &end, 10) == physical && end != list) {
            return true;
        }
        list = *end == ',' ? end + 1 : "";
    }
    return false;
}

bool standin_machine_has_vmm(int physical)
{
    return !is_listed("SYMM_STANDIN_NO_VMM", physical);
}

bool standin_machine_can_export(int physical)
{
    return standin_machine_has_vmm(physical) && !is_listed("SYMM_STANDIN_NO_EXPORT", physical);
}

bool standin_machine_are_linked(int one, int other)
{
    const char *list = getenv("SYMM_STANDIN_NO_PEER");
    while (list != NULL && *list != '\0') {
        char *end;
        long first = strtol(list, &end, 10);
        long second = *end == '-' ? strtol(end + 1, &end, 10) : first;
        if ((first == one && second == other) || (first == other && second == one)) {
            return false;
        }
        list = *end == ',' ? end + 1 : "";
    }
    return one == other || !standin_machine_is_sliced();
}

bool standin_machine_has_fabric(void)
{
    return standin_setting("SYMM_STANDIN_FABRIC", 0) != 0;
}

CUresult standin_machine_grants(unsigned long long handle_types)
{
    unsigned long long known = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | CU_MEM_HANDLE_TYPE_FABRIC;
    if ((handle_types & ~known) != 0) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    long long fabric = standin_setting("SYMM_STANDIN_FABRIC", 0);
    if ((handle_types & CU_MEM_HANDLE_TYPE_FABRIC) == 0 || fabric == 1) {
        return CUDA_SUCCESS;
    }
    return fabric == 2 ? CUDA_ERROR_NOT_PERMITTED : CUDA_ERROR_NOT_SUPPORTED;
}
