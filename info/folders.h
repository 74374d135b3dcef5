/*
 * folders.h - the folders where Open MPI looks for components, and how far it gets.
 *
 * Open MPI reads the folders of mca_base_component_path in order.  At the first one that it cannot
 * read it stops, without a word: 4.1.4 and 5.0.7 take no file from that folder or from those after
 * it.  A missing folder is such a one, and so is a folder with a broken symbolic link in it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef INFO_FOLDERS_H
#define INFO_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

#include "info/finding.h"

/* Lists of folders, separated by colons; "" is an empty one. */
struct folders {
    char *read;   /* those that Open MPI reads */
    char *unread; /* the one where it stops, and those after it */
    char *advice; /* all that can be read: those with coll/symm first, then the others */
    char *remedy; /* what has Open MPI read all of them; "" if it does */
};

/*
 * Walk through the value of mca_base_component_path.  `system` and `user` are what the words
 * SYSTEM_DEFAULT and USER_DEFAULT in it stand for.  Adds a finding if components are lost.
 */
void folders_look(struct folders *folders, const char *list, const char *system, const char *user,
                  struct findings *findings);

/* The first file of this name in the folders of a list; false: there is none. */
bool folders_find(const char *list, const char *name, char *path, size_t size);

void folders_free(struct folders *folders);

#endif /* INFO_FOLDERS_H */
