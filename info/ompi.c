/*
 * ompi.c - see ompi.h.
 *
 * MPI_T tells what Open MPI's parameters are without MPI_Init: where it looks for components, which
 * files it reads, which priorities the other components have.  It loads all components for that,
 * and one of them may be what is broken.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "info/child.h"
#include "info/mpi_library.h"
#include "info/ompi.h"

enum { NAME_MOST = 256, VALUE_MOST = 16384 };

/* ---- in the child ---------------------------------------------------------------------------- */

static bool is_of_interest(const char *name)
{
    static const char *const beginnings[] = {"coll", "mpool", "btl_vader_", "btl_sm_",
                                             "mca_base_", "mpi_built_with_cuda"};
    for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++) {
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* Of the types that Open MPI has for parameters, those that matter here. */
static void value_print(const struct mpi_library *mpi, MPI_Datatype type, const void *value,
                        char *text, size_t size)
{
    if (type == mpi->type_char) {
        (void)snprintf(text, size, "%s", (const char *)value);
    } else if (type == mpi->type_int) {
        int number;
        memcpy(&number, value, sizeof(number));
        (void)snprintf(text, size, "%d", number);
    } else { /* true or false, in the first byte; other types are of no interest */
        (void)snprintf(text, size, "%d", *(const char *)value != 0);
    }
}

static void variable_write(const struct mpi_library *mpi, FILE *out, int index)
{
    static char name[NAME_MOST], description[VALUE_MOST], value[VALUE_MOST], text[VALUE_MOST];
    int name_length = sizeof(name), length = sizeof(description);
    int verbosity, bind, scope, count = 0;
    MPI_Datatype type;
    MPI_T_enum enumeration;
    MPI_T_cvar_handle handle;
    if (mpi->MPI_T_cvar_get_info(index, name, &name_length, &verbosity, &type, &enumeration,
                                 description, &length, &bind, &scope) != MPI_SUCCESS ||
        !is_of_interest(name) ||
        mpi->MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) {
        return;
    }
    memset(value, 0, sizeof(value));
    text[0] = '\0';
    if (count < VALUE_MOST && mpi->MPI_T_cvar_read(handle, value) == MPI_SUCCESS) {
        value_print(mpi, type, value, text, sizeof(text));
        (void)fputs("variable.", out);
        child_write(out, name, text);
    }
    (void)mpi->MPI_T_cvar_handle_free(&handle);
}

static void library_write(const struct mpi_library *mpi, FILE *out)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    Dl_info place;
    void *function;
    memcpy(&function, &mpi->MPI_Init, sizeof(function));
    if (dladdr(function, &place) != 0) {
        char *path = realpath(place.dli_fname, NULL);
        child_write(out, "path", path != NULL ? path : place.dli_fname);
        free(path);
    }
    if (mpi->MPI_Get_library_version(text, &length) == MPI_SUCCESS) {
        child_write(out, "version", text);
    }
}

/* What a word of mca_base_component_path stands for: a variable that has no name in MPI_T. */
static void default_write(const struct mpi_library *mpi, FILE *out, const char *variable)
{
    char *const *value = dlsym(mpi->handle, variable);
    if (value != NULL && *value != NULL) {
        child_write(out, variable, *value);
    }
}

static void survey(FILE *out, const void *argument)
{
    struct mpi_library mpi;
    char text[1024];
    int provided, count = 0;
    (void)argument;
    if (!mpi_library_open(&mpi, text, sizeof(text))) {
        child_write(out, "error", text);
        return;
    }
    library_write(&mpi, out);
    if (mpi.MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) {
        return;
    }
    default_write(&mpi, out, "mca_base_system_default_path");
    default_write(&mpi, out, "mca_base_user_default_path");
    (void)mpi.MPI_T_cvar_get_num(&count);
    for (int i = 0; i < count; i++) {
        variable_write(&mpi, out, i);
    }
}

/* ---- what it has found ----------------------------------------------------------------------- */

char *ompi_variable(const struct ompi *ompi, const char *name)
{
    char key[NAME_MOST];
    (void)snprintf(key, sizeof(key), "variable.%s", name);
    return child_value(ompi->survey, key);
}

void ompi_variables(const struct ompi *ompi, const char *prefix,
                    void (*visit)(const char *name, const char *value, void *argument),
                    void *argument)
{
    static const char start[] = "variable.";
    char *copy = text_copy(ompi->survey), *rest = copy;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        char *value = strchr(line, '\t');
        if (value == NULL || strncmp(line, start, sizeof(start) - 1) != 0 ||
            strncmp(line + sizeof(start) - 1, prefix, strlen(prefix)) != 0) {
            continue;
        }
        *value++ = '\0';
        visit(line + sizeof(start) - 1, value, argument);
    }
    free(copy);
}

bool ompi_same_series(const char *release, const char *other)
{
    size_t length = strcspn(release, ".");
    length += release[length] == '.' ? 1 + strspn(release + length + 1, "0123456789") : 0;
    return strncmp(release, other, length) == 0 &&
           (other[length] < '0' || other[length] > '9');
}

/* "Open MPI v4.1.4, package: ..., ident: 4.1.4, ..." */
static char *release_read(const char *version)
{
    static const char start[] = "Open MPI v";
    if (strncmp(version, start, sizeof(start) - 1) != 0) {
        return NULL;
    }
    char *release = text_copy(version + sizeof(start) - 1);
    release[strcspn(release, ", ")] = '\0';
    return release;
}

static void missing_warn(const struct ompi *ompi, const char *end, struct findings *findings)
{
    char *reason = child_value(ompi->survey, "error");
    finding_add(findings, TOPIC_OMPI, FINDING_PROBLEM, "ompi.library",
                "Open MPI's library cannot be loaded: %s", reason != NULL ? reason : end);
    finding_remedy(findings,
                   "install Open MPI " OMPI_BUILT_FOR
                   " (Debian: openmpi-bin), or add the folder of its libmpi.so.40 to "
                   "LD_LIBRARY_PATH; this build looked in the loader's folders and " OMPI_LIBDIR);
    free(reason);
}

static void release_warn(const struct ompi *ompi, struct findings *findings)
{
    char *path = child_value(ompi->survey, "path");
    finding_add(findings, TOPIC_OMPI, FINDING_OK, "ompi.release", "Open MPI %s: %s", ompi->release,
                path != NULL ? path : "");
    finding_value(findings, "%s", ompi->release);
    finding_add(findings, TOPIC_OMPI, FINDING_OK, "ompi.library",
                "its components are in %s",
                *ompi->folders.read != '\0' ? ompi->folders.read : "no folder that it reads");
    finding_value(findings, "%s", path != NULL ? path : "");
    free(path);
    if (!ompi_same_series(OMPI_BUILT_FOR, ompi->release)) {
        finding_add(findings, TOPIC_OMPI, FINDING_PROBLEM, "ompi.built_for",
                    "this symm_info was built for Open MPI %s, but programs get %s",
                    OMPI_BUILT_FOR, ompi->release);
        finding_remedy(findings, "build ompi-symm with the mpicc of Open MPI %s, or have PATH and "
                                 "LD_LIBRARY_PATH lead to " OMPI_BUILT_FOR,
                       ompi->release);
    } else {
        finding_add(findings, TOPIC_OMPI, FINDING_OK, "ompi.built_for",
                    "symm_info was built for Open MPI %s, in %s", OMPI_BUILT_FOR, OMPI_PREFIX);
    }
    finding_value(findings, "%s", OMPI_BUILT_FOR);
}

static void cuda_warn(const struct ompi *ompi, struct findings *findings)
{
    char *known = ompi_variable(ompi, "mpi_built_with_cuda_support");
    if (known != NULL && *known != '\0') {
        bool cuda = strcmp(known, "0") != 0;
        finding_add(findings, TOPIC_OMPI, FINDING_OK, "ompi.cuda",
                    cuda ? "this Open MPI is built with CUDA"
                         : "this Open MPI is built without CUDA: messages and nonblocking "
                           "collectives need host buffers");
        finding_value(findings, cuda ? "yes" : "no");
    }
    free(known);
}

static void folders_ask(struct ompi *ompi, struct findings *findings)
{
    char *list = ompi_variable(ompi, "mca_base_component_path"), at_home[1024];
    char *system = child_value(ompi->survey, "mca_base_system_default_path");
    char *user = child_value(ompi->survey, "mca_base_user_default_path");
    const char *set = getenv("OMPI_MCA_mca_base_component_path"), *home = getenv("HOME");
    (void)snprintf(at_home, sizeof(at_home), "%s/.openmpi/components", home != NULL ? home : "");
    folders_look(&ompi->folders, list != NULL ? list : set != NULL ? set : OMPI_PKGLIBDIR,
                 system != NULL ? system : OMPI_PKGLIBDIR, user != NULL ? user : at_home,
                 findings);
    free(list);
    free(system);
    free(user);
}

void ompi_look(struct ompi *ompi, struct findings *findings)
{
    char *end;
    *ompi = (struct ompi){.survey = child_run(survey, NULL, &end)};
    char *version = child_value(ompi->survey, "version");
    const char *home = getenv("HOME");
    char files[1024];
    ompi->release = version != NULL ? release_read(version) : NULL;
    ompi->files = ompi_variable(ompi, "mca_base_param_files");
    folders_ask(ompi, findings);
    if (ompi->files == NULL) {
        (void)snprintf(files, sizeof(files), "%s/.openmpi/mca-params.conf,%s",
                       home != NULL ? home : "", OMPI_SYSCONFDIR "/openmpi-mca-params.conf");
        ompi->files = text_copy(files);
    }
    if (ompi->release == NULL) {
        missing_warn(ompi, end != NULL ? end : version != NULL ? version : "", findings);
    } else {
        release_warn(ompi, findings);
        cuda_warn(ompi, findings);
    }
    if (ompi->release != NULL && end != NULL) {
        finding_add(findings, TOPIC_OMPI, FINDING_PROBLEM, "ompi.start",
                    "loading Open MPI's components in a process of their own: %s", end);
        finding_remedy(findings,
                       "run ompi_info, which loads them as well, and see which one fails");
    }
    free(version);
    free(end);
}

void ompi_free(struct ompi *ompi)
{
    free(ompi->survey);
    free(ompi->release);
    folders_free(&ompi->folders);
    free(ompi->files);
}
