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
#include "tests/harness/sweep.h"
#include "tests/results/exchange_sides.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- calls ----------------------------------------------------------------------------------- */

/* In an all-gather in place, this rank's block; otherwise in place all blocks. */
static void receive_fill(const struct call *call, unsigned char *data)
{
    for (int block = 0; block < call->receive.blocks && exchange_sends_in_place(call); block++) {
        if (!exchange_sends_one(call) || block == call->rank) {
            exchange_block_put(call, &call->receive, data, block, call->rank, block);
        }
    }
}

static void send_fill(const struct call *call, unsigned char *data)
{
    for (int block = 0; block < call->send.blocks; block++) {
        exchange_block_put(call, &call->send, data, block, call->rank,
                           exchange_target_of(call, block));
    }
}

static void check(const struct call *call, const unsigned char *found, unsigned char *image)
{
    memset(image, POISON, call->receive.bytes);
    for (int block = 0; block < call->receive.blocks; block++) {
        exchange_block_put(call, &call->receive, image, block, exchange_source_of(call, block),
                           call->rank);
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
    const struct side *s = &call->send, *r = &call->receive;
    const struct test_arguments arguments = {
        .send = exchange_sends_in_place(call) ? MPI_IN_PLACE : send->data + s->origin,
        .send_count = s->counts[0], .send_type = s->handles[0], .send_counts = s->counts,
        .send_places = s->disps, .send_types = s->handles,
        .receive = exchange_receives_in_place(call) ? MPI_IN_PLACE : receive->data + r->origin,
        .count = r->counts[0], .type = r->handles[0], .counts = r->counts, .places = r->disps,
        .types = r->handles, .root = call->root, .comm = call->comm,
    };
    for (int round = 0; round < test_rounds(call->form); round++) {
        memset(receive->data, POISON, call->receive.bytes);
        receive_fill(call, receive->data);
        if (!exchange_sends_in_place(call)) {
            memset(send->data, POISON, call->send.bytes);
            send_fill(call, send->data);
            memcpy(copy, send->data, call->send.bytes);
        }
        if (exchange_number % 16 == 0 &&
            call->rank == (int)(exchange_number / 16 % (uint64_t)call->size)) {
            test_delay(2000);
        }
        test_call_round(call->collective, call->form, &arguments, round, &request);
        check(call, receive->data, image);
        if (!exchange_sends_in_place(call)) {
            test_buffer_unchanged(send, copy, call->send.bytes, "send");
        }
    }
}

static struct test_buffer new_buffer(const struct call *call, enum test_role role, size_t bytes)
{
    enum test_place place = test_spread_place(call->spread, role, test_rank, exchange_number);
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
    if (!exchange_receives_in_place(call)) {
        exchange_side_draw(call, &call->receive, false);
    }
    if (!exchange_sends_in_place(call)) {
        exchange_side_draw(call, &call->send, true);
    }
}

static void run(struct call *call)
{
    static const char *const shapes[] = {"equal", "random", "steep", "one block"};
    static const char *const mixtures[] = {"bytes", "dense types", "any types"};
    if (test_leaves_out(++exchange_number)) {
        return;
    }
    MPI_Comm_rank(call->comm, &call->rank);
    MPI_Comm_size(call->comm, &call->size);
    call->root = (int)(exchange_number % (uint64_t)call->size);
    call->in_place &= !exchange_is_rooted(call) || call->rank == call->root;
    sides_draw(call);
    test_case("call %" PRIu64 ", %s, %s, %s, %s of %zu, %s, %s", exchange_number,
              test_collective_names[call->collective], test_form_names[call->form],
              shapes[call->shape], mixtures[call->mixture],
              call->quanta * exchange_quantum(call), test_spread_name(call->spread),
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
    static const enum test_collective collectives[] = {TEST_ALLTOALL,  TEST_ALLGATHERV,
                                                       TEST_ALLTOALLV, TEST_ALLTOALLW,
                                                       TEST_GATHERV,   TEST_SCATTERV};
    enum { COLLECTIVES = sizeof collectives / sizeof collectives[0] };
    static unsigned combination;
    unsigned every = bytes < 6000 ? 7 : bytes < 30000 ? 17 : 41;
    unsigned combinations = COLLECTIVES * TEST_FORMS * SHAPES * MIXTURES * SPREADS * 2;
    every *= test_quick ? 3 : 1;
    for (unsigned i = combination++ % every; i < combinations; i += every) {
        unsigned rest = i;
        struct call call = {.comm = comm};
        call.collective = collectives[rest % COLLECTIVES];
        rest /= COLLECTIVES;
        call.in_place = rest % 2 == 1;
        rest /= 2;
        call.form = (enum test_call_form)(rest % TEST_FORMS);
        rest /= TEST_FORMS;
        call.mixture = (enum mixture)(rest % MIXTURES);
        rest /= MIXTURES;
        call.spread = (enum test_spread)(rest % SPREADS);
        call.shape = (enum shape)(rest / SPREADS);
        call.quanta = (bytes + exchange_quantum(&call) - 1) / exchange_quantum(&call);
        call.in_place &= !exchange_may_be_below(&call) || call.form == TEST_BLOCKING;
        if (call.form != TEST_PERSISTENT || !test_sweep_repeats()) {
            run(&call);
        }
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
