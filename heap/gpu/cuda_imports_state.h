/*
 * cuda_imports_state.h - what cuda_imports.c and cuda_importer.c share.
 *
 * One mutex guards all of it, since what is opened for one peer may make another one's go.  All
 * functions here are called with the mutex held.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_GPU_CUDA_IMPORTS_STATE_H
#define SYMM_HEAP_GPU_CUDA_IMPORTS_STATE_H

#include <pthread.h>

#include "heap/directory.h"
#include "heap/gpu/cuda_context.h"
#include "heap/gpu/cuda_importer.h"
#include "heap/server/request.h"

/* An allocation that is open for one device. */
struct symm_import {
    struct symm_importer *importer; /* NULL: stuck, the driver would not close it */
    uint32_t index, serial;
    int device;
    uint32_t generation; /* of the device's context, in which it is open */
    CUdeviceptr address;
    struct symm_ipc_handle handle;
    uint64_t used; /* the call that has used it last */
    struct symm_import *next;         /* of all */
    /* At the place: for other devices, or of a time when the place was another allocation's. */
    struct symm_import *next_at_place;
};

struct symm_importer {
    struct symm_imports *imports;
    char name[SYMM_NAME_SIZE];
    unsigned users;
    const struct symm_directory *directory; /* NULL: it has not come yet */
    uint32_t retired_seen;
    struct symm_request request;
    struct symm_import *places[SYMM_SEGMENTS_MAX];
    struct symm_importer *next;
};

struct symm_imports {
    pthread_mutex_t mutex;
    size_t most, bytes;
    unsigned calls_under_way;
    uint64_t calls; /* begun so far: the number of the newest */
    uint64_t busy_since; /* the oldest call that those under way may go back to */
    uint32_t dropped;
    uint32_t resets; /* those that have been noticed */
    struct symm_import *all;
    struct symm_importer *importers;
};

/* Whether what is open here makes room for so many bytes more.  Nothing is closed in vain. */
bool symm_imports_make_room(struct symm_imports *imports, size_t size);

/* Close all that no call uses.  False: there is nothing. */
bool symm_imports_evict_all(struct symm_imports *imports);

/*
 * Close what has the handle open here, under a name that its owner has given up.  False: that
 * cannot be.
 */
bool symm_imports_evict_same(struct symm_imports *imports, const struct symm_import *wanted);

/* Close it; if that cannot be, nobody finds it any more. */
bool symm_imports_drop(struct symm_imports *imports, struct symm_import *import);

/* Try once more to close what the driver would not. */
void symm_imports_retry(struct symm_imports *imports);

#endif /* SYMM_HEAP_GPU_CUDA_IMPORTS_STATE_H */
