/*
 * nodes/vector.c - see nodes/vector.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/vector.h"

#include <stdlib.h>

bool mca_coll_symm_vectors_make(struct symm_vector *vectors, int number, int most)
{
    size_t length = (size_t)most;
    size_t bytes = length * (sizeof(size_t) + sizeof(ptrdiff_t) + 2 * sizeof(int));
    unsigned char *room = calloc((size_t)number, bytes);
    if (room == NULL) {
        return false;
    }
    for (int i = 0; i < number; i++, room += bytes) {
        struct symm_vector *vector = &vectors[i];
        vector->counts = (size_t *)(void *)room;
        vector->disps = (ptrdiff_t *)(void *)(vector->counts + length);
        vector->count_room = (int *)(void *)(vector->disps + length);
        vector->disp_room = vector->count_room + length;
    }
    return true;
}

void mca_coll_symm_vectors_end(struct symm_vector *vectors)
{
    free(vectors[0].counts);
    vectors[0].counts = NULL;
}

symm_counts_t mca_coll_symm_vector_counts(const struct symm_vector *vector, int count)
{
    return symm_counts_make(vector->counts, (size_t)count, vector->count_room);
}

symm_disps_t mca_coll_symm_vector_disps(const struct symm_vector *vector, int count)
{
    symm_disps_t made;
    memset(&made, 0, sizeof(made));
    (void)symm_disps_make(vector->disps, (size_t)count, vector->disp_room, &made);
    return made;
}

void mca_coll_symm_vector_divide(struct symm_vector *vector, size_t total, int parts, int count)
{
    size_t behind = 0;
    for (int i = 0; i < count; i++) {
        size_t least = total / (size_t)parts, rest = total % (size_t)parts;
        vector->counts[i] = i >= parts ? 0 : least + ((size_t)i < rest ? 1 : 0);
        vector->disps[i] = (ptrdiff_t)behind;
        behind += vector->counts[i];
    }
}
