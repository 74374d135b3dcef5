/*
 * allocator_model.h - what the sub-allocator should do, kept as one flag per unit of 256 bytes.
 *
 * The model knows, for every request, whether a place for it exists at all; the allocator has to
 * find one exactly then.  Every call on the model makes the call on the allocator and compares.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ALLOCATOR_MODEL_H
#define SYMM_TESTS_ALLOCATOR_MODEL_H

#include "tests/unit/harness/unit.h"

#include "heap/allocator.h"

enum {
    UNIT = SYMM_ALIGNMENT_MIN,
    SEGMENTS = 3,
    SEGMENT_SIZE = 512 * 1024,
    SEGMENT_UNITS = SEGMENT_SIZE / UNIT,
    BLOCKS_MAX = SEGMENTS * SEGMENT_UNITS,
};

struct block {
    uint64_t offset;
    size_t units;
};

struct model {
    struct symm_allocator *allocator;
    bool used[BLOCKS_MAX];
    struct block blocks[BLOCKS_MAX];
    size_t count, units;
};

/* A fresh allocator with SEGMENTS segments, numbered from 100 on; the caller destroys it. */
void model_setup(struct model *model);

/* Allocate, and see that it works if and only if there is room. */
void model_alloc(struct model *model, size_t size, size_t alignment);
void model_free(struct model *model, size_t index);

/* The halves of model_alloc(), for a caller that expects something else. */
bool model_has_room(const struct model *model, size_t size, size_t alignment);
void model_take(struct model *model, uint64_t offset, size_t size, size_t alignment);

/* Compare the allocator's counters with what the flags say. */
void model_check_counts(const struct model *model);

/* Free everything; then every segment takes one block of its whole size, and no more. */
void model_check_coalesced(struct model *model);

/* Sizes and alignments that meet all the thresholds. */
size_t model_random_size(struct unit_random *random);
size_t model_random_alignment(struct unit_random *random);

#endif /* SYMM_TESTS_ALLOCATOR_MODEL_H */
