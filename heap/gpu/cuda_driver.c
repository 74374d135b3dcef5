/*
 * cuda_driver.c - see cuda_driver.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "heap/gpu/cuda_driver.h"

static const struct function {
    const char *name;
    int version;
    size_t offset; /* in the table */
    bool optional;
} functions[] = {
#define ENTRY(name, version) {#name, version, offsetof(struct symm_cuda, name), false},
#define OPTIONAL_ENTRY(name, version) {#name, version, offsetof(struct symm_cuda, name), true},
    SYMM_CUDA_FUNCTIONS(ENTRY)
    SYMM_CUDA_OPTIONAL_FUNCTIONS(OPTIONAL_ENTRY)
#undef OPTIONAL_ENTRY
#undef ENTRY
};

/* Everything here is written under the mutex; `ready` publishes the table. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char library_name[PATH_MAX] = "libcuda.so.1";
static void *library;
static struct symm_cuda table;
static _Atomic(const struct symm_cuda *) filled; /* the table, before cuInit() */
static _Atomic(const struct symm_cuda *) ready;

/* ---- failures -------------------------------------------------------------------------------- */

static _Thread_local struct {
    const char *call; /* NULL: `text` says it all */
    CUresult result;
    bool may_be_own;
    char text[SYMM_CUDA_TEXT_SIZE];
} last;

/*
 * Works of ours that have been started on devices and not ended well: any may be what has failed.
 */
static _Atomic int own_works;

void symm_cuda_own_work(int change)
{
    atomic_fetch_add_explicit(&own_works, change, memory_order_relaxed);
}

enum symm_status symm_cuda_failed(const char *call, CUresult result)
{
    last.call = call;
    last.may_be_own = atomic_load_explicit(&own_works, memory_order_relaxed) > 0;
    last.result = result;
    return result == CUDA_ERROR_OUT_OF_MEMORY ? SYMM_ERR_NO_MEMORY : SYMM_ERR_SYSTEM;
}

enum symm_status symm_cuda_unusable(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(last.text, sizeof(last.text), format, arguments);
    va_end(arguments);
    last.call = NULL;
    return SYMM_ERR_NOT_FOUND;
}

const char *symm_cuda_error(CUresult result, char *text, size_t size)
{
    const struct symm_cuda *cuda = atomic_load_explicit(&filled, memory_order_acquire);
    const char *name = NULL, *meaning = NULL;
    if (cuda != NULL && cuda->cuGetErrorName(result, &name) == CUDA_SUCCESS && name != NULL &&
        cuda->cuGetErrorString(result, &meaning) == CUDA_SUCCESS && meaning != NULL) {
        (void)snprintf(text, size, "%s (%s)", name, meaning);
    } else {
        (void)snprintf(text, size, "CUDA error %d", (int)result);
    }
    return text;
}

/*
 * Errors that stay with a context once one of its kernels has failed: every later call returns
 * them.
 */
static bool is_sticky(CUresult result)
{
    switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
        return true;
    default:
        return false;
    }
}

bool symm_cuda_last_failure_is_programs(void)
{
    return last.call != NULL && is_sticky(last.result) && !last.may_be_own;
}

void symm_cuda_last_failure(char *text, size_t size)
{
    char error[SYMM_CUDA_TEXT_SIZE];
    if (last.call == NULL) {
        (void)snprintf(text, size, "%s", last.text);
        return;
    }
    (void)snprintf(text, size, "%s: %s%s", last.call,
                   symm_cuda_error(last.result, error, sizeof(error)),
                   symm_cuda_last_failure_is_programs() ? ", from an earlier kernel of the program"
                                                        : "");
}

void symm_cuda_forget_failure(void)
{
    last.call = NULL;
    last.text[0] = '\0';
}

/* ---- opening --------------------------------------------------------------------------------- */

void symm_cuda_configure(const char *name)
{
    (void)pthread_mutex_lock(&mutex);
    (void)snprintf(library_name, sizeof(library_name), "%s",
                   name != NULL && *name != '\0' ? name : "libcuda.so.1");
    (void)pthread_mutex_unlock(&mutex);
}

bool symm_cuda_is_built(void)
{
    return true;
}

bool symm_cuda_is_used(void)
{
    return atomic_load_explicit(&ready, memory_order_relaxed) != NULL;
}

/* The function that finds the others: since CUDA 12.0 with a fifth argument, since 11.3 without. */
typedef CUresult find_function(const char *name, void **address, int version, cuuint64_t flags,
                               CUdriverProcAddressQueryResult *found);
typedef CUresult find_function_old(const char *name, void **address, int version, cuuint64_t flags);

struct finder {
    find_function *find;
    find_function_old *find_old;
};

/* ISO C has no cast from what dlsym() returns to a function. */
static void pointer_set(void *function_pointer, void *address)
{
    memcpy(function_pointer, &address, sizeof(address));
}

static void *function_find(const struct finder *finder, const struct function *function)
{
    const cuuint64_t flags = CU_GET_PROC_ADDRESS_DEFAULT;
    CUdriverProcAddressQueryResult found;
    void *address = NULL;
    CUresult result =
        finder->find != NULL
            ? finder->find(function->name, &address, function->version, flags, &found)
            : finder->find_old(function->name, &address, function->version, flags);
    return result == CUDA_SUCCESS ? address : NULL;
}

static enum symm_status table_fill(void)
{
    struct finder finder = {.find = NULL};
    pointer_set(&finder.find, dlsym(library, "cuGetProcAddress_v2"));
    pointer_set(&finder.find_old, dlsym(library, "cuGetProcAddress"));
    if (finder.find == NULL && finder.find_old == NULL) {
        return symm_cuda_unusable("%s has no cuGetProcAddress: the driver is older than CUDA 11.3",
                                  library_name);
    }
    for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
        const struct function *function = &functions[i];
        void *address = function_find(&finder, function);
        if (address == NULL && !function->optional) {
            return symm_cuda_unusable("the driver has no %s of CUDA %d.%d, it may be too old",
                                      function->name, function->version / 1000,
                                      function->version % 1000 / 10);
        }
        pointer_set((char *)&table + function->offset, address);
    }
    atomic_store_explicit(&filled, &table, memory_order_release);
    return SYMM_OK;
}

static enum symm_status library_open(void)
{
    if (library == NULL) {
        library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    }
    if (library == NULL) {
        const char *reason = dlerror();
        return symm_cuda_unusable("there is no driver: %s", reason != NULL ? reason : library_name);
    }
    return SYMM_OK;
}

static enum symm_status driver_open(void)
{
    enum symm_status status = library_open();
    if (status == SYMM_OK && atomic_load_explicit(&filled, memory_order_relaxed) == NULL) {
        status = table_fill();
    }
    if (status != SYMM_OK) {
        return status;
    }
    CUresult result = table.cuInit(0);
    if (result != CUDA_SUCCESS) {
        (void)symm_cuda_failed("cuInit", result);
        return SYMM_ERR_NOT_FOUND;
    }
    atomic_store_explicit(&ready, &table, memory_order_release);
    return SYMM_OK;
}

enum symm_status symm_cuda_get(const struct symm_cuda **cuda)
{
    enum symm_status status = SYMM_OK;
    *cuda = atomic_load_explicit(&ready, memory_order_acquire);
    if (*cuda != NULL) {
        return SYMM_OK;
    }
    (void)pthread_mutex_lock(&mutex);
    if (atomic_load_explicit(&ready, memory_order_relaxed) == NULL) {
        status = driver_open();
    }
    (void)pthread_mutex_unlock(&mutex);
    *cuda = status == SYMM_OK ? &table : NULL;
    return status;
}

/* ---- a driver that somebody else has loaded -------------------------------------------------- */

/* What is known about the libraries of this process. */
struct survey {
    unsigned long long loads; /* how many have been loaded so far */
    const char *stem;         /* the driver's file name up to ".so"; NULL: any */
    size_t stem_length;
    bool found;
};

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static int library_visit(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct survey *survey = argument;
    (void)size;
    survey->loads = info->dlpi_adds;
    survey->found = survey->stem == NULL ||
                    strncmp(file_of(info->dlpi_name), survey->stem, survey->stem_length) == 0;
    return survey->found;
}

/*
 * How often a library has been loaded in this process.  If that changes, the driver may have come.
 */
static unsigned long long loads_count(void)
{
    struct survey survey = {.stem = NULL};
    (void)dl_iterate_phdr(library_visit, &survey);
    return survey.loads;
}

/*
 * Under the mutex.  Libraries that are loaded are looked for by name first, because dlopen() would
 * search the disk for one that is not.
 */
static bool library_is_loaded(void)
{
    struct survey survey = {.stem = file_of(library_name)};
    const char *end = strstr(survey.stem, ".so");
    survey.stem_length = end != NULL ? (size_t)(end - survey.stem) + 3 : strlen(survey.stem);
    (void)dl_iterate_phdr(library_visit, &survey);
    if (library == NULL && survey.found) {
        library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    }
    return library != NULL;
}

enum symm_status symm_cuda_get_loaded(const struct symm_cuda **cuda)
{
    static _Atomic unsigned long long fruitless; /* loads_count() when there was no driver */
    *cuda = atomic_load_explicit(&filled, memory_order_acquire);
    if (*cuda != NULL) {
        return SYMM_OK;
    }
    unsigned long long loads = loads_count();
    if (atomic_load_explicit(&fruitless, memory_order_relaxed) == loads) {
        return SYMM_ERR_NOT_FOUND;
    }
    (void)pthread_mutex_lock(&mutex);
    bool found = library_is_loaded() &&
                 (atomic_load_explicit(&filled, memory_order_relaxed) != NULL ||
                  table_fill() == SYMM_OK);
    (void)pthread_mutex_unlock(&mutex);
    *cuda = found ? &table : NULL;
    if (!found) {
        atomic_store_explicit(&fruitless, loads, memory_order_relaxed);
    }
    return found ? SYMM_OK : SYMM_ERR_NOT_FOUND;
}
