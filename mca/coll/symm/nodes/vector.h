/*
 * nodes/vector.h - counts and displacements of ranks, for one step of a plan.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_NODES_VECTOR_H
#define MCA_COLL_SYMM_NODES_VECTOR_H

#include "mca/ompi_compat.h"

/* In elements. */
struct symm_vector {
    size_t *counts;
    ptrdiff_t *disps;
    int *count_room, *disp_room; /* of the type that MPI's functions take */
};

/* `most` entries of `nodes` vectors.  False: there is no memory. */
bool mca_coll_symm_vectors_make(struct symm_vector *vectors, int number, int most);
void mca_coll_symm_vectors_end(struct symm_vector *vectors);

/* The first `count` of them, as arguments.  They fit an int. */
symm_counts_t mca_coll_symm_vector_counts(const struct symm_vector *vector, int count);
symm_disps_t mca_coll_symm_vector_disps(const struct symm_vector *vector, int count);

/* Divide `total` elements among the first `parts` of `count` ranks, as evenly as it goes. */
void mca_coll_symm_vector_divide(struct symm_vector *vector, size_t total, int parts, int count);

#endif /* MCA_COLL_SYMM_NODES_VECTOR_H */
