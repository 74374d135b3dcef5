/*
 * allocator_model.c - see allocator_model.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/allocator_model.h"

#include <string.h>

void model_setup(struct model *model)
{
    memset(model, 0, sizeof(*model));
    model->allocator = symm_allocator_create();
    assert_non_null(model->allocator);
    for (uint32_t segment = 0; segment < SEGMENTS; segment++) {
        assert_status(symm_allocator_add_segment(model->allocator, 100 + segment,
                                                 (uint64_t)segment * SEGMENT_SIZE, SEGMENT_SIZE),
                      SYMM_OK);
    }
}

static size_t units_of(size_t size)
{
    return (size + UNIT - 1) / UNIT;
}

/* What the header promises for a block of this size when it is asked for `alignment`. */
static size_t least_alignment(size_t size, size_t alignment)
{
    size_t least = size >= SYMM_BLOCK_BIG ? SYMM_ALIGNMENT_BIG : SYMM_ALIGNMENT_MIN;
    return alignment > least ? alignment : least;
}

static bool units_are_free(const struct model *model, size_t first, size_t units)
{
    for (size_t i = first; i < first + units; i++) {
        if (model->used[i]) {
            return false;
        }
    }
    return true;
}

bool model_has_room(const struct model *model, size_t size, size_t alignment)
{
    size_t step = least_alignment(size, alignment) / UNIT, units = units_of(size);
    for (size_t segment = 0; segment < SEGMENTS; segment++) {
        size_t begin = segment * SEGMENT_UNITS, end = begin + SEGMENT_UNITS;
        for (size_t first = (begin + step - 1) / step * step; first + units <= end;
             first += step) {
            if (units_are_free(model, first, units)) {
                return true;
            }
        }
    }
    return false;
}

void model_check_counts(const struct model *model)
{
    size_t empty = 0;
    for (size_t segment = 0; segment < SEGMENTS; segment++) {
        empty += units_are_free(model, segment * SEGMENT_UNITS, SEGMENT_UNITS);
    }
    assert_int_equal(symm_allocator_blocks(model->allocator), model->count);
    assert_int_equal(symm_allocator_block_bytes(model->allocator), model->units * UNIT);
    assert_int_equal(symm_allocator_empty_segments(model->allocator), empty);
}

/* Record what the allocator has given, after a look at whether it may. */
void model_take(struct model *model, uint64_t offset, size_t size, size_t alignment)
{
    size_t first = (size_t)(offset / UNIT), units = units_of(size);
    assert_int_equal(offset % least_alignment(size, alignment), 0);
    assert_true(offset + units * UNIT <= (uint64_t)SEGMENTS * SEGMENT_SIZE);
    assert_int_equal(first / SEGMENT_UNITS, (first + units - 1) / SEGMENT_UNITS);
    assert_true(units_are_free(model, first, units));
    memset(&model->used[first], true, units);
    model->blocks[model->count++] = (struct block){.offset = offset, .units = units};
    model->units += units;
}

void model_alloc(struct model *model, size_t size, size_t alignment)
{
    uint64_t offset = UINT64_MAX;
    bool has_room = model_has_room(model, size, alignment);
    enum symm_status status = symm_allocator_alloc(model->allocator, size, alignment, &offset);
    assert_status(status, has_room ? SYMM_OK : SYMM_ERR_NO_MEMORY);
    if (status == SYMM_OK) {
        model_take(model, offset, size, alignment);
    }
}

void model_free(struct model *model, size_t index)
{
    struct block block = model->blocks[index];
    size_t first = (size_t)(block.offset / UNIT), segment = first / SEGMENT_UNITS;
    uint32_t number = 0;
    bool empty = false;
    memset(&model->used[first], false, block.units);
    model->blocks[index] = model->blocks[--model->count];
    model->units -= block.units;
    assert_status(symm_allocator_free(model->allocator, block.offset, &number, &empty), SYMM_OK);
    assert_int_equal(number, 100 + segment);
    assert_int_equal(empty, units_are_free(model, segment * SEGMENT_UNITS, SEGMENT_UNITS));
}

void model_check_coalesced(struct model *model)
{
    while (model->count > 0) {
        model_free(model, model->count - 1);
    }
    model_check_counts(model);
    for (size_t i = 0; i <= SEGMENTS; i++) {
        model_alloc(model, SEGMENT_SIZE, 0);
    }
    assert_int_equal(model->count, SEGMENTS);
}

size_t model_random_size(struct unit_random *random)
{
    switch (unit_random_below(random, 8)) {
    case 0:
        return 1;
    case 1:
        return SYMM_BLOCK_BIG - 1 + unit_random_below(random, 3);
    case 2:
        return 1 + unit_random_below(random, 200 * 1024);
    case 3:
        return UNIT * (1 + unit_random_below(random, 4)) - unit_random_below(random, 2);
    default:
        return 1 + unit_random_below(random, 8 * 1024);
    }
}

size_t model_random_alignment(struct unit_random *random)
{
    return unit_random_below(random, 3) != 0 ? 0 : (size_t)1 << unit_random_below(random, 18);
}
