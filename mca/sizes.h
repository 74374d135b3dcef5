/*
 * sizes.h - whether the Open MPI that runs lays its structures out as the headers say that this
 * file was compiled with.
 *
 * Every class of Open MPI has a descriptor in the libraries, which holds the size of its objects.
 * Objects that are no classes have a size in the library's symbol table.  Both are compared with
 * sizeof.  configure compiles this file as well (m4/symm_compare_ompi.m4).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_MCA_SIZES_H
#define SYMM_MCA_SIZES_H

#include "mca/ompi_compat.h"

#include <dlfcn.h>
#include <link.h>

/*
 * The classes whose objects the components read, contain or make.  Of ompi_proc_t they read the
 * members in front, an opal_proc_t above all.  Its last one has an element for each sort of network
 * that Open MPI was configured with, which headers from another machine need not know.
 */
#define SYMM_OMPI_CLASSES(CLASS)        \
    CLASS(ompi_communicator_t)          \
    CLASS(ompi_datatype_t)              \
    CLASS(ompi_errhandler_t)            \
    CLASS(ompi_group_t)                 \
    CLASS(ompi_info_t)                  \
    CLASS(ompi_op_t)                    \
    CLASS(ompi_request_t)               \
    CLASS(mca_coll_base_module_t)       \
    CLASS(mca_base_component_list_item_t) \
    CLASS(opal_convertor_t)             \
    CLASS(opal_datatype_t)              \
    CLASS(opal_hash_table_t)            \
    CLASS(opal_info_t)                  \
    CLASS(opal_list_t)                  \
    CLASS(opal_mutex_t)                 \
    CLASS(opal_object_t)                \
    CLASS(opal_pointer_array_t)         \
    CLASS(opal_proc_t)

/* The objects without a class that they read. */
#define SYMM_OMPI_OBJECTS(OBJECT)       \
    OBJECT(mca_pml)                     \
    OBJECT(ompi_coll_base_framework)    \
    OBJECT(opal_datatype_predefined_elem_desc) \
    OBJECT(opal_mpool_base_framework)   \
    OBJECT(opal_process_info)

/* A class that this Open MPI lacks has the address NULL, so that a component can be loaded. */
#define SYMM_CLASS_DECLARE(type) extern __attribute__((weak)) opal_class_t type##_class;
SYMM_OMPI_CLASSES(SYMM_CLASS_DECLARE)
#undef SYMM_CLASS_DECLARE

/* A structure: its name, its size in the headers, and its size in the library, 0 if it has none. */
struct symm_size {
    const char *name;
    size_t headers, library;
};

static inline size_t symm_size_of_class(const opal_class_t *descriptor)
{
    return descriptor != NULL ? descriptor->cls_sizeof : 0;
}

/* `size` where the dynamic linker does not say. */
static inline size_t symm_size_of_object(const void *address, size_t size)
{
#ifdef __GLIBC__
    Dl_info place;
    void *entry = NULL;
    if (dladdr1(address, &place, &entry, RTLD_DL_SYMENT) != 0 && entry != NULL &&
        place.dli_saddr == address && ((const ElfW(Sym) *)entry)->st_size > 0) {
        return ((const ElfW(Sym) *)entry)->st_size; /* names of sections' ends have no size */
    }
#else
    (void)address;
#endif
    return size;
}

/* Store up to `most` of the structures that differ in `found`.  Returns how many differ. */
static inline size_t symm_sizes_differ(struct symm_size *found, size_t most)
{
#define SYMM_CLASS_SIZE(type) {#type, sizeof(type), symm_size_of_class(&type##_class)},
#define SYMM_OBJECT_SIZE(name) {#name, sizeof(name), symm_size_of_object(&(name), sizeof(name))},
    const struct symm_size sizes[] = {
        SYMM_OMPI_CLASSES(SYMM_CLASS_SIZE)
        SYMM_OMPI_OBJECTS(SYMM_OBJECT_SIZE)
    };
#undef SYMM_CLASS_SIZE
#undef SYMM_OBJECT_SIZE
    size_t count = 0;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        if (sizes[i].library != sizes[i].headers) {
            if (count < most) {
                found[count] = sizes[i];
            }
            count++;
        }
    }
    return count;
}

#endif /* SYMM_MCA_SIZES_H */
