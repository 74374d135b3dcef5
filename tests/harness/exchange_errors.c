/*
 * See exchange_errors.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/exchange_errors.h"

#include "tests/harness/buffers.h"
#include "tests/harness/harness.h"
#include "tests/harness/sweep.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 64, POISON = 0xdb };

/* One rank sends another one more than that has room for: only the latter hears of it. */
void exchange_truncation(bool heap, enum exchange_call call, int count)
{
    enum { MORE = 3 };
    MPI_Comm comm;
    int counts[2][RANKS_MAX], disps[RANKS_MAX] = {0}, class = MPI_SUCCESS, last = test_size - 1;
    MPI_Datatype types[RANKS_MAX];
    bool is_sender = test_rank == last, is_receiver = test_rank == 0;
    size_t bytes = (size_t)(count + MORE) * sizeof(int);
    struct test_buffer send = test_buffer_new(heap ? TEST_HEAP : TEST_MALLOC, bytes, 4);
    struct test_buffer receive = test_buffer_new(heap ? TEST_HEAP : TEST_MALLOC, bytes, 4);
    test_case("a block that is too long, call %d, %d ints, %s", (int)call, count,
              heap ? "heap" : "malloc");
    memset(send.data, 7, bytes);
    for (int rank = 0; rank < test_size; rank++) {
        counts[0][rank] = is_sender && rank == 0 ? count + MORE : 0;
        counts[1][rank] = is_receiver && rank == last ? count : 0;
        types[rank] = MPI_INT;
    }
    MPI_Comm_dup(test_comm, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int error = call == EXCHANGE_TYPED
                    ? MPI_Alltoallw(send.data, counts[0], disps, types, receive.data, counts[1],
                                    disps, types, comm)
                : call == EXCHANGE_GATHER
                    ? MPI_Gatherv(send.data, counts[0][0], MPI_INT, receive.data, counts[1], disps,
                                  MPI_INT, 0, comm)
                    : MPI_Alltoallv(send.data, counts[0], disps, MPI_INT, receive.data, counts[1],
                                    disps, MPI_INT, comm);
    if (error != MPI_SUCCESS) {
        MPI_Error_class(error, &class);
    }
    test_check(class == (is_receiver ? MPI_ERR_TRUNCATE : MPI_SUCCESS), "the right error");
    for (size_t i = 0; i < bytes && is_receiver; i++) {
        bool fits = i < (size_t)count * sizeof(int);
        if (receive.data[i] != (fits ? 7 : POISON)) {
            test_fail("byte %zu: found %#04x", i, receive.data[i]);
            break;
        }
    }
    MPI_Comm_free(&comm);
    test_buffer_free(&send, "send");
    test_buffer_free(&receive, "receive");
}

/* What has come in an earlier call stays where it is. */
static int kept(int first_idle, int rank)
{
    return first_idle == 0 ? 0 : 100 * (first_idle - 1) + 10 * rank + test_rank;
}

/* The others have blocks for each other. */
void exchange_idle(int first_idle)
{
    enum { BLOCK = 1000 };
    int last = test_size - 1, counts[RANKS_MAX], disps[RANKS_MAX];
    int *send = calloc((size_t)test_size * BLOCK, sizeof(int));
    int *receive = calloc((size_t)test_size * BLOCK, sizeof(int));
    for (int turn = 0; turn < 4; turn++) {
        test_case("a rank without data, turn %d", turn);
        for (int rank = 0; rank < test_size; rank++) {
            bool idle = turn >= first_idle && (rank == last || test_rank == last);
            counts[rank] = idle ? 0 : BLOCK;
            disps[rank] = rank * BLOCK;
            send[rank * BLOCK] = 100 * turn + 10 * test_rank + rank;
        }
        MPI_Alltoallv(send, counts, disps, MPI_INT, receive, counts, disps, MPI_INT,
                      test_comm);
        for (int rank = 0; rank < test_size; rank++) {
            bool idle = turn >= first_idle && (rank == last || test_rank == last);
            test_check(receive[rank * BLOCK] == (idle ? kept(first_idle, rank)
                                                      : 100 * turn + 10 * rank + test_rank),
                       "the right block");
        }
    }
    free(send);
    free(receive);
}
