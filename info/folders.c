/*
 * folders.c - see folders.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "info/folders.h"

/* ---- one folder ------------------------------------------------------------------------------ */

/*
 * 0 if Open MPI can read the folder, which takes a stat() of each entry.  Otherwise errno, and
 * `culprit` is the path that is to blame: the folder's or an entry's.
 */
static int folder_try(const char *folder, char *culprit, size_t size)
{
    struct stat ignored;
    int error = 0;
    (void)snprintf(culprit, size, "%s", folder);
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        return errno;
    }
    for (struct dirent *entry; error == 0 && (entry = readdir(directory)) != NULL;) {
        (void)snprintf(culprit, size, "%s/%s", folder, entry->d_name);
        error = stat(culprit, &ignored) == 0 ? 0 : errno;
    }
    (void)closedir(directory);
    return error;
}

static bool folder_has_components(const char *folder)
{
    DIR *directory = opendir(folder);
    bool found = false;
    if (directory == NULL) {
        return false;
    }
    for (struct dirent *entry; !found && (entry = readdir(directory)) != NULL;) {
        found = strncmp(entry->d_name, "mca_", 4) == 0;
    }
    (void)closedir(directory);
    return found;
}

static bool folder_has(const char *folder, const char *name, char *path, size_t size)
{
    (void)snprintf(path, size, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void list_add(char **list, const char *folder)
{
    char *longer = NULL;
    if (asprintf(&longer, "%s%s%s", *list, **list != '\0' ? ":" : "", folder) < 0) {
        return; /* without memory the list is short */
    }
    free(*list);
    *list = longer;
}

/* The next folder of a list that strsep() cuts; NULL: there are no more. */
static char *list_next(char **rest)
{
    char *folder;
    do {
        folder = strsep(rest, ":");
    } while (folder != NULL && *folder == '\0');
    return folder;
}

bool folders_find(const char *list, const char *name, char *path, size_t size)
{
    char *copy = text_copy(list), *rest = copy;
    bool found = false;
    for (char *folder; !found && (folder = list_next(&rest)) != NULL;) {
        found = folder_has(folder, name, path, size);
    }
    free(copy);
    return found;
}

/* Of a list, the folders that can be read and have, or lack, coll/symm. */
static void advice_add(char **advice, const char *list, bool with_ours)
{
    char *copy = text_copy(list), *rest = copy, path[PATH_MAX];
    for (char *folder; (folder = list_next(&rest)) != NULL;) {
        if (folder_has(folder, "mca_coll_symm.so", path, sizeof(path)) == with_ours &&
            folder_try(folder, path, sizeof(path)) == 0) {
            list_add(advice, folder);
        }
    }
    free(copy);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static const char *word_replace(const char *word, const char *system, const char *user)
{
    if (strcmp(word, "SYSTEM_DEFAULT") == 0 || strcmp(word, "SYS_DEFAULT") == 0) {
        return system;
    }
    return strcmp(word, "USER_DEFAULT") == 0 || strcmp(word, "USR_DEFAULT") == 0 ? user : word;
}

/* A folder is made or left out; an entry, which stat() cannot follow, has to go. */
static char *remedy_make(const char *culprit, bool is_folder, int error, const char *advice)
{
    char *remedy = NULL;
    int length;
    if (is_folder) {
        bool missing = error == ENOENT;
        length = asprintf(&remedy, "%s%s%sexport OMPI_MCA_mca_base_component_path=%s",
                          missing ? "mkdir -p " : "", missing ? culprit : "",
                          missing ? ", or leave it out: " : "", advice);
    } else {
        length = asprintf(&remedy, "remove %s", culprit);
    }
    return length >= 0 ? remedy : text_copy("");
}

/* By default ~/.openmpi/components is the last one.  It does no harm that it is missing. */
static bool components_are_lost(const struct folders *folders)
{
    char *copy = text_copy(folders->unread), *rest = copy;
    bool are_lost = false;
    for (char *folder; !are_lost && (folder = list_next(&rest)) != NULL;) {
        are_lost = folder_has_components(folder);
    }
    free(copy);
    return are_lost;
}

void folders_look(struct folders *folders, const char *list, const char *system, const char *user,
                  struct findings *findings)
{
    char *copy = text_copy(list), *rest = copy, *all = text_copy("");
    char culprit[PATH_MAX];
    bool is_folder = false;
    int error = 0;
    *folders = (struct folders){text_copy(""), text_copy(""), text_copy(""), NULL};
    for (const char *folder; (folder = list_next(&rest)) != NULL;) {
        folder = word_replace(folder, system, user);
        if (error == 0) {
            error = folder_try(folder, culprit, sizeof(culprit));
            is_folder = strcmp(culprit, folder) == 0;
        }
        list_add(error == 0 ? &folders->read : &folders->unread, folder);
        list_add(&all, folder);
    }
    advice_add(&folders->advice, all, true);
    advice_add(&folders->advice, all, false);
    folders->remedy = error != 0 ? remedy_make(culprit, is_folder, error, folders->advice)
                                 : text_copy("");
    if (error != 0 && components_are_lost(folders)) {
        finding_add(findings, TOPIC_OMPI, FINDING_PROBLEM, "ompi.folders",
                    "Open MPI stops looking for components at %s: %s; it takes none from %s",
                    culprit, strerror(error), folders->unread);
        finding_value(findings, "%s", culprit);
        finding_remedy(findings, "%s", folders->remedy);
    }
    free(all);
    free(copy);
}

void folders_free(struct folders *folders)
{
    free(folders->read);
    free(folders->unread);
    free(folders->advice);
    free(folders->remedy);
}
