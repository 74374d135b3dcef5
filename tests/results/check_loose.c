/*
 * Small calls with a root and small scans do not synchronise: who gives data leaves before the
 * others come. Ranks that call first say so by a message to those that call last. If a call waited
 * for somebody who does not give data, the ranks would wait for each other. In a gatherv that holds
 * for each rank whose own block is small, also if those of others are not.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/calls.h"
#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 64, INTS_MAX = 1024, LAPS = 300 };
enum { OWN_MORE = 20000 }; /* integers of a root's own block: more than a line takes */
enum { LANES = 4, GROWN = 1024 + 64 }; /* calls take turns in lanes, whose rings grow then */

static const enum test_collective collectives[] = {
    TEST_BCAST,  TEST_SCATTER, TEST_SCATTERV, TEST_REDUCE,
    TEST_GATHER, TEST_GATHERV, TEST_SCAN,     TEST_EXSCAN,
};
enum { COLLECTIVES = sizeof collectives / sizeof collectives[0] };

static int sent[RANKS_MAX * INTS_MAX], received[RANKS_MAX * INTS_MAX];

static bool scatters(enum test_collective collective)
{
    return collective == TEST_SCATTER || collective == TEST_SCATTERV;
}

static bool from_root(enum test_collective collective)
{
    return collective == TEST_BCAST || scatters(collective);
}

static bool is_prefix(enum test_collective collective)
{
    return collective == TEST_SCAN || collective == TEST_EXSCAN;
}

/* Whether a rank calls first.  In a scan these are the ranks before the root, or rank 0. */
static bool gives(enum test_collective collective, int root, int rank)
{
    if (is_prefix(collective)) {
        return rank < (root > 0 ? root : 1);
    }
    return (rank == root) == from_root(collective);
}

static int value(int call, int source, int target, int i)
{
    return 100000 * call + 1000 * source + 10 * target + i % 10;
}

/* Whether counts are given one by one.  Then the root's own block is the last one, and longer. */
static bool has_counts(enum test_collective collective)
{
    return collective == TEST_SCATTERV || collective == TEST_GATHERV;
}

/* Integers of the block that `rank` gives or gets. */
static int block_count(enum test_collective collective, int rank, int root, int count)
{
    return has_counts(collective) && rank == root ? count + OWN_MORE : count;
}

static int block_place(enum test_collective collective, int rank, int root, int count)
{
    return (has_counts(collective) && rank == root ? test_size : rank) * count;
}

static void fill(enum test_collective collective, int call, int root, int count)
{
    int blocks = scatters(collective) ? test_size : 1;
    memset(received, 0xdb, sizeof received);
    for (int block = 0; block < blocks; block++) {
        for (int i = 0; i < count; i++) {
            sent[block * count + i] = value(call, test_rank, block, i);
        }
    }
    int own = block_count(collective, test_rank, root, count);
    for (int i = 0; has_counts(collective) && i < own; i++) {
        int place = collective == TEST_SCATTERV ? test_size * count : 0;
        sent[place + i] = value(call, test_rank, collective == TEST_SCATTERV ? test_rank : 0, i);
    }
    if (collective == TEST_BCAST && test_rank == root) {
        memcpy(received, sent, (size_t)count * sizeof(int));
    }
}

static int expected(enum test_collective collective, int call, int root, int block, int i)
{
    int sum = 0, target = scatters(collective) ? test_rank : 0;
    int ranks = collective == TEST_SCAN     ? test_rank + 1
                : collective == TEST_EXSCAN ? test_rank : test_size;
    if (collective != TEST_REDUCE && !is_prefix(collective)) {
        return value(call, from_root(collective) ? root : block, target, i);
    }
    for (int rank = 0; rank < ranks; rank++) {
        sum += value(call, rank, 0, i);
    }
    return sum;
}

static void check(enum test_collective collective, int call, int root, int count)
{
    bool gathers = collective == TEST_GATHER || collective == TEST_GATHERV;
    int blocks = gathers ? test_size : 1;
    if (is_prefix(collective) ? collective == TEST_EXSCAN && test_rank == 0
                              : !from_root(collective) && test_rank != root) {
        return;
    }
    for (int block = 0; block < blocks; block++) {
        int rank = gathers ? block : test_rank;
        int place = gathers ? block_place(collective, block, root, count) : 0;
        for (int i = 0; i < block_count(collective, rank, root, count); i++) {
            int found = received[place + i];
            int wanted = expected(collective, call, root, block, i);
            if (found != wanted) {
                test_fail("call %d, block %d, element %d: expected %d, found %d", call, block, i,
                          wanted, found);
                return;
            }
        }
    }
}

/* Make a call, or begin one, or make a persistent operation. */
static void begin(enum test_collective collective, enum test_call_form form, int root, int count,
                  MPI_Request *request)
{
    static int counts[RANKS_MAX], places[RANKS_MAX]; /* as long as a request may need them */
    int own = block_count(collective, test_rank, root, count);
    for (int rank = 0; rank < test_size && has_counts(collective); rank++) {
        counts[rank] = block_count(collective, rank, root, count);
        places[rank] = block_place(collective, rank, root, count);
    }
    const struct test_arguments arguments = {
        .send = sent, .send_count = own, .send_counts = counts, .send_places = places,
        .send_type = MPI_INT, .receive = received, .count = own, .counts = counts, .places = places,
        .type = MPI_INT, .op = MPI_SUM, .root = root, .comm = MPI_COMM_WORLD,
    };
    (void)test_call(collective, form, &arguments, request);
}

/* A call from its beginning to its end.  `request` is that of a persistent operation. */
static void make(enum test_collective collective, enum test_call_form form, int root, int count,
                 MPI_Request *request)
{
    if (form == TEST_PERSISTENT) {
        MPI_Start(request);
    } else {
        begin(collective, form, root, count, request);
    }
    if (form != TEST_BLOCKING) {
        MPI_Wait(request, MPI_STATUS_IGNORE);
    }
}

static void token_send(int rank)
{
    MPI_Send(NULL, 0, MPI_INT, rank, 7, MPI_COMM_WORLD);
}

static void token_receive(int rank)
{
    MPI_Recv(NULL, 0, MPI_INT, rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* So many calls a rank may be ahead, at least. */
static int calls_ahead(void)
{
    int slots = 64, wanted = (int)test_parameter("coll_symm_slots", 8);
    while (slots > 8 && (slots > wanted || slots * test_size > 256)) {
        slots /= 2;
    }
    return slots - 1;
}

/* So many calls come first: the ranks come to share memory, and rings grow that may. */
static int calls_first(void)
{
    return calls_ahead() < 8 ? LANES : LANES * (GROWN + 1);
}

/* Who gives data has made all its calls before the others make their first. */
static void ahead_run(enum test_collective collective, enum test_call_form form, int root,
                      int count)
{
    bool is_first = gives(collective, root, test_rank);
    int ahead = calls_ahead();
    MPI_Request request = MPI_REQUEST_NULL;
    test_case("%s, %s, root %d, %d integers: ahead of the others",
              test_collective_names[collective], test_form_names[form], root, count);
    if (form == TEST_PERSISTENT) {
        begin(collective, form, root, count, &request);
    }
    for (int call = 0; call < calls_first(); call++) {
        fill(collective, call, root, count);
        make(collective, form, root, count, &request);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int rank = 0; rank < test_size && !is_first; rank++) {
        if (gives(collective, root, rank)) {
            token_receive(rank);
        }
    }
    for (int call = 0; call < ahead; call++) {
        fill(collective, call, root, count);
        make(collective, form, root, count, &request);
        check(collective, call, root, count);
    }
    for (int rank = 0; rank < test_size && is_first; rank++) {
        if (!gives(collective, root, rank)) {
            token_send(rank);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (form == TEST_PERSISTENT) {
        MPI_Request_free(&request);
    }
}

/*
 * A gatherv whose last rank has a block that no line takes.  It calls when the first one, whose
 * block is small, has left.  The root's memory is from MPI_Alloc_mem, or from elsewhere.  What has
 * been stored last is looked at first.
 */
static void uneven_run(enum test_call_form form, int root, int count, int *result)
{
    static int counts[RANKS_MAX], places[RANKS_MAX];
    int first = root == 0 ? 1 : 0, last = root == test_size - 1 ? test_size - 2 : test_size - 1;
    int at = 0;
    bool has_late = first != last;
    MPI_Request request = MPI_REQUEST_NULL;
    test_case("gatherv, %s, root %d, %d integers, and more of a late rank%s", test_form_names[form],
              root, count, result == received ? "" : ", into the heap");
    for (int rank = 0; rank < test_size; rank++) {
        counts[rank] = rank == last ? count + OWN_MORE : count;
        places[rank] = at;
        at += counts[rank];
    }
    for (int call = 0; call < LANES + calls_ahead(); call++) {
        memset(result, 0xdb, sizeof received);
        for (int i = 0; i < counts[test_rank]; i++) {
            sent[i] = value(call, test_rank, 0, i);
        }
        if (has_late && call >= LANES && test_rank == last) {
            token_receive(first);
        }
        if (form != TEST_PERSISTENT || call == 0) {
            const struct test_arguments arguments = {
                .send = sent, .send_count = counts[test_rank], .send_type = MPI_INT,
                .receive = result, .counts = counts, .places = places, .type = MPI_INT,
                .root = root, .comm = MPI_COMM_WORLD,
            };
            (void)test_call(TEST_GATHERV, form, &arguments, &request);
        }
        if (form == TEST_PERSISTENT) {
            MPI_Start(&request);
        }
        if (form != TEST_BLOCKING) {
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (has_late && call >= LANES && test_rank == first) {
            token_send(last);
        }
        for (int rank = test_size - 1; rank >= 0 && test_rank == root; rank--) {
            for (int i = counts[rank] - 1; i >= 0; i--) {
                int found = result[places[rank] + i];
                test_check(found == value(call, rank, 0, i), "the right integer");
            }
        }
    }
    if (form == TEST_PERSISTENT) {
        MPI_Request_free(&request);
    }
}

/* The root goes from rank to rank, and each adds to what it got, with large calls in between. */
static void laps_run(void)
{
    static int large[100000];
    int token = 0;
    test_case("the root goes round");
    for (int lap = 0; lap < LAPS; lap++) {
        int root = lap % test_size;
        if (test_rank == root) {
            token++;
        }
        if (lap % 50 == 10 + root) {
            test_delay(3000);
        }
        MPI_Bcast(&token, 1, MPI_INT, root, MPI_COMM_WORLD);
        if (token != lap + 1) {
            test_fail("lap %d: found %d", lap, token);
            break;
        }
        if (lap % 20 == 0) {
            large[99999] = test_rank == root ? lap : -1;
            MPI_Bcast(large, 100000, MPI_INT, root, MPI_COMM_WORLD);
            test_check(large[99999] == lap, "the last element of a large broadcast");
        }
    }
}

/* The root's own block of a gather has another length than its place.  The others have left. */
static void unequal_run(int own)
{
    enum { COUNT = 5 };
    MPI_Comm comm;
    int count = test_rank == 0 ? own : COUNT;
    test_case("a gather whose root gives %d of %d integers", own, COUNT);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int call = 0; call < 3; call++) {
        fill(TEST_GATHER, call, 0, 2 * COUNT);
        int class = MPI_SUCCESS;
        int error = MPI_Gather(sent, count, MPI_INT, received, COUNT, MPI_INT, 0, comm);
        if (error != MPI_SUCCESS) {
            MPI_Error_class(error, &class);
        }
        test_check(class == (count > COUNT ? MPI_ERR_TRUNCATE : MPI_SUCCESS), "the right error");
        for (int i = 0; i < test_size * COUNT && test_rank == 0; i++) {
            int wanted = value(call, i / COUNT, 0, i % COUNT);
            memset(&wanted, i >= own && i < COUNT ? 0xdb : 0, i >= own && i < COUNT ? 4 : 0);
            test_check(received[i] == wanted, "the right integer");
        }
    }
    MPI_Comm_free(&comm);
}

/*
 * Rank 1 sends `sent_count` integers to a gatherv whose root expects COUNT of each rank.  The
 * others have left.
 */
static void overlong_run(int sent_count)
{
    enum { COUNT = 5 };
    int counts[RANKS_MAX], places[RANKS_MAX];
    int count = test_rank == 1 ? sent_count : COUNT;
    MPI_Comm comm;
    test_case("a gatherv of %d integers of each rank, and %d of rank 1", COUNT, sent_count);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int rank = 0; rank < test_size; rank++) {
        counts[rank] = COUNT;
        places[rank] = rank * COUNT;
    }
    for (int call = 0; call < 3; call++) {
        memset(received, 0xdb, sizeof received);
        for (int i = 0; i < count; i++) {
            sent[i] = value(call, test_rank, 0, i);
        }
        int class = MPI_SUCCESS;
        int error = MPI_Gatherv(sent, count, MPI_INT, received, counts, places, MPI_INT, 0, comm);
        if (error != MPI_SUCCESS) {
            MPI_Error_class(error, &class);
        }
        test_check(class == (test_rank == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS), "the right error");
        for (int i = 0; i < test_size * COUNT && test_rank == 0; i++) {
            test_check(received[i] == value(call, i / COUNT, 0, i % COUNT), "the right integer");
        }
        test_check(test_rank > 0 || (unsigned)received[test_size * COUNT] == 0xdbdbdbdb,
                   "nothing behind the blocks");
    }
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_loose", MPI_THREAD_SINGLE);
    int most = (int)test_parameter("coll_symm_slot_size", 17408) / (int)sizeof(int) / test_size / 4;
    for (int i = 0; i < COLLECTIVES * TEST_FORMS; i++) {
        enum test_call_form form = (enum test_call_form)(i % TEST_FORMS);
        ahead_run(collectives[i / TEST_FORMS], form, 0, 1);
        ahead_run(collectives[i / TEST_FORMS], form, test_size - 1, most > 1 ? most : 1);
    }
    for (int form = 0; form < TEST_FORMS; form++) {
        int *heap;
        MPI_Alloc_mem(sizeof received, MPI_INFO_NULL, &heap);
        uneven_run((enum test_call_form)form, 0, 1, received);
        uneven_run((enum test_call_form)form, test_size - 1, most > 1 ? most : 1, received);
        uneven_run((enum test_call_form)form, 0, most > 1 ? most : 1, heap);
        uneven_run((enum test_call_form)form, test_size - 1, 1, heap);
        MPI_Free_mem(heap);
    }
    laps_run();
    unequal_run(3);
    unequal_run(8);
    overlong_run(8);
    overlong_run(8000);
    return test_end();
}
