/*
 * exchange_sides.c - see exchange_sides.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/results/exchange_sides.h"

#include <stdlib.h>

#include "tests/harness/harness.h"

uint64_t exchange_number;

/* ---- what is exchanged ----------------------------------------------------------------------- */

size_t exchange_quantum(const struct call *call)
{
    return call->mixture == MIXTURE_BYTES ? 1 : EXCHANGE_QUANTUM;
}

bool exchange_is_rooted(const struct call *call)
{
    return call->collective == TEST_GATHERV || call->collective == TEST_SCATTERV;
}

/* Whether each rank has one block for others, or from others. */
bool exchange_sends_one(const struct call *call)
{
    return call->collective == TEST_ALLGATHERV || call->collective == TEST_GATHERV;
}

/*
 * Whether this rank leaves out its send buffer.  At the root of MPI_Scatterv it is the other one.
 */
bool exchange_sends_in_place(const struct call *call)
{
    return call->in_place && call->collective != TEST_SCATTERV;
}

bool exchange_receives_in_place(const struct call *call)
{
    return call->in_place && call->collective == TEST_SCATTERV;
}

/* Bytes that one rank sends to another.  In place, two ranks send each other as much. */
static size_t block_bytes(const struct call *call, int source, int target)
{
    int a = source, b = call->collective == TEST_ALLGATHERV ? 0 : target;
    if (call->in_place && !exchange_sends_one(call) && !exchange_is_rooted(call) && a > b) {
        a = target;
        b = source;
    }
    uint64_t pair = (uint64_t)(a * RANKS_MAX + b);
    uint64_t random = test_random(test_stream(exchange_number, 0, 3), pair);
    size_t quanta = call->quanta;
    if (call->shape == SHAPE_RANDOM && call->collective != TEST_ALLTOALL) {
        quanta = random % 3 == 0 ? 0 : random / 3 % (2 * quanta + 2);
    } else if (call->shape == SHAPE_STEEP && call->collective != TEST_ALLTOALL) {
        quanta >>= (unsigned)(a + b) % 32;
    } else if (call->shape == SHAPE_ONE && call->collective != TEST_ALLTOALL) {
        quanta = a == (int)(exchange_number % (uint64_t)call->size) && b == 0 ? quanta : 0;
    }
    return quanta * exchange_quantum(call);
}

static unsigned char value(const struct call *call, int source, int target, size_t i)
{
    uint64_t to = call->collective == TEST_ALLGATHERV ? 0 : (uint64_t)target;
    uint64_t stream = test_stream(exchange_number, (uint64_t)(source * RANKS_MAX) + to, 4);
    return (unsigned char)(test_mix(stream + i / 8) >> i % 8 * 8);
}

void exchange_block_put(const struct call *call, const struct side *side, unsigned char *data,
                      int block, int source, int target)
{
    const struct exchange_type *type = side->type[block];
    size_t bytes = (size_t)side->counts[block] * type->size;
    for (size_t i = 0; i < bytes; i++) {
        ptrdiff_t element = (ptrdiff_t)(i / type->size) * type->extent;
        data[side->at[block] + element + type->at[i % type->size]] =
            value(call, source, target, i);
    }
}

/* ---- where it lies --------------------------------------------------------------------------- */

static const struct exchange_type *type_draw(const struct call *call, uint64_t random)
{
    if (call->mixture == MIXTURE_BYTES) {
        return exchange_type(0);
    }
    return exchange_type((int)(random % (call->mixture == MIXTURE_DENSE ? EXCHANGE_DENSE
                                                                        : EXCHANGE_TYPES)));
}

/* Where a block begins in displacements of the collective. */
static ptrdiff_t unit_of(const struct call *call, const struct side *side, int block)
{
    return call->collective == TEST_ALLTOALLW ? 1 : side->type[block]->extent;
}

/* Blocks in any order, with gaps between them or none, and what is first at the first byte. */
static void side_lay(const struct call *call, struct side *side, uint64_t stream)
{
    int blocks = side->blocks;
    bool is_even = call->collective == TEST_ALLTOALL || blocks <= 1;
    ptrdiff_t next = 0, first = 0, last = 0;
    bool is_first = true;
    int turn = is_even ? 0 : (int)(test_random(stream, 90) % (uint64_t)blocks);
    for (int i = 0; i < blocks; i++) {
        int block = (turn + i) % blocks;
        const struct exchange_type *type = side->type[block];
        ptrdiff_t unit = unit_of(call, side, block);
        ptrdiff_t apart = is_even ? 0 : (ptrdiff_t)(test_random(stream, 100 + (uint64_t)i) % 3);
        next = (next + unit - 1) / unit * unit + apart * (unit == 1 ? EXCHANGE_ALIGNMENT : unit);
        if (unit == 1 && !is_first && next + type->lower < last) { /* types differ */
            next = last - type->lower;
        }
        side->at[block] = next;
        side->disps[block] = (int)(next / unit);
        if (side->counts[block] > 0) {
            ptrdiff_t end = next + (side->counts[block] - 1) * type->extent + type->upper;
            first = is_first || next + type->lower < first ? next + type->lower : first;
            last = is_first || end > last ? end : last;
            is_first = false;
        }
        next += side->counts[block] * type->extent;
    }
    side->origin = -first;
    side->bytes = (size_t)(last - first);
    for (int block = 0; block < blocks; block++) {
        side->at[block] -= first;
    }
}

/*
 * Whether Open MPI may make the calls.  Then all ranks have the same types, because its allgatherv
 * chooses an algorithm by the rank's own counts of elements, and ranks that choose differently
 * hang.  Calls in place are blocking ones, because those of libnbc hang where blocks are empty
 * (4.1.4).
 */
bool exchange_may_be_below(const struct call *call)
{
    bool on_device = getenv("SYMM_TEST_CUDA_LIBRARY") != NULL;
    bool is_even = call->shape == SHAPE_EQUAL || call->collective == TEST_ALLTOALL;
    bool is_served = !on_device || (call->mixture != MIXTURE_ANY && call->quanta > 0 && is_even);
    return !test_expects_symm() || test_parameter("coll_symm_slot_size", 17408) < 1024 ||
           getenv("SYMM_TEST_DEVICE_RANK") != NULL || !is_served;
}

/* Blocks that this rank has to describe. */
static int blocks_of(const struct call *call, bool sends)
{
    bool is_root = call->rank == call->root;
    if (call->collective == TEST_ALLGATHERV) {
        return sends ? 1 : call->size;
    }
    if (!exchange_is_rooted(call)) {
        return call->size;
    }
    return sends == (call->collective == TEST_GATHERV) ? 1 : is_root ? call->size : 0;
}

/* Whose blocks those of the buffers are. */
int exchange_target_of(const struct call *call, int block)
{
    return call->collective == TEST_GATHERV ? call->root : block;
}

int exchange_source_of(const struct call *call, int block)
{
    return call->collective == TEST_SCATTERV ? call->root : block;
}

void exchange_side_draw(struct call *call, struct side *side, bool sends)
{
    bool alike = exchange_may_be_below(call);
    uint64_t ours = alike ? 0 : (uint64_t)test_rank, role = sends && !alike ? 5 : 6;
    uint64_t stream = test_stream(exchange_number, ours, role);
    uint64_t common = test_random(stream, 99);
    side->blocks = blocks_of(call, sends);
    for (int block = 0; block < side->blocks; block++) {
        bool own = call->collective == TEST_ALLTOALLW;
        side->type[block] = type_draw(call, own ? test_random(stream, (uint64_t)block) : common);
        side->handles[block] = side->type[block]->handle;
        size_t bytes = sends ? block_bytes(call, call->rank, exchange_target_of(call, block))
                             : block_bytes(call, exchange_source_of(call, block), call->rank);
        side->counts[block] = (int)(bytes / side->type[block]->size);
    }
    side_lay(call, side, stream);
}
