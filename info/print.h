/*
 * print.h - findings as text for people, or as JSON for programs.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef INFO_PRINT_H
#define INFO_PRINT_H

#include <stdbool.h>

#include "info/finding.h"

/* One node with the findings of its ranks; a machine without mpirun is a node without ranks. */
struct node {
    char name[256];
    int first, ranks; /* its lowest rank, and how many it has */
    struct findings findings;
};

struct nodes {
    struct node *list;
    int count;
    bool is_job; /* under mpirun */
};

/* Print all to standard output.  Returns the number of problems. */
size_t nodes_print(const struct nodes *nodes, bool json);

#endif /* INFO_PRINT_H */
