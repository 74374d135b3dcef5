/*
 * nodes/slices.c - see nodes/slices.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/slices.h"

#include "heap/team/process.h"
#include "kernels/cuda/launch/copy.h"
#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/data/recognise.h"

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

/* ---- where they are -------------------------------------------------------------------------- */

enum { HALF = SYMM_NODES_SCRATCH / 2 };

static int device_of(const mca_coll_symm_nodes_t *nodes, const struct symm_arguments *a)
{
    int device = mca_coll_symm_device_of(mca_coll_symm_nodes_input(a, 0), nodes->super.kinds);
    bool has_output = nodes->collective != SYMM_REDUCE || ompi_comm_rank(a->comm) == a->root;
    return device < 0 && has_output ? mca_coll_symm_device_of(a->rbuf, nodes->super.kinds)
                                    : device;
}

/* A module keeps scratch of the device that it first saw. */
static bool device_scratch_get(mca_coll_symm_nodes_t *nodes, int device)
{
    struct symm_process *process = mca_coll_symm_component.process;
    if (nodes->device_scratch == NULL &&
        symm_process_device_alloc(process, device, HALF, 0, &nodes->device_scratch) == SYMM_OK) {
        nodes->device = device;
    }
    return nodes->device_scratch != NULL && nodes->device == device;
}

/* Elements on a device are copied as bytes.  A rank alone on its node has nobody to share with. */
static int device_open(struct symm_slices *slices, int device, size_t most, size_t spare)
{
    struct ompi_datatype_t *dtype = slices->a->rdtype;
    ptrdiff_t lower, extent;
    ompi_datatype_get_extent(dtype, &lower, &extent);
    size_t size = dtype->super.size, bytes = most * size;
    bool is_dense = ompi_datatype_is_predefined(dtype) && lower == 0 && (size_t)extent == size;
    if (slices->nodes->node == NULL || !is_dense || bytes > HALF ||
        !device_scratch_get(slices->nodes, device) ||
        symm_host_block_get(device, 2 * bytes + spare * size, &slices->copy) != SYMM_OK) {
        slices->nodes->needs_host = true;
        return OMPI_ERR_NOT_SUPPORTED;
    }
    slices->device = device;
    slices->slice = (struct symm_room){.at = slices->nodes->device_scratch};
    slices->room = (struct symm_room){.at = (unsigned char *)slices->copy.memory + bytes};
    return OMPI_SUCCESS;
}

static int host_open(struct symm_slices *slices, size_t most, size_t spare)
{
    struct ompi_datatype_t *dtype = slices->a->rdtype;
    unsigned char *scratch = slices->nodes->scratch;
    if (!mca_coll_symm_room_open(&slices->slice, scratch, HALF, dtype, most)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (!mca_coll_symm_room_open(&slices->room, scratch + HALF, HALF, dtype, most + spare)) {
        mca_coll_symm_room_close(&slices->slice);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return OMPI_SUCCESS;
}

/* Errors: OUT_OF_RESOURCE, NOT_SUPPORTED; nothing is open then. */
static int slices_open(struct symm_slices *slices, mca_coll_symm_nodes_t *nodes,
                       const struct symm_arguments *a)
{
    size_t most = slice_most(&nodes->topology, a->rdtype->super.size);
    size_t spare = (size_t)nodes->topology.nodes; /* what a rail needs besides */
    int device = device_of(nodes, a);
    *slices = (struct symm_slices){.nodes = nodes, .a = a, .vector = &nodes->vectors[0],
                                   .device = -1,
                                   .piece = most * (size_t)nodes->topology.rails};
    return device >= 0 ? device_open(slices, device, most, spare)
                       : host_open(slices, most, spare);
}

static void slices_close(struct symm_slices *slices)
{
    if (slices->device >= 0) {
        symm_host_block_put(&slices->copy);
        return;
    }
    mca_coll_symm_room_close(&slices->room);
    mca_coll_symm_room_close(&slices->slice);
}

static void copy(struct symm_slices *slices, void *to, const void *from, size_t count)
{
    size_t bytes = mca_coll_symm_bytes(slices->a->rdtype, count);
    enum symm_status queued = symm_cuda_rows_copy(slices->device, to, from, bytes, bytes, 1);
    enum symm_status done = symm_cuda_rows_finish(slices->device);
    if ((queued != SYMM_OK || done != SYMM_OK) && slices->error == OMPI_SUCCESS) {
        slices->error = OMPI_ERROR;
    }
}

/* The slice of `mine` elements in host memory, and back to where it is. */
static void *slice_fetch(struct symm_slices *slices, size_t mine)
{
    if (slices->device < 0) {
        return slices->slice.at;
    }
    copy(slices, slices->copy.memory, slices->slice.at, mine);
    return slices->copy.memory;
}

static void slice_store(struct symm_slices *slices, size_t mine)
{
    if (slices->device >= 0) {
        copy(slices, slices->slice.at, slices->copy.memory, mine);
    }
}

/* ---- the node's steps ------------------------------------------------------------------------ */

/*
 * Every rank of the node gets its slice of a piece, reduced on the node.  Returns how many elements
 * it has: those with the same local number have as many.
 */
static size_t slices_reduce(struct symm_slices *slices, size_t at, size_t count)
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

/* Bring the slices of a piece together, at its place in the output. */
static void slices_gather(struct symm_slices *slices, size_t at, size_t count, int local)
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

/* ---- a call ---------------------------------------------------------------------------------- */

int mca_coll_symm_slices_make(mca_coll_symm_nodes_t *nodes, const struct symm_arguments *a,
                              mca_coll_symm_slices_along_t *along, bool has_result, int local)
{
    struct symm_slices slices;
    size_t total = (size_t)a->rcount;
    int error = slices_open(&slices, nodes, a);
    if (error != OMPI_SUCCESS) {
        return error;
    }
    for (size_t at = 0; at < total; at += slices.piece) {
        size_t count = total - at < slices.piece ? total - at : slices.piece;
        size_t mine = slices_reduce(&slices, at, count);
        if (mine > 0) { /* this rank has a rail, and the rail a slice */
            along(&slices, slice_fetch(&slices, mine), mine);
        }
        if (has_result) {
            slice_store(&slices, mine);
            slices_gather(&slices, at, count, local);
        }
    }
    slices_close(&slices);
    return slices.error;
}
