/*
 * settings.h - what the user, or the installation, has set for coll, mpool and our components.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef INFO_SETTINGS_H
#define INFO_SETTINGS_H

#include "info/ompi.h"

struct setting {
    char *name, *value;
    char *source; /* "the environment" or a file */
    int line;     /* of the file; 0: it is the environment */
};

/* Of each parameter the one that counts. */
struct settings {
    struct setting *list;
    size_t count;
};

/* Read the environment, then the files that Open MPI reads. */
void settings_read(struct settings *settings, const struct ompi *ompi);

/* The value that a parameter has been set to, or NULL. */
const char *settings_value(const struct settings *settings, const char *name);

/* Add what is in the way of our components. */
void settings_look(const struct settings *settings, const struct ompi *ompi,
                   struct findings *findings);

void settings_free(struct settings *settings);

#endif /* INFO_SETTINGS_H */
