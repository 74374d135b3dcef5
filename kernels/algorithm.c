/*
 * algorithm.c - see algorithm.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "kernels/algorithm.h"

const struct symm_algorithm_row *const symm_algorithms[SYMM_ALGORITHM_COUNT] = {
#define ENTRY(number, row) [number] = &(row),
    SYMM_ALGORITHMS(ENTRY)
#undef ENTRY
};

bool symm_algorithm_is_for(int algorithm, enum symm_collective collective,
                           enum symm_algorithm_memory memory)
{
    return algorithm >= 0 && algorithm < SYMM_ALGORITHM_COUNT &&
           symm_algorithms[algorithm]->collective == collective &&
           symm_algorithms[algorithm]->memory == memory;
}

const struct symm_algorithm_row *symm_algorithm_find(enum symm_collective collective,
                                                     enum symm_algorithm_memory memory,
                                                     unsigned needs)
{
    for (int algorithm = 0; algorithm < SYMM_ALGORITHM_COUNT; algorithm++) {
        const struct symm_algorithm_row *row = symm_algorithms[algorithm];
        if (row->collective == collective && row->memory == memory &&
            (row->needs & needs) == needs) {
            return row;
        }
    }
    return NULL;
}

const char *symm_algorithm_word(const struct symm_algorithm_row *row)
{
    static const char prefix[] = "cuda_";
    return row->memory == SYMM_ALGORITHM_DEVICE ? row->name + sizeof(prefix) - 1 : row->name;
}
