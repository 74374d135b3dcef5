/*
 * Erroneous programs: the ranks disagree about a call. All hear so, each through its communicator's
 * error handler and once, and the communicator goes on working. In small calls with a root and
 * small scans, those hear so who wait for a rank that has made another call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   disagree             every sort of disagreement, on communicators named after it
 *   disagree fatal NAME  that one in the world, whose error handler ends the job
 *
 * tests/results/disagree.tap looks at the messages, and must not find "got no error".
 */
#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOT = 10, LARGE = 50000, BYTES = 4 * LARGE * 8, RANKS_MAX = 4 };

enum collective {
    REDUCE,
    GATHER,
    BARRIER,
    SCATTER,
    SCATTER_OTHERWISE,
    SCATTER_BLOCK,
    SCAN,
    EXSCAN,
    EXCHANGE, /* these do not reduce */
    GATHER_V,
    GATHER_V_OTHERWISE,
    EXCHANGE_V,
    EXCHANGE_W,
    BCAST, /* with a root: rank 0, or rank 1 in the second of a pair */
    BCAST_FROM_1,
    ROOT_REDUCE,
    ROOT_REDUCE_TO_1,
    ROOT_GATHER,
    ROOT_GATHER_TO_1,
    ROOT_SCATTER,
    ROOT_SCATTER_FROM_1,
    ROOT_GATHER_V,
    ROOT_GATHER_V_TO_1,
    ROOT_SCATTER_V,
    ROOT_SCATTER_V_FROM_1
};
enum type { INT, FLOAT, DOUBLE, COMPLEX };
enum op { SUM, MAX, USER };

struct call {
    enum collective collective;
    int count;
    enum type type;
    enum op op;
};

struct disagreement {
    const char *name;
    struct call usual, odd; /* the odd call is made by one rank */
    int class; /* if the last rank is odd */
};

static const struct disagreement disagreements[] = {
    {"collective", {REDUCE, SLOT, INT, SUM}, {GATHER, SLOT, INT, SUM}, MPI_ERR_OTHER},
    {"barrier", {REDUCE, SLOT, INT, SUM}, {BARRIER, 0, INT, SUM}, MPI_ERR_OTHER},
    {"count", {REDUCE, SLOT, INT, SUM}, {REDUCE, 11, INT, SUM}, MPI_ERR_TRUNCATE},
    {"size", {REDUCE, SLOT, FLOAT, SUM}, {REDUCE, SLOT, DOUBLE, SUM}, MPI_ERR_TYPE},
    {"class", {REDUCE, SLOT, INT, SUM}, {REDUCE, SLOT, FLOAT, SUM}, MPI_ERR_TYPE},
    {"complex", {REDUCE, SLOT, DOUBLE, SUM}, {REDUCE, SLOT, COMPLEX, SUM}, MPI_ERR_TYPE},
    {"operation", {REDUCE, SLOT, INT, SUM}, {REDUCE, SLOT, INT, MAX}, MPI_ERR_OP},
    {"user operation", {REDUCE, SLOT, INT, SUM}, {REDUCE, SLOT, INT, USER}, MPI_ERR_OP},
    {"user bytes", {REDUCE, SLOT, INT, USER}, {REDUCE, 11, INT, USER}, MPI_ERR_TRUNCATE},
    {"block", {GATHER, SLOT, INT, SUM}, {GATHER, 12, INT, SUM}, MPI_ERR_TRUNCATE},
    {"slot and large", {REDUCE, SLOT, INT, SUM}, {REDUCE, LARGE, INT, SUM}, MPI_ERR_TRUNCATE},
    {"large collective", {GATHER, LARGE, INT, SUM}, {REDUCE, LARGE, INT, SUM}, MPI_ERR_OTHER},
    {"large count", {REDUCE, LARGE, INT, SUM}, {REDUCE, LARGE - 1, INT, SUM}, MPI_ERR_TRUNCATE},
    {"large class", {REDUCE, LARGE, FLOAT, SUM}, {REDUCE, LARGE, INT, SUM}, MPI_ERR_TYPE},
    {"large operation", {REDUCE, LARGE, INT, MAX}, {REDUCE, LARGE, INT, SUM}, MPI_ERR_OP},
    {"large block", {GATHER, LARGE, INT, SUM}, {GATHER, LARGE - 1, INT, SUM}, MPI_ERR_TRUNCATE},
    {"sums", {SCATTER, SLOT, INT, SUM}, {SCATTER, SLOT + 1, INT, SUM}, MPI_ERR_TRUNCATE},
    {"counts", {SCATTER, SLOT, INT, SUM}, {SCATTER_OTHERWISE, SLOT, INT, SUM}, MPI_ERR_TRUNCATE},
    {"scattered operation", {SCATTER, SLOT, INT, SUM}, {SCATTER, SLOT, INT, MAX}, MPI_ERR_OP},
    {"scattered user bytes", {SCATTER_BLOCK, SLOT, INT, USER}, {SCATTER_BLOCK, 11, INT, USER},
     MPI_ERR_TRUNCATE},
    {"counts and block", {SCATTER, SLOT, INT, SUM}, {SCATTER_BLOCK, SLOT, INT, SUM}, MPI_ERR_OTHER},
    {"large counts", {SCATTER, LARGE, INT, SUM}, {SCATTER_OTHERWISE, LARGE, INT, SUM},
     MPI_ERR_TRUNCATE},
    {"large scattered type", {SCATTER_BLOCK, LARGE, INT, SUM}, {SCATTER_BLOCK, LARGE, FLOAT, SUM},
     MPI_ERR_TYPE},
    {"scans", {SCAN, SLOT, INT, SUM}, {EXSCAN, SLOT, INT, SUM}, MPI_ERR_OTHER},
    {"scanned user bytes", {EXSCAN, SLOT, INT, USER}, {EXSCAN, 11, INT, USER}, MPI_ERR_COUNT},
    {"large scan", {SCAN, LARGE, INT, SUM}, {REDUCE, LARGE, INT, SUM}, MPI_ERR_OTHER},
    {"large scanned operation", {EXSCAN, LARGE, INT, SUM}, {EXSCAN, LARGE, INT, MAX}, MPI_ERR_OP},
    {"exchanged blocks", {EXCHANGE, SLOT, INT, SUM}, {EXCHANGE, 11, INT, SUM}, MPI_ERR_TRUNCATE},
    {"large exchanged blocks", {EXCHANGE, LARGE, INT, SUM}, {EXCHANGE, LARGE - 1, INT, SUM},
     MPI_ERR_TRUNCATE},
    {"gathered counts", {GATHER_V, SLOT, INT, SUM}, {GATHER_V_OTHERWISE, SLOT, INT, SUM},
     MPI_ERR_TRUNCATE},
    {"large gathered counts", {GATHER_V, LARGE, INT, SUM}, {GATHER_V, LARGE - 1, INT, SUM},
     MPI_ERR_TRUNCATE},
    {"exchanges", {EXCHANGE_V, SLOT, INT, SUM}, {EXCHANGE_W, SLOT, INT, SUM}, MPI_ERR_OTHER},
    {"large exchange and gather", {EXCHANGE_V, LARGE, INT, SUM}, {GATHER, LARGE, INT, SUM},
     MPI_ERR_OTHER},
    {"root", {BCAST, SLOT, INT, SUM}, {BCAST_FROM_1, SLOT, INT, SUM}, MPI_ERR_ROOT},
    {"broadcast bytes", {BCAST, SLOT, INT, SUM}, {BCAST, 11, INT, SUM}, MPI_ERR_COUNT},
    {"broadcast and gather", {BCAST, SLOT, INT, SUM}, {ROOT_GATHER, SLOT, INT, SUM}, MPI_ERR_OTHER},
    {"reduce and all-reduce", {ROOT_REDUCE, SLOT, INT, SUM}, {REDUCE, SLOT, INT, SUM},
     MPI_ERR_OTHER},
    {"root of a reduce", {ROOT_REDUCE, SLOT, INT, SUM}, {ROOT_REDUCE_TO_1, SLOT, INT, SUM},
     MPI_ERR_ROOT},
    {"operation of a reduce", {ROOT_REDUCE, SLOT, INT, SUM}, {ROOT_REDUCE, SLOT, INT, MAX},
     MPI_ERR_OP},
    {"root of a gather", {ROOT_GATHER, SLOT, INT, SUM}, {ROOT_GATHER_TO_1, SLOT, INT, SUM},
     MPI_ERR_ROOT},
    {"large root", {BCAST, LARGE, INT, SUM}, {BCAST_FROM_1, LARGE, INT, SUM}, MPI_ERR_ROOT},
    {"large root of a reduce", {ROOT_REDUCE, LARGE, INT, SUM}, {ROOT_REDUCE_TO_1, LARGE, INT, SUM},
     MPI_ERR_ROOT},
    {"large gathered bytes", {ROOT_GATHER, LARGE, INT, SUM}, {ROOT_GATHER, LARGE - 1, INT, SUM},
     MPI_ERR_COUNT},
    {"large root of a scatter", {ROOT_SCATTER, LARGE, INT, SUM},
     {ROOT_SCATTER_FROM_1, LARGE, INT, SUM}, MPI_ERR_ROOT},
    {"root of a gatherv", {ROOT_GATHER_V, SLOT, INT, SUM},
     {ROOT_GATHER_V_TO_1, SLOT, INT, SUM}, MPI_ERR_ROOT},
    {"large root of a gatherv", {ROOT_GATHER_V, LARGE, INT, SUM},
     {ROOT_GATHER_V_TO_1, LARGE, INT, SUM}, MPI_ERR_ROOT},
    {"root of a scatterv", {ROOT_SCATTER_V, SLOT, INT, SUM},
     {ROOT_SCATTER_V_FROM_1, SLOT, INT, SUM}, MPI_ERR_ROOT},
    {"large root of a scatterv", {ROOT_SCATTER_V, LARGE, INT, SUM},
     {ROOT_SCATTER_V_FROM_1, LARGE, INT, SUM}, MPI_ERR_ROOT},
    {"gatherv and scatterv", {ROOT_GATHER_V, SLOT, INT, SUM}, {ROOT_SCATTER_V, SLOT, INT, SUM},
     MPI_ERR_OTHER},
    {"scatter and scatterv", {ROOT_SCATTER, SLOT, INT, SUM}, {ROOT_SCATTER_V, SLOT, INT, SUM},
     MPI_ERR_OTHER},
    {"scatter in the slot and large", {ROOT_SCATTER, SLOT, INT, SUM},
     {ROOT_SCATTER, LARGE, INT, SUM}, MPI_ERR_COUNT},
    {"room of a broadcast", {BCAST, SLOT, INT, SUM}, {BCAST, 9, INT, SUM}, MPI_ERR_TRUNCATE},
    {"large room of a broadcast", {BCAST, LARGE, INT, SUM}, {BCAST, LARGE - 1, INT, SUM},
     MPI_ERR_TRUNCATE},
    {"large room of a gather", {ROOT_GATHER, LARGE, INT, SUM}, {ROOT_GATHER, LARGE + 1, INT, SUM},
     MPI_ERR_TRUNCATE},
    {"large room of a scan", {SCAN, LARGE, INT, SUM}, {SCAN, LARGE - 1, INT, SUM},
     MPI_ERR_TRUNCATE},
};

enum { DISAGREEMENTS = sizeof disagreements / sizeof disagreements[0] };

static MPI_Op user_op;
static uint64_t number;

/* ---- the error handler ----------------------------------------------------------------------- */

static int handled;
static int handled_code;
static MPI_Comm handled_comm;

static void handler(MPI_Comm *comm, int *code, ...)
{
    handled++;
    handled_code = *code;
    handled_comm = *comm;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Never applied: the calls disagree. */
static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++) {
        ((int *)inout)[i] += ((int *)in)[i];
    }
}

static int exchange(struct call call, void *send, void *receive, MPI_Comm comm)
{
    int counts[RANKS_MAX], disps[RANKS_MAX], bytes[RANKS_MAX];
    MPI_Datatype types[RANKS_MAX];
    for (int rank = 0; rank < test_size; rank++) {
        counts[rank] = call.count;
        disps[rank] = rank * call.count;
        bytes[rank] = disps[rank] * (int)sizeof(int);
        types[rank] = MPI_INT;
    }
    if (call.collective == EXCHANGE) {
        return MPI_Alltoall(send, call.count, MPI_INT, receive, call.count, MPI_INT, comm);
    }
    if (call.collective == EXCHANGE_V) {
        return MPI_Alltoallv(send, counts, disps, MPI_INT, receive, counts, disps, MPI_INT, comm);
    }
    if (call.collective == EXCHANGE_W) {
        return MPI_Alltoallw(send, counts, bytes, types, receive, counts, bytes, types, comm);
    }
    if (call.collective == GATHER_V_OTHERWISE) { /* the same sum */
        counts[0]++;
        counts[test_size - 1]--;
    }
    return MPI_Allgatherv(send, counts[test_rank], MPI_INT, receive, counts, disps, MPI_INT, comm);
}

/* MPI_Gatherv or MPI_Scatterv of equal blocks. */
static int make_v(struct call call, void *send, void *receive, int root, MPI_Comm comm)
{
    int counts[RANKS_MAX], disps[RANKS_MAX];
    for (int rank = 0; rank < test_size; rank++) {
        counts[rank] = call.count;
        disps[rank] = rank * call.count;
    }
    if (call.collective >= ROOT_SCATTER_V) {
        return MPI_Scatterv(send, counts, disps, MPI_INT, receive, call.count, MPI_INT, root, comm);
    }
    return MPI_Gatherv(send, call.count, MPI_INT, receive, counts, disps, MPI_INT, root, comm);
}

static int make_rooted(struct call call, void *send, void *receive, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm)
{
    int root = (call.collective - BCAST) % 2;
    switch (call.collective) {
    case BCAST:
    case BCAST_FROM_1:
        return MPI_Bcast(receive, call.count, type, root, comm);
    case ROOT_REDUCE:
    case ROOT_REDUCE_TO_1:
        return MPI_Reduce(send, receive, call.count, type, op, root, comm);
    case ROOT_GATHER:
    case ROOT_GATHER_TO_1:
        return MPI_Gather(send, call.count, type, receive, call.count, type, root, comm);
    case ROOT_GATHER_V:
    case ROOT_GATHER_V_TO_1:
    case ROOT_SCATTER_V:
    case ROOT_SCATTER_V_FROM_1:
        return make_v(call, send, receive, root, comm);
    default:
        return MPI_Scatter(send, call.count, type, receive, call.count, type, root, comm);
    }
}

static int make(struct call call, void *send, void *receive, MPI_Comm comm)
{
    const MPI_Datatype types[] = {MPI_INT, MPI_FLOAT, MPI_DOUBLE, MPI_C_DOUBLE_COMPLEX};
    const MPI_Op ops[] = {MPI_SUM, MPI_MAX, user_op};
    if (call.collective == GATHER) {
        return MPI_Allgather(send, call.count, types[call.type], receive, call.count,
                             types[call.type], comm);
    }
    if (call.collective == BARRIER) {
        return MPI_Barrier(comm);
    }
    if (call.collective >= EXCHANGE && call.collective <= EXCHANGE_W) {
        return exchange(call, send, receive, comm);
    }
    if (call.collective >= BCAST) {
        return make_rooted(call, send, receive, types[call.type], ops[call.op], comm);
    }
    if (call.collective == SCATTER_BLOCK) {
        return MPI_Reduce_scatter_block(send, receive, call.count, types[call.type], ops[call.op],
                                        comm);
    }
    if (call.collective >= SCAN) {
        return (call.collective == SCAN ? MPI_Scan : MPI_Exscan)(
            send, receive, call.count, types[call.type], ops[call.op], comm);
    }
    if (call.collective >= SCATTER) {
        int counts[RANKS_MAX];
        for (int rank = 0; rank < test_size; rank++) {
            counts[rank] = call.count;
        }
        if (call.collective == SCATTER_OTHERWISE) { /* the same sum */
            counts[0]++;
            counts[test_size - 1]--;
        }
        return MPI_Reduce_scatter(send, receive, counts, types[call.type], ops[call.op], comm);
    }
    return MPI_Allreduce(send, receive, call.count, types[call.type], ops[call.op], comm);
}

static void check_error(int error, int expected)
{
    int class = MPI_SUCCESS;
    if (error == MPI_SUCCESS && expected != MPI_SUCCESS) {
        test_fail("expected an error; got no error");
        return;
    }
    MPI_Error_class(error, &class);
    if (class != expected) {
        test_fail("expected error class %d, found %d", expected, class);
    }
}

/* ---- who hears ------------------------------------------------------------------------------- */

static bool is_prefix(const struct call *call)
{
    return call->collective == SCAN || call->collective == EXSCAN;
}

static bool is_gatherv(const struct call *call)
{
    return call->collective == ROOT_GATHER_V || call->collective == ROOT_GATHER_V_TO_1;
}

static bool is_loose(const struct call *call)
{
    return (call->collective >= BCAST || (is_prefix(call) && call->op != USER)) &&
           call->count < LARGE - 1;
}

/* Whether a rank that makes the call needs the data of the other, and so waits for it. */
static bool waits_for(const struct call *call, int rank, int other)
{
    bool from_root = call->collective == BCAST || call->collective == BCAST_FROM_1 ||
                     (call->collective >= ROOT_SCATTER && !is_gatherv(call));
    int root = (call->collective - BCAST) % 2;
    return !is_loose(call) || (is_prefix(call) ? other < rank
                               : from_root     ? rank != root && other == root
                                               : rank == root);
}

static bool hears(const struct disagreement *what, int odd)
{
    const struct call *call = test_rank == odd ? &what->odd : &what->usual;
    for (int other = 0; other < test_size; other++) {
        if ((other == odd) != (test_rank == odd) && waits_for(call, test_rank, other)) {
            return true;
        }
    }
    return false;
}

/* Whose room is too small depends on who is odd, unless all ranks send to all. */
static int class_of(const struct disagreement *what, int odd)
{
    bool turns = odd == 0 && (what->odd.collective >= BCAST || is_prefix(&what->odd));
    return turns && what->class == MPI_ERR_COUNT      ? MPI_ERR_TRUNCATE
           : turns && what->class == MPI_ERR_TRUNCATE ? MPI_ERR_COUNT
                                                      : what->class;
}

/* For tests/results/disagree.tap, which looks for the message then. */
static void somebody_hears_say(const struct disagreement *what, bool this_rank)
{
    int here = this_rank, anywhere = 0;
    MPI_Allreduce(&here, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (test_rank == 0 && anywhere != 0) {
        printf("heard: %s\n", what->name);
    }
}

/* A buffer of one call, from the heap or not; the gathered blocks of 4 ranks fit. */
static void *new_buffer(bool heap)
{
    void *buffer = NULL;
    if (heap) {
        MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &buffer);
    } else {
        buffer = malloc(BYTES);
    }
    if (buffer == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 2);
        exit(2);
    }
    memset(buffer, 0, BYTES);
    return buffer;
}

static void delete_buffer(void *buffer, bool heap)
{
    if (heap) {
        MPI_Free_mem(buffer);
    } else {
        free(buffer);
    }
}

/* Whether the communicator has been used before, which rank is the odd one, whose memory it is, and
 * which handler hears of it vary from one to the next. */
static void disagree(const struct disagreement *what, int variant)
{
    MPI_Comm comm;
    MPI_Errhandler errhandler;
    bool heap = variant / 2 % 2 != 0;
    bool own_handler = variant % 2 != 0;
    int odd = variant % 3 == 0 ? 0 : test_size - 1;
    void *send = new_buffer(heap);
    void *receive = new_buffer(heap);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, what->name);
    test_case("%s, variant %d", what->name, variant);
    if (variant % 2 == 0 || what->odd.collective == BARRIER) { /* which sets up nothing */
        test_exercise(comm, ++number, 4096); /* otherwise this is the first call on it */
    }
    MPI_Comm_create_errhandler(handler, &errhandler);
    MPI_Comm_set_errhandler(comm, own_handler ? errhandler : MPI_ERRORS_RETURN);
    for (int again = 0; again < 2; again++) {
        handled = 0;
        int error = make(test_rank == odd ? what->odd : what->usual, send, receive, comm);
        bool expected = hears(what, odd);
        check_error(error, expected ? class_of(what, odd) : MPI_SUCCESS);
        if (handled != (own_handler && expected) || (handled > 0 && handled_comm != comm)) {
            test_fail("expected %d call of this communicator's handler, found %d",
                      own_handler && expected, handled);
        }
        test_check(!handled || handled_code == error, "the same error for the handler");
        somebody_hears_say(what, expected);
        test_exercise(again == 0 ? comm : MPI_COMM_WORLD, ++number, 100000);
    }
    test_exercise(comm, ++number, 100000);
    MPI_Errhandler_free(&errhandler);
    MPI_Comm_free(&comm);
    delete_buffer(receive, heap);
    delete_buffer(send, heap);
}

static void disagree_fatally(const char *name)
{
    void *send = new_buffer(false);
    void *receive = new_buffer(false);
    for (int i = 0; i < DISAGREEMENTS; i++) {
        const struct disagreement *what = &disagreements[i];
        if (strcmp(name, what->name) == 0) {
            make(test_rank == test_size - 1 ? what->odd : what->usual, send, receive,
                 MPI_COMM_WORLD);
        }
    }
    printf("disagree: rank %d got no error\n", test_rank);
    fflush(stdout);
    free(receive);
    free(send);
}

int main(int argc, char **argv)
{
    const char *fatal = argc == 3 && strcmp(argv[1], "fatal") == 0 ? argv[2] : NULL;
    test_begin(fatal != NULL ? 1 : argc, argv, "disagree", MPI_THREAD_SINGLE);
    MPI_Op_create(add, 1, &user_op);
    if (fatal != NULL) {
        disagree_fatally(fatal);
    } else {
        for (int i = 0; i < DISAGREEMENTS; i++) {
            disagree(&disagreements[i], i + test_size);
        }
    }
    MPI_Op_free(&user_op);
    return test_end();
}
