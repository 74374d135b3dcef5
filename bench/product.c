/*
 * product.c - see product.h. This file needs no header of cuBLAS: it declares the few functions as
 * its manual has them. Its streams are those of the driver under another name.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "product.h"

#include "failure.h"

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values of cuBLAS's enumerations, and of CUDA's for types. */
enum {
    STATUS_SUCCESS = 0,
    NOT_TRANSPOSED = 0,
    TYPE_BFLOAT16 = 14,
    COMPUTE_FLOAT32 = 68,
    ALGORITHM_DEFAULT = -1
};

enum {
    PATTERN = 1000003, /* numbers until they repeat: a prime, so rows differ */
    SAMPLES = 8,
    BFLOAT16_BYTES = 2
};

struct cublas_functions {
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*get_version)(void *handle, int *version);
    int (*set_stream)(void *handle, void *stream);
    int (*multiply)(void *handle, int transposed_a, int transposed_b, int m, int n, int k,
                    const void *alpha, const void *a, int type_a, int stride_a, const void *b,
                    int type_b, int stride_b, const void *beta, void *c, int type_c, int stride_c,
                    int compute, int algorithm);
};

struct product {
    struct cublas_functions call;
    const struct device *device;
    void *handle;
    void *stream;
    int order;
    int version;
    unsigned char *a, *b, *c; /* on the GPU, by columns */
};

static void check(const char *function, int status)
{
    if (status != STATUS_SUCCESS) {
        failure_stop("%s: status %d of cuBLAS", function, status);
    }
}

/* ---- the library ----------------------------------------------------------------------------- */

static void *library_open(const char *file)
{
    static const char *const names[] = {
        "libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"
    };
    void *library = NULL;
    if (file != NULL) {
        return dlopen(file, RTLD_NOW | RTLD_LOCAL);
    }
    for (size_t i = 0; library == NULL && i < sizeof(names) / sizeof(*names); i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

/* The name of a function that is missing, or NULL. */
static const char *functions_look_up(struct cublas_functions *call, void *library)
{
    const char *missing = NULL;
#define LOOK_UP(member, name) \
    call->member = (__typeof__(call->member))dlsym(library, name); \
    missing = call->member == NULL && missing == NULL ? name : missing
    LOOK_UP(create, "cublasCreate_v2");
    LOOK_UP(destroy, "cublasDestroy_v2");
    LOOK_UP(get_version, "cublasGetVersion_v2");
    LOOK_UP(set_stream, "cublasSetStream_v2");
    LOOK_UP(multiply, "cublasGemmEx");
#undef LOOK_UP
    return missing;
}

/* The library stays open. */
static bool functions_get(struct product *product, const char *file, char *text)
{
    void *library = library_open(file);
    if (library == NULL) {
        snprintf(text, FAILURE_LENGTH,
                 "there is no cuBLAS: %s; name the library with --cublas FILE", dlerror());
        return false;
    }
    const char *missing = functions_look_up(&product->call, library);
    if (missing != NULL) {
        snprintf(text, FAILURE_LENGTH, "%s lacks %s", file != NULL ? file : "cuBLAS", missing);
        return false;
    }
    int status = product->call.create(&product->handle);
    if (status != STATUS_SUCCESS) {
        snprintf(text, FAILURE_LENGTH, "cublasCreate: status %d of cuBLAS", status);
        return false;
    }
    return true;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Number i of a matrix: a multiple of 1/64 between -1 and 1, which a bfloat16 holds exactly. */
static float number(size_t i, unsigned matrix)
{
    uint32_t bits = ((uint32_t)(i % PATTERN) + matrix) * 2654435761u;
    return (float)((int)(bits >> 25) - 64) / 64;
}

static uint16_t bfloat16_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return (uint16_t)(bits >> 16);
}

static float float_of(uint16_t value)
{
    uint32_t bits = (uint32_t)value << 16;
    float result;
    memcpy(&result, &bits, sizeof(result));
    return result;
}

/* The pattern is put together once on the host and stored as often as it fits. */
static void matrix_fill(const struct product *product, unsigned char *memory, unsigned matrix)
{
    size_t count = (size_t)product->order * (size_t)product->order;
    size_t most = count < PATTERN ? count : PATTERN;
    uint16_t *pattern = malloc(most * sizeof(*pattern));
    if (pattern == NULL) {
        failure_stop("out of memory");
    }
    for (size_t i = 0; i < most; i++) {
        pattern[i] = bfloat16_of(number(i, matrix));
    }
    for (size_t first = 0; first < count; first += most) {
        size_t part = count - first < most ? count - first : most;
        device_store(product->device, memory + first * BFLOAT16_BYTES, pattern,
                     part * BFLOAT16_BYTES);
    }
    free(pattern);
}

enum { MATRIX_A = 0, MATRIX_B = 500 };

static bool element_is_right(const struct product *product, size_t row, size_t column)
{
    size_t order = (size_t)product->order;
    double sum = 0;
    uint16_t got;
    for (size_t k = 0; k < order; k++) {
        sum += (double)number(row + k * order, MATRIX_A) *
               (double)number(k + column * order, MATRIX_B);
    }
    device_load(product->device, &got, product->c + (row + column * order) * BFLOAT16_BYTES,
                BFLOAT16_BYTES);
    return fabs((double)float_of(got) - sum) <= fabs(sum) / 100 + 0.05;
}

bool product_is_right(const struct product *product)
{
    bool right = true;
    size_t order = (size_t)product->order;
    for (size_t i = 0; i < SAMPLES; i++) {
        right &= element_is_right(product, i * (order - 1) / (SAMPLES - 1),
                                  i * 3 % SAMPLES * (order - 1) / (SAMPLES - 1));
    }
    return right;
}

/* ---- opening and closing --------------------------------------------------------------------- */

static unsigned char *matrix_open(const struct product *product)
{
    char text[FAILURE_LENGTH];
    void *memory;
    size_t bytes = (size_t)product->order * (size_t)product->order * BFLOAT16_BYTES;
    if (!device_allocate(product->device, bytes, &memory, text)) {
        failure_stop("cannot allocate %zu bytes on the GPU: %s; choose a smaller --order", bytes,
                     text);
    }
    return memory;
}

bool product_open(struct product **opened, const char *file, int order,
                  const struct device *device, char *text)
{
    struct product *product = calloc(1, sizeof(*product));
    if (product == NULL) {
        snprintf(text, FAILURE_LENGTH, "out of memory");
        return false;
    }
    product->device = device;
    product->order = order;
    if (!functions_get(product, file, text)) {
        free(product);
        return false;
    }
    product->stream = device_stream_open(device);
    check("cublasGetVersion", product->call.get_version(product->handle, &product->version));
    check("cublasSetStream", product->call.set_stream(product->handle, product->stream));
    product->a = matrix_open(product);
    product->b = matrix_open(product);
    product->c = matrix_open(product);
    matrix_fill(product, product->a, MATRIX_A);
    matrix_fill(product, product->b, MATRIX_B);
    *opened = product;
    return true;
}

void product_close(struct product *product)
{
    device_free(product->device, product->a);
    device_free(product->device, product->b);
    device_free(product->device, product->c);
    check("cublasDestroy", product->call.destroy(product->handle));
    device_stream_close(product->device, product->stream);
    free(product);
}

int product_library_version(const struct product *product)
{
    return product->version;
}

/* ---- running --------------------------------------------------------------------------------- */

void product_start(const struct product *product)
{
    const float one = 1, zero = 0;
    int order = product->order;
    check("cublasGemmEx",
          product->call.multiply(product->handle, NOT_TRANSPOSED, NOT_TRANSPOSED, order, order,
                                 order, &one, product->a, TYPE_BFLOAT16, order, product->b,
                                 TYPE_BFLOAT16, order, &zero, product->c, TYPE_BFLOAT16, order,
                                 COMPUTE_FLOAT32, ALGORITHM_DEFAULT));
}

void *product_stream(const struct product *product)
{
    return product->stream;
}

bool product_is_done(const struct product *product)
{
    return device_stream_is_done(product->device, product->stream);
}
