/*
 * data/kinds.c - see data/kinds.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/data/kinds.h"

#include <stdbool.h>
#include <string.h>

static bool is_kind(const char *text, size_t length, const char *kind)
{
    return length == strlen(kind) && strncmp(text, kind, length) == 0;
}

enum symm_kinds mca_coll_symm_kinds_read(const char *value)
{
    enum symm_kinds kinds = SYMM_KINDS_SYSTEM;
    for (const char *item = value;; item++) {
        size_t length = strcspn(item, ":,");
        if (is_kind(item, length, "mpi")) {
            kinds = SYMM_KINDS_GIVEN;
        } else if (!is_kind(item, length, "system")) {
            return SYMM_KINDS_ANY; /* an empty value or item, too */
        }
        item += strcspn(item, ",");
        if (*item == '\0') {
            return kinds;
        }
    }
}
