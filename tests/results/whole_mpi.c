/*
 * A program that uses a bit of everything: all sorts of collectives, blocking and nonblocking,
 * groups, one-sided communication and messages. Each result is checked. It must run the same
 * whatever coll components are selected.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_RANKS = 64 };

static int size; /* of MPI_COMM_WORLD, also in the reference below */
static int rank;

static void expect(int found, int expected, const char *what)
{
    if (found != expected) {
        test_fail("%s: expected %d, found %d", what, expected, found);
    }
}

static int sum_to(int count) /* 0 + 1 + ... + count-1 */
{
    return count * (count - 1) / 2;
}

static void rooted(void)
{
    for (int root = 0; root < size; root++) {
        int value = rank == root ? 41 + root : 0;
        int all[MAX_RANKS] = {0};
        int sum = 0;
        int part = -1;
        test_case("rooted collectives, root %d", root);
        MPI_Bcast(&value, 1, MPI_INT, root, MPI_COMM_WORLD);
        expect(value, 41 + root, "MPI_Bcast");
        MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
        expect(rank == root ? sum : sum_to(size), sum_to(size), "MPI_Reduce");
        MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, root, MPI_COMM_WORLD);
        for (int i = 0; rank == root && i < size; i++) {
            expect(all[i], i, "MPI_Gather");
            all[i] = 3 * i;
        }
        MPI_Scatter(all, 1, MPI_INT, &part, 1, MPI_INT, root, MPI_COMM_WORLD);
        expect(part, 3 * rank, "MPI_Scatter");
    }
}

static void all_to_all(void)
{
    int send[MAX_RANKS];
    int receive[MAX_RANKS];
    int ones[MAX_RANKS];
    int places[MAX_RANKS];
    int sum = -1;
    for (int i = 0; i < size; i++) {
        send[i] = 100 * rank + i;
        ones[i] = 1;
        places[i] = i;
    }
    test_case("collectives without a root");
    MPI_Alltoall(send, 1, MPI_INT, receive, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++) {
        expect(receive[i], 100 * i + rank, "MPI_Alltoall");
    }
    MPI_Alltoallv(send, ones, places, MPI_INT, receive, ones, places, MPI_INT, MPI_COMM_WORLD);
    expect(receive[size - 1], 100 * (size - 1) + rank, "MPI_Alltoallv");
    MPI_Allgatherv(&rank, 1, MPI_INT, receive, ones, places, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++) {
        expect(receive[i], i, "MPI_Allgatherv");
    }
    MPI_Reduce_scatter_block(places, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum, rank * size, "MPI_Reduce_scatter_block");
    MPI_Reduce_scatter(places, &sum, ones, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum, rank * size, "MPI_Reduce_scatter");
    MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum, sum_to(rank + 1), "MPI_Scan");
    sum = 0;
    MPI_Exscan(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum, sum_to(rank), "MPI_Exscan");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Reduce_local(&rank, &sum, 1, MPI_INT, MPI_SUM);
    expect(sum, sum_to(rank + 1), "MPI_Reduce_local");
}

static void nonblocking(void)
{
    MPI_Request request[6];
    int value = rank == 0 ? 7 : 0;
    int all[MAX_RANKS];
    int gathered[MAX_RANKS];
    int sum = -1;
    int total = -1;
    int exchanged[MAX_RANKS];
    for (int i = 0; i < size; i++) {
        all[i] = 10 * rank + i;
    }
    test_case("nonblocking collectives");
    MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Ireduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Iallreduce(&rank, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[2]);
    MPI_Iallgather(&rank, 1, MPI_INT, gathered, 1, MPI_INT, MPI_COMM_WORLD, &request[3]);
    MPI_Ialltoall(all, 1, MPI_INT, exchanged, 1, MPI_INT, MPI_COMM_WORLD, &request[4]);
    MPI_Ibarrier(MPI_COMM_WORLD, &request[5]);
    MPI_Waitall(6, request, MPI_STATUSES_IGNORE);
    expect(value, 7, "MPI_Ibcast");
    expect(rank == 0 ? sum : sum_to(size), sum_to(size), "MPI_Ireduce");
    expect(total, sum_to(size), "MPI_Iallreduce");
    for (int i = 0; i < size; i++) {
        expect(gathered[i], i, "MPI_Iallgather");
        expect(exchanged[i], 10 * i + rank, "MPI_Ialltoall");
    }
}

static void neighbours(void)
{
    MPI_Comm ring;
    int periodic = 1;
    int near[2] = {-1, -1};
    test_case("neighbourhood collective");
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, near, 1, MPI_INT, ring);
    expect(near[0], (rank + size - 1) % size, "MPI_Neighbor_allgather, left");
    expect(near[1], (rank + 1) % size, "MPI_Neighbor_allgather, right");
    MPI_Comm_free(&ring);
}

static void split(void)
{
    MPI_Comm comm;
    int sum = -1;
    int members = (size + (rank % 2 == 0)) / 2;
    test_case("split communicator");
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    expect(sum, 2 * sum_to(members) + members * (rank % 2), "sum over every other rank");
    MPI_Barrier(comm);
    test_exercise(comm, 100, 30000);
    MPI_Comm_free(&comm);
}

static void one_sided(void)
{
    int *memory;
    MPI_Win window;
    test_case("one-sided communication");
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &window);
    *memory = -1;
    MPI_Win_fence(0, window);
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    expect(*memory, (rank + size - 1) % size, "MPI_Put");
    MPI_Win_free(&window);
}

static void messages(void)
{
    int to = (rank + 1) % size;
    int from = (rank + size - 1) % size;
    int received = -1;
    test_case("messages");
    MPI_Sendrecv(&rank, 1, MPI_INT, to, 3, &received, 1, MPI_INT, from, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    expect(received, from, "MPI_Sendrecv");
}

static void ours(void)
{
    test_case("MPI_Allreduce and MPI_Allgather");
    for (uint64_t i = 0; i < 5; i++) {
        test_exercise(MPI_COMM_WORLD, i, 300000);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "whole_mpi", MPI_THREAD_SINGLE);
    size = test_size;
    rank = test_rank;
    if (size > MAX_RANKS) {
        return test_skip("more than 64 ranks");
    }
    rooted();
    all_to_all();
    nonblocking();
    neighbours();
    split();
    one_sided();
    messages();
    ours();
    rooted();
    return test_end();
}
