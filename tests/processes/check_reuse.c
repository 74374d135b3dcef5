/*
 * Communicators whose control memory was another's before: many in a loop, many alive, some that
 * a rank is still in when others have freed them, and groups that know nothing of each other.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * SYMM_TEST_CYCLES: how many in a loop, and how many alive.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t number;

/* Small calls whose results tell this communicator, and this call, from all others. */
static void use(MPI_Comm comm, int calls)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < calls; i++) {
        int64_t mine = ++number * 1000 + rank, sum = -1;
        int64_t expected = size * number * 1000 + (int64_t)size * (size - 1) / 2;
        MPI_Allreduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, comm);
        if (sum != expected) {
            test_fail("expected %lld, found %lld", (long long)expected, (long long)sum);
        }
        if (i % 3 == 1) {
            test_exercise_rooted(comm, (uint64_t)number);
        } else if (i % 3 == 2) {
            test_exercise_exchange(comm, (uint64_t)number);
        }
    }
}

/* Mappings of control memory, our own and those of others. */
static int mappings(void)
{
    char line[512];
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        count += strstr(line, "memfd:symm-control") != NULL;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return count;
}

static int cycles(int quick, int usual)
{
    const char *text = getenv("SYMM_TEST_CYCLES");
    return test_quick ? quick : text != NULL && *text != '\0' ? atoi(text) : usual;
}

static void in_a_loop(void)
{
    int count = cycles(200, 2000), before = 0;
    MPI_Comm comm;
    test_case("%d, one after another", count);
    for (int i = 0; i < count; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        use(comm, i % 11);
        MPI_Comm_free(&comm);
        if (i == 20) {
            before = mappings();
        }
    }
    test_check(mappings() == before, "no mapping more than after the first twenty");
}

/* Freed in another order than made; those left go on working. */
static void alive(void)
{
    int count = cycles(300, 2000), step = 7;
    MPI_Comm *comms = calloc((size_t)count, sizeof *comms);
    test_case("%d alive", count);
    int before = mappings();
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < count; i++) {
            MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
            use(comms[i], 1);
        }
        test_check(mappings() - before <= 24 + count / 60, "hardly any mapping for each");
        while (count % step == 0) {
            step += 2;
        }
        for (int i = 0; i < count; i++) {
            int which = (int)((int64_t)i * step % count);
            use(comms[which], 1);
            MPI_Comm_free(&comms[which]);
            if (i % 50 == 0) {
                use(MPI_COMM_WORLD, 1);
            }
        }
    }
    free(comms);
}

static void doze(int ms)
{
    const struct timespec moment = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    nanosleep(&moment, NULL);
}

static int doze_ms;

/* A sum that takes its time before it reads. */
static void sum_late(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const int64_t *from = in;
    int64_t *to = inout;
    (void)type;
    doze(doze_ms);
    for (int i = 0; i < *count; i++) {
        to[i] += from[i];
    }
}

/*
 * Rank 0 has finished its call on {0, 1} and freed the communicator, while rank 1 is still reading
 * what rank 0 has put into control memory.  What rank 0 then does on {0, 2} must not reach that.
 */
static void late_reader(int round)
{
    enum { COUNT = 8 };
    MPI_Comm pairs[2];
    MPI_Op op;
    int64_t mine[COUNT], sum[COUNT];
    test_case("a rank that still reads, round %d", round);
    MPI_Comm_split(MPI_COMM_WORLD, test_rank < 2 ? 0 : MPI_UNDEFINED, 0, &pairs[0]);
    MPI_Comm_split(MPI_COMM_WORLD, test_rank == 0 || test_rank == 2 ? 0 : MPI_UNDEFINED, 0,
                   &pairs[1]);
    MPI_Op_create(sum_late, 1, &op);
    for (int i = 0; i < COUNT; i++) {
        mine[i] = 100 * round + 10 * test_rank + i;
        sum[i] = -1;
    }
    if (pairs[0] != MPI_COMM_NULL) {
        doze_ms = test_rank == 1 ? 50 : 0;
        MPI_Allreduce(mine, sum, COUNT, MPI_INT64_T, op, pairs[0]);
        for (int i = 0; i < COUNT; i++) {
            if (sum[i] != 200 * round + 10 + 2 * i) {
                test_fail("element %d: expected %d, found %lld", i, 200 * round + 10 + 2 * i,
                          (long long)sum[i]);
            }
        }
        MPI_Comm_free(&pairs[0]);
    }
    if (pairs[1] != MPI_COMM_NULL) {
        doze_ms = 0;
        number = 1000000 * (round + 1);
        use(pairs[1], 10);
        MPI_Comm_free(&pairs[1]);
    }
    MPI_Op_free(&op);
}

/*
 * Rank 0 has left calls on {0, 1} and freed the communicator before rank 1 comes: a small root does
 * not wait, nor does a rank that sends to one.  What rank 0 then does on {0, 2} must not reach the
 * control memory that rank 1 still reads.
 */
static void late_receiver(int round)
{
    enum { COUNT = 16, CALLS = 4 };
    MPI_Comm pairs[2];
    int64_t mine[COUNT], got[COUNT];
    test_case("a rank that comes when the sender has left, round %d", round);
    MPI_Comm_split(MPI_COMM_WORLD, test_rank < 2 ? 0 : MPI_UNDEFINED, 0, &pairs[0]);
    MPI_Comm_split(MPI_COMM_WORLD, test_rank == 0 || test_rank == 2 ? 0 : MPI_UNDEFINED, 0,
                   &pairs[1]);
    number = 4000000 * (round + 1);
    if (pairs[0] != MPI_COMM_NULL) {
        use(pairs[0], 3 + round % 8);
        doze(test_rank == 1 ? 50 : 0);
        for (int call = 0; call < CALLS; call++) {
            for (int i = 0; i < COUNT; i++) {
                mine[i] = 1000 * round + 100 * call + 10 * test_rank + i;
                got[i] = test_rank == 0 ? mine[i] : -1;
            }
            if (call % 2 == 0) {
                MPI_Bcast(got, COUNT, MPI_INT64_T, 0, pairs[0]);
            } else {
                MPI_Reduce(mine, got, COUNT, MPI_INT64_T, MPI_MIN, 1, pairs[0]);
            }
            for (int i = 0; i < COUNT && test_rank == 1; i++) {
                if (got[i] != 1000 * round + 100 * call + i) {
                    test_fail("call %d, element %d: expected %d, found %lld", call, i,
                              1000 * round + 100 * call + i, (long long)got[i]);
                }
            }
        }
        MPI_Comm_free(&pairs[0]);
    }
    if (pairs[1] != MPI_COMM_NULL) {
        number = 5000000 * (round + 1);
        use(pairs[1], 20);
        MPI_Comm_free(&pairs[1]);
    }
}

/* A rank that frees a communicator long after the others, which go on meanwhile. */
static void late_leaver(int round)
{
    MPI_Comm comms[4], next;
    test_case("a rank that frees late, round %d", round);
    number = 2000000 * (round + 1);
    for (int i = 0; i < 4; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        use(comms[i], 1 + (round + i) % 9);
        if (test_rank != round % test_size) {
            MPI_Comm_free(&comms[i]);
        }
        MPI_Comm_dup(MPI_COMM_WORLD, &next);
        use(next, 3);
        MPI_Comm_free(&next);
    }
    for (int i = 0; i < 4 && test_rank == round % test_size; i++) {
        MPI_Comm_free(&comms[i]);
    }
}

/*
 * Groups that share no rank have the same context ids, and each makes as many communicators as it
 * likes.
 */
static void disjoint_groups(int round)
{
    MPI_Comm half, comms[5];
    test_case("disjoint groups, round %d", round);
    int colour = test_rank < test_size / 2;
    MPI_Comm_split(MPI_COMM_WORLD, colour, round % 2 == 0 ? test_rank : -test_rank, &half);
    number = 3000000 * (round + 1) + colour * 1000;
    int count = 2 + (round + colour) % 4;
    for (int i = 0; i < count; i++) {
        MPI_Comm_dup(half, &comms[i]);
        use(comms[i], 1 + i);
    }
    use(half, 3);
    for (int i = count; i-- > 0;) {
        use(comms[i], 1);
        MPI_Comm_free(&comms[i]);
    }
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_reuse", MPI_THREAD_SINGLE);
    int rounds = !test_quick ? 30 : test_whole ? 5 : 3;
    in_a_loop();
    alive();
    for (int round = 0; round < rounds; round++) {
        late_leaver(round);
        disjoint_groups(round);
        if (test_size > 2) {
            late_reader(round);
            late_receiver(round);
        }
        number = 10000000 * (round + 1);
        use(MPI_COMM_WORLD, 1);
    }
    return test_end();
}
