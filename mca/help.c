/*
 * help.c - see help.h.
 *
 * A file of texts has comments, which begin with '#', and sections, each headed by its topic in
 * brackets.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/help.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 4096, LINE_SIZE = 256 };

#define RULE "--------------------------------------------------------------------------\n"

static char own_folder[PATH_MAX]; /* of the component's file */
static char chosen_folders[PATH_MAX]; /* of the environment; "": none */

void symm_help_open(void)
{
    static const char inside_component; /* has an address in the component */
    char path[PATH_MAX], *slash;
    const char *chosen = getenv("SYMM_HELP_DIR"); /* a message may come from another thread */
    Dl_info place;
    (void)snprintf(chosen_folders, sizeof(chosen_folders), "%s", chosen != NULL ? chosen : "");
    if (dladdr(&inside_component, &place) != 0 && place.dli_fname != NULL &&
        realpath(place.dli_fname, path) != NULL && (slash = strrchr(path, '/')) != NULL) {
        *slash = '\0';
        (void)snprintf(own_folder, sizeof(own_folder), "%s", path);
    }
}

/* Whether a line is "[topic]". */
static bool is_head(const char *line, const char *topic)
{
    size_t length = strlen(topic);
    return line[0] == '[' && strncmp(line + 1, topic, length) == 0 && line[1 + length] == ']';
}

static bool section_read(FILE *texts, const char *topic, char text[TEXT_SIZE])
{
    char line[LINE_SIZE];
    size_t used = 0;
    bool inside = false;
    *text = '\0';
    while (fgets(line, sizeof(line), texts) != NULL) {
        size_t length = strlen(line);
        if (line[0] == '[') {
            if (inside) {
                break;
            }
            inside = is_head(line, topic);
        } else if (inside && line[0] != '#' && used + length < TEXT_SIZE) {
            memcpy(text + used, line, length + 1);
            used += length;
        }
    }
    return used > 0;
}

/* Look for a text in folders, which colons separate. */
static bool text_find(const char *folders, const char *file, const char *topic,
                      char text[TEXT_SIZE])
{
    char path[PATH_MAX];
    bool found = false;
    while (!found && *folders != '\0') {
        int length = (int)strcspn(folders, ":");
        (void)snprintf(path, sizeof(path), "%.*s/%s", length, folders, file);
        folders += length + (folders[length] == ':');
        FILE *texts = fopen(path, "re");
        if (texts != NULL) {
            found = section_read(texts, topic, text);
            (void)fclose(texts);
        }
    }
    return found;
}

void symm_help_show(const char *file, const char *topic, ...)
{
    char text[TEXT_SIZE], format[TEXT_SIZE + 2 * sizeof(RULE)], message[2 * TEXT_SIZE];
    const char *folders = *chosen_folders != '\0' ? chosen_folders : NULL;
    bool found = folders != NULL ? text_find(folders, file, topic, text)
                                 : text_find(own_folder, file, topic, text) ||
                                       text_find(SYMM_HELP_DIR, file, topic, text);
    if (found) {
        va_list arguments;
        (void)snprintf(format, sizeof(format), RULE "%s" RULE, text);
        va_start(arguments, topic);
        (void)vsnprintf(message, sizeof(message), format, arguments);
        va_end(arguments);
    } else {
        (void)snprintf(message, sizeof(message), RULE
                       "Sorry! There is a message about \"%s\", but no help text for it was "
                       "found.\n"
                       "  file:    %s\n  folders: %s%s%s\n" RULE,
                       topic, file, folders != NULL ? folders : own_folder,
                       folders != NULL ? "" : ":", folders != NULL ? "" : SYMM_HELP_DIR);
    }
    (void)fputs(message, stderr); /* at once, so that other ranks' messages stand apart */
}
