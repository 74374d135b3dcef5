/*
 * machine.c - what is wrong with the machine's devices.
 *
 * SYMM_STANDIN_NO_PEER=A-B,...  devices A and B (numbers as without CUDA_VISIBLE_DEVICES) do not reach each
 *     other's memory: cuMemSetAccess() fails.
 * SYMM_STANDIN_NO_VMM=A,...  device A has no virtual memory management.
 * SYMM_STANDIN_NO_EXPORT=A,...  device A cannot export memory as a file descriptor.
 * SYMM_STANDIN_MIG=1  each device is a slice of one.  A process sees one of them, and cannot import what
 *     comes from another.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/cuda/standin.h"

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
