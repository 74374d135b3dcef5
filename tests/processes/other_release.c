/*
 * other_release.c - to be preloaded: makes Open MPI look like another one than it is.
 * SYMM_TEST_OTHER says how:
 *   size     objects of communicators are larger, as in a build with other options; Open MPI itself
 *            works as before
 *   series   the library says that its version is 9.9.0
 *   release  the library says that it is release 99 of its series
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/sizes.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static bool asked_for(const char *what)
{
    const char *other = getenv("SYMM_TEST_OTHER");
    return other != NULL && strcmp(other, what) == 0;
}

/* Runs when libmpi has been loaded, and before anything uses it. */
__attribute__((constructor)) static void other_release_begin(void)
{
    if (asked_for("size")) {
        ompi_communicator_t_class.cls_sizeof += 64;
    }
}

__attribute__((visibility("default"))) int PMPI_Get_library_version(char *version, int *length)
{
    if (asked_for("series")) {
        *length = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "Open MPI v9.9.0, package: x");
        return MPI_SUCCESS;
    }
    if (asked_for("release")) {
        *length = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "Open MPI v%d.%d.99rc1",
                           OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION);
        return MPI_SUCCESS;
    }
    int (*next)(char *, int *);
    void *address = dlsym(RTLD_NEXT, "PMPI_Get_library_version");
    memcpy(&next, &address, sizeof(next));
    return next(version, length);
}
