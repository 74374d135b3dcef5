/*
 * nodes/slices.c - see nodes/slices.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/slices.h"

/*
 * Elements of a slice: a piece that stays in a cache is worth more than few steps (a third of the
 * time at 4 MiB), as long as messages between nodes are not small.
 */
static size_t slice_most(const struct symm_topology *topology, size_t size)
{
    enum { LEAST = 512 << 10, MOST = 2 << 20, MESSAGE = 64 << 10 };
    size_t bytes = MESSAGE * (size_t)topology->nodes;
    bytes = bytes < LEAST ? LEAST : bytes > MOST ? MOST : bytes;
    return bytes > size ? bytes / size : 1;
}

int mca_coll_symm_slices_open(struct symm_slices *slices, mca_coll_symm_nodes_t *nodes,
                              const struct symm_arguments *a)
{
    enum { HALF = SYMM_NODES_SCRATCH / 2 };
    size_t most = slice_most(&nodes->topology, a->rdtype->super.size);
    size_t spare = (size_t)nodes->topology.nodes; /* what a rail needs besides */
    *slices = (struct symm_slices){.nodes = nodes, .a = a, .vector = &nodes->vectors[0],
                                   .piece = most * (size_t)nodes->topology.rails};
    if (!mca_coll_symm_room_open(&slices->slice, nodes->scratch, HALF, a->rdtype, most)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (!mca_coll_symm_room_open(&slices->room, nodes->scratch + HALF, HALF, a->rdtype,
                                 most + spare)) {
        mca_coll_symm_room_close(&slices->slice);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return OMPI_SUCCESS;
}

void mca_coll_symm_slices_close(struct symm_slices *slices)
{
    mca_coll_symm_room_close(&slices->room);
    mca_coll_symm_room_close(&slices->slice);
}

size_t mca_coll_symm_slices_reduce(struct symm_slices *slices, size_t at, size_t count)
{
    const struct symm_arguments *a = slices->a;
    const struct symm_topology *topology = &slices->nodes->topology;
    struct ompi_communicator_t *node = slices->nodes->node;
    const void *input = mca_coll_symm_nodes_input(a, at);
    mca_coll_symm_vector_divide(slices->vector, count, topology->rails,
                                symm_topology_count(topology, topology->node));
    if (node == NULL) {
        mca_coll_symm_step_copy(&slices->error, input, slices->slice.at, count, a->rdtype);
    } else {
        mca_coll_symm_step(
            &slices->error, node, SYMM_MPI_FUNCTION_reduce_scatter,
            (struct symm_arguments){
                .sbuf = input, .rbuf = slices->slice.at,
                .rcounts = mca_coll_symm_vector_counts(slices->vector, ompi_comm_size(node)),
                .rdtype = a->rdtype, .op = a->op});
    }
    return slices->vector->counts[topology->local];
}

void mca_coll_symm_slices_gather(struct symm_slices *slices, size_t at, size_t count, int local)
{
    const struct symm_arguments *a = slices->a;
    struct symm_vector *vector = slices->vector;
    struct ompi_communicator_t *node = slices->nodes->node;
    bool has_output = local == SYMM_SLICES_ALL || local == slices->nodes->topology.local;
    void *output = has_output ? mca_coll_symm_element(a->rbuf, at, a->rdtype) : NULL;
    if (node == NULL) {
        mca_coll_symm_step_copy(&slices->error, slices->slice.at, output, count, a->rdtype);
        return;
    }
    mca_coll_symm_vector_divide(vector, count, slices->nodes->topology.rails,
                                ompi_comm_size(node));
    mca_coll_symm_step(
        &slices->error, node,
        local == SYMM_SLICES_ALL ? SYMM_MPI_FUNCTION_allgatherv : SYMM_MPI_FUNCTION_gatherv,
        (struct symm_arguments){
            .sbuf = slices->slice.at, .scount = (symm_count_t)vector->counts[ompi_comm_rank(node)],
            .sdtype = a->rdtype, .rbuf = output,
            .rcounts = mca_coll_symm_vector_counts(vector, ompi_comm_size(node)),
            .rdisps = mca_coll_symm_vector_disps(vector, ompi_comm_size(node)),
            .rdtype = a->rdtype, .root = local == SYMM_SLICES_ALL ? 0 : local});
}
