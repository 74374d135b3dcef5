/*
 * cuda_imports.c - see cuda_imports.h.
 *
 * What the driver would not close stays open and is in nobody's use; it is tried again before
 * something is opened, and at the end.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "heap/gpu/cuda_imports_state.h"

/* ---- life ---------------------------------------------------------------------------------- */

enum symm_status symm_imports_create(size_t most, struct symm_imports **imports)
{
    struct symm_imports *created = calloc(1, sizeof(*created));
    if (created == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    (void)pthread_mutex_init(&created->mutex, NULL);
    created->most = most;
    *imports = created;
    return SYMM_OK;
}

static void forget_ended(struct symm_imports *imports);

uint32_t symm_imports_enter(struct symm_imports *imports)
{
    (void)pthread_mutex_lock(&imports->mutex);
    if (imports->resets != symm_cuda_resets()) {
        forget_ended(imports);
    }
    imports->calls++;
    if (imports->calls_under_way++ == 0) {
        imports->busy_since = imports->calls;
    }
    uint32_t dropped = imports->dropped;
    (void)pthread_mutex_unlock(&imports->mutex);
    return dropped;
}

void symm_imports_leave(struct symm_imports *imports)
{
    (void)pthread_mutex_lock(&imports->mutex);
    imports->calls_under_way--;
    (void)pthread_mutex_unlock(&imports->mutex);
}

/* ---- closing ------------------------------------------------------------------------------- */

/* What was open in a context that has ended has been closed with it. */
static bool driver_close(const struct symm_import *import)
{
    struct symm_cuda_scope scope;
    if (symm_cuda_enter_to_release(import->device, &scope) != SYMM_OK) {
        return false;
    }
    CUresult result = scope.generation == import->generation
                          ? scope.cuda->cuIpcCloseMemHandle(import->address) : CUDA_SUCCESS;
    symm_cuda_leave(&scope);
    if (result != CUDA_SUCCESS) {
        (void)symm_cuda_failed("cuIpcCloseMemHandle", result);
    }
    return result == CUDA_SUCCESS;
}

static void forget(struct symm_imports *imports, struct symm_import *import)
{
    struct symm_import **link = &imports->all;
    while (*link != import) {
        link = &(*link)->next;
    }
    *link = import->next;
    imports->bytes -= import->handle.size;
    free(import);
}

bool symm_imports_drop(struct symm_imports *imports, struct symm_import *import)
{
    if (import->importer != NULL) {
        struct symm_import **link = &import->importer->places[import->index];
        while (*link != import) {
            link = &(*link)->next_at_place;
        }
        *link = import->next_at_place;
        import->importer = NULL;
    }
    if (!driver_close(import)) {
        return false;
    }
    forget(imports, import);
    return true;
}

void symm_imports_retry(struct symm_imports *imports)
{
    struct symm_import *next;
    for (struct symm_import *import = imports->all; import != NULL; import = next) {
        next = import->next;
        if (import->importer == NULL) {
            (void)symm_imports_drop(imports, import);
        }
    }
}

void symm_imports_destroy(struct symm_imports *imports)
{
    if (imports == NULL) {
        return;
    }
    symm_imports_retry(imports);
    while (imports->all != NULL) {
        forget(imports, imports->all); /* the driver keeps them */
    }
    (void)pthread_mutex_destroy(&imports->mutex);
    free(imports);
}

/*
 * Whether no call uses the import: the call at hand has used what it needs, and no other call may
 * be under way.  Other calls may have come and gone since the call at hand began.
 */
static bool is_idle(const struct symm_imports *imports, const struct symm_import *import)
{
    return imports->calls_under_way <= 1 && import->used < imports->busy_since;
}

/* The one to be closed next. */
static struct symm_import *oldest(const struct symm_imports *imports)
{
    struct symm_import *found = NULL;
    for (struct symm_import *import = imports->all; import != NULL; import = import->next) {
        if (import->importer != NULL && is_idle(imports, import) &&
            (found == NULL || import->used < found->used)) {
            found = import;
        }
    }
    return found;
}

/* Bytes that stay, whatever is closed. */
static size_t bytes_kept(const struct symm_imports *imports)
{
    size_t bytes = imports->bytes;
    for (struct symm_import *import = imports->all; import != NULL; import = import->next) {
        bytes -= import->importer != NULL && is_idle(imports, import) ? import->handle.size : 0;
    }
    return bytes;
}

static void evict(struct symm_imports *imports, struct symm_import *import)
{
    imports->dropped++;
    (void)symm_imports_drop(imports, import);
}

/* A device has been reset: nothing that was open there is mapped any more. */
static void forget_ended(struct symm_imports *imports)
{
    struct symm_import *next;
    imports->resets = symm_cuda_resets();
    for (struct symm_import *import = imports->all; import != NULL; import = next) {
        next = import->next;
        if (import->generation != symm_cuda_device_generation(import->device)) {
            evict(imports, import);
        }
    }
}

bool symm_imports_make_room(struct symm_imports *imports, size_t size)
{
    if (size > imports->most) {
        return false;
    }
    if (imports->bytes <= imports->most - size) {
        return true;
    }
    if (bytes_kept(imports) > imports->most - size) {
        return false;
    }
    struct symm_import *import;
    while (imports->bytes > imports->most - size && (import = oldest(imports)) != NULL) {
        evict(imports, import);
    }
    return imports->bytes <= imports->most - size;
}

bool symm_imports_evict_all(struct symm_imports *imports)
{
    struct symm_import *import;
    bool any = false;
    while ((import = oldest(imports)) != NULL) {
        evict(imports, import);
        any = true;
    }
    return any;
}

static struct symm_import *find_same(const struct symm_imports *imports,
                                     const struct symm_import *wanted)
{
    struct symm_import *import = imports->all;
    while (import != NULL &&
           (import->device != wanted->device ||
            memcmp(import->handle.bytes, wanted->handle.bytes, SYMM_IPC_HANDLE_SIZE) != 0)) {
        import = import->next;
    }
    return import;
}

/*
 * A driver that counts openings would return the same address as before for the handle, and the
 * memory there may be that of an earlier allocation, which has been freed.
 */
bool symm_imports_evict_same(struct symm_imports *imports, const struct symm_import *wanted)
{
    struct symm_import *same;
    while ((same = find_same(imports, wanted)) != NULL) {
        if (!is_idle(imports, same)) {
            (void)symm_cuda_unusable("the memory is in use under the name of an earlier one");
            return false;
        }
        imports->dropped += same->importer != NULL;
        if (!symm_imports_drop(imports, same)) {
            return false;
        }
    }
    return true;
}
