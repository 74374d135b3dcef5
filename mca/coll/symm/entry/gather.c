/*
 * entry/gather.c - MPI_Gather: from MPI's arguments to a description of the call.
 *
 * The root alone has an output.  In place its input is its block there.
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
    mca_coll_symm_layout_describe(&call->target, a->rdtype, (size_t)a->rcount);
    call->in_place = a->sbuf == MPI_IN_PLACE;
    call->receive = a->rbuf;
    if (call->in_place) {
        call->source = call->target;
        call->send = mca_coll_symm_layout_block(&call->target, a->rbuf, a->root);
    } else {
        mca_coll_symm_layout_describe(&call->source, a->sdtype, (size_t)a->scount);
        call->send = a->sbuf;
    }
    call->input = mca_coll_symm_at(call->send, call->source.start);
    call->output = mca_coll_symm_at(a->rbuf, call->target.start);
    call->input_bytes = call->source.bytes;
    call->output_bytes = call->target.bytes * (size_t)ompi_comm_size(a->comm);
    call->absent = 0;
    call->gaps = (call->source.dense ? 0u : SYMM_GAPS_INPUT) |
                 (mca_coll_symm_rooted_has_gaps(&call->target) ? SYMM_GAPS_OUTPUT : 0u);
}

__attribute__((always_inline))
static inline void describe(struct symm_call *call, enum symm_kinds kinds,
                            const struct symm_arguments *a)
{
    if (ompi_comm_rank(a->comm) == a->root) {
        root_describe(call, a);
    } else {
        mca_coll_symm_layout_describe(&call->source, a->sdtype, (size_t)a->scount);
        call->target = call->source;
        call->in_place = false;
        call->send = a->sbuf;
        call->receive = NULL;
        call->input = mca_coll_symm_at(a->sbuf, call->source.start);
        call->input_bytes = call->source.bytes;
        call->gaps = call->source.dense ? 0u : SYMM_GAPS_INPUT;
        mca_coll_symm_rooted_has_input(call);
    }
    call->payload_bytes = call->target.bytes;
    mca_coll_symm_rooted_describe(call, SYMM_GATHER, kinds, a->root, call->target.bytes,
                                  call->source.bytes != call->target.bytes);
}

static inline bool is_empty(const struct symm_arguments *a)
{
    bool is_root = ompi_comm_rank(a->comm) == a->root;
    if (is_root && mca_coll_symm_bytes(a->rdtype, (size_t)a->rcount) > 0) {
        return false;
    }
    return a->sbuf == MPI_IN_PLACE || mca_coll_symm_bytes(a->sdtype, (size_t)a->scount) == 0;
}

static inline bool fast(mca_coll_symm_module_t *module, const struct symm_arguments *a)
{
    const struct symm_fast_buffer sent = {a->sbuf, (size_t)a->scount, a->sdtype};
    const struct symm_fast_buffer received = {
        a->rbuf, (size_t)a->rcount * (size_t)ompi_comm_size(a->comm), a->rdtype};
    return mca_coll_symm_fast_gather(module, &sent, &received, a->root);
}

static unsigned keep(struct symm_arguments *a)
{
    if (ompi_comm_rank(a->comm) != a->root) {
        a->rdtype = a->sdtype;
    }
    return 0;
}

static const struct symm_entry_row row = {
    .collective = SYMM_GATHER,
    .is_empty = is_empty,
    .fast = fast,
    .describe = describe,
    .keep = keep,
};
SYMM_ENTRY_DEFINE(gather, row)
