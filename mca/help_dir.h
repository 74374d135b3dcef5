/*
 * help_dir.h - where the components' help texts are.
 *
 * Open MPI looks for help-*.txt in its own folder; ours are installed in SYMM_HELP_DIR, or lie in the
 * folders that the environment variable SYMM_HELP_DIR lists (the build tree uses that).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_MCA_HELP_DIR_H
#define SYMM_MCA_HELP_DIR_H

#include <stdlib.h>

#include "mca/ompi_compat.h"

static inline void symm_help_dir_add(void)
{
    const char *from_environment = getenv("SYMM_HELP_DIR");
    char **folders = opal_argv_split(from_environment != NULL ? from_environment : SYMM_HELP_DIR,
                                     ':');
    for (int i = 0; folders != NULL && folders[i] != NULL; i++) {
        (void)opal_show_help_add_dir(folders[i]);
    }
    opal_argv_free(folders);
}

#endif /* SYMM_MCA_HELP_DIR_H */
