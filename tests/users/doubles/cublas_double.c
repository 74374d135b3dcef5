/*
 * cublas_double.c - a TEST DOUBLE of cuBLAS for bench/overlap --cublas FILE, never installed: the
 * functions that the benchmark calls, on the host, with copies by whatever stands for the CUDA
 * driver (SYMM_BENCH_CUDA_LIBRARY). A product is done when the call returns. From the environment:
 *   CUBLAS_DOUBLE_WRONG  if set, the first element of each product is wrong
 *   CUBLAS_DOUBLE_FAIL   if set, cublasGemmEx() fails
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#if defined(HAVE_CONFIG_H)
#include "config.h"
#endif

#if defined(HAVE_CUDA)

#include "tests/users/doubles/driver.h"

#include <string.h>

/* Everything else is hidden. */
#define EXPORTED __attribute__((visibility("default")))

enum { SUCCESS = 0, EXECUTION_FAILED = 13, LIBRARY_VERSION = 130002 };

struct handle {
    CUstream stream;
};

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasGetVersion_v2(void *handle, int *version);
int cublasSetStream_v2(void *handle, void *stream);
int cublasGemmEx(void *handle, int transposed_a, int transposed_b, int m, int n, int k,
                 const void *alpha, const void *a, int type_a, int stride_a, const void *b,
                 int type_b, int stride_b, const void *beta, void *c, int type_c, int stride_c,
                 int compute, int algorithm);

EXPORTED int cublasCreate_v2(void **handle)
{
    *handle = calloc(1, sizeof(struct handle));
    return *handle != NULL ? SUCCESS : EXECUTION_FAILED;
}

EXPORTED int cublasDestroy_v2(void *handle)
{
    free(handle);
    return SUCCESS;
}

EXPORTED int cublasGetVersion_v2(void *handle, int *version)
{
    (void)handle;
    *version = LIBRARY_VERSION;
    return SUCCESS;
}

EXPORTED int cublasSetStream_v2(void *handle, void *stream)
{
    ((struct handle *)handle)->stream = stream;
    return SUCCESS;
}

static float float_of(uint16_t value)
{
    uint32_t bits = (uint32_t)value << 16;
    float result;
    memcpy(&result, &bits, sizeof(result));
    return result;
}

static uint16_t bfloat16_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return (uint16_t)((bits + 0x8000) >> 16);
}

static void multiply(const uint16_t *a, const uint16_t *b, uint16_t *c, size_t order)
{
    for (size_t column = 0; column < order; column++) {
        for (size_t row = 0; row < order; row++) {
            float sum = 0;
            for (size_t k = 0; k < order; k++) {
                sum += float_of(a[row + k * order]) * float_of(b[k + column * order]);
            }
            c[row + column * order] = bfloat16_of(sum);
        }
    }
}

static void copied(CUresult result)
{
    if (result != CUDA_SUCCESS) {
        abort();
    }
}

/* Square matrices that are not transposed, of bfloat16 numbers. */
EXPORTED int cublasGemmEx(void *handle, int transposed_a, int transposed_b, int m, int n, int k,
                          const void *alpha, const void *a, int type_a, int stride_a,
                          const void *b, int type_b, int stride_b, const void *beta, void *c,
                          int type_c, int stride_c, int compute, int algorithm)
{
    const int bfloat16 = 14, float32 = 68;
    CUstream stream = ((struct handle *)handle)->stream;
    size_t order = (size_t)m, bytes = order * order * sizeof(uint16_t);
    if (getenv("CUBLAS_DOUBLE_FAIL") != NULL || transposed_a != 0 || transposed_b != 0 || m != n ||
        m != k || *(const float *)alpha != 1.0f || *(const float *)beta != 0.0f ||
        type_a != bfloat16 || type_b != bfloat16 || type_c != bfloat16 || stride_a != m ||
        stride_b != m || stride_c != m || compute != float32 || algorithm != -1) {
        return EXECUTION_FAILED;
    }
    uint16_t *host = malloc(3 * bytes);
    if (host == NULL) {
        return EXECUTION_FAILED;
    }
    uint16_t *factor = host + order * order, *result = factor + order * order;
    copied(DRIVER(cuMemcpyDtoHAsync)(host, driver_address(a), bytes, stream));
    copied(DRIVER(cuMemcpyDtoHAsync)(factor, driver_address(b), bytes, stream));
    copied(DRIVER(cuStreamSynchronize)(stream));
    multiply(host, factor, result, order);
    if (getenv("CUBLAS_DOUBLE_WRONG") != NULL) {
        result[0] = bfloat16_of(1e6f);
    }
    copied(DRIVER(cuMemcpyHtoDAsync)(driver_address(c), result, bytes, stream));
    copied(DRIVER(cuStreamSynchronize)(stream));
    free(host);
    return SUCCESS;
}

#else

/* A C file must not be empty. */
typedef int cuda_is_not_there;

#endif
