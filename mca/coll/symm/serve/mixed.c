/*
 * serve/mixed.c - see serve/mixed.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/serve/mixed.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/steps.h"
#include "kernels/prefix.h"
#include "kernels/rooted.h"
#include "mca/coll/symm/agree/blocks.h"
#include "mca/coll/symm/agree/loose.h"
#include "mca/coll/symm/device/device.h"
#include "mca/coll/symm/device/host_copy.h"
#include "mca/coll/symm/choose/explain.h"
#include "mca/coll/symm/serve/end.h"
#include "mca/help.h"

enum { STARTING, COLLECTING };
enum { STEP_BROUGHT = 1 };

void mca_coll_symm_mixed_start(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    const struct symm_call *call = operation->call;
    const struct symm_collective_row *row = symm_collective_get(call->collective);
    run->team = operation->lane->team;
    run->algorithm = (enum symm_algorithm)row->slot_algorithm;
    run->sequence = operation->sequence;
    run->count = call->count;
    run->root = row->is_rooted ? call->root : -1;
    run->failure = SYMM_OK;
    run->stage = STARTING;
    run->seen = 0;
    operation->mixed = true;
    operation->packed = true;
    operation->run_is_begun = true;
    operation->lane->last_algorithm = run->algorithm;
    if (row->has_tables) {
        mca_coll_symm_blocks_own_copy(operation);
    }
    mca_coll_symm_verbose_choice(operation, NULL);
    mca_coll_symm_go_to(operation, SYMM_OPERATION_RUNNING);
}

/* ---- data and lines -------------------------------------------------------------------------- */

static unsigned char *payload_of(const struct symm_operation *operation, int rank)
{
    return mca_coll_symm_line(operation, rank)->payload;
}

static void fail(struct symm_operation *operation, int error)
{
    operation->run.failure = SYMM_ERR_SYSTEM;
    operation->error = error;
}

/* A buffer in any memory, as host_copy has it. */
static struct symm_host_copy host_copy_of(const struct symm_operation *operation,
                                          const struct symm_layout *layout, const void *buffer)
{
    return (struct symm_host_copy){
        .shape = SYMM_SHAPE_EVEN, .buffer = buffer, .pieces = 1, .count = layout->count,
        .dtype = layout->dtype, .kinds = operation->module->super.kinds};
}

static void copy_end(struct symm_operation *operation, struct symm_host_copy *copy, int rc)
{
    if (rc == OMPI_ERROR) {
        (void)mca_coll_symm_device_failed(
            operation->comm, symm_collective_get(operation->call->collective)->mpi_name);
    }
    if (rc != OMPI_SUCCESS) {
        fail(operation, rc);
    }
    mca_coll_symm_host_copy_close(copy);
}

/* Whether no device has a part in what this rank gives and gets. */
static bool is_on_host(const struct symm_call *call)
{
    return call->device < 0 && !call->unusable;
}

/* Pack elements in any memory. */
static void bring(struct symm_operation *operation, const struct symm_layout *layout,
                  const void *buffer, void *packed)
{
    if (is_on_host(operation->call)) {
        mca_coll_symm_pack(layout, buffer, packed);
        return;
    }
    struct symm_host_copy copy = host_copy_of(operation, layout, buffer);
    copy.read = (struct symm_pieces){0, 1};
    int rc = mca_coll_symm_host_copy_open(&copy);
    if (rc == OMPI_SUCCESS) {
        mca_coll_symm_pack(layout, copy.address, packed);
    }
    copy_end(operation, &copy, rc);
}

/* Unpack elements to any memory. */
static void deliver(struct symm_operation *operation, const struct symm_layout *layout,
                    const void *packed, void *buffer)
{
    if (is_on_host(operation->call)) {
        mca_coll_symm_unpack(layout, packed, buffer);
        return;
    }
    struct symm_host_copy copy = host_copy_of(operation, layout, buffer);
    copy.written = (struct symm_pieces){0, 1};
    if (layout->bytes < mca_coll_symm_bytes(layout->dtype, layout->count)) {
        copy.read = copy.written; /* what lies behind stays as it is */
    }
    int rc = mca_coll_symm_host_copy_open(&copy); /* waits for work on the buffer as well */
    if (rc == OMPI_SUCCESS) {
        mca_coll_symm_unpack(layout, packed, copy.address);
        rc = mca_coll_symm_host_copy_store(&copy);
    }
    copy_end(operation, &copy, rc);
}

/* ---- what this rank gives -------------------------------------------------------------------- */

/*
 * The elements of a reduction, of a predefined type.  Lines have them as they lie in memory, with
 * the gaps that pairs have.
 */
static struct symm_layout elements_of(const struct symm_call *call)
{
    struct symm_layout elements;
    mca_coll_symm_layout_describe(&elements, call->dtype, call->count);
    return elements;
}

static void elements_bring(struct symm_operation *operation, unsigned char *payload)
{
    const struct symm_call *call = operation->call;
    struct symm_layout elements = elements_of(call);
    unsigned char *packed = malloc(elements.bytes);
    if (packed == NULL) {
        fail(operation, OMPI_ERR_OUT_OF_RESOURCE);
        return;
    }
    bring(operation, &elements, call->input, packed);
    mca_coll_symm_unpack(&elements, packed, payload);
    free(packed);
}

/* The root's block for this rank is longer than its place: the program's error. */
static void truncated_fail(struct symm_operation *operation, size_t bytes, size_t room)
{
    const struct symm_call *call = operation->call;
    symm_help_show("help-coll-symm.txt", "truncated",
                   symm_collective_get(call->collective)->mpi_name, operation->comm->c_name,
                   call->root, (unsigned long long)bytes, operation->lane->team->rank,
                   (unsigned long long)room);
    fail(operation, MPI_ERR_TRUNCATE);
}

static void own_bring(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    unsigned char *payload = payload_of(operation, operation->run.team->rank);
    bool is_root = symm_rooted_is_root(&operation->run);
    if (call->collective == SYMM_REDUCE) {
        elements_bring(operation, payload);
    } else if (!is_root || !call->in_place) {
        struct symm_layout block = call->source;
        block.bytes = symm_least(block.bytes, call->target.bytes);
        bring(operation, &block, call->send, payload);
    }
}

/* ---- what ranks get of a gather, a reduce or a scan ------------------------------------------ */

static void blocks_deliver(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    for (int rank = 0; rank < operation->run.team->size; rank++) {
        struct symm_layout block = call->target;
        bool is_own = rank == call->root;
        if (is_own && call->in_place) {
            continue;
        }
        block.bytes = is_own ? symm_least(call->source.bytes, block.bytes) : block.bytes;
        deliver(operation, &block, payload_of(operation, rank),
                mca_coll_symm_layout_block(&call->target, call->receive, rank));
    }
    if (!call->in_place && call->source.bytes > call->target.bytes) {
        truncated_fail(operation, call->source.bytes, call->target.bytes);
    }
}

/*
 * Reduce the elements of so many ranks from rank 0 on, in their order.  The operation is a
 * predefined, commutative one.
 */
static void elements_reduce(struct symm_operation *operation, int ranks)
{
    const struct symm_call *call = operation->call;
    struct symm_layout elements = elements_of(call);
    unsigned char *sum = malloc(2 * call->payload_bytes);
    if (sum == NULL) {
        fail(operation, OMPI_ERR_OUT_OF_RESOURCE);
        return;
    }
    memcpy(sum, payload_of(operation, 0), call->payload_bytes);
    for (int rank = 1; rank < ranks; rank++) {
        ompi_op_reduce(call->op, payload_of(operation, rank), sum, call->count, call->dtype);
    }
    mca_coll_symm_pack(&elements, sum, sum + call->payload_bytes);
    deliver(operation, &elements, sum + call->payload_bytes, call->output);
    free(sum);
}

/* Behind the last rank that is waited for: in a scan this rank, and at a root all but itself. */
static int awaited_end(const struct symm_operation *operation)
{
    const struct symm_team *team = operation->run.team;
    return symm_collective_get(operation->call->collective)->is_prefix ? team->rank : team->size;
}

/* The next rank, from run->seen on, whose line came without data. */
static void next_find(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    while (run->seen < awaited_end(operation) &&
           (run->seen == run->root ||
            mca_coll_symm_line_has_data(mca_coll_symm_line(operation, run->seen)))) {
        run->seen++;
    }
}

/* Whether all such ranks have brought their data. */
static bool others_have_brought(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    while (run->seen < awaited_end(operation)) {
        uint64_t step = symm_phase_of(&run->team->control, run->sequence, run->seen);
        if (step < STEP_BROUGHT) {
            return false;
        }
        if (step == SYMM_CUDA_STEP_FAILED) {
            fail(operation, OMPI_ERROR);
        }
        run->seen++;
        next_find(operation);
    }
    return true;
}

static enum symm_status root_step(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    if (run->stage == STARTING) {
        const struct symm_line *line = mca_coll_symm_line(operation, run->root);
        bool own_stays = symm_collective_get(operation->call->collective)->own_stays;
        if (own_stays || !mca_coll_symm_line_has_data(line)) {
            own_bring(operation);
        }
        next_find(operation);
        run->stage = COLLECTING;
    }
    if (!others_have_brought(operation)) {
        return SYMM_PENDING;
    }
    if (run->failure == SYMM_OK && operation->call->collective == SYMM_REDUCE) {
        elements_reduce(operation, run->team->size);
    } else if (run->failure == SYMM_OK) {
        blocks_deliver(operation);
    }
    return SYMM_OK;
}

/* What this rank has brought.  `bring` has noted a failure. */
static void own_tell(struct symm_run *run)
{
    symm_run_raise(run, run->failure == SYMM_OK ? STEP_BROUGHT : SYMM_CUDA_STEP_FAILED);
}

/* A scan, at any rank but the first, which has left. */
static enum symm_status prefix_step(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    int me = run->team->rank;
    if (run->stage == STARTING) {
        if (!mca_coll_symm_line_has_data(mca_coll_symm_line(operation, me))) {
            elements_bring(operation, payload_of(operation, me));
            own_tell(run);
        }
        next_find(operation);
        run->stage = COLLECTING;
    }
    if (!others_have_brought(operation)) {
        return SYMM_PENDING;
    }
    if (run->failure == SYMM_OK) {
        elements_reduce(operation, symm_prefix_length(run, me));
    }
    return SYMM_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

/*
 * MPI_Scatterv: the root's line has the blocks.  Its own is among them if it has not been copied
 * before (agree/blocks.c).
 */
static void block_take(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    struct symm_layout block;
    void *address;
    size_t bytes;
    const unsigned char *packed = mca_coll_symm_blocks_along(operation, call->root, &bytes);
    if (bytes == 0) {
        return;
    }
    mca_coll_symm_side_block(&call->receiving, (size_t)call->root, &block, &address);
    size_t room = block.bytes;
    block.bytes = symm_least(bytes, room);
    if (block.bytes > 0) {
        deliver(operation, &block, packed, address);
    }
    if (bytes > room) {
        truncated_fail(operation, bytes, room);
    }
}

enum symm_status mca_coll_symm_mixed_step(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    const struct symm_call *call = operation->call;
    if (symm_collective_get(call->collective)->has_tables) {
        block_take(operation);
        return SYMM_OK;
    }
    if (symm_collective_get(call->collective)->is_prefix) {
        return prefix_step(operation);
    }
    if (symm_rooted_is_from_root(run)) {
        deliver(operation, &call->target,
                payload_of(operation, run->root) + symm_rooted_begin(run, run->team->rank),
                call->receive);
        return SYMM_OK;
    }
    if (symm_rooted_is_root(run)) {
        return root_step(operation);
    }
    own_bring(operation);
    own_tell(run);
    return SYMM_OK;
}
