/*
 * report/lines.c - see report/lines.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "mca/coll/symm/report/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t mca_coll_symm_lines_lay(const char *text, size_t length, char *laid)
{
    const char *end = text + length;
    size_t at = 0;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t line = newline != NULL ? (size_t)(newline + 1 - text) : (size_t)(end - text);
        size_t room = SYMM_LINES_BLOCK - at % SYMM_LINES_BLOCK;
        if (line > room && line <= SYMM_LINES_BLOCK) {
            memset(laid + at, ' ', room);
            at += room;
            laid[at - 1] = '\n';
        }
        memcpy(laid + at, text, line);
        at += line;
        text += line;
    }
    return at;
}

static void all_write(const char *text, size_t length)
{
    while (length > 0) {
        ssize_t written = write(STDERR_FILENO, text, length);
        if (written < 0 && errno != EINTR) {
            return;
        }
        text += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
}

void mca_coll_symm_lines_write(const char *text, size_t length)
{
    char *laid = malloc(2 * length + 1);
    if (laid == NULL) {
        all_write(text, length);
        return;
    }
    all_write(laid, mca_coll_symm_lines_lay(text, length, laid));
    free(laid);
}
