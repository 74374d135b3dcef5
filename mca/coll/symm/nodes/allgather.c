/*
 * nodes/allgather.c - MPI_Allgather and MPI_Allgatherv over several nodes.
 *
 * Little data meet at leaders, as bytes in the order of the nodes.  Otherwise a node's ranks gather
 * their blocks at once, each rail gathers the blocks of its ranks, and then the node's ranks have
 * all blocks of another node between them, which they gather, node by node.  Each block goes to
 * each other node once, and lies where the program wants it, whatever order ranks are in.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/calls.h"

static size_t count_of(const struct symm_nodes_call *call, int rank)
{
    return mca_coll_symm_nodes_count(call->collective, &call->a, rank);
}

static ptrdiff_t disp_of(const struct symm_nodes_call *call, int rank)
{
    bool has_counts = symm_collective_get(call->collective)->has_counts;
    return has_counts ? symm_disp_at(call->a.rdisps, (size_t)rank)
                      : (ptrdiff_t)rank * (ptrdiff_t)call->a.rcount;
}

static void *block_of(const struct symm_nodes_call *call, int rank)
{
    ptrdiff_t lower, extent;
    ompi_datatype_get_extent(call->a.rdtype, &lower, &extent);
    return mca_coll_symm_at(call->a.rbuf, disp_of(call, rank) * extent);
}

/* ---- leaders --------------------------------------------------------------------------------- */

static int own_pack(struct symm_nodes_call *call, const struct symm_arguments *work)
{
    const struct symm_arguments *a = &call->a;
    int rank = ompi_comm_rank(a->comm);
    struct symm_layout layout;
    if (a->sbuf == MPI_IN_PLACE) {
        mca_coll_symm_layout_describe(&layout, a->rdtype, count_of(call, rank));
        mca_coll_symm_pack(&layout, block_of(call, rank), work->rbuf);
    } else {
        mca_coll_symm_layout_describe(&layout, a->sdtype, (size_t)a->scount);
        mca_coll_symm_pack(&layout, a->sbuf, work->rbuf);
    }
    return OMPI_SUCCESS;
}

static int all_unpack(struct symm_nodes_call *call, const struct symm_arguments *work)
{
    const struct symm_topology *topology = &call->nodes->topology;
    const unsigned char *packed = work->sbuf;
    struct symm_layout layout;
    size_t count = SIZE_MAX;
    for (int i = 0; i < topology->size; i++, packed += layout.bytes) {
        int rank = topology->ranks[i];
        if (count_of(call, rank) != count) {
            count = count_of(call, rank);
            mca_coll_symm_layout_describe(&layout, call->a.rdtype, count);
        }
        mca_coll_symm_unpack(&layout, packed, block_of(call, rank));
    }
    return OMPI_SUCCESS;
}

/* The bytes of each rank of a node, from `begin` on.  Returns those of all. */
static size_t node_bytes(const struct symm_nodes_call *call, int node, struct symm_vector *vector)
{
    const struct symm_topology *topology = &call->nodes->topology;
    size_t bytes = 0;
    for (int local = 0; local < symm_topology_count(topology, node); local++) {
        int rank = symm_topology_rank(topology, node, local);
        size_t block = mca_coll_symm_bytes(call->a.rdtype, count_of(call, rank));
        if (vector != NULL) {
            vector->counts[local] = block;
            vector->disps[local] = (ptrdiff_t)bytes;
        }
        bytes += block;
    }
    return bytes;
}

/* All blocks of this rank's node come to its leader, at `packed`. */
static void near_gather(struct symm_nodes_call *call, unsigned char *packed)
{
    const struct symm_topology *topology = &call->nodes->topology;
    int count = symm_topology_count(topology, topology->node);
    struct symm_vector *vector = mca_coll_symm_vector(call, count);
    if (vector == NULL) {
        return;
    }
    (void)node_bytes(call, topology->node, vector);
    /* a leader's is the first block */
    mca_coll_symm_step_work(call, own_pack, (struct symm_arguments){.rbuf = packed});
    if (call->nodes->node != NULL) {
        mca_coll_symm_step(
            call, call->nodes->node, SYMM_GATHERV,
            (struct symm_arguments){
                .sbuf = topology->local == 0 ? MPI_IN_PLACE : packed,
                .scount = (symm_count_t)vector->counts[topology->local], .sdtype = MPI_BYTE,
                .rbuf = packed, .rcounts = mca_coll_symm_vector_counts(vector, count),
                .rdisps = mca_coll_symm_vector_disps(vector, count), .rdtype = MPI_BYTE});
    }
}

static int leaders(struct symm_nodes_call *call)
{
    const struct symm_topology *topology = &call->nodes->topology;
    struct symm_vector *vector = mca_coll_symm_vector(call, topology->nodes);
    size_t total = 0;
    for (int node = 0; vector != NULL && node < topology->nodes; node++) {
        vector->counts[node] = node_bytes(call, node, NULL);
        vector->disps[node] = (ptrdiff_t)total;
        total += vector->counts[node];
    }
    if (vector == NULL ||
        !mca_coll_symm_room_open(call, 0, SYMM_NODES_SCRATCH, MPI_BYTE, total)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    unsigned char *packed = call->rooms[0].at;
    near_gather(call, packed + vector->disps[topology->node]);
    if (topology->local == 0) {
        mca_coll_symm_step_between(
            call, SYMM_ALLGATHERV,
            (struct symm_arguments){
                .sbuf = MPI_IN_PLACE, .sdtype = MPI_BYTE, .rbuf = packed,
                .rcounts = mca_coll_symm_vector_counts(vector, topology->nodes),
                .rdisps = mca_coll_symm_vector_disps(vector, topology->nodes),
                .rdtype = MPI_BYTE},
            vector->counts[topology->node]);
    }
    if (call->nodes->node != NULL) {
        mca_coll_symm_step(call, call->nodes->node, SYMM_BCAST,
                           (struct symm_arguments){.rbuf = packed, .rcount = (symm_count_t)total,
                                                   .rdtype = MPI_BYTE});
    }
    mca_coll_symm_step_work(call, all_unpack, (struct symm_arguments){.sbuf = packed});
    return OMPI_SUCCESS;
}

/* ---- rails ----------------------------------------------------------------------------------- */

/* Along this rank's rail, or among its node's ranks the blocks of those of `node`. */
static void blocks_gather(struct symm_nodes_call *call, int count, int node, bool is_rail,
                          const void *input)
{
    const struct symm_topology *topology = &call->nodes->topology;
    struct symm_vector *vector = mca_coll_symm_vector(call, count);
    if (vector == NULL) {
        return;
    }
    for (int i = 0; i < count; i++) {
        int rank = is_rail ? symm_topology_rank(topology, i, topology->local)
                           : symm_topology_rank(topology, node, i);
        vector->counts[i] = count_of(call, rank);
        vector->disps[i] = disp_of(call, rank);
    }
    const struct symm_arguments step = {
        .sbuf = input, .scount = call->a.scount, .sdtype = call->a.sdtype, .rbuf = call->a.rbuf,
        .rcounts = mca_coll_symm_vector_counts(vector, count),
        .rdisps = mca_coll_symm_vector_disps(vector, count), .rdtype = call->a.rdtype};
    if (is_rail) {
        mca_coll_symm_step_between(call, SYMM_ALLGATHERV, step,
                                   mca_coll_symm_bytes(step.rdtype,
                                                       vector->counts[topology->node]));
    } else {
        mca_coll_symm_step(call, call->nodes->node, SYMM_ALLGATHERV, step);
    }
}

/* Each node has as many ranks as there are rails. */
static int rails(struct symm_nodes_call *call)
{
    const struct symm_topology *topology = &call->nodes->topology;
    blocks_gather(call, topology->rails, topology->node, false, call->a.sbuf);
    blocks_gather(call, topology->nodes, 0, true, MPI_IN_PLACE);
    for (int node = 0; node < topology->nodes; node++) {
        if (node != topology->node) {
            blocks_gather(call, topology->rails, node, false, MPI_IN_PLACE);
        }
    }
    return OMPI_SUCCESS;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void facts_of(const struct symm_arguments *a, struct symm_nodes_facts *facts)
{
    facts->bytes = mca_coll_symm_nodes_bytes(facts->collective, a);
}

const struct symm_nodes_row mca_coll_symm_nodes_allgather = {
    .facts = facts_of, .leaders = leaders, .rails = rails,
    .anywhere = SYMM_NODES_ANYWHERE(SYMM_NODES_RAILS)};
const struct symm_nodes_row mca_coll_symm_nodes_allgatherv = {
    .facts = facts_of, .leaders = leaders, .rails = rails,
    .anywhere = SYMM_NODES_ANYWHERE(SYMM_NODES_RAILS)};
