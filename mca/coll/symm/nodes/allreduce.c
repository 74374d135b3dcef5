/*
 * nodes/allreduce.c - MPI_Allreduce over several nodes.
 *
 * Little data are reduced to a leader of each node, which reduce them with each other.  Of more,
 * each rank of a node gets a slice, which it reduces along its rail: so all links between nodes
 * carry parts at the same time, each byte once to and from each node (as NCCL's rails, UCC's
 * split_rail; J. Traff and others, "Full-lane collectives", 2020).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/calls.h"

static int leaders(mca_coll_symm_nodes_t *nodes, const struct symm_arguments *a)
{
    bool is_leader = nodes->topology.local == 0;
    int error = OMPI_SUCCESS;
    struct symm_arguments step = {.rcount = a->rcount, .rdtype = a->rdtype, .op = a->op};
    if (nodes->node != NULL) {
        step.sbuf = is_leader ? a->sbuf : mca_coll_symm_nodes_input(a, 0);
        step.rbuf = is_leader ? a->rbuf : NULL;
        mca_coll_symm_step(&error, nodes->node, SYMM_MPI_FUNCTION_reduce, step);
    } else if (a->sbuf != MPI_IN_PLACE) {
        mca_coll_symm_step_copy(&error, a->sbuf, a->rbuf, (size_t)a->rcount, a->rdtype);
    }
    step.rbuf = a->rbuf;
    if (is_leader) {
        step.sbuf = MPI_IN_PLACE;
        mca_coll_symm_step_between(&error, nodes, SYMM_MPI_FUNCTION_allreduce, step,
                                   mca_coll_symm_bytes(a->rdtype, (size_t)a->rcount));
    }
    if (nodes->node != NULL) {
        mca_coll_symm_step(&error, nodes->node, SYMM_MPI_FUNCTION_bcast, step);
    }
    return error;
}

/* ---- rails ----------------------------------------------------------------------------------- */

struct slices {
    mca_coll_symm_nodes_t *nodes;
    const struct symm_arguments *a;
    void *slice, *room; /* each for the slice of a piece */
    struct symm_vector *vector;
    int error;
};

/* Every rank of the node gets its slice of a piece, reduced on the node. */
static void slices_reduce(struct slices *s, size_t at, size_t count)
{
    const struct symm_arguments *a = s->a;
    struct ompi_communicator_t *node = s->nodes->node;
    if (node == NULL) {
        mca_coll_symm_step_copy(&s->error, mca_coll_symm_nodes_input(a, at), s->slice, count,
                                a->rdtype);
        return;
    }
    mca_coll_symm_vector_divide(s->vector, count, s->nodes->topology.rails, ompi_comm_size(node));
    mca_coll_symm_step(
        &s->error, node, SYMM_MPI_FUNCTION_reduce_scatter,
        (struct symm_arguments){
            .sbuf = mca_coll_symm_nodes_input(a, at), .rbuf = s->slice,
            .rcounts = mca_coll_symm_vector_counts(s->vector, ompi_comm_size(node)),
            .rdtype = a->rdtype, .op = a->op});
}

static void slices_gather(struct slices *s, size_t at, size_t count)
{
    const struct symm_arguments *a = s->a;
    struct ompi_communicator_t *node = s->nodes->node;
    void *output = mca_coll_symm_element(a->rbuf, at, a->rdtype);
    if (node == NULL) {
        mca_coll_symm_step_copy(&s->error, s->slice, output, count, a->rdtype);
        return;
    }
    mca_coll_symm_vector_divide(s->vector, count, s->nodes->topology.rails, ompi_comm_size(node));
    mca_coll_symm_step(
        &s->error, node, SYMM_MPI_FUNCTION_allgatherv,
        (struct symm_arguments){
            .sbuf = s->slice, .scount = (symm_count_t)s->vector->counts[ompi_comm_rank(node)],
            .sdtype = a->rdtype, .rbuf = output,
            .rcounts = mca_coll_symm_vector_counts(s->vector, ompi_comm_size(node)),
            .rdisps = mca_coll_symm_vector_disps(s->vector, ompi_comm_size(node)),
            .rdtype = a->rdtype});
}

static void piece_reduce(struct slices *s, size_t at, size_t count)
{
    const struct symm_topology *topology = &s->nodes->topology;
    size_t rails = (size_t)topology->rails, local = (size_t)topology->local;
    slices_reduce(s, at, count);
    if (local < rails) {
        size_t mine = count / rails + (local < count % rails ? 1 : 0);
        if (mine > 0) { /* none on this rail */
            mca_coll_symm_rail_reduce(&s->error, s->nodes, s->slice, s->room, mine, s->a->rdtype,
                                      s->a->op);
        }
    }
    slices_gather(s, at, count);
}

static int rails(mca_coll_symm_nodes_t *nodes, const struct symm_arguments *a)
{
    enum { HALF = SYMM_NODES_SCRATCH / 2 };
    struct slices slices = {.nodes = nodes, .a = a, .vector = &nodes->vectors[0]};
    struct symm_room slice, room;
    size_t total = (size_t)a->rcount, size = a->rdtype->super.size;
    size_t spare = (size_t)nodes->topology.nodes; /* what the rail needs besides */
    size_t most = HALF / size > 2 * spare ? HALF / size - spare : spare;
    size_t piece = most * (size_t)nodes->topology.rails;
    if (!mca_coll_symm_room_open(&slice, nodes->scratch, HALF, a->rdtype, most)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (!mca_coll_symm_room_open(&room, nodes->scratch + HALF, HALF, a->rdtype, most + spare)) {
        mca_coll_symm_room_close(&slice);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    slices.slice = slice.at;
    slices.room = room.at;
    for (size_t at = 0; at < total; at += piece) {
        piece_reduce(&slices, at, total - at < piece ? total - at : piece);
    }
    mca_coll_symm_room_close(&room);
    mca_coll_symm_room_close(&slice);
    return slices.error;
}

const struct symm_nodes_row mca_coll_symm_nodes_allreduce = {
    .facts = mca_coll_symm_nodes_reduction_facts, .leaders = leaders, .rails = rails};
