/*
 * cuda_importer.c - see cuda_importer.h.
 *
 * A request for the table of a peer is driven by whichever thread comes by.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heap/gpu/cuda_imports_state.h"
#include "heap/memfd.h"

/* ---- the peer's table ---------------------------------------------------------------------- */

static enum symm_status table_attach(struct symm_importer *importer,
                                     const struct symm_object *object)
{
    void *address;
    if (object->size != sizeof(struct symm_directory)) {
        return SYMM_ERR_PROTOCOL;
    }
    enum symm_status status = symm_memfd_check(object->descriptor, sizeof(struct symm_directory));
    if (status == SYMM_OK) {
        status = symm_memfd_map(object->descriptor, sizeof(struct symm_directory), &address);
    }
    if (status == SYMM_OK) {
        importer->directory = address;
    }
    return status;
}

static enum symm_status table_get(struct symm_importer *importer)
{
    const struct symm_object_id id = {
        .what = SYMM_OBJECT_DIRECTORY, .heap = SYMM_HEAP_IPC, .key = "ipc"};
    struct symm_object object;
    enum symm_status status =
        symm_request_ask(&importer->request, importer->name, &id, &object);
    if (status == SYMM_OK) {
        status = table_attach(importer, &object);
        (void)close(object.descriptor);
    }
    return status;
}

static void table_end(struct symm_importer *importer)
{
    symm_request_cancel(&importer->request);
    if (importer->directory != NULL) {
        (void)munmap((void *)(uintptr_t)importer->directory, sizeof(*importer->directory));
    }
}

/* ---- life ---------------------------------------------------------------------------------- */

enum symm_status symm_importer_get(struct symm_imports *imports, const char *name,
                                   struct symm_importer **importer)
{
    enum symm_status status = SYMM_OK;
    (void)pthread_mutex_lock(&imports->mutex);
    struct symm_importer *found = imports->importers;
    while (found != NULL && strcmp(found->name, name) != 0) {
        found = found->next;
    }
    if (found == NULL) {
        found = calloc(1, sizeof(*found));
        if (found == NULL) {
            status = SYMM_ERR_NO_MEMORY;
        } else {
            found->imports = imports;
            (void)strncpy(found->name, name, sizeof(found->name) - 1);
            found->next = imports->importers;
            imports->importers = found;
        }
    }
    if (status == SYMM_OK) {
        found->users++;
        *importer = found;
    }
    (void)pthread_mutex_unlock(&imports->mutex);
    return status;
}

static void importer_close(struct symm_imports *imports, const struct symm_importer *importer)
{
    struct symm_import *next;
    for (struct symm_import *import = imports->all; import != NULL; import = next) {
        next = import->next;
        if (import->importer == importer) {
            (void)symm_imports_drop(imports, import);
        }
    }
}

static void importer_destroy(struct symm_imports *imports, struct symm_importer *importer)
{
    struct symm_importer **link = &imports->importers;
    while (*link != importer) {
        link = &(*link)->next;
    }
    *link = importer->next;
    importer_close(imports, importer);
    table_end(importer);
    free(importer);
}

void symm_importer_put(struct symm_imports *imports, struct symm_importer *importer)
{
    (void)pthread_mutex_lock(&imports->mutex);
    if (--importer->users == 0) {
        importer_destroy(imports, importer);
    }
    (void)pthread_mutex_unlock(&imports->mutex);
}

/* ---- what its owner has retired -------------------------------------------------------------- */

static void collect_locked(struct symm_importer *importer)
{
    const struct symm_directory *directory = importer->directory;
    if (directory == NULL) {
        return;
    }
    uint32_t retired = atomic_load_explicit(&directory->retired, memory_order_acquire);
    if (retired == importer->retired_seen) {
        return;
    }
    importer->retired_seen = retired;
    struct symm_import *next;
    for (struct symm_import *import = importer->imports->all; import != NULL; import = next) {
        next = import->next;
        if (import->importer == importer &&
            atomic_load_explicit(&directory->serial[import->index], memory_order_acquire) !=
                import->serial) {
            (void)symm_imports_drop(importer->imports, import);
        }
    }
}

void symm_importer_collect(struct symm_importer *importer)
{
    (void)pthread_mutex_lock(&importer->imports->mutex);
    collect_locked(importer);
    (void)pthread_mutex_unlock(&importer->imports->mutex);
}

/* ---- opening ------------------------------------------------------------------------------- */

static struct symm_import *find(const struct symm_importer *importer,
                           const struct symm_location *location, int device)
{
    struct symm_import *import =
        location->index < SYMM_SEGMENTS_MAX ? importer->places[location->index] : NULL;
    while (import != NULL && (import->serial != location->serial || import->device != device)) {
        import = import->next_at_place;
    }
    return import;
}

static CUresult driver_open(const struct symm_cuda_scope *scope, struct symm_import *import)
{
    CUipcMemHandle handle;
    memcpy(handle.reserved, import->handle.bytes, sizeof(handle.reserved));
    return scope->cuda->cuIpcOpenMemHandle(&import->address, handle,
                                           CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
}

/*
 * A device without room for it gets another chance without what else is open.
 * CUDA_ERROR_ALREADY_MAPPED is final: another library has it open in this context, and would be
 * surprised if we closed it.
 */
static CUresult driver_open_patiently(struct symm_imports *imports,
                                      const struct symm_cuda_scope *scope,
                                      struct symm_import *import)
{
    CUresult result = driver_open(scope, import);
    if (result == CUDA_ERROR_OUT_OF_MEMORY && symm_imports_evict_all(imports)) {
        result = driver_open(scope, import);
    }
    return result;
}

static enum symm_status import_open(struct symm_imports *imports, struct symm_import *import)
{
    struct symm_cuda_scope scope;
    if (!symm_imports_make_room(imports, import->handle.size)) {
        (void)symm_cuda_unusable("%zu bytes do not fit in the %zu that may be open at a time",
                                 (size_t)import->handle.size, imports->most);
        return SYMM_ERR_NO_MEMORY;
    }
    if (!symm_imports_evict_same(imports, import)) {
        return SYMM_ERR_SYSTEM;
    }
    enum symm_status status = symm_cuda_enter(import->device, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    CUresult result = driver_open_patiently(imports, &scope, import);
    import->generation = scope.generation;
    symm_cuda_leave(&scope);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuIpcOpenMemHandle", result);
}

static enum symm_status add(struct symm_importer *importer, const struct symm_location *location,
                            const struct symm_ipc_handle *handle, int device)
{
    struct symm_imports *imports = importer->imports;
    struct symm_import *import = malloc(sizeof(*import));
    if (import == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    *import = (struct symm_import){
        .importer = importer,
        .index = location->index,
        .serial = location->serial,
        .device = device,
        .handle = *handle,
        .used = imports->calls,
    };
    symm_imports_retry(imports);
    enum symm_status status = import_open(imports, import);
    if (status != SYMM_OK) {
        free(import);
        return status;
    }
    imports->bytes += handle->size;
    import->next = imports->all;
    imports->all = import;
    import->next_at_place = importer->places[location->index];
    importer->places[location->index] = import;
    return SYMM_OK;
}

static enum symm_status open_locked(struct symm_importer *importer,
                                    const struct symm_location *location,
                                    const struct symm_ipc_handle *handle, int device)
{
    if (importer->directory == NULL) {
        enum symm_status status = table_get(importer);
        if (status != SYMM_OK) {
            return status;
        }
    }
    collect_locked(importer); /* what has been freed makes room */
    struct symm_import *import = find(importer, location, device);
    if (import != NULL) {
        import->used = importer->imports->calls;
        return SYMM_OK;
    }
    return add(importer, location, handle, device);
}

enum symm_status symm_importer_open(struct symm_importer *importer,
                                    const struct symm_location *location,
                                    const struct symm_ipc_handle *handle, int device)
{
    if (location->index >= SYMM_SEGMENTS_MAX || location->serial == 0 ||
        location->heap != SYMM_HEAP_IPC) {
        return SYMM_ERR_PROTOCOL;
    }
    (void)pthread_mutex_lock(&importer->imports->mutex);
    enum symm_status status = open_locked(importer, location, handle, device);
    (void)pthread_mutex_unlock(&importer->imports->mutex);
    return status;
}

void *symm_importer_address(struct symm_importer *importer, const struct symm_location *location,
                            int device)
{
    (void)pthread_mutex_lock(&importer->imports->mutex);
    struct symm_import *import = find(importer, location, device);
    char *address = NULL;
    if (import != NULL) {
        import->used = importer->imports->calls;
        address = (char *)(uintptr_t)import->address + location->offset;
    } else {
        (void)symm_cuda_unusable(
            "memory that is not from MPI_Alloc_mem has been freed during a call");
    }
    (void)pthread_mutex_unlock(&importer->imports->mutex);
    return address;
}
