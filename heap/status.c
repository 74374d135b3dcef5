/*
 * status.c - the words for what went wrong, and the version of the library.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "heap/symm.h"

const char *symm_status_string(enum symm_status status)
{
    switch (status) {
    case SYMM_OK:
        return "success";
    case SYMM_PENDING:
        return "not finished yet";
    case SYMM_ERR_ARGUMENT:
        return "an argument is out of range";
    case SYMM_ERR_NO_MEMORY:
        return "memory, address space or descriptors have run out";
    case SYMM_ERR_FOREIGN:
        return "the address does not belong to this heap";
    case SYMM_ERR_FREED:
        return "the address belongs to no allocated block (freed twice?)";
    case SYMM_ERR_INTERIOR:
        return "the address lies inside a block, not at its start";
    case SYMM_ERR_UNREACHABLE:
        return "nobody listens at the peer's socket (gone, or in another network namespace)";
    case SYMM_ERR_PEER_LOST:
        return "the peer closed the connection before it answered";
    case SYMM_ERR_PERMISSION:
        return "the peer belongs to another user, or is not of this job";
    case SYMM_ERR_NOT_FOUND:
        return "the peer does not have what was asked for";
    case SYMM_ERR_PROTOCOL:
        return "the peer runs another version of this library, or sends what cannot be used";
    case SYMM_ERR_SYSTEM:
        return "a call of the system, or of a device's driver, failed";
    case SYMM_ERR_NO_USER:
        return "all users look alike in this user namespace, which maps none of them";
    }
    return "unknown status";
}

const char *symm_version(void)
{
    return PACKAGE_VERSION;
}
