/*
 * entry/exchange.c - see entry/exchange.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/exchange.h"

#include "mca/coll/symm/base/signature.h"
#include "mca/coll/symm/data/recognise.h"
#include "mca/coll/symm/device/place.h"

static enum symm_reason veto_reason(const struct symm_call *call, bool is_unequal)
{
    if (is_unequal) {
        return SYMM_REASON_UNEQUAL; /* an error; the component below says so or truncates */
    }
    if (call->unusable) {
        return SYMM_REASON_ELSEWHERE;
    }
    return call->asymmetric ? SYMM_REASON_ASYMMETRIC : SYMM_REASON_NONE;
}

/*
 * The addresses, after both sides have been measured.  A buffer without data may be anything, and
 * is taken to be where the other one is.
 */
static void buffers_set(struct symm_call *call, const struct symm_side_measure *sent,
                        const struct symm_side_measure *received)
{
    static char nothing;
    uintptr_t none = (uintptr_t)&nothing;
    uintptr_t input = sent->bytes > 0 ? sent->first : received->bytes > 0 ? received->first : none;
    call->input.at = (void *)input;
    call->output.at = (void *)(received->bytes > 0 ? received->first : input);
    call->count = sent->span;
    call->input.bytes = sent->span;
    call->output.bytes = received->span;
    call->absent = (sent->bytes == 0 ? SYMM_ABSENT_INPUT : 0u) |
                   (received->bytes == 0 ? SYMM_ABSENT_OUTPUT : 0u);
    call->gaps = (sent->gaps ? SYMM_GAPS_INPUT : 0u) | (received->gaps ? SYMM_GAPS_OUTPUT : 0u);
}

/* FNV-1a of the bytes that each rank gives. */
static unsigned counts_checksum(const struct symm_side *side, size_t ranks)
{
    const uint64_t start = UINT64_C(0xcbf29ce484222325), factor = UINT64_C(0x100000001b3);
    size_t unit = mca_coll_symm_bytes(side->dtype, 1);
    uint64_t sum = start;
    for (size_t rank = 0; rank < ranks; rank++) {
        sum = (sum ^ symm_count_at(side->counts, rank) * unit) * factor;
    }
    return (unsigned)((sum ^ sum >> 24 ^ sum >> 48) & ((1u << SYMM_SIGNATURE_ROOT_BITS) - 1));
}

/* What ranks compare, and what travels. */
static bool sizes_set(struct symm_call *call, const struct symm_side_measure *sent,
                      const struct symm_side_measure *received, struct ompi_communicator_t *comm,
                      unsigned *counts)
{
    size_t ranks = (size_t)ompi_comm_size(comm);
    *counts = 0;
    call->agreed_count = 0;
    call->payload_bytes = sent->bytes;
    if (call->collective == SYMM_ALLTOALL) {
        call->agreed_count = received->largest;
        call->gaps |= (call->gaps & SYMM_GAPS_ANY) != 0 ? SYMM_GAPS_BETWEEN : 0;
        return sent->largest != received->largest;
    }
    call->gaps |= SYMM_GAPS_BETWEEN;
    if (call->collective == SYMM_ALLGATHERV) {
        *counts = counts_checksum(&call->output.side, ranks);
        call->agreed_count = received->bytes;
        call->payload_bytes = received->largest;
        return sent->bytes != mca_coll_symm_bytes(call->output.side.dtype,
                                                  symm_count_at(call->output.side.counts,
                                                                (size_t)ompi_comm_rank(comm)));
    }
    return false; /* only the two ranks of a block know its size */
}

/* Blocks with types of their own may lie anywhere: whether some lie elsewhere than the first. */
static bool is_scattered(const struct symm_side *side, size_t ranks, enum symm_kinds kinds,
                         int device)
{
    struct symm_layout layout;
    void *address;
    for (size_t rank = 0; rank < ranks; rank++) {
        mca_coll_symm_side_block(side, rank, &layout, &address);
        if (layout.bytes > 0 &&
            mca_coll_symm_device_of(mca_coll_symm_at(address, layout.start), kinds) != device) {
            return true;
        }
    }
    return false;
}

void mca_coll_symm_exchange_describe(struct symm_call *call, enum symm_collective collective,
                                     enum symm_kinds kinds, struct ompi_communicator_t *comm)
{
    size_t ranks = (size_t)ompi_comm_size(comm);
    struct symm_side_measure sent, received;
    unsigned counts;
    call->collective = collective;
    mca_coll_symm_side_measure(&call->output.side, NULL, ranks, &received);
    mca_coll_symm_side_measure(&call->input.side, &call->output.side, ranks, &sent);
    buffers_set(call, &sent, &received);
    call->extent = 1;
    call->input.largest = sent.largest;
    call->output.data = received.bytes;
    bool is_unequal = sizes_set(call, &sent, &received, comm, &counts);
    mca_coll_symm_device_describe(call, kinds);
    if (call->output.side.shape == SYMM_SIDE_TYPED) {
        call->asymmetric = call->asymmetric ||
                           is_scattered(&call->input.side, ranks, kinds, call->device) ||
                           is_scattered(&call->output.side, ranks, kinds, call->device);
    }
    mca_coll_symm_device_guess(call);
    call->veto = veto_reason(call, is_unequal);
    bool is_rooted = symm_collective_get(collective)->is_rooted;
    call->signature = symm_signature_pack((struct symm_signature){
        .collective = collective, .root = is_rooted ? (unsigned)call->root : counts,
        .extent = 1});
}
