/*
 * components.h - the files of our components that Open MPI would load, and whether they load.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef INFO_COMPONENTS_H
#define INFO_COMPONENTS_H

#include <stdbool.h>

#include "info/ompi.h"

struct components {
    bool loads;     /* both, and Open MPI of this release takes them */
    char *features; /* of their libsymm, as symm_features() has it; NULL: not known */
};

void components_look(struct components *components, const struct ompi *ompi,
                     struct findings *findings);

void components_free(struct components *components);

#endif /* INFO_COMPONENTS_H */
