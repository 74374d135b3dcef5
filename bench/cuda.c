/*
 * cuda.c - the CUDA driver, opened when the benchmark runs.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#if defined(HAVE_CONFIG_H)
#include "config.h"
#endif

#if defined(HAVE_CUDA)

#include "cuda.h"
#include "failure.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_OF(name) #name
#define SYMBOL_OF(name) TEXT_OF(name)

/* Sets the member, and `missing` to the name of the first function that is not there. */
#define LOOK_UP(name) \
    cuda->name = (__typeof__(name) *)dlsym(cuda->library, SYMBOL_OF(name)); \
    if (cuda->name == NULL && missing == NULL) { \
        missing = SYMBOL_OF(name); \
    }

static const char *functions_look_up(struct cuda *cuda)
{
    const char *missing = NULL;
    CUDA_FUNCTIONS(LOOK_UP)
    return missing;
}

bool cuda_open(struct cuda *cuda, char *text)
{
    const char *file = getenv("SYMM_BENCH_CUDA_LIBRARY");
    if (file == NULL || *file == '\0') {
        file = "libcuda.so.1";
    }
    cuda->library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (cuda->library == NULL) {
        snprintf(text, FAILURE_LENGTH, "there is no CUDA driver: %s", dlerror());
        return false;
    }
    const char *missing = functions_look_up(cuda);
    if (missing != NULL) {
        snprintf(text, FAILURE_LENGTH, "the CUDA driver (%s) is too old: it lacks %s", file,
                 missing);
        dlclose(cuda->library);
        return false;
    }
    return true;
}

void cuda_describe(const struct cuda *cuda, const char *call, CUresult result, char *text)
{
    const char *name, *meaning;
    if (cuda->cuGetErrorName(result, &name) != CUDA_SUCCESS ||
        cuda->cuGetErrorString(result, &meaning) != CUDA_SUCCESS) {
        snprintf(text, FAILURE_LENGTH, "%s: CUDA error %d", call, (int)result);
        return;
    }
    snprintf(text, FAILURE_LENGTH, "%s: %s (%s)", call, name, meaning);
}

#else

/* A C file must not be empty. */
typedef int cuda_is_not_there;

#endif
