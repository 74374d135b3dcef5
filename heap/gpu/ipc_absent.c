/*
 * ipc_absent.c - memory from elsewhere in a build whose driver does not export it: where neither
 * table can be made, nothing else is called.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "heap/gpu/cuda_exports.h"
#include "heap/gpu/cuda_importer.h"

enum symm_status symm_exports_create(struct symm_server *server, struct symm_exports **exports)
{
    (void)server;
    (void)exports;
    return SYMM_ERR_NOT_FOUND;
}

void symm_exports_destroy(struct symm_exports *exports)
{
    (void)exports;
}

enum symm_status symm_exports_locate(struct symm_exports *exports,
                                     const struct symm_memory *memory, const void *address,
                                     size_t size, bool again, struct symm_location *location,
                                     unsigned *uses)
{
    (void)exports;
    (void)memory;
    (void)address;
    (void)size;
    (void)again;
    (void)location;
    (void)uses;
    return SYMM_ERR_FOREIGN;
}

enum symm_status symm_exports_handle(struct symm_exports *exports,
                                     const struct symm_location *location,
                                     struct symm_ipc_handle *handle)
{
    (void)exports;
    (void)location;
    (void)handle;
    return SYMM_ERR_FOREIGN;
}

void symm_exports_review(struct symm_exports *exports, unsigned count)
{
    (void)exports;
    (void)count;
}

enum symm_status symm_imports_create(size_t most, struct symm_imports **imports)
{
    (void)most;
    (void)imports;
    return SYMM_ERR_NOT_FOUND;
}

void symm_imports_destroy(struct symm_imports *imports)
{
    (void)imports;
}

uint32_t symm_imports_enter(struct symm_imports *imports)
{
    (void)imports;
    return 0;
}

void symm_imports_leave(struct symm_imports *imports)
{
    (void)imports;
}

enum symm_status symm_importer_get(struct symm_imports *imports, const char *name,
                                  struct symm_importer **importer)
{
    (void)imports;
    (void)name;
    (void)importer;
    return SYMM_ERR_NOT_FOUND;
}

void symm_importer_put(struct symm_imports *imports, struct symm_importer *importer)
{
    (void)imports;
    (void)importer;
}

enum symm_status symm_importer_open(struct symm_importer *importer,
                                    const struct symm_location *location,
                                    const struct symm_ipc_handle *handle, int device)
{
    (void)importer;
    (void)location;
    (void)handle;
    (void)device;
    return SYMM_ERR_NOT_FOUND;
}

void *symm_importer_address(struct symm_importer *importer, const struct symm_location *location,
                            int device)
{
    (void)importer;
    (void)location;
    (void)device;
    return NULL;
}

void symm_importer_collect(struct symm_importer *importer)
{
    (void)importer;
}
