/*
 * nodes/slices.h - reductions whose data are divided among a node's ranks: each reduces a slice of
 * its node's data, and takes it along its rail.
 *
 * That is done in pieces.  They stay in a cache from step to step, and bound the scratch.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_NODES_SLICES_H
#define MCA_COLL_SYMM_NODES_SLICES_H

#include "mca/coll/symm/nodes/calls.h"

struct symm_slices {
    mca_coll_symm_nodes_t *nodes;
    const struct symm_arguments *a;
    struct symm_room slice, room; /* each for the slice of a piece */
    size_t piece;                 /* elements of a piece, at most */
    struct symm_vector *vector;   /* slices of the node's ranks */
    int error;
};

/* OMPI_ERR_OUT_OF_RESOURCE: nothing is open. */
int mca_coll_symm_slices_open(struct symm_slices *slices, mca_coll_symm_nodes_t *nodes,
                              const struct symm_arguments *a);
void mca_coll_symm_slices_close(struct symm_slices *slices);

/*
 * Every rank of the node gets its slice of a piece of `count` elements, reduced on the node, at
 * slice.at.  Returns how many elements it has: those with the same local number have as many.
 */
size_t mca_coll_symm_slices_reduce(struct symm_slices *slices, size_t at, size_t count);

/*
 * Bring the slices of a piece together, on all ranks of the node or on one: at its place in the
 * output.
 */
enum { SYMM_SLICES_ALL = -1 };
void mca_coll_symm_slices_gather(struct symm_slices *slices, size_t at, size_t count, int local);

#endif /* MCA_COLL_SYMM_NODES_SLICES_H */
