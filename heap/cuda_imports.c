/*
 * cuda_imports.c - see cuda_ipc.h: allocations of other processes, open here.
 *
 * One mutex guards all of it, since what is opened for one peer may make another one's go.  Requests for the
 * tables of peers are driven by whoever comes by.
 *
 * What the driver would not close stays open and is in nobody's use; it is tried again before something is
 * opened, and at the end.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heap/cuda_context.h"
#include "heap/cuda_ipc.h"
#include "heap/directory.h"
#include "heap/memfd.h"
#include "heap/request.h"

/* An allocation that is open for one device. */
struct import {
    struct symm_importer *importer; /* NULL: stuck, the driver would not close it */
    uint32_t index, serial;
    int device;
    CUdeviceptr address;
    struct symm_ipc_handle handle;
    uint64_t used; /* the call that has used it last */
    struct import *next;         /* of all */
    struct import *next_at_place; /* for other devices, or of a time when the place was another's */
};

struct symm_importer {
    struct symm_imports *imports;
    char name[SYMM_SOCKET_NAME_SIZE];
    unsigned users;
    const struct symm_directory *directory; /* NULL: it has not come yet */
    uint32_t retired_seen;
    struct symm_request request;
    bool requesting;
    struct import *places[SYMM_SEGMENTS_MAX];
    struct symm_importer *next;
};

struct symm_imports {
    pthread_mutex_t mutex;
    size_t most, bytes;
    unsigned calls_under_way;
    uint64_t calls; /* begun so far: the number of the newest */
    uint64_t busy_since; /* the oldest call that those under way may go back to */
    uint32_t dropped;
    struct import *all;
    struct symm_importer *importers;
};

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

uint32_t symm_imports_enter(struct symm_imports *imports)
{
    (void)pthread_mutex_lock(&imports->mutex);
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

enum symm_status symm_imports_get(struct symm_imports *imports, const char *name,
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

/* ---- closing ------------------------------------------------------------------------------- */

static bool driver_close(const struct import *import)
{
    struct symm_cuda_scope scope;
    if (symm_cuda_enter(import->device, &scope) != SYMM_OK) {
        return false;
    }
    CUresult result = scope.cuda->cuIpcCloseMemHandle(import->address);
    symm_cuda_leave(&scope);
    if (result != CUDA_SUCCESS) {
        (void)symm_cuda_failed("cuIpcCloseMemHandle", result);
    }
    return result == CUDA_SUCCESS;
}

static void forget(struct symm_imports *imports, struct import *import)
{
    struct import **link = &imports->all;
    while (*link != import) {
        link = &(*link)->next;
    }
    *link = import->next;
    imports->bytes -= import->handle.size;
    free(import);
}

/* Close it; if that cannot be, nobody finds it any more. */
static bool drop(struct symm_imports *imports, struct import *import)
{
    if (import->importer != NULL) {
        struct import **link = &import->importer->places[import->index];
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

static void stuck_retry(struct symm_imports *imports)
{
    struct import *next;
    for (struct import *import = imports->all; import != NULL; import = next) {
        next = import->next;
        if (import->importer == NULL) {
            (void)drop(imports, import);
        }
    }
}

static void importer_close(struct symm_imports *imports, const struct symm_importer *importer)
{
    struct import *next;
    for (struct import *import = imports->all; import != NULL; import = next) {
        next = import->next;
        if (import->importer == importer) {
            (void)drop(imports, import);
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
    if (importer->requesting) {
        symm_request_cancel(&importer->request);
    }
    if (importer->directory != NULL) {
        (void)munmap((void *)(uintptr_t)importer->directory, sizeof(*importer->directory));
    }
    free(importer);
}

void symm_imports_put(struct symm_imports *imports, struct symm_importer *importer)
{
    (void)pthread_mutex_lock(&imports->mutex);
    if (--importer->users == 0) {
        importer_destroy(imports, importer);
    }
    (void)pthread_mutex_unlock(&imports->mutex);
}

void symm_imports_destroy(struct symm_imports *imports)
{
    if (imports == NULL) {
        return;
    }
    while (imports->importers != NULL) {
        importer_destroy(imports, imports->importers);
    }
    stuck_retry(imports);
    while (imports->all != NULL) {
        forget(imports, imports->all); /* the driver keeps them */
    }
    (void)pthread_mutex_destroy(&imports->mutex);
    free(imports);
}

/*
 * The one to be closed next, but none that a call may use: the call at hand has used what it needs, and beside it
 * there must not be any.  (Others may have come and gone since it began.)
 */
static struct import *oldest(const struct symm_imports *imports)
{
    struct import *found = NULL;
    for (struct import *import = imports->all; import != NULL; import = import->next) {
        if (import->importer != NULL && import->used < imports->busy_since &&
            (found == NULL || import->used < found->used)) {
            found = import;
        }
    }
    return imports->calls_under_way <= 1 ? found : NULL;
}

static void evict(struct symm_imports *imports, struct import *import)
{
    imports->dropped++;
    (void)drop(imports, import);
}

static bool room_make(struct symm_imports *imports, size_t size)
{
    while (size > imports->most || imports->bytes > imports->most - size) {
        struct import *import = size <= imports->most ? oldest(imports) : NULL;
        if (import == NULL) {
            return false;
        }
        evict(imports, import);
    }
    return true;
}

static void evict_all(struct symm_imports *imports)
{
    struct import *import;
    while ((import = oldest(imports)) != NULL) {
        evict(imports, import);
    }
}

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
    struct symm_object object;
    if (!importer->requesting) {
        const struct symm_object_id id = {
            .what = SYMM_OBJECT_DIRECTORY, .heap = SYMM_HEAP_IPC, .key = "ipc"};
        symm_request_begin(&importer->request, importer->name, &id);
        importer->requesting = true;
    }
    enum symm_status status = symm_request_test(&importer->request, &object);
    if (status == SYMM_PENDING) {
        return status;
    }
    importer->requesting = false;
    if (status == SYMM_OK) {
        status = table_attach(importer, &object);
        (void)close(object.descriptor);
    }
    return status;
}

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
    struct import *next;
    for (struct import *import = importer->imports->all; import != NULL; import = next) {
        next = import->next;
        if (import->importer == importer &&
            atomic_load_explicit(&directory->serial[import->index], memory_order_acquire) !=
                import->serial) {
            (void)drop(importer->imports, import);
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

static struct import *find(const struct symm_importer *importer,
                           const struct symm_location *location, int device)
{
    struct import *import =
        location->index < SYMM_SEGMENTS_MAX ? importer->places[location->index] : NULL;
    while (import != NULL && (import->serial != location->serial || import->device != device)) {
        import = import->next_at_place;
    }
    return import;
}

/* The import that has the handle open, under a name that its owner has given up; not one in use. */
static struct import *find_same(const struct symm_imports *imports, const struct import *wanted)
{
    struct import *import = imports->all;
    while (import != NULL &&
           (import->device != wanted->device || import->used >= imports->busy_since ||
            memcmp(import->handle.bytes, wanted->handle.bytes, SYMM_IPC_HANDLE_SIZE) != 0)) {
        import = import->next;
    }
    return imports->calls_under_way <= 1 ? import : NULL;
}

static CUresult driver_open(const struct symm_cuda_scope *scope, struct import *import)
{
    CUipcMemHandle handle;
    memcpy(handle.reserved, import->handle.bytes, sizeof(handle.reserved));
    return scope->cuda->cuIpcOpenMemHandle(&import->address, handle,
                                           CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
}

/* Once more, if something of ours can be got out of the way. */
static CUresult driver_open_again(struct symm_imports *imports, const struct symm_cuda_scope *scope,
                                  struct import *import, CUresult result)
{
    struct import *same;
    if (result == CUDA_ERROR_OUT_OF_MEMORY && oldest(imports) != NULL) {
        evict_all(imports);
        return driver_open(scope, import);
    }
    if (result == CUDA_ERROR_ALREADY_MAPPED && (same = find_same(imports, import)) != NULL) {
        evict(imports, same);
        return driver_open(scope, import);
    }
    return result;
}

static enum symm_status import_open(struct symm_imports *imports, struct import *import)
{
    struct symm_cuda_scope scope;
    if (!room_make(imports, import->handle.size)) {
        (void)symm_cuda_unusable("%zu bytes do not fit in the %zu that may be open at a time",
                                 (size_t)import->handle.size, imports->most);
        return SYMM_ERR_NO_MEMORY;
    }
    enum symm_status status = symm_cuda_enter(import->device, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    CUresult result = driver_open(&scope, import);
    if (result != CUDA_SUCCESS) {
        result = driver_open_again(imports, &scope, import, result);
    }
    symm_cuda_leave(&scope);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuIpcOpenMemHandle", result);
}

static enum symm_status add(struct symm_importer *importer, const struct symm_location *location,
                            const struct symm_ipc_handle *handle, int device)
{
    struct symm_imports *imports = importer->imports;
    struct import *import = malloc(sizeof(*import));
    if (import == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    *import = (struct import){
        .importer = importer,
        .index = location->index,
        .serial = location->serial,
        .device = device,
        .handle = *handle,
        .used = imports->calls,
    };
    stuck_retry(imports);
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
    struct import *import = find(importer, location, device);
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
    struct import *import = find(importer, location, device);
    char *address = NULL;
    if (import != NULL) {
        import->used = importer->imports->calls;
        address = (char *)(uintptr_t)import->address + location->offset;
    }
    (void)pthread_mutex_unlock(&importer->imports->mutex);
    return address;
}
