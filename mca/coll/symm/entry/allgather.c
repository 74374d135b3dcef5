/*
 * entry/allgather.c - MPI_Allgather: from MPI's arguments to a description of the call.
 *
 * An all-gather moves bytes.  Where the elements that a rank sends, or those that it receives, fill
 * their bytes without gaps, they are copied from and to where they lie; otherwise they are packed.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/base/signature.h"
#include "mca/coll/symm/device/place.h"
#include "mca/coll/symm/entry/entry.h"

static enum symm_reason veto_reason(const struct symm_call *call)
{
    if (call->input.layout.bytes != call->output.layout.bytes) {
        return SYMM_REASON_UNEQUAL; /* an error; the component below says so or truncates */
    }
    if (call->unusable) {
        return SYMM_REASON_ELSEWHERE;
    }
    return call->asymmetric ? SYMM_REASON_ASYMMETRIC : SYMM_REASON_NONE;
}

__attribute__((always_inline))
static inline void describe(struct symm_call *call, enum symm_kinds kinds,
                            const struct symm_arguments *a)
{
    mca_coll_symm_buffer_describe(&call->output, a->rbuf, a->rdtype, (size_t)a->rcount);
    const size_t bytes = call->output.bytes;
    call->collective = SYMM_ALLGATHER;
    call->in_place = a->sbuf == MPI_IN_PLACE;
    if (call->in_place) {
        mca_coll_symm_buffer_within(&call->input, &call->output, ompi_comm_rank(a->comm));
    } else {
        mca_coll_symm_buffer_describe(&call->input, a->sbuf, a->sdtype, (size_t)a->scount);
    }
    call->output.bytes = bytes * (size_t)ompi_comm_size(a->comm);
    call->gaps = (mca_coll_symm_buffer_has_gaps(&call->input) ? SYMM_GAPS_INPUT : 0u) |
                 (mca_coll_symm_buffer_blocks_have_gaps(&call->output) ? SYMM_GAPS_OUTPUT : 0u);
    call->count = bytes;
    call->agreed_count = bytes;
    call->extent = 1;
    call->absent = 0;
    call->payload_bytes = bytes;
    mca_coll_symm_device_describe(call, kinds);
    call->veto = veto_reason(call);
    call->signature = symm_signature_pack(
        (struct symm_signature){.collective = SYMM_ALLGATHER, .extent = 1});
}

/* `sbuf` may be MPI_IN_PLACE, and the sent count and type may then be anything. */
static inline bool is_empty(const struct symm_arguments *a)
{
    return mca_coll_symm_bytes(a->rdtype, (size_t)a->rcount) == 0 &&
           (a->sbuf == MPI_IN_PLACE || mca_coll_symm_bytes(a->sdtype, (size_t)a->scount) == 0);
}

static const struct symm_entry_row row = {
    .collective = SYMM_ALLGATHER,
    .is_empty = is_empty,
    .describe = describe,
};
SYMM_ENTRY_DEFINE(allgather, row)
