/*
 * entry/scatter.c - MPI_Scatter: from MPI's arguments to a description of the call.
 *
 * The root alone has an input, of all ranks' blocks.  In place it has no output: its own block
 * stays where it is.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/entry/rooted.h"
#include "mca/coll/symm/fast/fast.h"

/* The root's call: layouts, buffers and gaps. */
__attribute__((always_inline))
static inline void root_describe(struct symm_call *call, const struct symm_arguments *a)
{
    size_t ranks = (size_t)ompi_comm_size(a->comm);
    struct symm_layout block;
    mca_coll_symm_layout_describe(&block, a->sdtype, (size_t)a->scount);
    mca_coll_symm_layout_describe(&call->source, a->sdtype, (size_t)a->scount * ranks);
    call->in_place = a->rbuf == MPI_IN_PLACE;
    call->send = a->sbuf;
    call->input = mca_coll_symm_at(a->sbuf, call->source.start);
    call->input_bytes = call->source.bytes;
    call->gaps = call->source.dense ? 0u : SYMM_GAPS_INPUT;
    call->output_bytes = 0;
    if (call->in_place) {
        void *own = mca_coll_symm_layout_block(&block, symm_ompi_unconst(a->sbuf), a->root);
        call->target = block;
        call->absent = SYMM_ABSENT_OUTPUT;
        call->receive = own;
        call->output = mca_coll_symm_at(own, block.start);
        return;
    }
    mca_coll_symm_layout_describe(&call->target, a->rdtype, (size_t)a->rcount);
    call->absent = 0;
    call->receive = a->rbuf;
    call->output = mca_coll_symm_at(a->rbuf, call->target.start);
    call->output_bytes = call->target.bytes;
    call->gaps |= call->target.dense ? 0u : SYMM_GAPS_OUTPUT;
}

__attribute__((always_inline))
static inline void describe(struct symm_call *call, enum symm_kinds kinds,
                            const struct symm_arguments *a)
{
    size_t ranks = (size_t)ompi_comm_size(a->comm), bytes;
    if (ompi_comm_rank(a->comm) == a->root) {
        root_describe(call, a);
        bytes = call->source.bytes / ranks;
    } else {
        mca_coll_symm_layout_describe(&call->target, a->rdtype, (size_t)a->rcount);
        call->source = call->target;
        call->in_place = false;
        call->send = NULL;
        call->receive = a->rbuf;
        call->output = mca_coll_symm_at(a->rbuf, call->target.start);
        call->output_bytes = call->target.bytes;
        call->gaps = call->target.dense ? 0u : SYMM_GAPS_OUTPUT;
        mca_coll_symm_rooted_has_output(call);
        bytes = call->target.bytes;
    }
    call->payload_bytes = bytes * ranks;
    mca_coll_symm_rooted_describe(call, SYMM_SCATTER, kinds, a->root, bytes,
                                  call->target.bytes != bytes);
}

static inline bool is_empty(const struct symm_arguments *a)
{
    bool is_root = ompi_comm_rank(a->comm) == a->root;
    if (is_root && mca_coll_symm_bytes(a->sdtype, (size_t)a->scount) > 0) {
        return false;
    }
    return (is_root && a->rbuf == MPI_IN_PLACE) ||
           mca_coll_symm_bytes(a->rdtype, (size_t)a->rcount) == 0;
}

static inline bool fast(mca_coll_symm_module_t *module, const struct symm_arguments *a)
{
    const struct symm_fast_buffer received = {a->rbuf, (size_t)a->rcount, a->rdtype};
    const struct symm_fast_buffer sent = {
        a->sbuf, (size_t)a->scount * (size_t)ompi_comm_size(a->comm), a->sdtype};
    return mca_coll_symm_fast_scatter(module, &sent, &received, a->root);
}

static unsigned keep(struct symm_arguments *a)
{
    if (ompi_comm_rank(a->comm) != a->root) {
        a->sdtype = a->rdtype;
        a->sbuf = NULL; /* MPI_IN_PLACE would be taken for a type that means nothing */
    } else if (a->rbuf == MPI_IN_PLACE) {
        a->rdtype = a->sdtype;
    }
    return 0;
}

static const struct symm_entry_row row = {
    .collective = SYMM_SCATTER,
    .is_empty = is_empty,
    .fast = fast,
    .describe = describe,
    .keep = keep,
};
SYMM_ENTRY_DEFINE(scatter, row)
