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

#include "mca/coll/symm/nodes/calls.h"

/* Append the steps that take a slice of `count` elements, in host memory, along this rail. */
typedef void mca_coll_symm_slices_along_t(struct symm_nodes_call *call, void *slice, size_t count);

/*
 * Describe a piece: reduce slices on the node, take them along the rails, and bring them together
 * on the rank of the node with a local number, or on all.  On nodes without a result they end
 * there.  Room 0 is for a slice, room 1 for what a rail needs besides.  OMPI_ERR_NOT_SUPPORTED:
 * data on a device need copies.
 */
enum { SYMM_SLICES_ALL = -1 };
int mca_coll_symm_slices_describe(struct symm_nodes_call *call, mca_coll_symm_slices_along_t *along,
                                  bool has_result, int local);

#endif /* MCA_COLL_SYMM_NODES_SLICES_H */
