/*
 * mpi_library.c - see mpi_library.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "info/mpi_library.h"

/*
 * Functions, and the objects that mpi.h's handles point to.  The linker must not look for either,
 * so all are found by name.
 */
static const struct symbol {
    const char *name;
    size_t offset;
} symbols[] = {
#define ENTRY(name) {#name, offsetof(struct mpi_library, name)},
    MPI_LIBRARY_FUNCTIONS(ENTRY)
#undef ENTRY
    {"ompi_mpi_comm_world", offsetof(struct mpi_library, world)},
    {"ompi_mpi_comm_null", offsetof(struct mpi_library, comm_null)},
    {"ompi_mpi_char", offsetof(struct mpi_library, type_char)},
    {"ompi_mpi_int", offsetof(struct mpi_library, type_int)},
    {"ompi_mpi_float", offsetof(struct mpi_library, type_float)},
    {"ompi_mpi_op_sum", offsetof(struct mpi_library, sum)},
    {"ompi_mpi_op_min", offsetof(struct mpi_library, min)},
    {"ompi_mpi_info_null", offsetof(struct mpi_library, info_null)},
    {"ompi_mpi_errors_return", offsetof(struct mpi_library, errors_return)},
};

/* Components that are not linked with it find its functions, so they have to be global. */
static void *library_open(char *text, size_t size)
{
#if OMPI_MAJOR_VERSION < 6
    static const char *const names[] = {"libmpi.so.40", "libmpi.so"};
#else
    static const char *const names[] = {"libmpi.so"}; /* prereleases have no number of their own */
#endif
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        void *handle = dlopen(names[i], RTLD_NOW | RTLD_GLOBAL);
        if (handle != NULL) {
            return handle;
        }
        const char *reason = dlerror();
        if (i == 0) { /* what is wrong with the name that programs are linked with */
            (void)snprintf(text, size, "%s", reason != NULL ? reason : names[i]);
        }
        if (reason == NULL || strstr(reason, "No such file") == NULL) {
            break; /* programs would get this one, and it is broken */
        }
    }
    return NULL;
}

bool mpi_library_open(struct mpi_library *mpi, char *text, size_t size)
{
    mpi->handle = library_open(text, size);
    if (mpi->handle == NULL) {
        return false;
    }
    for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
        void *address = dlsym(mpi->handle, symbols[i].name);
        if (address == NULL) {
            (void)snprintf(text, size, "the library has no %s: it is not Open MPI's",
                           symbols[i].name);
            (void)dlclose(mpi->handle);
            return false;
        }
        memcpy((char *)mpi + symbols[i].offset, &address, sizeof(address));
    }
    return true;
}
