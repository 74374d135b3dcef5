/*
 * MPI_Allgather against an independent reference: predefined types around every threshold, and
 * derived types, with and without gaps, that may differ between sender and receiver and between
 * ranks as long as their signatures agree.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/buffers.h"
#include "tests/harness/harness.h"
#include "tests/harness/layouts.h"
#include "tests/harness/sweep.h"

#include <stdlib.h>
#include <string.h>

struct call {
    const struct test_layout *send; /* on this rank */
    const struct test_layout *receive;
    size_t send_count;
    size_t receive_count;
    enum test_spread spread;
    bool in_place;
};

static struct test_layout predefined[LAYOUT_PREDEFINED];
static struct test_layout ints[LAYOUT_INTS];
static uint64_t number;


static struct test_buffer new_buffer(const struct call *call, const struct test_layout *layout,
                                     size_t elements, enum test_role role)
{
    enum test_place place = test_spread_place(call->spread, role, test_rank, number);
    return test_buffer_new(place, elements * layout->extent, layout->unit);
}

static uint64_t stream_of(int rank)
{
    return test_stream(number, (uint64_t)rank, 0);
}

static void check_receive(const struct call *call, const struct test_buffer *receive)
{
    size_t block = call->receive_count * call->receive->extent;
    for (int rank = 0; rank < test_size; rank++) {
        /* In place the gaps of one's own block are the user's too, and were poison before. */
        test_layout_check(call->receive, stream_of(rank), receive->data + (size_t)rank * block,
                          call->receive_count, TEST_POISON, rank);
    }
}

static void run_in_place(const struct call *call, struct test_buffer *receive)
{
    size_t block = call->receive_count * call->receive->extent;
    test_layout_fill(call->receive, stream_of(test_rank), receive->data + block * (size_t)test_rank,
                     call->receive_count);
    /* Send count and type are ignored; odd ranks pass nonsense that would be noticed. */
    MPI_Allgather(MPI_IN_PLACE, test_rank % 2 == 0 ? 0 : 123456, MPI_BYTE,
                  receive->data + call->receive->origin, (int)call->receive_count,
                  call->receive->type, test_comm);
}

static void run_out_of_place(const struct call *call, struct test_buffer *receive)
{
    struct test_buffer send = new_buffer(call, call->send, call->send_count, TEST_SEND);
    unsigned char *copy = malloc(send.bytes + 1);
    if (copy == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 2);
        return;
    }
    test_layout_fill(call->send, stream_of(test_rank), send.data, call->send_count);
    memcpy(copy, send.data, send.bytes);
    MPI_Allgather(send.data + call->send->origin, (int)call->send_count, call->send->type,
                  receive->data + call->receive->origin, (int)call->receive_count,
                  call->receive->type, test_comm);
    test_buffer_unchanged(&send, copy, send.bytes, "send");
    free(copy);
    test_buffer_free(&send, "send");
}

static void run(const struct call *call)
{
    if (test_leaves_out(++number)) {
        return;
    }
    struct test_buffer receive = new_buffer(
        call, call->receive, call->receive_count * (size_t)test_size, TEST_RECEIVE);
    test_case("call %llu, %zu %s -> %zu %s, %s, %s", (unsigned long long)number, call->send_count,
              call->send->name, call->receive_count, call->receive->name,
              test_spread_name(call->spread), call->in_place ? "in place" : "two buffers");
    if (call->in_place) {
        run_in_place(call, &receive);
    } else {
        run_out_of_place(call, &receive);
    }
    check_receive(call, &receive);
    test_buffer_free(&receive, "receive");
}

static void run_plain(const struct test_layout *layout, size_t count, enum test_spread spread,
                      bool in_place)
{
    run(&(struct call){layout, layout, count, count, spread, in_place});
}

/* All memories for one size in bytes a rank; of large ones every third combination. */
static void one_size(const struct test_layout *layout, size_t bytes)
{
    static int combination;
    size_t count = bytes / layout->extent > 0 ? bytes / layout->extent : 1;
    for (enum test_spread spread = 0; spread < SPREADS; spread++) {
        for (int in_place = 0; in_place < 2; in_place++, combination++) {
            if (bytes < 60000 || combination % 3 == 0) {
                run_plain(layout, count, spread, in_place == 1);
            }
        }
    }
    combination++;
}

/* The slot may be meant for a rank's block or for all blocks together: both are tried. */
static void sizes_around_thresholds(void)
{
    const size_t slot = test_parameter("coll_symm_slot_size", 17408);
    const size_t piece = test_parameter("coll_symm_piece_size", 262144);
    const size_t ranks = (size_t)test_size;
    const size_t sizes[] = {1,
                            3,
                            48,
                            4096,
                            4097,
                            16384 / ranks + 1,
                            slot / ranks,
                            slot / ranks + 16,
                            slot - 1,
                            slot,
                            slot + 1,
                            slot + 16,
                            30000,
                            piece / ranks + 16,
                            piece - 1,
                            piece,
                            piece + 1,
                            2 * piece + 48,
                            1048576 + 17};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] - (test_quick ? 2 : 0); i++) {
        one_size(&predefined[0], sizes[i]);
        one_size(&predefined[1 + i % 5], sizes[i]);
    }
    if (!test_quick) {
        run_plain(&predefined[3], 300001, SPREAD_HEAP, false);
        run_plain(&predefined[3], 300001, SPREAD_RANKS, true);
    }
}

/* Every pair of layouts, three sizes. The receive type is the same on all ranks or not. */
static void derived_types(void)
{
    static const size_t counts[] = {1, 37, 3001};
    for (int send = 0; send < LAYOUT_INTS; send++) {
        for (int receive = 0; receive < LAYOUT_INTS; receive++) {
            size_t count = counts[(send + receive) % (test_quick ? 2 : 3)];
            int mine = (receive + test_rank * (send % 2)) % LAYOUT_INTS;
            run(&(struct call){&ints[send], &ints[mine], count, count, SPREAD_RANDOM,
                               (send + receive) % 4 == 0});
        }
    }
}

/* The same data as many small elements here and few large ones there. */
static void other_counts(void)
{
    static const size_t counts[] = {1, 60, 20000};
    const struct test_layout *small = &predefined[2]; /* int32 */
    for (int i = 0; i < 3 * LAYOUT_INTS; i++) {
        const struct test_layout *large = &ints[i / 3];
        size_t count = counts[i % 3];
        bool sends_small = (test_rank + i) % 2 == 0;
        run(&(struct call){sends_small ? small : large, i % 2 == 0 ? small : large,
                           sends_small ? 6 * count : count, i % 2 == 0 ? 6 * count : count,
                           SPREAD_RANDOM, false});
    }
}

/* A type of no bytes, and a send buffer that is described by absolute addresses. */
static void odd_types(void)
{
    MPI_Datatype empty;
    MPI_Datatype absolute;
    int mine = test_rank + 1000;
    int all[64];
    int length = 1;
    MPI_Aint address;

    test_case("elements of no bytes");
    memset(all, 0x77, sizeof all);
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    MPI_Allgather(&mine, 5, empty, all, 5, empty, test_comm);
    test_check(all[0] == 0x77777777, "an untouched receive buffer");
    MPI_Type_free(&empty);

    test_case("MPI_BOTTOM");
    MPI_Get_address(&mine, &address);
    MPI_Type_create_hindexed(1, &length, &address, MPI_INT, &absolute);
    MPI_Type_commit(&absolute);
    MPI_Allgather(MPI_BOTTOM, 1, absolute, all, 1, MPI_INT, test_comm);
    for (int rank = 0; rank < test_size && rank < 64; rank++) {
        test_check(all[rank] == rank + 1000, "the number at the absolute address");
    }
    MPI_Type_free(&absolute);
}

static void nothing_to_do(void)
{
    test_case("count 0");
    struct test_buffer buffer = test_buffer_new(TEST_HEAP, 64, 8);
    unsigned char copy[64];
    memcpy(copy, buffer.data, sizeof copy);
    MPI_Allgather(buffer.data, 0, MPI_INT, buffer.data + 32, 0, MPI_INT, test_comm);
    test_buffer_unchanged(&buffer, copy, sizeof copy, "receive");
    test_buffer_free(&buffer, "receive");
    run_plain(&predefined[2], 3, SPREAD_RANDOM, false);
}

static void all(void)
{
    test_layouts_create(predefined, ints);
    sizes_around_thresholds();
    derived_types();
    other_counts();
    odd_types();
    nothing_to_do();
    test_layouts_free(predefined, ints);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_allgather", MPI_THREAD_SINGLE);
    test_sweep(all);
    return test_end();
}
