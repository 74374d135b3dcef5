/*
 * built_for.c - see built_for.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/ompi_compat.h"

#include "mca/built_for.h"

#define TEXT_OF(number) #number
#define RELEASE(major, minor, release) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(release)

const char *symm_built_for_ompi(void)
{
    return RELEASE(OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION);
}
