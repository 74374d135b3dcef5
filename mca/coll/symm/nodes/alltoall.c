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
static int pack(struct symm_nodes_call *call, const struct symm_arguments *work)
{
    const struct symm_topology *topology = &call->nodes->topology;
    const struct symm_arguments *a = &call->a;
    unsigned char *packed = work->rbuf;
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
    return OMPI_SUCCESS;
}

/* By node, and then by local number. */
static int unpack(struct symm_nodes_call *call, const struct symm_arguments *work)
{
    const struct symm_topology *topology = &call->nodes->topology;
    const struct symm_arguments *a = &call->a;
    const unsigned char *packed = work->sbuf;
    struct symm_layout layout;
    mca_coll_symm_layout_describe(&layout, a->rdtype, (size_t)a->rcount);
    for (int i = 0; i < topology->size; i++, packed += layout.bytes) {
        mca_coll_symm_unpack(&layout, packed,
                             block_of(a->rbuf, topology->ranks[i], (size_t)a->rcount, a->rdtype));
    }
    return OMPI_SUCCESS;
}

/* From the order by local number to the one by node: blocks of so many bytes. */
static int turn(struct symm_nodes_call *call, const struct symm_arguments *work)
{
    const struct symm_topology *topology = &call->nodes->topology;
    const unsigned char *by_local = work->sbuf;
    unsigned char *by_node = work->rbuf;
    size_t bytes = (size_t)work->rcount;
    for (int node = 0; node < topology->nodes; node++) {
        for (int local = 0; local < topology->rails; local++, by_node += bytes) {
            memcpy(by_node, by_local + (size_t)(local * topology->nodes + node) * bytes, bytes);
        }
    }
    return OMPI_SUCCESS;
}

static struct symm_arguments exchange(const void *from, void *to, size_t bytes)
{
    return (struct symm_arguments){
        .sbuf = from, .scount = (symm_count_t)bytes, .sdtype = MPI_BYTE, .rbuf = to,
        .rcount = (symm_count_t)bytes, .rdtype = MPI_BYTE};
}

static int rails(struct symm_nodes_call *call)
{
    const struct symm_topology *topology = &call->nodes->topology;
    size_t bytes = mca_coll_symm_bytes(call->a.rdtype, (size_t)call->a.rcount);
    size_t near = bytes * (size_t)topology->nodes, far = bytes * (size_t)topology->rails;
    for (int i = 0; i < 2; i++) {
        if (!mca_coll_symm_room_open(call, i, SYMM_NODES_HALF, MPI_BYTE,
                                     bytes * (size_t)topology->size)) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    void *first = call->rooms[0].at, *second = call->rooms[1].at;
    mca_coll_symm_step_work(call, pack, (struct symm_arguments){.rbuf = first});
    mca_coll_symm_step(call, call->nodes->node, SYMM_ALLTOALL, exchange(first, second, near));
    mca_coll_symm_step_work(call, turn, exchange(second, first, bytes));
    mca_coll_symm_step_between(call, SYMM_ALLTOALL, exchange(first, second, far),
                               far * (size_t)(topology->nodes - 1));
    mca_coll_symm_step_work(call, unpack, (struct symm_arguments){.sbuf = second});
    return OMPI_SUCCESS;
}

const struct symm_nodes_row mca_coll_symm_nodes_alltoall = {.facts = facts_of, .rails = rails};
