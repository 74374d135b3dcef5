/*
 * MPI_Alltoall, MPI_Alltoallv, MPI_Alltoallw, MPI_Allgatherv, MPI_Gatherv and MPI_Scatterv against
 * an independent image of the receive buffer: blocking, nonblocking and persistent, blocks of any
 * lengths in any order, types with gaps and bounds that are not 0, another one on each rank and for
 * each block, sizes around every threshold, memory of every sort, in place or not, late ranks,
 * blocks that are too long.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/buffers.h"
#include "tests/harness/exchange_errors.h"
#include "tests/harness/exchange_types.h"
#include "tests/harness/harness.h"
#include "tests/harness/persistent.h"
#include "tests/harness/sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 64, POISON = 0xdb };

enum collective { ALLTOALL, ALLGATHERV, ALLTOALLV, ALLTOALLW, GATHERV, SCATTERV, COLLECTIVES };
enum form { BLOCKING, NONBLOCKING, PERSISTENT_FORM, FORMS };

/* How many elements blocks have. */
enum shape {
    SHAPE_EQUAL,
    SHAPE_RANDOM, /* nothing for about every third block */
    SHAPE_STEEP,  /* less and less, the higher the ranks */
    SHAPE_ONE,    /* one block has everything */
    SHAPES
};

/* What types the blocks have. */
enum mixture { MIXTURE_BYTES, MIXTURE_DENSE, MIXTURE_ANY, MIXTURES };

/* One buffer: where its blocks lie, and how. */
struct side {
    const struct exchange_type *type[RANKS_MAX];
    MPI_Datatype handles[RANKS_MAX];
    int blocks;                              /* 0: the rank does not need the buffer */
    int counts[RANKS_MAX], disps[RANKS_MAX]; /* displacements as the collective has them */
    ptrdiff_t at[RANKS_MAX];                 /* in bytes, from the first byte of the buffer */
    size_t bytes;                            /* from the first to the last */
    ptrdiff_t origin;                        /* of the address for MPI, seen from the first byte */
};

struct call {
    enum collective collective;
    enum form form;
    enum shape shape;
    enum mixture mixture;
    enum test_spread spread;
    bool in_place;
    size_t quanta; /* the usual length of a block */
    MPI_Comm comm;
    int rank, size, root;
    struct side send, receive;
};

static uint64_t number; /* of the call: what makes its data and places unique */

/* ---- what is exchanged ----------------------------------------------------------------------- */

static size_t quantum(const struct call *call)
{
    return call->mixture == MIXTURE_BYTES ? 1 : EXCHANGE_QUANTUM;
}

static bool is_rooted(const struct call *call)
{
    return call->collective == GATHERV || call->collective == SCATTERV;
}

/* Whether each rank has one block for others, or from others. */
static bool sends_one(const struct call *call)
{
    return call->collective == ALLGATHERV || call->collective == GATHERV;
}

/*
 * Whether this rank leaves out its send buffer.  At the root of MPI_Scatterv it is the other one.
 */
static bool sends_in_place(const struct call *call)
{
    return call->in_place && call->collective != SCATTERV;
}

static bool receives_in_place(const struct call *call)
{
    return call->in_place && call->collective == SCATTERV;
}

/* Bytes that one rank sends to another.  In place, two ranks send each other as much. */
static size_t block_bytes(const struct call *call, int source, int target)
{
    int a = source, b = call->collective == ALLGATHERV ? 0 : target;
    if (call->in_place && !sends_one(call) && !is_rooted(call) && a > b) {
        a = target;
        b = source;
    }
    uint64_t pair = (uint64_t)(a * RANKS_MAX + b);
    uint64_t random = test_random(test_stream(number, 0, 3), pair);
    size_t quanta = call->quanta;
    if (call->shape == SHAPE_RANDOM && call->collective != ALLTOALL) {
        quanta = random % 3 == 0 ? 0 : random / 3 % (2 * quanta + 2);
    } else if (call->shape == SHAPE_STEEP && call->collective != ALLTOALL) {
        quanta >>= (unsigned)(a + b) % 32;
    } else if (call->shape == SHAPE_ONE && call->collective != ALLTOALL) {
        quanta = a == (int)(number % (uint64_t)call->size) && b == 0 ? quanta : 0;
    }
    return quanta * quantum(call);
}

static unsigned char value(const struct call *call, int source, int target, size_t i)
{
    uint64_t to = call->collective == ALLGATHERV ? 0 : (uint64_t)target;
    uint64_t stream = test_stream(number, (uint64_t)(source * RANKS_MAX) + to, 4);
    return (unsigned char)(test_mix(stream + i / 8) >> i % 8 * 8);
}

static void block_put(const struct call *call, const struct side *side, unsigned char *data,
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
    return call->collective == ALLTOALLW ? 1 : side->type[block]->extent;
}

/* Blocks in any order, with gaps between them or none, and what is first at the first byte. */
static void side_lay(const struct call *call, struct side *side, uint64_t stream)
{
    int blocks = side->blocks;
    bool is_even = call->collective == ALLTOALL || blocks <= 1;
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
static bool may_be_below(const struct call *call)
{
    bool on_device = getenv("SYMM_TEST_CUDA_LIBRARY") != NULL;
    bool is_served = !on_device || (call->mixture != MIXTURE_ANY && call->quanta > 0 &&
                                    (call->shape == SHAPE_EQUAL || call->collective == ALLTOALL));
    return !test_expects_symm() || test_parameter("coll_symm_slot_size", 17408) < 1024 ||
           getenv("SYMM_TEST_DEVICE_RANK") != NULL || !is_served;
}

/* Blocks that this rank has to describe. */
static int blocks_of(const struct call *call, bool sends)
{
    bool is_root = call->rank == call->root;
    if (call->collective == ALLGATHERV) {
        return sends ? 1 : call->size;
    }
    if (!is_rooted(call)) {
        return call->size;
    }
    return sends == (call->collective == GATHERV) ? 1 : is_root ? call->size : 0;
}

/* Whose blocks those of the buffers are. */
static int target_of(const struct call *call, int block)
{
    return call->collective == GATHERV ? call->root : block;
}

static int source_of(const struct call *call, int block)
{
    return call->collective == SCATTERV ? call->root : block;
}

static void side_draw(struct call *call, struct side *side, bool sends)
{
    bool alike = may_be_below(call);
    uint64_t ours = alike ? 0 : (uint64_t)test_rank, role = sends && !alike ? 5 : 6;
    uint64_t stream = test_stream(number, ours, role);
    uint64_t common = test_random(stream, 99);
    side->blocks = blocks_of(call, sends);
    for (int block = 0; block < side->blocks; block++) {
        bool own = call->collective == ALLTOALLW;
        side->type[block] = type_draw(call, own ? test_random(stream, (uint64_t)block) : common);
        side->handles[block] = side->type[block]->handle;
        size_t bytes = sends ? block_bytes(call, call->rank, target_of(call, block))
                             : block_bytes(call, source_of(call, block), call->rank);
        side->counts[block] = (int)(bytes / side->type[block]->size);
    }
    side_lay(call, side, stream);
}

/* ---- calls ----------------------------------------------------------------------------------- */

#define ARGUMENTS_ALLTOALL from, s->counts[0], s->handles[0], to, r->counts[0], r->handles[0]
#define ARGUMENTS_ALLGATHERV \
    from, s->counts[0], s->handles[0], to, r->counts, r->disps, r->handles[0]
#define ARGUMENTS_ALLTOALLV \
    from, s->counts, s->disps, s->handles[0], to, r->counts, r->disps, r->handles[0]
#define ARGUMENTS_ALLTOALLW \
    from, s->counts, s->disps, s->handles, to, r->counts, r->disps, r->handles

#define ARGUMENTS_GATHERV \
    from, s->counts[0], s->handles[0], to, r->counts, r->disps, r->handles[0], call->root
#define ARGUMENTS_SCATTERV \
    from, s->counts, s->disps, s->handles[0], to, r->counts[0], r->handles[0], call->root

#define MAKE(name, iname, upper)                                                             \
    (call->form == BLOCKING ? MPI_##name(ARGUMENTS_##upper, call->comm)                      \
     : call->form == NONBLOCKING                                                             \
         ? MPI_##iname(ARGUMENTS_##upper, call->comm, request)                               \
         : PERSISTENT(name)(ARGUMENTS_##upper, call->comm, MPI_INFO_NULL, request))

static int make(const struct call *call, const void *from, void *to, MPI_Request *request)
{
    const struct side *s = &call->send, *r = &call->receive;
    switch (call->collective) {
    case ALLTOALL: return MAKE(Alltoall, Ialltoall, ALLTOALL);
    case ALLGATHERV: return MAKE(Allgatherv, Iallgatherv, ALLGATHERV);
    case ALLTOALLV: return MAKE(Alltoallv, Ialltoallv, ALLTOALLV);
    case GATHERV: return MAKE(Gatherv, Igatherv, GATHERV);
    case SCATTERV: return MAKE(Scatterv, Iscatterv, SCATTERV);
    default: return MAKE(Alltoallw, Ialltoallw, ALLTOALLW);
    }
}

/* In an all-gather in place, this rank's block; otherwise in place all blocks. */
static void receive_fill(const struct call *call, unsigned char *data)
{
    for (int block = 0; block < call->receive.blocks && sends_in_place(call); block++) {
        if (!sends_one(call) || block == call->rank) {
            block_put(call, &call->receive, data, block, call->rank, block);
        }
    }
}

static void send_fill(const struct call *call, unsigned char *data)
{
    for (int block = 0; block < call->send.blocks; block++) {
        block_put(call, &call->send, data, block, call->rank, target_of(call, block));
    }
}

static void check(const struct call *call, const unsigned char *found, unsigned char *image)
{
    memset(image, POISON, call->receive.bytes);
    for (int block = 0; block < call->receive.blocks; block++) {
        block_put(call, &call->receive, image, block, source_of(call, block), call->rank);
    }
    for (size_t i = 0; i < call->receive.bytes; i++) {
        if (found[i] != image[i]) {
            test_fail("byte %zu of %zu: expected %#04x, found %#04x", i, call->receive.bytes,
                      image[i], found[i]);
            return;
        }
    }
}

static void rounds_run(const struct call *call, struct test_buffer *send,
                       struct test_buffer *receive, unsigned char *image)
{
    MPI_Request request = MPI_REQUEST_NULL;
    unsigned char *copy = image + call->receive.bytes;
    void *from = sends_in_place(call) ? MPI_IN_PLACE : (void *)(send->data + call->send.origin);
    void *to = receives_in_place(call) ? MPI_IN_PLACE : receive->data + call->receive.origin;
    for (int round = 0; round < (call->form == PERSISTENT_FORM ? 2 : 1); round++) {
        memset(receive->data, POISON, call->receive.bytes);
        receive_fill(call, receive->data);
        if (!sends_in_place(call)) {
            memset(send->data, POISON, call->send.bytes);
            send_fill(call, send->data);
            memcpy(copy, send->data, call->send.bytes);
        }
        if (number % 16 == 0 && call->rank == (int)(number / 16 % (uint64_t)call->size)) {
            test_delay(2000);
        }
        if (round == 0) {
            make(call, from, to, &request);
        }
        if (call->form == PERSISTENT_FORM) {
            MPI_Start(&request);
        }
        if (call->form != BLOCKING) {
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        check(call, receive->data, image);
        if (!sends_in_place(call)) {
            test_buffer_unchanged(send, copy, call->send.bytes, "send");
        }
    }
    if (call->form == PERSISTENT_FORM) {
        MPI_Request_free(&request);
    }
}

static struct test_buffer new_buffer(const struct call *call, enum test_role role, size_t bytes)
{
    enum test_place place = test_spread_place(call->spread, role, test_rank, number);
    return test_buffer_new(place, bytes, call->mixture == MIXTURE_BYTES ? 1 : 8);
}

/* A buffer that the call leaves out has types all the same, as Open MPI's libnbc looks at them. */
static void sides_draw(struct call *call)
{
    memset(&call->send, 0, sizeof call->send);
    memset(&call->receive, 0, sizeof call->receive);
    for (int block = 0; block < call->size; block++) {
        call->send.handles[block] = call->receive.handles[block] = MPI_BYTE;
    }
    if (!receives_in_place(call)) {
        side_draw(call, &call->receive, false);
    }
    if (!sends_in_place(call)) {
        side_draw(call, &call->send, true);
    }
}

static void run(struct call *call)
{
    static const char *const collectives[] = {"alltoall",  "allgatherv", "alltoallv",
                                              "alltoallw", "gatherv",    "scatterv"};
    static const char *const forms[] = {"blocking", "nonblocking", "persistent"};
    static const char *const shapes[] = {"equal", "random", "steep", "one block"};
    static const char *const mixtures[] = {"bytes", "dense types", "any types"};
    number++;
    MPI_Comm_rank(call->comm, &call->rank);
    MPI_Comm_size(call->comm, &call->size);
    call->root = (int)(number % (uint64_t)call->size);
    call->in_place &= !is_rooted(call) || call->rank == call->root;
    sides_draw(call);
    test_case("call %" PRIu64 ", %s, %s, %s, %s of %zu, %s, %s", number,
              collectives[call->collective], forms[call->form], shapes[call->shape],
              mixtures[call->mixture], call->quanta * quantum(call), test_spread_name(call->spread),
              call->in_place ? "in place" : "two buffers");
    struct test_buffer send = new_buffer(call, TEST_SEND, call->send.bytes);
    struct test_buffer receive = new_buffer(call, TEST_RECEIVE, call->receive.bytes);
    unsigned char *image = malloc(call->receive.bytes + call->send.bytes + 1);
    if (image == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 2);
        return;
    }
    rounds_run(call, &send, &receive, image);
    free(image);
    test_buffer_free(&send, "send");
    test_buffer_free(&receive, "receive");
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* Every so many of all combinations, others each time. */
static void size_run(MPI_Comm comm, size_t bytes)
{
    static unsigned combination;
    unsigned every = bytes < 6000 ? 7 : bytes < 30000 ? 17 : 41;
    unsigned combinations = COLLECTIVES * FORMS * SHAPES * MIXTURES * SPREADS * 2;
    every *= test_quick ? 3 : 1;
    for (unsigned i = combination++ % every; i < combinations; i += every) {
        unsigned rest = i;
        struct call call = {.comm = comm};
        call.collective = (enum collective)(rest % COLLECTIVES);
        rest /= COLLECTIVES;
        call.in_place = rest % 2 == 1;
        rest /= 2;
        call.form = (enum form)(rest % FORMS);
        rest /= FORMS;
        call.mixture = (enum mixture)(rest % MIXTURES);
        rest /= MIXTURES;
        call.spread = (enum test_spread)(rest % SPREADS);
        call.shape = (enum shape)(rest / SPREADS);
        call.quanta = (bytes + quantum(&call) - 1) / quantum(&call);
        call.in_place &= !may_be_below(&call) || call.form == BLOCKING;
        run(&call);
    }
}

static void sizes_run(MPI_Comm comm)
{
    const size_t slot = test_parameter("coll_symm_slot_size", 17408);
    const size_t piece = test_parameter("coll_symm_piece_size", 262144);
    const size_t ranks = (size_t)test_size, row = piece / ranks / 64 * 64;
    const size_t sizes[] = {0, 1, 24, slot / ranks - 16, slot / ranks, 3000, 16384 / ranks + 8,
                            row - 24, row, row + 24, 4 * row, 4 * row + 24, piece + 4100};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] - (test_quick ? 3 : 0); i++) {
        size_run(comm, sizes[i]);
    }
}

static void all(void)
{
    MPI_Comm reversed, half;
    exchange_types_open();
    sizes_run(test_comm);
    MPI_Comm_split(test_comm, 0, -test_rank, &reversed);
    MPI_Comm_split(test_comm, test_rank % 2, test_rank, &half);
    size_run(reversed, 500);
    size_run(half, 9000);
    MPI_Comm_free(&half);
    MPI_Comm_free(&reversed);
    /* Open MPI says something else, or hangs.  On devices it makes calls of ranks without data. */
    bool is_served = test_expects_symm() && test_parameter("coll_symm_slot_size", 17408) >= 1024 &&
                     (getenv("SYMM_TEST_CUDA_LIBRARY") == NULL || test_size == 2) &&
                     getenv("SYMM_TEST_DEVICE_RANK") == NULL &&
                     getenv("SYMM_TEST_DEVICE_MEMORY") == NULL;
    for (int i = 0; i < 4 * EXCHANGE_CALLS && test_size > 1 && is_served; i++) {
        exchange_truncation(i % 2 == 0, (enum exchange_call)(i / 4),
                            i / 2 % 2 == 0 ? 20 : 10000); /* staged, in other memory */
    }
    exchange_types_close();
}

int main(int argc, char **argv)
{
    bool is_ever_idle = argc > 1 && strcmp(argv[1], "--ever-idle") == 0;
    bool is_idle = is_ever_idle || (argc > 1 && strcmp(argv[1], "--idle") == 0);
    test_begin(is_idle ? 1 : argc, argv, "check_exchange", MPI_THREAD_SINGLE);
    if (is_idle) {
        exchange_idle(is_ever_idle ? 0 : 1);
    } else {
        test_sweep(all);
    }
    return test_end();
}
