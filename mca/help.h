/*
 * help.h - messages for the user, from the components' help texts (help-*.txt).
 *
 * The texts are installed in SYMM_HELP_DIR.  The folder that the component was loaded from is
 * searched first, because a build tree has copies of the texts there (mca/local.mk).  If the
 * environment variable SYMM_HELP_DIR is set, the folders that it lists are searched instead of
 * both.
 *
 * Messages go straight to standard error.  Open MPI's opal_show_help() sends them to mpirun, which
 * merges duplicates, but mpirun 4.1.4 loses about one in three of them.  So if all ranks know of a
 * problem, only rank 0 may print a message.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_MCA_HELP_H
#define SYMM_MCA_HELP_H

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mca/ompi_compat.h"

/*
 * Add the folder of the component's file, as an absolute path because the program may change its
 * working directory.
 */
static inline void symm_help_add_own_folder(void)
{
    static const char inside_component; /* has an address in the component */
    Dl_info place;
    if (dladdr(&inside_component, &place) == 0 || place.dli_fname == NULL) {
        return;
    }
    char *path = realpath(place.dli_fname, NULL);
    char *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (slash != NULL) {
        *slash = '\0';
        (void)opal_show_help_add_dir(path);
    }
    free(path);
}

/* Tell Open MPI the folders.  Has to be called before the first message. */
static inline void symm_help_open(void)
{
    const char *from_environment = getenv("SYMM_HELP_DIR");
    if (from_environment == NULL) {
        symm_help_add_own_folder();
    }
    char **folders = opal_argv_split(from_environment != NULL ? from_environment : SYMM_HELP_DIR,
                                     ':');
    for (int i = 0; folders != NULL && folders[i] != NULL; i++) {
        (void)opal_show_help_add_dir(folders[i]);
    }
    opal_argv_free(folders);
}

/*
 * Print the text `topic` of `file`.  The arguments are those of the text's conversions, as for
 * printf.
 */
static inline void symm_help_show(const char *file, const char *topic, ...)
{
    va_list arguments;
    va_start(arguments, topic);
    char *text = opal_show_help_vstring(file, topic, true, arguments);
    va_end(arguments);
    if (text != NULL) {
        (void)fputs(text, stderr);
        free(text);
    }
}

#endif /* SYMM_MCA_HELP_H */
