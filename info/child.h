/*
 * child.h - work that may go wrong, in a process of its own: loading somebody else's libraries.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef INFO_CHILD_H
#define INFO_CHILD_H

#include <stdio.h>

/* Writes what it finds to `out`, line by line. */
typedef void child_work(FILE *out, const void *argument);

/*
 * Do the work in a child.  Returns what it has written, to be freed, also if it did not end well.
 * *end is NULL if it did, otherwise words for how it ended, to be freed.  What the child prints
 * elsewhere is dropped.
 */
char *child_run(child_work *work, const void *argument, char **end);

/* The value of a line "key<TAB>value" of such a text, to be freed; NULL: there is none. */
char *child_value(const char *text, const char *key);

/* Write such a line; characters that would break it become spaces. */
void child_write(FILE *out, const char *key, const char *value);

#endif /* INFO_CHILD_H */
