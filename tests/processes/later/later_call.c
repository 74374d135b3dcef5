/*
 * later_call.c - see later_call.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/processes/later/later_call.h"

#include "tests/harness/harness.h"
#include "tests/processes/later/later_data.h"
#include "tests/processes/later/later_exchange.h"

#include <stdio.h>

static MPI_Datatype types[LATER_ELEMENTS];
static MPI_Op operations[LATER_ELEMENTS]; /* the program's */

/* ---- the program's operations ---------------------------------------------------------------- */

static void ints_add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const uint32_t *from = in;
    uint32_t *to = inout;
    (void)type;
    for (int i = 0; i < *count; i++) {
        to[i] += from[i];
    }
}

static void pairs_compose(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const uint32_t *from = in;
    uint32_t *to = inout;
    (void)type;
    for (int i = 0; i < 2 * *count; i += 2) {
        to[i + 1] = from[i] * to[i + 1] + from[i + 1];
        to[i] = from[i] * to[i];
    }
}

/* Of one integer each. */
static void spread_add(enum later_elements elements, const void *in, void *inout, int count)
{
    size_t distance = later_extent(elements) / sizeof(uint32_t);
    const uint32_t *from = in;
    uint32_t *to = inout;
    from += later_lower(elements) / (ptrdiff_t)sizeof(*from);
    to += later_lower(elements) / (ptrdiff_t)sizeof(*to);
    for (size_t i = 0; i < (size_t)count; i++) {
        to[distance * i] += from[distance * i];
    }
}

static void gaps_add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    spread_add(LATER_GAPS, in, inout, *count);
}

static void behind_add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    spread_add(LATER_BEHIND, in, inout, *count);
}

static void before_add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    spread_add(LATER_BEFORE, in, inout, *count);
}

static void wide_add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int ints = *count * LATER_WIDE_INTS;
    ints_add(in, inout, &ints, type);
}

static MPI_Op operation_of(const struct later_call *call)
{
    static const MPI_Op predefined[] = {MPI_SUM, MPI_MAX, MPI_BXOR};
    return call->elements <= LATER_DOUBLES ? predefined[call->operation]
                                           : operations[call->elements];
}

/* An integer, and so far from the next one. */
static void spread_create(enum later_elements elements)
{
    MPI_Aint lower = later_lower(elements), extent = (MPI_Aint)later_extent(elements);
    MPI_Datatype word = MPI_UINT32_T, one;
    MPI_Type_create_struct(1, (int[]){1}, &lower, &word, &one);
    MPI_Type_create_resized(one, lower, extent, &types[elements]);
    MPI_Type_free(&one);
}

/*
 * Blocking all-reduces on types whose lower bound is not 0 write outside their own temporary memory
 * in coll/base, if the operation commutes (ompi_coll_base_allreduce_intra_ring, 4.1.4 to 5.0.9).
 * The operations on LATER_BEHIND and LATER_BEFORE are therefore said not to commute.
 */
void later_open(void)
{
    types[LATER_INTS] = types[LATER_OWN_INTS] = MPI_UINT32_T;
    types[LATER_DOUBLES] = MPI_DOUBLE;
    MPI_Type_contiguous(2, MPI_UINT32_T, &types[LATER_PAIRS]);
    spread_create(LATER_GAPS);
    spread_create(LATER_BEHIND);
    spread_create(LATER_BEFORE);
    MPI_Type_contiguous(LATER_WIDE_INTS, MPI_UINT32_T, &types[LATER_WIDE]);
    MPI_Op_create(ints_add, 1, &operations[LATER_OWN_INTS]);
    MPI_Op_create(pairs_compose, 0, &operations[LATER_PAIRS]);
    MPI_Op_create(gaps_add, 1, &operations[LATER_GAPS]);
    MPI_Op_create(wide_add, 1, &operations[LATER_WIDE]);
    MPI_Op_create(behind_add, 0, &operations[LATER_BEHIND]);
    MPI_Op_create(before_add, 0, &operations[LATER_BEFORE]);
    for (int i = LATER_PAIRS; i < LATER_ELEMENTS; i++) {
        MPI_Type_commit(&types[i]);
    }
    later_memory_open();
}

void later_close(void)
{
    for (int i = LATER_PAIRS; i < LATER_ELEMENTS; i++) {
        MPI_Type_free(&types[i]);
    }
    for (int i = LATER_OWN_INTS; i < LATER_ELEMENTS; i++) {
        MPI_Op_free(&operations[i]);
    }
}

MPI_Datatype later_type(enum later_elements elements)
{
    return types[elements];
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* Takes its numbers from the low bits of a random one. */
static uint64_t take(uint64_t *random, uint64_t choices)
{
    uint64_t taken = *random % choices;
    *random /= choices;
    return taken;
}

static size_t draw_count(uint64_t *random, size_t most)
{
    static const size_t limits[16] = {0,   1,   1,    4,    16,   16,    64,    64,
                                      256, 256, 1024, 4096, 8000, 20000, 60000, LATER_ROOM};
    size_t limit = limits[take(random, 16)];
    if (limit > most) {
        limit = most;
    }
    return limit == 0 ? 0 : 1 + take(random, 1 << 20) % limit;
}

static enum later_memory draw_memory(uint64_t *random)
{
    return (enum later_memory)take(random, later_has_device() ? LATER_MEMORIES : LATER_DEVICE);
}

/* Sometimes a rank takes memory of its own choice. */
static void memories_draw(struct later_call *call, uint64_t *common, uint64_t *own)
{
    bool is_own = take(common, 8) == 0;
    call->send_memory = draw_memory(is_own ? own : common);
    call->receive_memory = is_own || take(common, 4) == 0 ? draw_memory(is_own ? own : common)
                                                          : call->send_memory;
}

size_t later_blocks(const struct later_call *call)
{
    bool many = call->collective == TEST_ALLGATHER || call->collective == TEST_GATHER ||
                call->collective >= TEST_ALLTOALL;
    return many ? (size_t)call->comm.size : 1;
}

static bool has_gaps(enum later_elements elements)
{
    return elements == LATER_GAPS || elements == LATER_BEHIND || elements == LATER_BEFORE;
}

/*
 * Every third all-reduce is a reduce-scatter instead.  The random number is one of its own, so that
 * the other calls are what they are without it.
 */
static void scatter_draw(struct later_call *call, uint64_t random)
{
    size_t size = (size_t)call->comm.size, each = call->count / size, left = call->count;
    if (call->collective != TEST_ALLREDUCE || size > LATER_RANKS_MAX || take(&random, 3) != 0) {
        return;
    }
    bool is_block = take(&random, 2) == 0, is_even = take(&random, 3) == 0;
    call->collective = is_block ? TEST_REDUCE_SCATTER_BLOCK : TEST_REDUCE_SCATTER;
    for (size_t rank = 0; rank < size; rank++) {
        random = test_mix(random + rank);
        size_t some = is_block || is_even ? each : random % 4 == 0 ? 0 : random / 4 % (left + 1);
        call->counts[rank] = (int)some;
        left -= some;
    }
    call->count -= left;
}

/* And every fourth of those that are left is a scan. */
static void scan_draw(struct later_call *call, uint64_t random)
{
    if (call->collective == TEST_ALLREDUCE && call->comm.size <= LATER_RANKS_MAX &&
        take(&random, 4) == 0) {
        call->collective = take(&random, 2) == 0 ? TEST_SCAN : TEST_EXSCAN;
    }
}

/*
 * Every fourth all-reduce and every third all-gather is a reduce or a gather instead.  In place
 * only the root is.
 */
static void root_draw(struct later_call *call, uint64_t random)
{
    if (call->collective == TEST_ALLREDUCE && take(&random, 4) == 0) {
        call->collective = TEST_REDUCE;
    } else if (call->collective == TEST_ALLGATHER && take(&random, 3) == 0) {
        call->collective = TEST_GATHER;
    } else {
        return;
    }
    call->in_place = call->in_place && call->comm.rank == call->root;
}

void later_draw(struct later_call *call, uint64_t common, uint64_t own)
{
    static const enum test_collective collectives[12] = {
        TEST_ALLREDUCE, TEST_ALLREDUCE, TEST_ALLREDUCE, TEST_ALLREDUCE,
        TEST_ALLREDUCE, TEST_ALLGATHER, TEST_ALLGATHER, TEST_ALLGATHER,
        TEST_BARRIER,   TEST_BCAST,     TEST_ALLTOALL,  TEST_BCAST};
    uint64_t more = test_mix(common + 1), scatter = test_mix(common + 2);
    uint64_t scan = test_mix(common + 3);
    call->collective = collectives[take(&common, 12)];
    call->elements = (enum later_elements)take(&common, LATER_ELEMENTS + 2);
    if (call->elements >= LATER_ELEMENTS) {
        call->elements = (enum later_elements)(call->elements - LATER_ELEMENTS);
    }
    call->operation = (unsigned)take(&common, call->elements == LATER_DOUBLES ? 2 : 3);
    call->in_place = take(&common, 4) == 0 && call->collective <= TEST_ALLGATHER;
    call->bytes = take(&common, 4) == 0 && !has_gaps(call->elements);
    call->root = (int)take(&common, (uint64_t)call->comm.size);
    call->count = draw_count(&more, LATER_ROOM / later_extent(call->elements) / later_blocks(call));
    memories_draw(call, &more, &own);
    call->offset = take(&more, 2) == 0 ? 0 : take(&own, LATER_OFFSETS / 8) * 8;
    call->request = MPI_REQUEST_NULL;
    scatter_draw(call, scatter);
    scan_draw(call, scan);
    root_draw(call, test_mix(scatter + 1));
    later_exchange_draw(call, test_mix(scatter + 2));
}

void later_describe(const struct later_call *call, char *text, size_t size)
{
    static const char *const elements[] = {"ints", "doubles", "own ints", "pairs", "gaps", "wide",
                                           "ints behind", "ints before"};
    static const char *const memories[] = {"heap", "malloc", "device", "device MPI"};
    snprintf(text, size, "%s %s of %zu %s (operation %u)%s%s, %s to %s, %d ranks, number %llu",
             test_form_names[call->form], test_collective_names[call->collective], call->count,
             elements[call->elements], call->operation, call->in_place ? ", in place" : "",
             call->bytes ? ", sent as bytes" : "", memories[call->send_memory],
             memories[call->receive_memory], call->comm.size, (unsigned long long)call->number);
}

/* ---- calls ----------------------------------------------------------------------------------- */

void later_make(struct later_call *call)
{
    struct test_arguments arguments = {
        .send = call->in_place ? MPI_IN_PLACE : later_send_area(call) + LATER_AROUND,
        .send_count = (int)call->count, .send_type = types[call->elements],
        .receive = later_receive_area(call) + LATER_AROUND,
        .count = (int)call->count, .counts = call->counts, .type = types[call->elements],
        .root = call->root, .comm = call->comm.comm,
    };
    if (call->collective <= TEST_REDUCE) {
        arguments.op = operation_of(call);
    }
    if (call->collective == TEST_REDUCE_SCATTER_BLOCK) {
        arguments.count = call->counts[0];
    }
    if (call->bytes) {
        arguments.send_type = MPI_BYTE;
        arguments.send_count = (int)(call->count * later_extent(call->elements));
    }
    if (call->count == 0 && call->number % 2 == 0) { /* nobody looks at these */
        arguments.send = call->in_place ? MPI_IN_PLACE : NULL;
        if (call->collective != TEST_REDUCE) { /* Open MPI refuses two equal addresses (4.1.4) */
            arguments.receive = NULL;
        }
    }
    if (call->collective >= TEST_ALLTOALL) {
        later_exchange_describe(call, &arguments);
    }
    (void)test_call(call->collective, call->form, &arguments, &call->request);
}
