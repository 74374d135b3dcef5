/*
 * nodes/rail.c - a reduction along a rail, which is declared in nodes/calls.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/calls.h"

/* MPI's reduction of a into b puts a op b into b: from the last node to the first. */
void mca_coll_symm_parts_reduce(int *error, const mca_coll_symm_nodes_t *nodes, void *mine,
                                void *room, size_t stride, size_t count,
                                struct ompi_datatype_t *dtype, struct ompi_op_t *op)
{
    const struct symm_topology *topology = &nodes->topology;
    void *sum = NULL;
    for (int node = topology->nodes - 1; node >= 0; node--) {
        void *part = node == topology->node
                         ? mine : mca_coll_symm_element(room, (size_t)node * stride, dtype);
        if (sum == NULL) {
            sum = part;
        } else {
            ompi_op_reduce(op, part, sum, (int)count, dtype);
        }
    }
    if (sum != mine) {
        mca_coll_symm_step_copy(error, sum, mine, count, dtype);
    }
}

void mca_coll_symm_rail_reduce(int *error, mca_coll_symm_nodes_t *nodes, void *data, void *room,
                               size_t count, struct ompi_datatype_t *dtype, struct ompi_op_t *op)
{
    const struct symm_topology *topology = &nodes->topology;
    struct symm_vector *parts = &nodes->vectors[0], *others = &nodes->vectors[1];
    mca_coll_symm_vector_divide(parts, count, topology->nodes, topology->nodes);
    size_t mine = parts->counts[topology->node];
    for (int node = 0; node < topology->nodes; node++) {
        others->counts[node] = node == topology->node ? 0 : mine;
        others->disps[node] = (ptrdiff_t)((size_t)node * mine);
    }
    parts->counts[topology->node] = 0;
    mca_coll_symm_step_between(
        error, nodes, SYMM_MPI_FUNCTION_alltoallv,
        (struct symm_arguments){
            .sbuf = data, .scounts = mca_coll_symm_vector_counts(parts, topology->nodes),
            .sdisps = mca_coll_symm_vector_disps(parts, topology->nodes), .sdtype = dtype,
            .rbuf = room, .rcounts = mca_coll_symm_vector_counts(others, topology->nodes),
            .rdisps = mca_coll_symm_vector_disps(others, topology->nodes), .rdtype = dtype},
        mca_coll_symm_bytes(dtype, count - mine));
    parts->counts[topology->node] = mine;
    mca_coll_symm_parts_reduce(
        error, nodes, mca_coll_symm_element(data, (size_t)parts->disps[topology->node], dtype),
        room, mine, mine, dtype, op);
    mca_coll_symm_step_between(
        error, nodes, SYMM_MPI_FUNCTION_allgatherv,
        (struct symm_arguments){
            .sbuf = MPI_IN_PLACE, .sdtype = dtype, .rbuf = data,
            .rcounts = mca_coll_symm_vector_counts(parts, topology->nodes),
            .rdisps = mca_coll_symm_vector_disps(parts, topology->nodes), .rdtype = dtype},
        mca_coll_symm_bytes(dtype, mine));
}
