/*
 * report/json.c - see report/json.h.  docs/messages.md describes the fields.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "mca/coll/symm/report/json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mca/coll/symm/report/words.h"
#include "mca/help.h"

struct writer {
    FILE *file;
    const char *between; /* stands before the next row */
};

/* The name of a node may have any characters; other texts are ours. */
static void string_write(FILE *file, const char *text)
{
    (void)fputc('"', file);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ' || c == '"' || c == '\\' || c > '~') {
            (void)fprintf(file, "\\u%04x", c);
        } else {
            (void)fputc(c, file);
        }
    }
    (void)fputc('"', file);
}

static void row_write(void *context, const char *collective, const char *outcome,
                      const char *detail, uint64_t calls, uint64_t bytes)
{
    struct writer *writer = context;
    (void)fprintf(writer->file,
                  "%s\n    {\"collective\": \"%s\", \"outcome\": \"%s\", \"detail\": \"%s\", "
                  "\"calls\": %" PRIu64 ", \"bytes\": %" PRIu64 "}",
                  writer->between, collective, outcome, detail, calls, bytes);
    writer->between = ",";
}

static void report_write(const struct symm_report *report, FILE *file)
{
    struct writer writer = {file, ""};
    (void)fprintf(file, "{\n  \"version\": \"%s\",\n  \"node\": ", PACKAGE_VERSION);
    string_write(file, report->node);
    (void)fprintf(file, ",\n  \"processes\": %zu,\n  \"processes_missing\": %zu,\n  \"rows\": [",
                  report->processes, report->missing);
    mca_coll_symm_report_rows(report, row_write, &writer);
    (void)fprintf(file, "\n  ],\n  \"communicators_not_served\": {");
    for (int i = 0; i < SYMM_UNSERVED_COUNT; i++) {
        (void)fprintf(file, "%s\"%s\": %" PRIu64, i == 0 ? "" : ", ",
                      mca_coll_symm_unserved_name((enum symm_unserved)i),
                      (uint64_t)report->sum.unserved[i]);
    }
    (void)fprintf(file, "}\n}\n");
}

/* Returns 0 or the error. */
static int file_write(const struct symm_report *report, const char *path)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (file == NULL) {
        int error = errno;
        if (descriptor >= 0) {
            (void)close(descriptor);
        }
        return error;
    }
    report_write(report, file);
    errno = 0;
    bool failed = fflush(file) != 0 || ferror(file) != 0;
    int error = !failed ? 0 : errno != 0 ? errno : EIO;
    (void)fclose(file);
    return error;
}

void mca_coll_symm_report_json(const struct symm_report *report, const char *path)
{
    int error = file_write(report, path);
    if (error != 0) {
        symm_help_show("help-coll-symm.txt", "report not written", path, strerror(error));
    }
}
