/*
 * mpool_symm_module.c - allocation and release of host memory.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/mpool/symm/mpool_symm.h"
#include "mca/help.h"

static struct symm_heap *heap(void)
{
    return symm_process_heap(mca_mpool_symm_component.process);
}

/* If this returns NULL, Open MPI gives ordinary memory, with which the program works as well. */
static void *host_alloc(mca_mpool_base_module_t *mpool, size_t size, size_t align, uint32_t flags)
{
    void *block = NULL;
    (void)mpool;
    (void)flags;
    enum symm_status status = symm_heap_alloc(heap(), size, align, &block);
    if (status != SYMM_OK) {
        opal_output_verbose(1, opal_mpool_base_framework.framework_output,
                            "mpool:symm: %lu bytes come from ordinary memory instead: %s",
                            (unsigned long)size, symm_status_string(status));
        return NULL;
    }
    return block;
}

static void host_free(mca_mpool_base_module_t *mpool, void *block)
{
    (void)mpool;
    enum symm_status status = symm_heap_free(heap(), block);
    if (status != SYMM_OK) {
        symm_help_show("help-mpool-symm.txt", "cannot free", block,
                       symm_status_string(status));
    }
}

/* MPI_Alloc_mem does not use this, but it is part of the interface. */
static void *host_realloc(mca_mpool_base_module_t *mpool, void *block, size_t size)
{
    struct symm_location location;
    void *moved = host_alloc(mpool, size, 0, 0);
    if (moved == NULL || block == NULL) {
        return moved;
    }
    /*
     * The old size is not known.  So copy what lies in the old block's segment, up to the new size.
     */
    size_t common = 0, more = size;
    for (; more > 0; more -= (more + 1) / 2) {
        while (more <= size - common &&
               symm_heap_locate(heap(), block, common + more, &location) == SYMM_OK) {
            common += more;
        }
    }
    memcpy(moved, block, common);
    host_free(mpool, block);
    return moved;
}

mca_mpool_base_module_t mca_mpool_symm_host_module = {
    .mpool_component = &mca_mpool_symm_component.super,
    .mpool_alloc = host_alloc,
    .mpool_realloc = host_realloc,
    .mpool_free = host_free,
    .flags = MCA_MPOOL_FLAGS_MPI_ALLOC_MEM,
};
