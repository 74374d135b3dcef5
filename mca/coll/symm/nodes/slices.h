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

/* Take a slice of `count` elements, which is in host memory, along this rank's rail. */
typedef void mca_coll_symm_slices_along_t(struct symm_slices *slices, void *slice, size_t count);

/*
 * Make a call: reduce slices on the node, take them along the rails, and bring them together on the
 * rank of the node with a local number, or on all.  On nodes without a result they end there.
 * OMPI_ERR_NOT_SUPPORTED, with nodes->needs_host: data on a device need copies, and nothing has
 * been done.
 */
enum { SYMM_SLICES_ALL = -1 };
int mca_coll_symm_slices_make(mca_coll_symm_nodes_t *nodes, const struct symm_arguments *a,
                              mca_coll_symm_slices_along_t *along, bool has_result, int local);

#endif /* MCA_COLL_SYMM_NODES_SLICES_H */
