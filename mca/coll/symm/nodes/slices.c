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
 * time at 4 MiB), as long as messages between nodes are not small.  A persistent call has one
 * piece, whose requests are those of the call.
 */
static size_t slice_most(const struct symm_nodes_call *call)
{
    enum { LEAST = 512 << 10, MOST = 2 << 20, MESSAGE = 64 << 10 };
    const struct symm_topology *topology = &call->nodes->topology;
    size_t size = call->a.rdtype->super.size, rails = (size_t)topology->rails;
    size_t bytes = MESSAGE * (size_t)topology->nodes;
    bytes = bytes < LEAST ? LEAST : bytes > MOST ? MOST : bytes;
    if (call->form == SYMM_CALL_PERSISTENT) {
        return ((size_t)call->a.rcount + rails - 1) / rails;
    }
    return bytes > size ? bytes / size : 1;
}

/* ---- where they are -------------------------------------------------------------------------- */

static int device_of(const struct symm_nodes_call *call)
{
    const struct symm_arguments *a = &call->a;
    enum symm_kinds kinds = call->nodes->super.kinds;
    int device = mca_coll_symm_device_of(mca_coll_symm_nodes_input(a, 0), kinds);
    bool has_output = call->collective != SYMM_REDUCE || ompi_comm_rank(a->comm) == a->root;
    return device < 0 && has_output ? mca_coll_symm_device_of(a->rbuf, kinds) : device;
}

/* A module keeps scratch of the device that it first saw. */
static bool device_scratch_get(mca_coll_symm_nodes_t *nodes, int device)
{
    struct symm_process *process = mca_coll_symm_component.process;
    if (nodes->device_scratch == NULL &&
        symm_process_device_alloc(process, device, SYMM_NODES_HALF, 0, &nodes->device_scratch) ==
            SYMM_OK) {
        nodes->device = device;
    }
    return nodes->device_scratch != NULL && nodes->device == device;
}

/* Elements on a device are copied as bytes.  A rank alone on its node has nobody to share with. */
static int device_open(struct symm_nodes_call *call, int device, size_t most, size_t spare)
{
    struct ompi_datatype_t *dtype = call->a.rdtype;
    ptrdiff_t lower, extent;
    ompi_datatype_get_extent(dtype, &lower, &extent);
    size_t size = dtype->super.size, bytes = most * size;
    bool is_dense = ompi_datatype_is_predefined(dtype) && lower == 0 && (size_t)extent == size;
    if (call->nodes->node == NULL || !is_dense || bytes > SYMM_NODES_HALF ||
        !device_scratch_get(call->nodes, device) ||
        symm_host_block_get(device, 2 * bytes + spare * size, &call->pinned) != SYMM_OK) {
        return OMPI_ERR_NOT_SUPPORTED;
    }
    call->device = device;
    call->rooms[0].at = call->nodes->device_scratch;
    call->rooms[1].at = (unsigned char *)call->pinned.memory + bytes;
    return OMPI_SUCCESS;
}

static int open(struct symm_nodes_call *call)
{
    size_t most = slice_most(call);
    size_t spare = (size_t)call->nodes->topology.nodes; /* what a rail needs besides */
    int device = device_of(call);
    call->piece = most * (size_t)call->nodes->topology.rails;
    if (device >= 0) {
        return device_open(call, device, most, spare);
    }
    return mca_coll_symm_room_open(call, 0, SYMM_NODES_HALF, call->a.rdtype, most) &&
                   mca_coll_symm_room_open(call, 1, SYMM_NODES_HALF, call->a.rdtype, most + spare)
               ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

static int copy(struct symm_nodes_call *call, const struct symm_arguments *a)
{
    size_t bytes = mca_coll_symm_bytes(a->rdtype, (size_t)a->rcount);
    enum symm_status queued =
        symm_cuda_rows_copy(call->device, a->rbuf, a->sbuf, bytes, bytes, 1);
    enum symm_status done = symm_cuda_rows_finish(call->device);
    return queued == SYMM_OK && done == SYMM_OK ? OMPI_SUCCESS : OMPI_ERROR;
}

static void copy_append(struct symm_nodes_call *call, const void *from, void *to, size_t count)
{
    mca_coll_symm_step_work(call, copy,
                            (struct symm_arguments){.sbuf = from, .rbuf = to,
                                                    .rcount = (symm_count_t)count,
                                                    .rdtype = call->a.rdtype});
}

/* The slice of `mine` elements in host memory, and back to where it is. */
static void *slice_fetch(struct symm_nodes_call *call, size_t mine)
{
    if (call->device < 0) {
        return call->rooms[0].at;
    }
    copy_append(call, call->rooms[0].at, call->pinned.memory, mine);
    return call->pinned.memory;
}

static void slice_store(struct symm_nodes_call *call, size_t mine)
{
    if (call->device >= 0) {
        copy_append(call, call->pinned.memory, call->rooms[0].at, mine);
    }
}

/* ---- the node's steps ------------------------------------------------------------------------ */

/* Every rank of the node gets its slice of a piece, reduced on the node. */
static void slices_reduce(struct symm_nodes_call *call, const struct symm_vector *slices,
                          size_t count)
{
    const struct symm_arguments *a = &call->a;
    struct ompi_communicator_t *node = call->nodes->node;
    const void *input = mca_coll_symm_nodes_input(a, call->at);
    if (node == NULL) {
        mca_coll_symm_step_copy(call, input, call->rooms[0].at, count, a->rdtype);
        return;
    }
    mca_coll_symm_step(
        call, node, SYMM_REDUCE_SCATTER,
        (struct symm_arguments){
            .sbuf = input, .rbuf = call->rooms[0].at,
            .rcounts = mca_coll_symm_vector_counts(slices, ompi_comm_size(node)),
            .rdtype = a->rdtype, .op = a->op});
}

/* Bring the slices of a piece together, at its place in the output. */
static void slices_gather(struct symm_nodes_call *call, const struct symm_vector *slices,
                          size_t count, int local)
{
    const struct symm_arguments *a = &call->a;
    struct ompi_communicator_t *node = call->nodes->node;
    bool has_output = local == SYMM_SLICES_ALL || local == call->nodes->topology.local;
    void *output = has_output ? mca_coll_symm_element(a->rbuf, call->at, a->rdtype) : NULL;
    if (node == NULL) {
        mca_coll_symm_step_copy(call, call->rooms[0].at, output, count, a->rdtype);
        return;
    }
    mca_coll_symm_step(
        call, node, local == SYMM_SLICES_ALL ? SYMM_ALLGATHERV : SYMM_GATHERV,
        (struct symm_arguments){
            .sbuf = call->rooms[0].at, .scount = (symm_count_t)slices->counts[ompi_comm_rank(node)],
            .sdtype = a->rdtype, .rbuf = output,
            .rcounts = mca_coll_symm_vector_counts(slices, ompi_comm_size(node)),
            .rdisps = mca_coll_symm_vector_disps(slices, ompi_comm_size(node)),
            .rdtype = a->rdtype, .root = local == SYMM_SLICES_ALL ? 0 : local});
}

/* ---- a piece --------------------------------------------------------------------------------- */

int mca_coll_symm_slices_describe(struct symm_nodes_call *call, mca_coll_symm_slices_along_t *along,
                                  bool has_result, int local)
{
    const struct symm_topology *topology = &call->nodes->topology;
    int error = call->at == 0 ? open(call) : OMPI_SUCCESS;
    int ranks = symm_topology_count(topology, topology->node);
    struct symm_vector *slices = mca_coll_symm_vector(call, ranks);
    if (error != OMPI_SUCCESS || slices == NULL) {
        return error;
    }
    size_t left = (size_t)call->a.rcount - call->at;
    size_t count = left < call->piece ? left : call->piece;
    mca_coll_symm_vector_divide(slices, count, topology->rails, ranks);
    size_t mine = slices->counts[topology->local];
    slices_reduce(call, slices, count);
    if (mine > 0) { /* this rank has a rail, and the rail a slice */
        along(call, slice_fetch(call, mine), mine);
    }
    if (has_result) {
        slice_store(call, mine);
        slices_gather(call, slices, count, local);
    }
    if (left > count) {
        call->next = call->at + count;
    }
    return OMPI_SUCCESS;
}
