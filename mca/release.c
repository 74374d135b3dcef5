/*
 * release.c - see release.h.
 *
 * Releases of one series, such as 4.1.4 and 4.1.6, are taken for each other if their structures
 * have the same sizes: distributions update Open MPI within a series and do not build components
 * anew.  Between series functions change as well, which sizes do not show.
 *
 * The line is not in the help texts, so that it comes whatever else is missing.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/release.h"

#include <stdio.h>

#include "mca/once.h"
#include "mca/sizes.h"

static const char not_used_text[] =
    "ompi-symm: not used, because it was built for another Open MPI: "
    "for %d.%d.%d, and %.40s runs%s. Build it for the Open MPI that runs.\n";

/* The text has the form "Open MPI v5.0.7, package: ...".  Returns what stands behind "v". */
static const char *version_find(char text[MPI_MAX_LIBRARY_VERSION_STRING])
{
    static const char before[] = "Open MPI v";
    text[0] = '\0';
    if (!symm_ompi_version(text) || strncmp(text, before, strlen(before)) != 0) {
        return text;
    }
    char *version = text + strlen(before);
    version[strcspn(version, ", ")] = '\0';
    return version;
}

static bool series_is_ours(const char *version)
{
    int major = 0;
    int minor = 0;
    return sscanf(version, "%d.%d", &major, &minor) == 2 && major == OMPI_MAJOR_VERSION &&
           minor == OMPI_MINOR_VERSION;
}

bool symm_release_is_ours(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    const char *version = version_find(text);
    struct symm_size first = {"", 0, 0};
    char difference[128] = "";
    bool same_series = series_is_ours(version);
    bool same_sizes = symm_sizes_differ(&first, 1) == 0;
    if (same_series && same_sizes) {
        return true;
    }
    if (same_series) {
        (void)snprintf(difference, sizeof(difference),
                       " with other options (%s has %zu bytes there, %zu here)", first.name,
                       first.library, first.headers);
    }
    if (symm_once_among_siblings("release")) {
        (void)fprintf(stderr, not_used_text, OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION,
                      OMPI_RELEASE_VERSION, version, difference);
    }
    return false;
}
