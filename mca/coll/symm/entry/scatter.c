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

/* The root's call, or that of another rank, which has an output only. */
__attribute__((always_inline))
static inline void outline(struct symm_call *call, enum symm_kinds kinds,
                           const struct symm_arguments *a)
{
    bool is_root = ompi_comm_rank(a->comm) == a->root;
    (void)kinds;
    call->in_place = is_root && a->rbuf == MPI_IN_PLACE;
    if (is_root) {
        mca_coll_symm_buffer_describe(&call->input, a->sbuf, a->sdtype,
                                      (size_t)a->scount * (size_t)ompi_comm_size(a->comm));
    }
    if (!call->in_place) {
        mca_coll_symm_buffer_describe(&call->output, a->rbuf, a->rdtype, (size_t)a->rcount);
    }
}

/* The root's own block, which stays where it is. */
static void own_describe(struct symm_call *call, const struct symm_arguments *a)
{
    struct symm_buffer all;
    mca_coll_symm_buffer_describe(&all, a->sbuf, a->sdtype, (size_t)a->scount);
    mca_coll_symm_buffer_within(&call->output, &all, a->root);
    call->output.bytes = 0;
}

__attribute__((always_inline))
static inline void describe(struct symm_call *call, enum symm_kinds kinds,
                            const struct symm_arguments *a)
{
    size_t ranks = (size_t)ompi_comm_size(a->comm), bytes;
    call->absent = call->in_place ? SYMM_ABSENT_OUTPUT : 0;
    if (call->in_place) {
        own_describe(call, a);
    }
    call->gaps =
        !call->in_place && mca_coll_symm_buffer_has_gaps(&call->output) ? SYMM_GAPS_OUTPUT : 0;
    if (ompi_comm_rank(a->comm) == a->root) {
        call->gaps |= mca_coll_symm_buffer_has_gaps(&call->input) ? SYMM_GAPS_INPUT : 0;
        bytes = call->input.layout.bytes / ranks;
    } else {
        call->input.layout = call->output.layout;
        mca_coll_symm_rooted_has_output(call);
        bytes = call->output.layout.bytes;
    }
    call->payload_bytes = bytes * ranks;
    mca_coll_symm_rooted_describe(call, SYMM_SCATTER, kinds, a->root, bytes,
                                  call->output.layout.bytes != bytes);
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
    return mca_coll_symm_fast_scatter(module, a->root);
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
    .outline = outline,
    .fast = fast,
    .describe = describe,
    .keep = keep,
};
SYMM_ENTRY_DEFINE(scatter, row)
