/*
 * mpool_symm_refusal.c - makes an allocation fail where Open MPI would give ordinary memory
 * instead.
 *
 * MPI_Alloc_mem gets its memory from mca_mpool_base_alloc().  If a pool returns NULL, that function
 * takes memory from another pool; a pool has no means to refuse.  So libmpi's reference to the
 * function is made to point to a function in this file, which calls the original one.  If our pool
 * has refused meanwhile, it gives the memory back and returns NULL, for which MPI_Alloc_mem raises
 * an error.  The reference is a word of data in libmpi's table of imported functions, so no code is
 * changed.  It is restored when the component is closed.
 *
 * Some binaries have no such word, for instance if libmpi and libopen-pal are linked into one.
 * Refusing then raises the error itself.  It ends the job if the error handler returns, because
 * there is no other way to tell the program.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/mpool/symm/mpool_symm.h"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void *alloc_function(size_t size, struct opal_info_t *info, const char *hints);

/* libmpi's reference.  slot is NULL if it has not been found or not been changed. */
static struct {
    alloc_function **slot;
    bool is_protected; /* the loader has made it read-only */
    alloc_function *original;
} reference;

static _Thread_local bool refused;

static void *alloc_or_refuse(size_t size, struct opal_info_t *info, const char *hints)
{
    refused = false;
    void *memory = mca_mpool_base_alloc(size, info, hints);
    if (refused && memory != NULL) {
        (void)mca_mpool_base_free(memory);
        memory = NULL;
    }
    return memory;
}

void mca_mpool_symm_refuse(void)
{
    if (reference.slot != NULL) {
        refused = true;
        return;
    }
    (void)symm_ompi_raise(MPI_ERR_NO_MEM, "MPI_Alloc_mem");
    (void)ompi_mpi_abort(&ompi_mpi_comm_world.comm, MPI_ERR_NO_MEM);
}

/* ---- the reference --------------------------------------------------------------------------- */

#if defined(__x86_64__)
enum { IMPORTED_FUNCTION = R_X86_64_JUMP_SLOT, IMPORTED_ADDRESS = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { IMPORTED_FUNCTION = R_AARCH64_JUMP_SLOT, IMPORTED_ADDRESS = R_AARCH64_GLOB_DAT };
#else
enum { IMPORTED_FUNCTION = -1, IMPORTED_ADDRESS = -1 };
#endif

/* The tables of a loaded library that say where its references to other libraries are. */
struct tables {
    const ElfW(Sym) *symbols;
    const char *names;
    const ElfW(Rela) *lists[2];
    size_t lengths[2];
};

/*
 * The address of a table.  Most C libraries have turned the offset in the entry into an address,
 * but not all.
 */
static const void *table_at(uintptr_t base, const ElfW(Dyn) *entry)
{
    uintptr_t value = entry->d_un.d_ptr;
    return (const void *)(value < base ? base + value : value);
}

static void tables_read(uintptr_t base, const ElfW(Dyn) *entry, struct tables *tables)
{
    bool with_addends = false;
    for (; entry->d_tag != DT_NULL; entry++) {
        switch (entry->d_tag) {
        case DT_SYMTAB:
            tables->symbols = table_at(base, entry);
            break;
        case DT_STRTAB:
            tables->names = table_at(base, entry);
            break;
        case DT_JMPREL:
            tables->lists[0] = table_at(base, entry);
            break;
        case DT_PLTRELSZ:
            tables->lengths[0] = entry->d_un.d_val / sizeof(ElfW(Rela));
            break;
        case DT_PLTREL:
            with_addends = entry->d_un.d_val == DT_RELA;
            break;
        case DT_RELA:
            tables->lists[1] = table_at(base, entry);
            break;
        case DT_RELASZ:
            tables->lengths[1] = entry->d_un.d_val / sizeof(ElfW(Rela));
            break;
        default:
            break;
        }
    }
    if (!with_addends) {
        tables->lengths[0] = 0;
    }
}

static uintptr_t slot_find(const struct tables *tables, const char *name)
{
    for (size_t list = 0; list < 2; list++) {
        for (size_t i = 0; tables->lists[list] != NULL && i < tables->lengths[list]; i++) {
            const ElfW(Rela) *entry = &tables->lists[list][i];
            int type = (int)ELF64_R_TYPE(entry->r_info);
            const ElfW(Sym) *symbol = &tables->symbols[ELF64_R_SYM(entry->r_info)];
            if ((type == IMPORTED_FUNCTION || type == IMPORTED_ADDRESS) &&
                strcmp(tables->names + symbol->st_name, name) == 0) {
                return entry->r_offset;
            }
        }
    }
    return 0;
}

static bool segment_has(const ElfW(Phdr) *segment, uintptr_t offset)
{
    return offset - segment->p_vaddr < segment->p_memsz;
}

/*
 * For dl_iterate_phdr(): search the library that has MPI_Alloc_mem, and no other.  `core` is a
 * function of Open MPI's core.
 */
static int library_examine(struct dl_phdr_info *library, size_t size, void *core)
{
    struct tables tables = {.symbols = NULL};
    bool has_core = false;
    (void)size;
    for (size_t i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &library->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD) {
            has_core |= segment_has(segment, (uintptr_t)core - library->dlpi_addr);
        } else if (segment->p_type == PT_DYNAMIC) {
            const void *entries = (const void *)(library->dlpi_addr + segment->p_vaddr);
            tables_read(library->dlpi_addr, entries, &tables);
        }
    }
    if (!symm_ompi_has_functions(library->dlpi_name, has_core)) {
        return 0;
    }
    if (tables.symbols == NULL || tables.names == NULL) {
        return 1;
    }
    uintptr_t offset = slot_find(&tables, "mca_mpool_base_alloc");
    for (size_t i = 0; offset != 0 && i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &library->dlpi_phdr[i];
        reference.is_protected |= segment->p_type == PT_GNU_RELRO && segment_has(segment, offset);
    }
    if (offset != 0) {
        reference.slot = (alloc_function **)(library->dlpi_addr + offset);
    }
    return 1;
}

static bool protect(int protection)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)reference.slot / page * page;
    return !reference.is_protected || mprotect((void *)start, page, protection) == 0;
}

static bool reference_set(alloc_function *function)
{
    if (!protect(PROT_READ | PROT_WRITE)) {
        return false;
    }
    *reference.slot = function;
    (void)protect(PROT_READ);
    return true;
}

void mca_mpool_symm_refusal_open(void)
{
    if (IMPORTED_FUNCTION < 0 || reference.slot != NULL) {
        return;
    }
    reference.is_protected = false;
    (void)dl_iterate_phdr(library_examine, (void *)(uintptr_t)&ompi_mpi_abort);
    if (reference.slot == NULL) {
        return;
    }
    reference.original = *reference.slot;
    if (!reference_set(alloc_or_refuse)) {
        reference.slot = NULL;
    }
}

void mca_mpool_symm_refusal_close(void)
{
    if (reference.slot != NULL && *reference.slot == alloc_or_refuse) {
        (void)reference_set(reference.original);
        reference.slot = NULL;
    }
}
