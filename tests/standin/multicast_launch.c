/*
 * multicast_launch.c - what a kernel of multicast is given: an address by multicast, and the
 * replicas behind it one by one.
 *
 * Compiled for the host, the kernels go to the replicas.  So nothing would be noticed if the
 * multicast address were another one; therefore it is looked at here, when the kernel is launched:
 * it has to lie in a mapping of an object to which all devices have bound memory, and that memory
 * has to be what the replicas are, each once, at the same place.  Otherwise the launch fails, and
 * it is said why.
 *
 * SYMM_STANDIN_MULTICAST_ANY=1  any address will do: for tests of kernels alone.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/multicast.h"

#include "kernels/cuda/device_code/arguments.h"

#include <string.h>

static const char prefix[] = "symm_multimem_";

/* The member that has bound the memory at a replica's address, at that place; -1: none. */
static int member_of(const struct standin_multicast *shared, uint64_t place, uint64_t replica)
{
    const struct standin_mapping *mapping = standin_mapping_at(replica);
    for (unsigned i = 0; mapping != NULL && i < shared->added; i++) {
        const struct standin_member *member = &shared->members[i];
        if (member->bound && member->serial == mapping->allocation->serial &&
            place - member->offset < member->size &&
            member->memory_offset + (place - member->offset) == replica - mapping->address) {
            return (int)i;
        }
    }
    return -1;
}

static bool all_are_bound(const struct standin_multicast *shared)
{
    unsigned bound = 0;
    for (unsigned i = 0; i < shared->added; i++) {
        bound += shared->members[i].bound;
    }
    return bound == shared->wanted;
}

/* NULL: all is well. */
static const char *compare(const struct standin_multicast *shared, uint64_t place,
                           const void *const *replicas, int count)
{
    bool seen[STANDIN_DEVICES_MAX] = {false};
    if (!all_are_bound(shared)) {
        return "not all devices have bound memory to the multicast object";
    }
    if (count != (int)shared->wanted) {
        return "there are not as many replicas as the multicast object has devices";
    }
    for (int rank = 0; rank < count; rank++) {
        int member = member_of(shared, place, (uintptr_t)replicas[rank]);
        if (member < 0) {
            return "a replica is not what its device has bound at this place";
        }
        if (seen[member]) {
            return "two replicas are the same memory";
        }
        seen[member] = true;
    }
    return NULL;
}

static const char *check(const void *address, const void *const *replicas, int count, int device)
{
    uint64_t at = (uintptr_t)address;
    const struct standin_mapping *mapping = standin_mapping_at(at);
    if (mapping == NULL || mapping->allocation->multicast == NULL) {
        return "the address is not in a mapping of a multicast object";
    }
    if (mapping->access[device] != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) {
        return "the device has no access to the mapping of the multicast object";
    }
    standin_multicast_lock(mapping->allocation);
    const char *wrong =
        compare(mapping->allocation->multicast, at - mapping->address, replicas, count);
    standin_multicast_unlock(mapping->allocation);
    return wrong;
}

static const char *check_reduce(const struct symm_cuda_multimem *arguments, int device)
{
    const struct symm_cuda_reduce *unicast = &arguments->unicast;
    const char *wrong = check(arguments->input, unicast->inputs, unicast->ranks, device);
    if (wrong == NULL && arguments->output != NULL) {
        wrong = check(arguments->output, (const void *const *)unicast->outputs,
                      unicast->output_count, device);
    }
    return wrong;
}

/*
 * A build with loops in the place of multicast (--enable-multicast=unicast) has no such addresses.
 */
static bool is_checked(const char *kernel)
{
#ifdef MULTICAST_UNICAST
    const bool loops = true;
#else
    const bool loops = false;
#endif
    return !loops && strncmp(kernel, prefix, sizeof prefix - 1) == 0 &&
           standin_setting("SYMM_STANDIN_MULTICAST_ANY", 0) == 0;
}

CUresult standin_multicast_check_launch(const char *kernel, const void *argument, int device)
{
    if (!is_checked(kernel)) {
        return CUDA_SUCCESS;
    }
    const char *wrong;
    if (strcmp(kernel, "symm_multimem_copy") == 0) {
        const struct symm_cuda_multimem_copy *copy = argument;
        wrong = check(copy->output, (const void *const *)copy->unicast.outputs,
                      copy->unicast.output_count, device);
    } else {
        wrong = check_reduce(argument, device);
    }
    if (wrong != NULL) {
        standin_say("%s on device %d: %s", kernel, device, wrong);
    }
    return wrong == NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
