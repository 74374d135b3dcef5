/*
 * cuda_reference.h - the types of devices and their random elements, for the reference of all tests
 * (tests/reference).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_CUDA_REFERENCE_H
#define SYMM_TESTS_CUDA_REFERENCE_H

#include <stdbool.h>

#include "kernels/cuda/device_code/arguments.h"
#include "tests/reference/reduction.h"
#include "tests/unit/harness/unit.h"

struct cuda_type {
    const char *name;
    struct test_form form;
};

extern const struct cuda_type cuda_types[SYMM_CUDA_TYPE_COUNT];

const char *cuda_op_name(enum symm_cuda_op op);

/* Whether MPI allows `op` on `type`. */
bool cuda_op_is_allowed(enum symm_cuda_type type, enum symm_cuda_op op);

/*
 * The type whose kernels are used: signed integers, bool and byte share those of unsigned ones
 * where the bits are the same.
 */
enum symm_cuda_type cuda_kernel_type(enum symm_cuda_type type, enum symm_cuda_op op);

/*
 * Where blocks begin in the 16 bytes that a vector takes: at the first, all by the same number of
 * elements behind it, each by its own, each at any byte.
 */
enum cuda_placement { ALIGNED, SHIFTED_ALIKE, SHIFTED, MISALIGNED, CUDA_PLACEMENTS };

/* Bytes by which a block is shifted; `common` elements of all that are shifted alike. */
size_t cuda_shift_draw(enum cuda_placement placement, const struct test_form *form,
                       struct unit_random *random, size_t common);

/*
 * An element of any value, the odd ones (NaN, zeros of both signs, ties) not rare; padding as it
 * is.
 */
void cuda_element_draw(enum symm_cuda_type type, struct unit_random *random, void *element);

/* elements[0] op elements[1] op ... in this order; padding of `result` as it is. */
void cuda_reference(enum symm_cuda_type type, enum symm_cuda_op op, int ranks,
                    const void *const *elements, void *result);

/*
 * Whether two elements are the same: in all bits but padding, and those of NaNs that were computed.
 */
bool cuda_element_is_same(enum symm_cuda_type type, enum symm_cuda_op op, const void *a,
                          const void *b);

/*
 * The first of `count` results that is not what the elements of the ranks come to; below 0: all are
 * right.  elements[r] points to the first one of rank r.
 */
long cuda_reduced_wrong(enum symm_cuda_type type, enum symm_cuda_op op, int ranks,
                        const unsigned char *const *elements, size_t count,
                        const unsigned char *results);

#endif /* SYMM_TESTS_CUDA_REFERENCE_H */
