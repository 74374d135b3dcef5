/*
 * nodes/slices.h - reductions whose data are divided among a node's ranks: each reduces a slice of
 * its node's data, and takes it along its rail.
 *
 * That is done in pieces.  They stay in a cache from step to step, and bound the scratch.
 *
 * The node's steps work wherever data are.  Slices of data on a device are there as well, and are
 * copied to the host for the rail: Open MPI reduces with the host whatever memory it finds, and
 * mostly sends what is in host memory alone.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_NODES_SLICES_H
#define MCA_COLL_SYMM_NODES_SLICES_H

#include "kernels/cuda/launch/host_memory.h"
#include "mca/coll/symm/nodes/calls.h"

struct symm_slices {
    mca_coll_symm_nodes_t *nodes;
    const struct symm_arguments *a;
    struct symm_room slice, room; /* each for the slice of a piece; the room is the host's */
    int device;                   /* whose memory the slice is; -1: the host's */
    struct symm_host_block copy;  /* then, of the slice; behind it is the room */
    size_t piece;                 /* elements of a piece, at most */
    struct symm_vector *vector;   /* slices of the node's ranks */
    int error;
};

/*
 * Errors, after which nothing is open: OMPI_ERR_OUT_OF_RESOURCE, and OMPI_ERR_NOT_SUPPORTED where
 * data on a device need copies: then nodes->needs_host is set.
 */
int mca_coll_symm_slices_open(struct symm_slices *slices, mca_coll_symm_nodes_t *nodes,
                              const struct symm_arguments *a);
void mca_coll_symm_slices_close(struct symm_slices *slices);

/*
 * Every rank of the node gets its slice of a piece of `count` elements, reduced on the node, at
 * slice.at.  Returns how many elements it has: those with the same local number have as many.
 */
size_t mca_coll_symm_slices_reduce(struct symm_slices *slices, size_t at, size_t count);

/* The slice of `mine` elements in host memory, and back to where it is. */
void *mca_coll_symm_slices_fetch(struct symm_slices *slices, size_t mine);
void mca_coll_symm_slices_store(struct symm_slices *slices, size_t mine);

/*
 * Bring the slices of a piece together, on all ranks of the node or on one: at its place in the
 * output.
 */
enum { SYMM_SLICES_ALL = -1 };
void mca_coll_symm_slices_gather(struct symm_slices *slices, size_t at, size_t count, int local);

#endif /* MCA_COLL_SYMM_NODES_SLICES_H */
