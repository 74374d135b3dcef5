/*
 * A library to preload: Open MPI 4.1 seems to know device memory, as builds with CUDA do.  (Its
 * parameter opal_cuda_support says so; on other builds it cannot be set, MPI_Init crashes.)
 *
 * Only those who ask for that parameter by name are told so, which is our component.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/*
 * As in Open MPI's headers, where these are declared; no number of a parameter is as large as ours.
 */
EXPORTED int mca_base_var_find(const char *project, const char *framework, const char *component,
                               const char *name);
EXPORTED int mca_base_var_get_value(int index, const void *value, void *source, const char **file);

enum { CUDA_SUPPORT = 1 << 30 };

static const bool known = true;

static void find(const char *name, void *function)
{
    void *address = dlsym(RTLD_NEXT, name);
    memcpy(function, &address, sizeof address);
}

int mca_base_var_find(const char *project, const char *framework, const char *component,
                      const char *name)
{
    int (*real)(const char *, const char *, const char *, const char *);
    if (project != NULL && strcmp(project, "opal") == 0 && name != NULL &&
        strcmp(name, "cuda_support") == 0) {
        return CUDA_SUPPORT;
    }
    find("mca_base_var_find", &real);
    return real(project, framework, component, name);
}

int mca_base_var_get_value(int index, const void *value, void *source, const char **file)
{
    int (*real)(int, const void *, void *, const char **);
    if (index == CUDA_SUPPORT) {
        const bool *address = &known;
        memcpy((void *)(size_t)value, &address, sizeof address);
        return 0;
    }
    find("mca_base_var_get_value", &real);
    return real(index, value, source, file);
}
