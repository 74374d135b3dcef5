/*
 * product.h - products of two square matrices of bfloat16 numbers on this rank's GPU, by cuBLAS,
 * which is opened when the benchmark runs.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_PRODUCT_H
#define BENCH_PRODUCT_H

#include "device.h"

struct product;

/* Matrices of `order` x `order` numbers. `file` may be NULL: libcublas.so, where the loader finds
 * it. False with a sentence in `text`, which has FAILURE_LENGTH bytes, if something is missing. */
bool product_open(struct product **product, const char *file, int order,
                  const struct device *device, char *text);
void product_close(struct product *product);

/* Version of cuBLAS, as it numbers itself: 130002 is 13.0.2. */
int product_library_version(const struct product *product);

/* Starts one product on a stream of its own. */
void product_start(const struct product *product);

/* The stream (CUstream) that products run on. */
void *product_stream(const struct product *product);

bool product_is_done(const struct product *product);

/* Whether the last one has come out right: some elements of its result are computed again. */
bool product_is_right(const struct product *product);

#endif
