/*
 * Every blocking collective with datatypes without data, on all ranks and beside data, with buffers
 * on the host, on a device, and NULL, which is MPI_BOTTOM; and that the calls after them are right.
 *
 *     check_empty_types host|cuda
 *
 * Device memory is that of the driver which SYMM_TEST_CUDA_LIBRARY names.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/blocking_communicators.h"
#include "tests/harness/empty_types.h"
#include "tests/harness/harness.h"
#include "tests/harness/placed_buffers.h"

#include <string.h>

static MPI_Datatype types[EMPTY_TYPES];
static MPI_Op op;

/* Touches nothing, as there is nothing. */
static void touch_nothing(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    (void)count;
    (void)type;
}

/* Of each rank another one. */
static int place_choose(uint64_t turn, bool may_be_none)
{
    uint64_t random = test_random(test_stream(turn, (uint64_t)test_rank, 2), 0);
    int least = may_be_none ? PLACE_NONE : PLACE_HOST;
    return least + (int)(random % (uint64_t)(placed_places - least));
}

/* ---- calls that are served ------------------------------------------------------------------- */

/*
 * Each rank's number, by both collectives that share lines: what an earlier call has left is seen.
 */
static void next_calls_check(MPI_Comm comm)
{
    int size, mine = 1000 + test_rank, sum = 0, all[BLOCKING_RANKS_MAX];
    MPI_Comm_size(comm, &size);
    memset(all, 0, sizeof(all));
    MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, comm);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
    for (int rank = 0; rank < size; rank++) {
        test_check(all[rank] == 1000 + rank, "the next all-gather is right");
    }
    test_check(sum == size * 1000 + size * (size - 1) / 2, "the next all-reduce is right");
}

/* Without data there is nothing to gather: the ranks may have types and counts of their own. */
static void gather_check(MPI_Comm comm, uint64_t turn, int none_at)
{
    struct placed_buffer send, receive;
    int mine = (int)((turn + (uint64_t)test_rank) % EMPTY_TYPES);
    int count = test_rank == none_at ? 0 : 1 + (int)(turn % 3) * 500;
    bool in_place = turn % 4 == 3;
    placed_open(&send, place_choose(2 * turn, true), 0);
    placed_open(&receive, place_choose(2 * turn + 1, true), 1);
    test_case("allgather, %s, %s to %s, count %d%s", empty_type_names[mine],
              placed_name(send.place), placed_name(receive.place), count,
              in_place ? ", in place" : "");
    int rc = MPI_Allgather(in_place ? MPI_IN_PLACE : send.address, count, types[mine],
                           receive.address, count, types[(mine + 3) % EMPTY_TYPES], comm);
    test_check(rc == MPI_SUCCESS, "the call succeeds");
    placed_check(&send, "send");
    placed_check(&receive, "receive");
}

static void reduce_check(MPI_Comm comm, uint64_t turn)
{
    struct placed_buffer send, receive;
    int type = (int)(turn % EMPTY_TYPES), count = 1 + (int)(turn % 3) * 500;
    bool in_place = turn % 4 == 3;
    placed_open(&send, place_choose(2 * turn, true), 0);
    placed_open(&receive, place_choose(2 * turn + 1, true), 1);
    test_case("allreduce, %s, %s to %s, count %d%s", empty_type_names[type],
              placed_name(send.place), placed_name(receive.place), count,
              in_place ? ", in place" : "");
    int rc = MPI_Allreduce(in_place ? MPI_IN_PLACE : send.address, receive.address, count,
                           types[type], op, comm);
    test_check(rc == MPI_SUCCESS, "the call succeeds");
    placed_check(&send, "send");
    placed_check(&receive, "receive");
}

/* Also as a communicator's first calls.  Ranks that pass a count of 0 return from MPI itself. */
static void served_check(void)
{
    enum { ROUNDS = 5 * EMPTY_TYPES };
    MPI_Comm comm;
    for (int first = 0; first < 2; first++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        for (uint64_t turn = 0; turn < ROUNDS; turn++) {
            int none_at = (int)(turn % 7);
            if (((uint64_t)first + turn) % 2 == 0) {
                gather_check(comm, turn, test_expects_symm() ? none_at : -1);
            } else {
                reduce_check(comm, turn);
            }
            if (turn % 3 == 2) {
                next_calls_check(comm);
            }
        }
        MPI_Comm_free(&comm);
    }
}

/* ---- all collectives ------------------------------------------------------------------------- */

/* In alltoallw some pieces have data; they are what the same call on host memory makes of them. */
static void call_check(const struct blocking_call *call, const struct blocking_case *kase,
                       const char *comm_name, int type, uint64_t turn)
{
    static struct placed_buffer send, receive;
    bool has_data = strcmp(call->name, "alltoallw") == 0;
    bool must_differ = strcmp(call->name, "reduce") == 0; /* Open MPI refuses NULL for both */
    placed_open(&send, place_choose(2 * turn, !has_data && !must_differ), 0);
    placed_open(&receive, place_choose(2 * turn + 1, !has_data), 1);
    test_case("%s, %s, %s%s, root %d, %s to %s", call->name, comm_name, empty_type_names[type],
              kase->in_place ? ", in place" : "", kase->root, placed_name(send.place),
              placed_name(receive.place));
    int expected = blocking_call_make(call, kase, send.expected + BLOCKING_MIDDLE,
                                      receive.expected + BLOCKING_MIDDLE);
    int rc = blocking_call_make(call, kase, send.address, receive.address);
    test_check(expected == MPI_SUCCESS, "the call on host memory succeeds");
    test_check(rc == MPI_SUCCESS, "the call succeeds");
    placed_check(&send, "send");
    placed_check(&receive, "receive");
}

static void call_variants_check(const struct blocking_call *call, struct blocking_case *kase,
                                const char *comm_name)
{
    static uint64_t turn;
    int last = kase->inter && !kase->roots ? kase->others - 1 : kase->size - 1;
    for (int type = 0; type < EMPTY_TYPES; type++) {
        for (int place = 0; place <= (call->may_be_in_place && !kase->inter); place++) {
            kase->type = types[type];
            kase->in_place = place;
            kase->root = call->rooted && type % 2 == 1 ? last : 0;
            call_check(call, kase, comm_name, type, turn++);
        }
    }
}

/* `roots`: this rank is in the group that has the root, where there are two groups. */
static void communicator_check(MPI_Comm comm, const char *name, bool neighbors, bool roots)
{
    struct blocking_case kase = blocking_case_make(comm, op, roots);
    for (int i = 0; i < blocking_call_count; i++) {
        const struct blocking_call *call = &blocking_calls[i];
        if (call->neighbors == neighbors && !(call->intra_only && kase.inter)) {
            call_variants_check(call, &kase, name);
        }
    }
}

int main(int argc, char **argv)
{
    bool on_device = argc > 1 && strcmp(argv[1], "cuda") == 0;
    test_begin(1, argv, "check_empty_types", MPI_THREAD_SINGLE);
    placed_begin(on_device);
    empty_types_make(types);
    MPI_Op_create(touch_nothing, 1, &op);
    served_check();
    blocking_communicators_check(communicator_check);
    MPI_Op_free(&op);
    empty_types_free(types);
    placed_end();
    return test_end();
}
