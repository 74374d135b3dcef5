/*
 * nodes/rail.c - a reduction along a rail, which is declared in nodes/calls.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/calls.h"

/* MPI's reduction of a into b puts a op b into b: from the last node to the first. */
static int reduce(struct symm_nodes_call *call, const struct symm_arguments *a)
{
    const struct symm_topology *topology = &call->nodes->topology;
    void *sum = NULL;
    for (int node = topology->nodes - 1; node >= 0; node--) {
        size_t at = (size_t)node * (size_t)a->scount;
        void *part = node == topology->node ? a->rbuf
                                            : mca_coll_symm_element(a->sbuf, at, a->rdtype);
        if (sum == NULL) {
            sum = part;
        } else {
            ompi_op_reduce(a->op, part, sum, (int)a->rcount, a->rdtype);
        }
    }
    if (sum == a->rbuf) {
        return OMPI_SUCCESS;
    }
    int rc = ompi_datatype_copy_content_same_ddt(a->rdtype, (int32_t)a->rcount, a->rbuf, sum);
    return rc < 0 ? rc : OMPI_SUCCESS;
}

void mca_coll_symm_parts_reduce(struct symm_nodes_call *call, void *mine, const void *room,
                                size_t stride, size_t count)
{
    mca_coll_symm_step_work(
        call, reduce,
        (struct symm_arguments){.sbuf = room, .scount = (symm_count_t)stride, .rbuf = mine,
                                .rcount = (symm_count_t)count, .rdtype = call->a.rdtype,
                                .op = call->a.op});
}

void mca_coll_symm_rail_reduce(struct symm_nodes_call *call, void *data, void *room, size_t count)
{
    const struct symm_topology *topology = &call->nodes->topology;
    struct ompi_datatype_t *dtype = call->a.rdtype;
    int number = topology->nodes;
    struct symm_vector *parts = mca_coll_symm_vector(call, number);
    struct symm_vector *sent = mca_coll_symm_vector(call, number);
    struct symm_vector *received = mca_coll_symm_vector(call, number);
    if (parts == NULL || sent == NULL || received == NULL) {
        return;
    }
    mca_coll_symm_vector_divide(parts, count, number, number);
    mca_coll_symm_vector_divide(sent, count, number, number);
    size_t mine = parts->counts[topology->node];
    for (int node = 0; node < number; node++) {
        received->counts[node] = node == topology->node ? 0 : mine;
        received->disps[node] = (ptrdiff_t)((size_t)node * mine);
    }
    sent->counts[topology->node] = 0;
    mca_coll_symm_step_between(
        call, SYMM_ALLTOALLV,
        (struct symm_arguments){
            .sbuf = data, .scounts = mca_coll_symm_vector_counts(sent, number),
            .sdisps = mca_coll_symm_vector_disps(sent, number), .sdtype = dtype, .rbuf = room,
            .rcounts = mca_coll_symm_vector_counts(received, number),
            .rdisps = mca_coll_symm_vector_disps(received, number), .rdtype = dtype},
        mca_coll_symm_bytes(dtype, count - mine));
    mca_coll_symm_parts_reduce(
        call, mca_coll_symm_element(data, (size_t)parts->disps[topology->node], dtype), room,
        mine, mine);
    mca_coll_symm_step_between(
        call, SYMM_ALLGATHERV,
        (struct symm_arguments){.sbuf = MPI_IN_PLACE, .sdtype = dtype, .rbuf = data,
                                .rcounts = mca_coll_symm_vector_counts(parts, number),
                                .rdisps = mca_coll_symm_vector_disps(parts, number),
                                .rdtype = dtype},
        mca_coll_symm_bytes(dtype, mine));
}
