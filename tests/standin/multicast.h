/*
 * multicast.h - multicast objects of the stand-in driver, for its files.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_STANDIN_MULTICAST_H
#define SYMM_TESTS_STANDIN_MULTICAST_H

#include "tests/standin/standin.h"

/* A device of an object; one range at a time can be bound on each. */
struct standin_member {
    int physical;
    bool bound;
    uint64_t serial;        /* of the memory */
    uint64_t memory_offset; /* in it */
    uint64_t offset, size;  /* in the object */
};

/* What the file of an object holds. */
struct standin_multicast {
    char magic[16];
    uint64_t size;
    unsigned wanted, added; /* devices */
    struct standin_member members[STANDIN_DEVICES_MAX];
};

/* What this process has bound. */
struct standin_bound {
    struct standin_bound *next;
    const struct standin_allocation *object, *memory;
    int physical;
};

extern struct standin_bound *standin_bounds;

/* Objects and memory that went while they were bound. */
extern size_t standin_orphans;

CUresult standin_multicast_make(const CUmulticastObjectProp *properties,
                                struct standin_allocation **made);

/* Against other processes, around whatever looks at members. */
void standin_multicast_lock(const struct standin_allocation *object);
void standin_multicast_unlock(const struct standin_allocation *object);

/* NULL: the device has not been added. */
struct standin_member *standin_multicast_member(const struct standin_allocation *object,
                                                int physical);

#endif /* SYMM_TESTS_STANDIN_MULTICAST_H */
