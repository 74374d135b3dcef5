/*
 * settings.c - see settings.h.  What is in the way is in obstacles.c.
 *
 * Open MPI takes a parameter from its environment, where mpirun puts those of its command line, and
 * otherwise from the first file that has it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "info/settings.h"

extern char **environ;

static bool is_of_interest(const char *name)
{
    return strcmp(name, "coll") == 0 || strcmp(name, "mpool") == 0 ||
           strncmp(name, "coll_", 5) == 0 || strncmp(name, "mpool_", 6) == 0;
}

static void setting_add(struct settings *settings, const char *name, const char *value,
                        const char *source, int line)
{
    if (!is_of_interest(name) || settings_value(settings, name) != NULL) {
        return;
    }
    struct setting *list =
        realloc(settings->list, (settings->count + 1) * sizeof(*settings->list));
    if (list == NULL) {
        return;
    }
    settings->list = list;
    list[settings->count++] = (struct setting){
        .name = text_copy(name),
        .value = text_copy(value),
        .source = text_copy(source),
        .line = line,
    };
}

static void environment_read(struct settings *settings)
{
    static const char prefix[] = "OMPI_MCA_";
    for (char **at = environ; at != NULL && *at != NULL; at++) {
        if (strncmp(*at, prefix, sizeof(prefix) - 1) == 0) {
            char *name = text_copy(*at + sizeof(prefix) - 1);
            char *value = strchr(name, '=');
            if (value != NULL) {
                *value++ = '\0';
                setting_add(settings, name, value, "the environment", 0);
            }
            free(name);
        }
    }
}

/* The text without spaces, and quotation marks, around it. */
static char *trimmed(char *text)
{
    text += strspn(text, " \t\"'");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n\"'", text[length - 1]) != NULL) {
        text[--length] = '\0';
    }
    return text;
}

static void file_read(struct settings *settings, const char *path)
{
    char line[4096];
    FILE *file = fopen(path, "re");
    for (int number = 1; file != NULL && fgets(line, sizeof(line), file) != NULL; number++) {
        char *value = strchr(line, '=');
        if (line[strspn(line, " \t")] != '#' && value != NULL) {
            *value++ = '\0';
            setting_add(settings, trimmed(line), trimmed(value), path, number);
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
}

void settings_read(struct settings *settings, const struct ompi *ompi)
{
    char *files = text_copy(ompi->files), *rest = files;
    *settings = (struct settings){.count = 0};
    environment_read(settings);
    for (char *path; (path = strsep(&rest, ",:")) != NULL;) {
        if (*path != '\0') {
            file_read(settings, path);
        }
    }
    free(files);
}

const char *settings_value(const struct settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->count; i++) {
        if (strcmp(settings->list[i].name, name) == 0) {
            return settings->list[i].value;
        }
    }
    return NULL;
}

void settings_free(struct settings *settings)
{
    for (size_t i = 0; i < settings->count; i++) {
        free(settings->list[i].name);
        free(settings->list[i].value);
        free(settings->list[i].source);
    }
    free(settings->list);
}
