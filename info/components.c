/*
 * components.c - see components.h.
 *
 * Open MPI takes the first file of a component's name in its list of folders.  That file is loaded
 * here as well, in a child process beside Open MPI's library, with all symbols looked up at once: a
 * missing one, which Open MPI would meet in the middle of a call, is found too.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap/symm.h"
#include "info/child.h"
#include "info/components.h"
#include "info/mpi_library.h"

/* The components, each with one of Open MPI's own of the same framework. */
static const struct framework {
    const char *name, *other;
} frameworks[] = {{"coll", "basic"}, {"mpool", "hugepage"}};

enum { FRAMEWORKS = sizeof(frameworks) / sizeof(*frameworks) };

/*
 * What the description of every component begins with: struct mca_base_component_2_1_0_t, the same
 * in 4.1, 5.0 and 6.0.
 */
struct description {
    int mca[3];
    char project[16];
    int project_version[3];
    char type[32];
    int interface[3];
    char name[64];
    int version[3];
};

static const int mca_known[] = {2, 1};

/* ---- in the child ---------------------------------------------------------------------------- */

struct candidate {
    const struct framework *framework;
    const char *path, *folders;
};

static const struct description *description_find(void *handle, const char *framework,
                                                  const char *name)
{
    char symbol[64];
    (void)snprintf(symbol, sizeof(symbol), "mca_%s_%s_component", framework, name);
    const struct description *found = dlsym(handle, symbol);
    return found != NULL && found->mca[0] == mca_known[0] && found->mca[1] == mca_known[1] ? found
                                                                                            : NULL;
}

static void version_write(FILE *out, const char *key, const int version[3])
{
    char text[48];
    (void)snprintf(text, sizeof(text), "%d.%d.%d", version[0], version[1], version[2]);
    child_write(out, key, text);
}

/* The interface that Open MPI's own components have, in its library or in a file. */
static const struct description *other_find(const struct candidate *candidate)
{
    const struct framework *framework = candidate->framework;
    const struct description *other =
        description_find(RTLD_DEFAULT, framework->name, framework->other);
    char name[64], path[PATH_MAX];
    (void)snprintf(name, sizeof(name), "mca_%s_%s.so", framework->name, framework->other);
    void *handle = other == NULL && folders_find(candidate->folders, name, path, sizeof(path))
                       ? dlopen(path, RTLD_LAZY)
                       : NULL;
    return handle != NULL ? description_find(handle, framework->name, framework->other) : other;
}

/* What a function of the component's, or of the libraries it has brought along, says. */
static void answer_write(FILE *out, void *handle, const char *function, const char *key)
{
    const char *(*call)(void);
    void *address = dlsym(handle, function);
    if (address != NULL) {
        memcpy(&call, &address, sizeof(call));
        child_write(out, key, call());
    }
}

static void library_write(FILE *out, void *handle)
{
    Dl_info place;
    void *address = dlsym(handle, "symm_version");
    if (address != NULL && dladdr(address, &place) != 0) {
        child_write(out, "library.path", place.dli_fname);
    }
    answer_write(out, handle, "symm_version", "library.version");
    answer_write(out, handle, "symm_features", "features");
}

static void load(FILE *out, const void *argument)
{
    const struct candidate *candidate = argument;
    struct mpi_library mpi;
    char text[1024];
    (void)mpi_library_open(&mpi, text, sizeof(text)); /* if not, the loader says so below */
    void *handle = dlopen(candidate->path, RTLD_NOW);
    if (handle == NULL) {
        const char *reason = dlerror();
        child_write(out, "error", reason != NULL ? reason : "dlopen");
        return;
    }
    const struct description *ours =
        description_find(handle, candidate->framework->name, "symm");
    if (ours == NULL) {
        child_write(out, "error", "the file has no description of the component in it");
        return;
    }
    version_write(out, "version", ours->version);
    version_write(out, "interface", ours->interface);
    answer_write(out, handle, "symm_built_for_ompi", "built_for");
    library_write(out, handle);
    const struct description *other = other_find(candidate);
    if (other != NULL) {
        version_write(out, "other", other->interface);
    }
}

/* ---- what it has found ----------------------------------------------------------------------- */

static bool file_find(const char *folders, const char *framework, char *path, size_t size)
{
    char name[64];
    (void)snprintf(name, sizeof(name), "mca_%s_symm.so", framework);
    return folders_find(folders, name, path, size);
}

static void missing_warn(const char *framework, const struct folders *folders,
                         struct findings *findings)
{
    char path[PATH_MAX];
    if (file_find(folders->unread, framework, path, sizeof(path))) {
        finding_add(findings, TOPIC_COMPONENTS, FINDING_PROBLEM, framework,
                    "Open MPI does not come to %s, because it stops looking before", path);
        finding_remedy(findings, "%s", folders->remedy);
        return;
    }
    finding_add(findings, TOPIC_COMPONENTS, FINDING_PROBLEM, framework,
                "mca_%s_symm.so is in none of the folders where Open MPI looks: %s", framework,
                folders->read);
    if (file_find(SYMM_COMPONENT_DIR, framework, path, sizeof(path))) {
        finding_remedy(findings, "export OMPI_MCA_mca_base_component_path=%s:%s",
                       SYMM_COMPONENT_DIR, folders->advice);
    } else {
        finding_remedy(findings, "make install, which would put it into %s", SYMM_COMPONENT_DIR);
    }
}

/* The remedy depends on which name the loader complains of. */
static void refused_warn(const char *framework, const char *path, const char *reason,
                         struct findings *findings)
{
    finding_add(findings, TOPIC_COMPONENTS, FINDING_PROBLEM, framework,
                "%s/symm does not load: %s", framework, reason);
    finding_value(findings, "%s", path);
    if (strstr(reason, "SYMM_PRIVATE_") != NULL) {
        finding_remedy(findings, "install libsymm and the components of one release together; ldd "
                                 "%s shows which libsymm it finds",
                       path);
    } else if (strstr(reason, "libsymm") != NULL) {
        finding_remedy(findings, "make install puts libsymm and the components where they find "
                                 "each other; or add the folder of libsymm.so.0 to "
                                 "LD_LIBRARY_PATH");
    } else if (strstr(reason, "undefined symbol") != NULL) {
        finding_remedy(findings, "build ompi-symm with the mpicc of the Open MPI that runs the "
                                 "program");
    } else {
        finding_remedy(findings, "see that Open MPI's own libraries load (ldd %s)", path);
    }
}

/* False: Open MPI does not take it. */
static bool interface_look(const char *framework, const char *survey, const struct ompi *ompi,
                           struct findings *findings)
{
    char *ours = child_value(survey, "interface"), *theirs = child_value(survey, "other");
    char *built_for = child_value(survey, "built_for");
    bool good = true;
    if (ours != NULL && theirs != NULL && strcmp(ours, theirs) != 0) {
        finding_add(findings, TOPIC_COMPONENTS, FINDING_PROBLEM, "interface",
                    "%s/symm has the %s interface %s, this Open MPI has %s", framework, framework,
                    ours, theirs);
        finding_value(findings, "%s", ours);
        good = false;
    } else if (built_for != NULL && ompi->release != NULL &&
               !ompi_same_series(built_for, ompi->release)) {
        finding_add(findings, TOPIC_COMPONENTS, FINDING_PROBLEM, "component.built_for",
                    "%s/symm was built for Open MPI %s, but this is %s", framework, built_for,
                    ompi->release);
        finding_value(findings, "%s", built_for);
        good = false;
    }
    if (!good) {
        finding_remedy(findings,
                       "build ompi-symm with the mpicc of the Open MPI that runs the program");
    }
    free(ours);
    free(theirs);
    free(built_for);
    return good;
}

static void loaded_warn(const char *framework, const char *path, const char *survey,
                        struct findings *findings)
{
    char *version = child_value(survey, "version"), *interface = child_value(survey, "interface");
    char *built_for = child_value(survey, "built_for");
    finding_add(findings, TOPIC_COMPONENTS, FINDING_OK, framework,
                "%s/symm %s loads (interface %s, built for Open MPI %s): %s", framework,
                version != NULL ? version : "?", interface != NULL ? interface : "?",
                built_for != NULL ? built_for : "?", path);
    finding_value(findings, "%s", path);
    free(version);
    free(interface);
    free(built_for);
}

/*
 * MPI_T has the parameters of all components that Open MPI loads, also of those that a parameter
 * excludes.  False: it has not loaded ours, for a reason that nothing else here knows.
 */
static bool is_known(const char *framework, const struct ompi *ompi, const char *path,
                     struct findings *findings)
{
    char name[64];
    (void)snprintf(name, sizeof(name), "%s_symm_priority", framework);
    char *any = ompi_variable(ompi, "mca_base_component_path"), *ours = ompi_variable(ompi, name);
    char *off = ompi_variable(ompi, "mca_base_component_disable_dlopen");
    bool known = any == NULL || ours != NULL;
    if (!known) {
        finding_add(findings, TOPIC_COMPONENTS, FINDING_PROBLEM, framework,
                    "%s/symm loads here, but Open MPI does not load it: %s", framework, path);
        finding_value(findings, "%s", path);
        finding_remedy(findings, off != NULL && strcmp(off, "1") == 0
                                     ? "take mca_base_component_disable_dlopen out of the settings"
                                     : "see what Open MPI says: ompi_info --mca "
                                       "mca_base_component_show_load_errors 1");
    }
    free(any);
    free(ours);
    free(off);
    return known;
}

static bool component_look(const struct framework *framework, const struct ompi *ompi,
                           char **survey, struct findings *findings)
{
    char path[PATH_MAX], *end;
    *survey = NULL;
    if (!file_find(ompi->folders.read, framework->name, path, sizeof(path))) {
        missing_warn(framework->name, &ompi->folders, findings);
        return false;
    }
    const struct candidate candidate = {framework, path, ompi->folders.read};
    *survey = child_run(load, &candidate, &end);
    char *error = child_value(*survey, "error");
    bool loads = error == NULL && end == NULL;
    if (loads) {
        loads = interface_look(framework->name, *survey, ompi, findings) &&
                is_known(framework->name, ompi, path, findings);
        if (loads) {
            loaded_warn(framework->name, path, *survey, findings);
        }
    } else {
        refused_warn(framework->name, path, error != NULL ? error : end, findings);
    }
    free(error);
    free(end);
    return loads;
}

static void library_warn(struct components *components, const char *survey,
                         struct findings *findings)
{
    char *path = child_value(survey, "library.path");
    char *version = child_value(survey, "library.version");
    components->features = child_value(survey, "features");
    if (version != NULL) {
        bool known = components->features != NULL;
        bool cuda = known && strstr(components->features, "cuda") != NULL;
        bool multicast = known && strstr(components->features, "multicast") != NULL;
        finding_add(findings, TOPIC_COMPONENTS, FINDING_OK, "library",
                    "libsymm %s, built %s CUDA, %s multicast: %s", version,
                    cuda ? "with" : "without", multicast ? "with" : "without",
                    path != NULL ? path : "");
        finding_value(findings, "%s", known ? components->features : "");
        if (strcmp(version, symm_version()) != 0) {
            finding_add(findings, TOPIC_COMPONENTS, FINDING_NOTE, "version",
                        "this symm_info is of version %s, the components' libsymm of %s",
                        symm_version(), version);
            finding_remedy(findings, "call the symm_info that was installed with the components");
        }
    }
    free(path);
    free(version);
}

void components_look(struct components *components, const struct ompi *ompi,
                     struct findings *findings)
{
    *components = (struct components){.loads = true};
    for (int i = 0; i < FRAMEWORKS; i++) {
        char *survey;
        bool loads = component_look(&frameworks[i], ompi, &survey, findings);
        components->loads = components->loads && loads;
        if (survey != NULL && components->features == NULL) {
            library_warn(components, survey, findings);
        }
        free(survey);
    }
}

void components_free(struct components *components)
{
    free(components->features);
}
