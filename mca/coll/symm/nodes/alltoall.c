/*
 * nodes/alltoall.c - MPI_Alltoall of little data over several nodes: the blocks for all ranks with
 * a local number go to the rank of this node that has it, which sends all of its node's blocks for
 * a node in one message.  A rank sends a message to each node instead of each rank.
 *
 * Each node has as many ranks as there are rails.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/calls.h"

/* The data of a pair of ranks. */
static void facts_of(const struct symm_arguments *a, struct symm_nodes_facts *facts)
{
    facts->bytes = mca_coll_symm_bytes(a->rdtype, (size_t)a->rcount);
}

static void *block_of(const void *buffer, int rank, size_t count, struct ompi_datatype_t *dtype)
{
    return mca_coll_symm_element(buffer, (size_t)rank * count, dtype);
}

/* By local number, and then by node. */
static void pack(const struct symm_topology *topology, const struct symm_arguments *a,
                 unsigned char *packed)
{
    bool in_place = a->sbuf == MPI_IN_PLACE;
    const void *buffer = in_place ? a->rbuf : a->sbuf;
    size_t count = (size_t)(in_place ? a->rcount : a->scount);
    struct ompi_datatype_t *dtype = in_place ? a->rdtype : a->sdtype;
    struct symm_layout layout;
    mca_coll_symm_layout_describe(&layout, dtype, count);
    for (int local = 0; local < topology->rails; local++) {
        for (int node = 0; node < topology->nodes; node++, packed += layout.bytes) {
            int rank = symm_topology_rank(topology, node, local);
            mca_coll_symm_pack(&layout, block_of(buffer, rank, count, dtype), packed);
        }
    }
}

/* By node, and then by local number. */
static void unpack(const struct symm_topology *topology, const struct symm_arguments *a,
                   const unsigned char *packed)
{
    struct symm_layout layout;
    mca_coll_symm_layout_describe(&layout, a->rdtype, (size_t)a->rcount);
    for (int i = 0; i < topology->size; i++, packed += layout.bytes) {
        mca_coll_symm_unpack(&layout, packed,
                             block_of(a->rbuf, topology->ranks[i], (size_t)a->rcount, a->rdtype));
    }
}

static void turn(const struct symm_topology *topology, size_t bytes, const unsigned char *by_local,
                 unsigned char *by_node)
{
    for (int node = 0; node < topology->nodes; node++) {
        for (int local = 0; local < topology->rails; local++, by_node += bytes) {
            memcpy(by_node, by_local + (size_t)(local * topology->nodes + node) * bytes, bytes);
        }
    }
}

static int rails(mca_coll_symm_nodes_t *nodes, const struct symm_arguments *a)
{
    const struct symm_topology *topology = &nodes->topology;
    size_t bytes = mca_coll_symm_bytes(a->rdtype, (size_t)a->rcount);
    size_t near = bytes * (size_t)topology->nodes, far = bytes * (size_t)topology->rails;
    unsigned char *first = nodes->scratch, *second = nodes->scratch + SYMM_NODES_SCRATCH / 2;
    int error = OMPI_SUCCESS;
    pack(topology, a, first);
    mca_coll_symm_step(&error, nodes->node, SYMM_MPI_FUNCTION_alltoall,
                       (struct symm_arguments){
                           .sbuf = first, .scount = (symm_count_t)near, .sdtype = MPI_BYTE,
                           .rbuf = second, .rcount = (symm_count_t)near, .rdtype = MPI_BYTE});
    turn(topology, bytes, second, first);
    mca_coll_symm_step_between(
        &error, nodes, SYMM_MPI_FUNCTION_alltoall,
        (struct symm_arguments){.sbuf = first, .scount = (symm_count_t)far, .sdtype = MPI_BYTE,
                                .rbuf = second, .rcount = (symm_count_t)far, .rdtype = MPI_BYTE},
        far * (size_t)(topology->nodes - 1));
    unpack(topology, a, second);
    return error;
}

const struct symm_nodes_row mca_coll_symm_nodes_alltoall = {.facts = facts_of, .rails = rails};
