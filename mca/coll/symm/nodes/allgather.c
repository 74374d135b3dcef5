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

/* A call of either; they differ in the block of a rank. */
struct gather {
    mca_coll_symm_nodes_t *nodes;
    const struct symm_arguments *a;
    int error;
};

static size_t count_of(const struct gather *g, int rank)
{
    return mca_coll_symm_nodes_count(g->nodes->collective, g->a, rank);
}

static ptrdiff_t disp_of(const struct gather *g, int rank)
{
    bool has_counts = symm_collective_get(g->nodes->collective)->has_counts;
    return has_counts ? symm_disp_at(g->a->rdisps, (size_t)rank)
                      : (ptrdiff_t)rank * (ptrdiff_t)g->a->rcount;
}

static void *block_of(const struct gather *g, int rank)
{
    ptrdiff_t lower, extent;
    ompi_datatype_get_extent(g->a->rdtype, &lower, &extent);
    return mca_coll_symm_at(g->a->rbuf, disp_of(g, rank) * extent);
}

/* ---- leaders --------------------------------------------------------------------------------- */

static void own_pack(const struct gather *g, unsigned char *packed)
{
    const struct symm_arguments *a = g->a;
    int rank = ompi_comm_rank(a->comm);
    struct symm_layout layout;
    if (a->sbuf == MPI_IN_PLACE) {
        mca_coll_symm_layout_describe(&layout, a->rdtype, count_of(g, rank));
        mca_coll_symm_pack(&layout, block_of(g, rank), packed);
    } else {
        mca_coll_symm_layout_describe(&layout, a->sdtype, (size_t)a->scount);
        mca_coll_symm_pack(&layout, a->sbuf, packed);
    }
}

static void all_unpack(const struct gather *g, const unsigned char *packed)
{
    const struct symm_topology *topology = &g->nodes->topology;
    struct symm_layout layout;
    size_t count = SIZE_MAX;
    for (int i = 0; i < topology->size; i++, packed += layout.bytes) {
        int rank = topology->ranks[i];
        if (count_of(g, rank) != count) {
            count = count_of(g, rank);
            mca_coll_symm_layout_describe(&layout, g->a->rdtype, count);
        }
        mca_coll_symm_unpack(&layout, packed, block_of(g, rank));
    }
}

/* The bytes of each rank of a node, from `begin` on.  Returns those of all. */
static size_t node_bytes(const struct gather *g, int node, struct symm_vector *vector)
{
    const struct symm_topology *topology = &g->nodes->topology;
    size_t bytes = 0;
    for (int local = 0; local < symm_topology_count(topology, node); local++) {
        size_t block = mca_coll_symm_bytes(g->a->rdtype,
                                           count_of(g, symm_topology_rank(topology, node, local)));
        if (vector != NULL) {
            vector->counts[local] = block;
            vector->disps[local] = (ptrdiff_t)bytes;
        }
        bytes += block;
    }
    return bytes;
}

/* All blocks of this rank's node come to its leader, at `packed`. */
static void near_gather(struct gather *g, unsigned char *packed)
{
    const struct symm_topology *topology = &g->nodes->topology;
    struct symm_vector *vector = &g->nodes->vectors[0];
    int count = symm_topology_count(topology, topology->node);
    (void)node_bytes(g, topology->node, vector);
    own_pack(g, packed); /* a leader's is the first block */
    if (g->nodes->node != NULL) {
        mca_coll_symm_step(
            &g->error, g->nodes->node, SYMM_MPI_FUNCTION_gatherv,
            (struct symm_arguments){
                .sbuf = topology->local == 0 ? MPI_IN_PLACE : packed,
                .scount = (symm_count_t)vector->counts[topology->local], .sdtype = MPI_BYTE,
                .rbuf = packed, .rcounts = mca_coll_symm_vector_counts(vector, count),
                .rdisps = mca_coll_symm_vector_disps(vector, count), .rdtype = MPI_BYTE});
    }
}

static int leaders(mca_coll_symm_nodes_t *nodes, const struct symm_arguments *a)
{
    struct gather gather = {.nodes = nodes, .a = a}, *g = &gather;
    const struct symm_topology *topology = &nodes->topology;
    struct symm_vector *vector = &nodes->vectors[1];
    unsigned char *packed = nodes->scratch;
    size_t total = 0;
    for (int node = 0; node < topology->nodes; node++) {
        vector->counts[node] = node_bytes(g, node, NULL);
        vector->disps[node] = (ptrdiff_t)total;
        total += vector->counts[node];
    }
    near_gather(g, packed + vector->disps[topology->node]);
    if (topology->local == 0) {
        mca_coll_symm_step_between(
            &g->error, nodes, SYMM_MPI_FUNCTION_allgatherv,
            (struct symm_arguments){
                .sbuf = MPI_IN_PLACE, .sdtype = MPI_BYTE, .rbuf = packed,
                .rcounts = mca_coll_symm_vector_counts(vector, topology->nodes),
                .rdisps = mca_coll_symm_vector_disps(vector, topology->nodes),
                .rdtype = MPI_BYTE},
            vector->counts[topology->node]);
    }
    if (nodes->node != NULL) {
        mca_coll_symm_step(&g->error, nodes->node, SYMM_MPI_FUNCTION_bcast,
                           (struct symm_arguments){.rbuf = packed, .rcount = (symm_count_t)total,
                                                   .rdtype = MPI_BYTE});
    }
    all_unpack(g, packed);
    return g->error;
}

/* ---- rails ----------------------------------------------------------------------------------- */

/* Along this rank's rail, or among its node's ranks the blocks of those of `node`. */
static void blocks_gather(struct gather *g, int count, int node, bool is_rail, const void *input)
{
    const struct symm_topology *topology = &g->nodes->topology;
    struct symm_vector *vector = &g->nodes->vectors[0];
    for (int i = 0; i < count; i++) {
        int rank = is_rail ? symm_topology_rank(topology, i, topology->local)
                           : symm_topology_rank(topology, node, i);
        vector->counts[i] = count_of(g, rank);
        vector->disps[i] = disp_of(g, rank);
    }
    const struct symm_arguments step = {
        .sbuf = input, .scount = g->a->scount, .sdtype = g->a->sdtype, .rbuf = g->a->rbuf,
        .rcounts = mca_coll_symm_vector_counts(vector, count),
        .rdisps = mca_coll_symm_vector_disps(vector, count), .rdtype = g->a->rdtype};
    if (is_rail) {
        mca_coll_symm_step_between(&g->error, g->nodes, SYMM_MPI_FUNCTION_allgatherv, step,
                                   mca_coll_symm_bytes(step.rdtype,
                                                       vector->counts[topology->node]));
    } else {
        mca_coll_symm_step(&g->error, g->nodes->node, SYMM_MPI_FUNCTION_allgatherv, step);
    }
}

/* Each node has as many ranks as there are rails. */
static int rails(mca_coll_symm_nodes_t *nodes, const struct symm_arguments *a)
{
    struct gather gather = {.nodes = nodes, .a = a}, *g = &gather;
    const struct symm_topology *topology = &nodes->topology;
    blocks_gather(g, topology->rails, topology->node, false, a->sbuf);
    blocks_gather(g, topology->nodes, 0, true, MPI_IN_PLACE);
    for (int node = 0; node < topology->nodes; node++) {
        if (node != topology->node) {
            blocks_gather(g, topology->rails, node, false, MPI_IN_PLACE);
        }
    }
    return g->error;
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
