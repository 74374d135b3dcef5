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

static size_t count_of(const struct symm_nodes_call *call, int rank)
{
    return mca_coll_symm_nodes_count(call->collective, &call->a, rank);
}

/* ---- leaders --------------------------------------------------------------------------------- */

/* A leader's node gets its blocks of the sum, which is in the order of the ranks. */
static void blocks_scatter(struct symm_nodes_call *call, const void *sum)
{
    const struct symm_topology *topology = &call->nodes->topology;
    struct ompi_datatype_t *dtype = call->a.rdtype;
    size_t behind = 0, mine = count_of(call, ompi_comm_rank(call->a.comm));
    int count = symm_topology_count(topology, topology->node);
    struct symm_vector *vector = mca_coll_symm_vector(call, count);
    if (vector == NULL) {
        return;
    }
    for (int rank = 0; rank < topology->size; rank++) {
        if (topology->node_of[rank] == topology->node) {
            vector->counts[topology->local_of[rank]] = count_of(call, rank);
            vector->disps[topology->local_of[rank]] = (ptrdiff_t)behind;
        }
        behind += count_of(call, rank);
    }
    if (call->nodes->node == NULL) {
        mca_coll_symm_step_copy(call, mca_coll_symm_element(sum, (size_t)vector->disps[0], dtype),
                                call->a.rbuf, mine, dtype);
        return;
    }
    mca_coll_symm_step(call, call->nodes->node, SYMM_SCATTERV,
                       (struct symm_arguments){
                           .sbuf = sum, .scounts = mca_coll_symm_vector_counts(vector, count),
                           .sdisps = mca_coll_symm_vector_disps(vector, count), .sdtype = dtype,
                           .rbuf = call->a.rbuf, .rcount = (symm_count_t)mine, .rdtype = dtype});
}

static int leaders(struct symm_nodes_call *call)
{
    const struct symm_topology *topology = &call->nodes->topology;
    const struct symm_arguments *a = &call->a;
    size_t total = 0;
    for (int rank = 0; rank < topology->size; rank++) {
        total += count_of(call, rank);
    }
    if (!mca_coll_symm_room_open(call, 0, SYMM_NODES_SCRATCH, a->rdtype, total)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    struct symm_arguments step = {.sbuf = mca_coll_symm_nodes_input(a, 0),
                                  .rbuf = call->rooms[0].at, .rcount = (symm_count_t)total,
                                  .rdtype = a->rdtype, .op = a->op};
    if (call->nodes->node != NULL) {
        mca_coll_symm_step(call, call->nodes->node, SYMM_REDUCE, step);
        step.sbuf = MPI_IN_PLACE;
    }
    if (topology->local == 0) {
        mca_coll_symm_step_between(call, SYMM_ALLREDUCE, step,
                                   mca_coll_symm_bytes(a->rdtype, total));
    }
    blocks_scatter(call, call->rooms[0].at);
    return OMPI_SUCCESS;
}

/* ---- rails ----------------------------------------------------------------------------------- */

/* A piece has call->piece elements of each block, of which this rank's are so many. */
static size_t piece_of(const struct symm_nodes_call *call, int rank)
{
    size_t count = count_of(call, rank);
    size_t left = count > call->at ? count - call->at : 0;
    return left < call->piece ? left : call->piece;
}

/* The place of a node's piece in a room. */
static void *slot_of(const struct symm_nodes_call *call, int i, int node)
{
    return mca_coll_symm_element(call->rooms[i].at, (size_t)node * call->piece, call->a.rdtype);
}

/* Sums over this node of pieces of all blocks, at the ranks with their owners' local numbers. */
static void near_reduce(struct symm_nodes_call *call)
{
    const struct symm_topology *topology = &call->nodes->topology;
    const struct symm_arguments *a = &call->a;
    size_t behind = call->at;
    for (int rank = 0; rank < topology->size; behind += count_of(call, rank), rank++) {
        size_t count = piece_of(call, rank);
        if (count > 0) {
            mca_coll_symm_step(
                call, call->nodes->node, SYMM_REDUCE,
                (struct symm_arguments){.sbuf = mca_coll_symm_nodes_input(a, behind),
                                        .rbuf = slot_of(call, 0, topology->node_of[rank]),
                                        .rcount = (symm_count_t)count, .rdtype = a->rdtype,
                                        .op = a->op, .root = topology->local_of[rank]});
        }
    }
}

static void rail_exchange(struct symm_nodes_call *call)
{
    const struct symm_topology *topology = &call->nodes->topology;
    const struct symm_arguments *a = &call->a;
    struct symm_vector *sent = mca_coll_symm_vector(call, topology->nodes);
    struct symm_vector *received = mca_coll_symm_vector(call, topology->nodes);
    size_t mine = piece_of(call, ompi_comm_rank(a->comm)), bytes = 0;
    if (sent == NULL || received == NULL) {
        return;
    }
    for (int node = 0; node < topology->nodes; node++) {
        bool is_own = node == topology->node;
        int rank = symm_topology_rank(topology, node, topology->local);
        sent->counts[node] = is_own ? 0 : piece_of(call, rank);
        sent->disps[node] = (ptrdiff_t)((size_t)node * call->piece);
        received->counts[node] = is_own ? 0 : mine;
        received->disps[node] = sent->disps[node];
        bytes += mca_coll_symm_bytes(a->rdtype, sent->counts[node]);
    }
    mca_coll_symm_step_between(
        call, SYMM_ALLTOALLV,
        (struct symm_arguments){
            .sbuf = call->rooms[0].at,
            .scounts = mca_coll_symm_vector_counts(sent, topology->nodes),
            .sdisps = mca_coll_symm_vector_disps(sent, topology->nodes), .sdtype = a->rdtype,
            .rbuf = call->rooms[1].at,
            .rcounts = mca_coll_symm_vector_counts(received, topology->nodes),
            .rdisps = mca_coll_symm_vector_disps(received, topology->nodes),
            .rdtype = a->rdtype},
        bytes);
    if (mine > 0) {
        void *own = slot_of(call, 0, topology->node);
        mca_coll_symm_parts_reduce(call, own, call->rooms[1].at, call->piece, mine);
        mca_coll_symm_step_copy(call, own, mca_coll_symm_element(a->rbuf, call->at, a->rdtype),
                                mine, a->rdtype);
    }
}

static int rails(struct symm_nodes_call *call)
{
    enum { PIECE = 256 << 10 };
    const struct symm_topology *topology = &call->nodes->topology;
    size_t number = (size_t)topology->nodes, size = call->a.rdtype->super.size, longest = 0;
    for (int rank = 0; rank < topology->size; rank++) {
        longest = count_of(call, rank) > longest ? count_of(call, rank) : longest;
    }
    if (call->at == 0) {
        size_t bytes = SYMM_NODES_HALF / number < PIECE ? SYMM_NODES_HALF / number : PIECE;
        call->piece = bytes > size ? bytes / size : 1;
        if (call->form == SYMM_CALL_PERSISTENT) {
            call->piece = longest;
        }
        for (int i = 0; i < 2; i++) {
            if (!mca_coll_symm_room_open(call, i, SYMM_NODES_HALF, call->a.rdtype,
                                         number * call->piece)) {
                return OMPI_ERR_OUT_OF_RESOURCE;
            }
        }
    }
    near_reduce(call);
    rail_exchange(call);
    if (longest - call->at > call->piece) {
        call->next = call->at + call->piece;
    }
    return OMPI_SUCCESS;
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
