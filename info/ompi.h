/*
 * ompi.h - which Open MPI programs get on this machine, and what it says of itself.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef INFO_OMPI_H
#define INFO_OMPI_H

#include <stdbool.h>

#include "info/finding.h"
#include "info/folders.h"

struct ompi {
    char *survey;   /* for ompi_variable() */
    char *release;  /* "4.1.4"; NULL: its library cannot be loaded */
    struct folders folders; /* where it looks for components */
    char *files;    /* its files of parameters, the first one counts, separated by commas */
};

/* Ask, in a child process, and add what was found. */
void ompi_look(struct ompi *ompi, struct findings *findings);

/* The value of one of Open MPI's parameters, to be freed; NULL: there is none of this name. */
char *ompi_variable(const struct ompi *ompi, const char *name);

/* Call `visit` for each parameter whose name begins with `prefix`. */
void ompi_variables(const struct ompi *ompi, const char *prefix,
                    void (*visit)(const char *name, const char *value, void *argument),
                    void *argument);

/* Whether two releases are of one series, as 4.1.4 and 4.1.6 are. */
bool ompi_same_series(const char *release, const char *other);

void ompi_free(struct ompi *ompi);

#endif /* INFO_OMPI_H */
