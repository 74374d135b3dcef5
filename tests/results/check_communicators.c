/*
 * Communicators of every sort: duplicates, splits in other rank orders, overlapping members,
 * many at once, made and freed in a loop, self, inter-communicators, and ranks that come late.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 4096, MIDDLE = 65536, LARGE = 600000 };

static uint64_t number;

static void exercise(MPI_Comm comm, size_t bytes)
{
    test_exercise(comm, ++number, bytes);
}

/* One call without any memory of its own, for loops. */
static void exercise_small(MPI_Comm comm)
{
    int64_t send[64];
    int64_t receive[64];
    struct test_memory memory = {send, receive, sizeof send};
    number++;
    test_exercise_allreduce(comm, number, memory, sizeof send);
    test_exercise_allgather(comm, number, memory, sizeof send);
}

static void duplicates(void)
{
    MPI_Comm comm[3];
    for (int i = 0; i < 3; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    }
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 3; i++) {
            test_case("duplicates in turn, round %d, communicator %d", round, i);
            exercise(comm[i], round == 0 ? LARGE : SMALL);
            exercise_small(MPI_COMM_WORLD);
        }
    }
    /* Freed in another order than made; those left must go on working. */
    for (int i = 1; i < 4; i++) {
        test_case("duplicates, %d freed", i - 1);
        exercise(comm[i % 3], MIDDLE);
        MPI_Comm_free(&comm[i % 3]);
    }
    exercise(MPI_COMM_WORLD, SMALL);
}

static void splits(void)
{
    MPI_Comm comm;
    test_case("ranks in reverse order");
    MPI_Comm_split(MPI_COMM_WORLD, 0, -test_rank, &comm);
    exercise(comm, MIDDLE);
    MPI_Comm_free(&comm);

    test_case("odd and even ranks");
    MPI_Comm_split(MPI_COMM_WORLD, test_rank % 2, 0, &comm);
    exercise(comm, MIDDLE);
    MPI_Comm_free(&comm);

    test_case("everybody but the last rank");
    MPI_Comm_split(MPI_COMM_WORLD, test_rank == test_size - 1 ? MPI_UNDEFINED : 0, 0, &comm);
    if (comm != MPI_COMM_NULL) {
        exercise(comm, MIDDLE);
        MPI_Comm_free(&comm);
    }
    number = 1000; /* the last rank has counted less; go on together */

    test_case("ranks that share memory");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    exercise(comm, MIDDLE);
    MPI_Comm_free(&comm);
}

/* A ring of pairs {0,1}, {1,2}, ... {N-1,0}: every rank is in two communicators of different
 * members, and has another rank number in each. Even ranks begin with the pair to their right. */
static void overlapping_pairs(void)
{
    MPI_Group world;
    MPI_Comm right = MPI_COMM_NULL;
    MPI_Comm left = MPI_COMM_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < test_size && test_size > 2; i++) {
        int members[2] = {i, (i + 1) % test_size};
        MPI_Group pair;
        MPI_Group_incl(world, 2, members, &pair);
        if (test_rank == members[0]) {
            MPI_Comm_create_group(MPI_COMM_WORLD, pair, i, &right);
        } else if (test_rank == members[1]) {
            MPI_Comm_create_group(MPI_COMM_WORLD, pair, i, &left);
        }
        MPI_Group_free(&pair);
    }
    for (int round = 0; round < 5 && test_size > 2; round++) {
        for (int i = 0; i < test_size; i++) {
            test_case("overlapping pairs, round %d, pair %d", round, i);
            number = 2000 + (uint64_t)(round * test_size + i) * 10;
            if (test_rank == i) {
                exercise(right, round % 2 == 0 ? MIDDLE : SMALL);
            } else if (test_rank == (i + 1) % test_size) {
                exercise(left, round % 2 == 0 ? MIDDLE : SMALL);
            }
        }
    }
    if (test_size > 2) {
        MPI_Comm_free(&left);
        MPI_Comm_free(&right);
    }
    MPI_Group_free(&world);
    number = 3000;
}

static void many_at_once(void)
{
    enum { MANY = 40 };
    MPI_Comm comm[MANY];
    for (int i = 0; i < MANY; i++) {
        MPI_Comm_dup(i == 0 ? MPI_COMM_WORLD : comm[i / 2], &comm[i]);
    }
    for (int i = 0; i < 2 * MANY; i++) {
        test_case("%d communicators at once, call %d", MANY, i);
        exercise_small(comm[i * 7 % MANY]);
    }
    for (int i = 0; i < MANY; i++) {
        MPI_Comm_free(&comm[i * 11 % MANY]);
    }
}

/* Freed right after its last call, when a slow rank may still be inside that call. */
static void made_and_freed(void)
{
    int times = test_quick ? 40 : 120;
    for (int i = 0; i < times; i++) {
        MPI_Comm comm;
        test_case("communicator made and freed, time %d", i);
        if (i % 3 == 0) {
            MPI_Comm_split(MPI_COMM_WORLD, 0, (test_rank + i) % test_size, &comm);
        } else {
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        }
        if (i % 5 != 4) { /* some are never used */
            exercise_small(comm);
        }
        if (i % 20 == 7 && test_rank == i / 20 % test_size) {
            test_delay(3000);
        }
        MPI_Comm_free(&comm);
    }
    exercise(MPI_COMM_WORLD, MIDDLE);
}

/* A communicator that is being duplicated while the old one is used. */
static void duplicated_meanwhile(void)
{
    for (int i = 0; i < 4; i++) {
        MPI_Comm comm;
        MPI_Request request;
        test_case("call during MPI_Comm_idup, time %d", i);
        MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
        exercise_small(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        exercise(comm, SMALL);
        MPI_Comm_free(&comm);
    }
}

/*
 * The first call on a communicator while that is being duplicated.  MPI_Comm_idup makes nonblocking
 * reductions on it, the later ones when a rank comes to look; one rank has looked already.
 */
static void duplicated_at_first_call(void)
{
    for (int i = 0; i < 20; i++) {
        MPI_Comm parent;
        MPI_Comm comm;
        MPI_Request request;
        test_case("first call during MPI_Comm_idup, time %d", i);
        MPI_Comm_dup(MPI_COMM_WORLD, &parent);
        MPI_Comm_idup(parent, &comm, &request);
        for (int look = 0; look < 100 && test_rank == i % test_size; look++) {
            int done;
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        }
        exercise_small(parent);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        exercise_small(comm);
        MPI_Comm_free(&comm);
        MPI_Comm_free(&parent);
    }
}

/* A nonblocking reduction under way during blocking ones. (Not together with MPI_Comm_idup: Open
 * MPI 4.1 alone hangs if both and a blocking call are under way.) */
static void nonblocking_meanwhile(void)
{
    for (int i = 0; i < 4; i++) {
        MPI_Request request;
        int value = test_rank + i;
        int sum = -1;
        test_case("call during MPI_Iallreduce, time %d", i);
        MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        exercise(MPI_COMM_WORLD, SMALL);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        test_check(sum == test_size * (test_size - 1) / 2 + i * test_size,
                   "the sum of the nonblocking reduction");
    }
}

static void late_ranks(void)
{
    for (int late = 0; late < test_size; late++) {
        MPI_Comm comm;
        test_case("rank %d comes late", late);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int i = 0; i < 3; i++) {
            if (test_rank == late) {
                test_delay(20000);
            }
            exercise_small(i == 1 ? MPI_COMM_WORLD : comm);
        }
        if (test_rank == late) {
            test_delay(20000);
        }
        exercise(comm, MIDDLE);
        MPI_Comm_free(&comm);
    }
}

static void self(void)
{
    MPI_Comm comm;
    test_case("MPI_COMM_SELF");
    exercise(MPI_COMM_SELF, MIDDLE);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    exercise(comm, MIDDLE);
    MPI_Comm_free(&comm);
}

static void check_groups(MPI_Comm inter, int even)
{
    int64_t mine = 100 + test_rank;
    int64_t sum = -1;
    int64_t gathered[64];
    int64_t expected = 0;
    int place = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, inter);
    MPI_Allgather(&mine, 1, MPI_INT64_T, gathered, 1, MPI_INT64_T, inter);
    for (int rank = even ? 1 : 0; rank < test_size; rank += 2, place++) {
        expected += 100 + rank;
        if (gathered[place] != 100 + rank) {
            test_fail("all-gather, element %d: expected %d, found %lld", place, 100 + rank,
                      (long long)gathered[place]);
        }
    }
    if (sum != expected) {
        test_fail("all-reduce: expected the other group's %lld, found %lld", (long long)expected,
                  (long long)sum);
    }
}

/* Between even and odd ranks: each side gets the other side's data. */
static void inter_communicator(void)
{
    MPI_Comm local;
    MPI_Comm inter;
    MPI_Comm merged;
    int even = test_rank % 2 == 0;
    test_case("inter-communicator");
    if (test_size < 2 || test_size > 64) {
        return;
    }
    MPI_Comm_split(MPI_COMM_WORLD, even, 0, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, even ? 1 : 0, 5, &inter);
    for (int i = 0; i < 5; i++) {
        check_groups(inter, even);
    }
    MPI_Intercomm_merge(inter, even, &merged);
    exercise(merged, MIDDLE);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
}

static void cartesian(void)
{
    MPI_Comm comm;
    int dims[1] = {test_size};
    int periods[1] = {1};
    test_case("Cartesian communicator");
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 1, &comm);
    exercise(comm, MIDDLE);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_communicators", MPI_THREAD_SINGLE);
    self();
    duplicates();
    splits();
    overlapping_pairs();
    many_at_once();
    made_and_freed();
    duplicated_meanwhile();
    duplicated_at_first_call();
    nonblocking_meanwhile();
    late_ranks();
    inter_communicator();
    cartesian();
    exercise(MPI_COMM_WORLD, LARGE);
    return test_end();
}
