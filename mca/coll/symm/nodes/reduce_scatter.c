/*
 * nodes/reduce_scatter.c - MPI_Reduce_scatter and MPI_Reduce_scatter_block over several nodes.
 *
 * Little data are reduced to leaders, which reduce them with each other and hand out the blocks.
 * Of more, each rank gets its node's sum of the blocks of all ranks with its local number, piece by
 * piece, and these ranks exchange them along their rail.  Then each node has as many ranks as there
 * are rails.
 *
 * In place, the result is where the input began.  A piece's results lie on elements that pieces so
 * far have taken in: an element's place in its block is not behind its place in the array.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/calls.h"

/* A call of either; they differ in the count of a rank. */
struct scatter {
    mca_coll_symm_nodes_t *nodes;
    const struct symm_arguments *a;
    int error;
};

static size_t count_of(const struct scatter *s, int rank)
{
    return mca_coll_symm_nodes_count(s->nodes->collective, s->a, rank);
}

/* ---- leaders --------------------------------------------------------------------------------- */

/* A leader's node gets its blocks of the sum, which is in the order of the ranks. */
static void blocks_scatter(struct scatter *s, const void *sum)
{
    const struct symm_topology *topology = &s->nodes->topology;
    struct symm_vector *vector = &s->nodes->vectors[0];
    struct ompi_datatype_t *dtype = s->a->rdtype;
    size_t behind = 0, mine = count_of(s, ompi_comm_rank(s->a->comm));
    int count = symm_topology_count(topology, topology->node);
    for (int rank = 0; rank < topology->size; rank++) {
        if (topology->node_of[rank] == topology->node) {
            vector->counts[topology->local_of[rank]] = count_of(s, rank);
            vector->disps[topology->local_of[rank]] = (ptrdiff_t)behind;
        }
        behind += count_of(s, rank);
    }
    if (s->nodes->node == NULL) {
        mca_coll_symm_step_copy(&s->error,
                                mca_coll_symm_element(sum, (size_t)vector->disps[0], dtype),
                                s->a->rbuf, mine, dtype);
        return;
    }
    mca_coll_symm_step(&s->error, s->nodes->node, SYMM_MPI_FUNCTION_scatterv,
                       (struct symm_arguments){
                           .sbuf = sum, .scounts = mca_coll_symm_vector_counts(vector, count),
                           .sdisps = mca_coll_symm_vector_disps(vector, count), .sdtype = dtype,
                           .rbuf = s->a->rbuf, .rcount = (symm_count_t)mine, .rdtype = dtype});
}

static int leaders(mca_coll_symm_nodes_t *nodes, const struct symm_arguments *a)
{
    struct scatter scatter = {.nodes = nodes, .a = a}, *s = &scatter;
    const struct symm_topology *topology = &nodes->topology;
    const void *input = mca_coll_symm_nodes_input(a, 0);
    struct symm_room room;
    size_t total = 0;
    for (int rank = 0; rank < topology->size; rank++) {
        total += count_of(s, rank);
    }
    if (!mca_coll_symm_room_open(&room, nodes->scratch, SYMM_NODES_SCRATCH, a->rdtype, total)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    struct symm_arguments step = {.sbuf = input, .rbuf = room.at, .rcount = (symm_count_t)total,
                                  .rdtype = a->rdtype, .op = a->op};
    if (nodes->node != NULL) {
        mca_coll_symm_step(&s->error, nodes->node, SYMM_MPI_FUNCTION_reduce, step);
        step.sbuf = MPI_IN_PLACE;
    }
    if (topology->local == 0) {
        mca_coll_symm_step_between(&s->error, nodes, SYMM_MPI_FUNCTION_allreduce, step,
                                   mca_coll_symm_bytes(a->rdtype, total));
    }
    blocks_scatter(s, room.at);
    mca_coll_symm_room_close(&room);
    return s->error;
}

/* ---- rails ----------------------------------------------------------------------------------- */

struct piece {
    size_t at, most; /* elements of each block */
    void *slots, *room; /* for a piece of each node */
};

static size_t piece_of(const struct scatter *s, const struct piece *piece, int rank)
{
    size_t count = count_of(s, rank);
    size_t left = count > piece->at ? count - piece->at : 0;
    return left < piece->most ? left : piece->most;
}

/* Sums over this node of pieces of all blocks, at the ranks with their owners' local numbers. */
static void near_reduce(struct scatter *s, const struct piece *piece)
{
    const struct symm_topology *topology = &s->nodes->topology;
    const struct symm_arguments *a = s->a;
    size_t behind = piece->at;
    for (int rank = 0; rank < topology->size; behind += count_of(s, rank), rank++) {
        size_t count = piece_of(s, piece, rank);
        if (count > 0) {
            size_t slot = (size_t)topology->node_of[rank] * piece->most;
            mca_coll_symm_step(
                &s->error, s->nodes->node, SYMM_MPI_FUNCTION_reduce,
                (struct symm_arguments){
                    .sbuf = mca_coll_symm_nodes_input(a, behind),
                    .rbuf = mca_coll_symm_element(piece->slots, slot, a->rdtype),
                    .rcount = (symm_count_t)count, .rdtype = a->rdtype, .op = a->op,
                    .root = topology->local_of[rank]});
        }
    }
}

static void rail_exchange(struct scatter *s, const struct piece *piece)
{
    const struct symm_topology *topology = &s->nodes->topology;
    const struct symm_arguments *a = s->a;
    struct symm_vector *sent = &s->nodes->vectors[0], *received = &s->nodes->vectors[1];
    size_t mine = piece_of(s, piece, ompi_comm_rank(a->comm)), bytes = 0;
    for (int node = 0; node < topology->nodes; node++) {
        bool is_own = node == topology->node;
        int rank = symm_topology_rank(topology, node, topology->local);
        sent->counts[node] = is_own ? 0 : piece_of(s, piece, rank);
        sent->disps[node] = (ptrdiff_t)((size_t)node * piece->most);
        received->counts[node] = is_own ? 0 : mine;
        received->disps[node] = sent->disps[node];
        bytes += mca_coll_symm_bytes(a->rdtype, sent->counts[node]);
    }
    mca_coll_symm_step_between(
        &s->error, s->nodes, SYMM_MPI_FUNCTION_alltoallv,
        (struct symm_arguments){
            .sbuf = piece->slots, .scounts = mca_coll_symm_vector_counts(sent, topology->nodes),
            .sdisps = mca_coll_symm_vector_disps(sent, topology->nodes), .sdtype = a->rdtype,
            .rbuf = piece->room, .rcounts = mca_coll_symm_vector_counts(received, topology->nodes),
            .rdisps = mca_coll_symm_vector_disps(received, topology->nodes),
            .rdtype = a->rdtype},
        bytes);
    size_t own = (size_t)topology->node * piece->most;
    if (mine > 0) {
        mca_coll_symm_parts_reduce(&s->error, s->nodes,
                                   mca_coll_symm_element(piece->slots, own, a->rdtype),
                                   piece->room, piece->most, mine, a->rdtype, a->op);
        mca_coll_symm_step_copy(&s->error, mca_coll_symm_element(piece->slots, own, a->rdtype),
                                mca_coll_symm_element(a->rbuf, piece->at, a->rdtype), mine,
                                a->rdtype);
    }
}

static int rails(mca_coll_symm_nodes_t *nodes, const struct symm_arguments *a)
{
    struct scatter scatter = {.nodes = nodes, .a = a}, *s = &scatter;
    enum { HALF = SYMM_NODES_SCRATCH / 2, PIECE = 256 << 10 };
    const struct symm_topology *topology = &nodes->topology;
    struct ompi_datatype_t *dtype = a->rdtype;
    struct symm_room slots, room;
    struct piece piece = {.at = 0};
    size_t number = (size_t)topology->nodes, size = dtype->super.size, longest = 0;
    piece.most = HALF / number < PIECE ? HALF / number / size : PIECE / size;
    piece.most = piece.most > 0 ? piece.most : 1;
    for (int rank = 0; rank < topology->size; rank++) {
        longest = count_of(s, rank) > longest ? count_of(s, rank) : longest;
    }
    if (!mca_coll_symm_room_open(&slots, nodes->scratch, HALF, dtype, number * piece.most)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (!mca_coll_symm_room_open(&room, nodes->scratch + HALF, HALF, dtype,
                                 number * piece.most)) {
        mca_coll_symm_room_close(&slots);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    piece.slots = slots.at;
    piece.room = room.at;
    for (; piece.at < longest; piece.at += piece.most) {
        near_reduce(s, &piece);
        rail_exchange(s, &piece);
    }
    mca_coll_symm_room_close(&room);
    mca_coll_symm_room_close(&slots);
    return s->error;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void facts_of(const struct symm_arguments *a, struct symm_nodes_facts *facts)
{
    facts->commutes = ompi_op_is_commute(a->op);
    facts->bytes = mca_coll_symm_nodes_bytes(facts->collective, a);
}

const struct symm_nodes_row mca_coll_symm_nodes_reduce_scatter = {
    .facts = facts_of, .leaders = leaders, .rails = rails};
const struct symm_nodes_row mca_coll_symm_nodes_reduce_scatter_block = {
    .facts = facts_of, .leaders = leaders, .rails = rails};
