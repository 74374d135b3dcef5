/*
 * Processes that die and communicators that are revoked, with Open MPI's ULFM extension: calls
 * return an error instead of waiting for ever, buffers are the program's own again when they do,
 * and the survivors go on with a communicator from MPIX_Comm_shrink.  For
 * tests/processes/failures.tap.
 *
 *   check_failures revoked KIND       rank 0 revokes a communicator in which the others wait
 *   check_failures dead KIND RANK     that rank dies instead of making a call
 *   check_failures first KIND RANK    likewise, and it is the communicator's first call
 *   check_failures loose CALL RANK    likewise, among small calls where others do not wait for all;
 *                                     -1: the driver lets a rank die (SYMM_STANDIN_FAIL)
 *   check_failures inside RANK        that rank dies while it reduces; another one is slow and must
 *                                     not store to the buffers of those that have returned
 *   check_failures times RANKS SEED   so many ranks die at random times of calls of all kinds
 *
 * KIND: small, large (memory from malloc), heap (from MPI_Alloc_mem), gather (likewise, an
 * all-gather), gatherv, scatterv (likewise, with rank 0 as the root)
 * CALL: bcast, scatter, reduce, gather; the root is rank 0
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/processes/survivors.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef OMPI_HAVE_MPI_EXT_FTMPI

enum { SMALL = 64, LARGE = 60000 };

enum { RANKS_MAX = 64 };

enum kind {
    KIND_SMALL,
    KIND_LARGE,
    KIND_HEAP,
    KIND_GATHER,
    KIND_GATHERV,
    KIND_SCATTERV,
    KINDS
};

static const char *const kind_names[KINDS] = {"small",  "large",   "heap",
                                              "gather", "gatherv", "scatterv"};

struct arrays {
    double *send, *receive;
    bool heap;
};

/* ---- calls ----------------------------------------------------------------------------------- */

static struct arrays arrays_make(enum kind kind)
{
    bool heap = kind >= KIND_HEAP;
    return (struct arrays){array_make(LARGE, heap), array_make(LARGE, heap), heap};
}

static void arrays_free(const struct arrays *arrays)
{
    array_free(arrays->send, arrays->heap);
    array_free(arrays->receive, arrays->heap);
}

/*
 * A result: in blocks of so many elements, `first` + `slope` i in the first one, and 1 more in each
 * that follows.  What is wrong says where, and what there is: -1 was never stored to.
 */
static void check_result(const struct arrays *arrays, const char *what, int count, int block,
                         double first, double slope, int size)
{
    const double *receive = arrays->receive;
    int bad = 0, place = 0;
    for (int i = count - 1; i >= 0; i--) {
        if (receive[i] != first + slope * (i % block) + i / block) {
            bad++;
            place = i;
        }
    }
    if (bad > 0) {
        wrong("%d of %d elements of %s, from %d on: %.0f instead of %.0f (%d ranks, %s memory)",
              bad, count, what, place, receive[place],
              first + slope * (place % block) + place / block, size,
              arrays->heap ? "symmetric" : "plain");
    }
}

/* MPI_Gatherv to rank 0, or MPI_Scatterv from it, of equal blocks one behind the other. */
static int call_with_root(MPI_Comm comm, enum kind kind, const struct arrays *arrays, int block)
{
    int rank, size, counts[RANKS_MAX], displacements[RANKS_MAX];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++) {
        counts[i] = block;
        displacements[i] = i * block;
    }
    return kind == KIND_GATHERV
               ? MPI_Gatherv(arrays->send, block, MPI_DOUBLE, arrays->receive, counts,
                             displacements, MPI_DOUBLE, 0, comm)
               : MPI_Scatterv(arrays->send, counts, displacements, MPI_DOUBLE, arrays->receive,
                              block, MPI_DOUBLE, 0, comm);
}

/* One call, checked if it succeeds; its error class. */
static int call(MPI_Comm comm, enum kind kind, const struct arrays *arrays)
{
    int rank, size, rc, count = kind == KIND_SMALL ? SMALL : LARGE;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int block = count / size;
    for (int i = 0; i < count; i++) {
        arrays->send[i] = rank + i;
        arrays->receive[i] = -1;
    }
    if (kind == KIND_GATHER) {
        rc = MPI_Allgather(arrays->send, block, MPI_DOUBLE, arrays->receive, block, MPI_DOUBLE,
                           comm);
    } else if (kind > KIND_GATHER) {
        rc = call_with_root(comm, kind, arrays, block);
    } else {
        rc = MPI_Allreduce(arrays->send, arrays->receive, count, MPI_DOUBLE, MPI_SUM, comm);
    }
    if (rc == MPI_SUCCESS && (kind == KIND_GATHER || (kind == KIND_GATHERV && rank == 0))) {
        check_result(arrays, "an all-gather", block * size, block, 0, 1, size);
    } else if (rc == MPI_SUCCESS && kind == KIND_SCATTERV) {
        check_result(arrays, "a scatter", block, block, rank * block, 1, size);
    } else if (rc == MPI_SUCCESS && kind < KIND_GATHER) {
        check_result(arrays, "an all-reduce", count, count, size * (size - 1) / 2, size, size);
    }
    return class_of(rc);
}

static void expect_call(MPI_Comm comm, enum kind kind, const struct arrays *arrays, int expected,
                        const char *what)
{
    double begun = MPI_Wtime();
    expect(call(comm, kind, arrays), expected, what, begun);
}

/* ---- the survivors go on --------------------------------------------------------------------- */

/* Every kind of call, and new communicators. */
static void go_on(MPI_Comm comm)
{
    MPI_Comm more;
    for (int round = 0; round < 2; round++) {
        for (enum kind kind = KIND_SMALL; kind < KINDS; kind++) {
            struct arrays arrays = arrays_make(kind);
            expect_call(comm, kind, &arrays, MPI_SUCCESS, "a call after MPIX_Comm_shrink");
            arrays_free(&arrays);
        }
        if (round == 0 && MPI_Comm_dup(comm, &more) == MPI_SUCCESS) {
            struct arrays arrays = arrays_make(KIND_SMALL);
            expect_call(more, KIND_SMALL, &arrays, MPI_SUCCESS, "a call on a duplicate");
            arrays_free(&arrays);
            MPI_Comm_free(&more);
        }
    }
}

/* ---- revoked, or a rank is gone -------------------------------------------------------------- */

static MPI_Comm be_revoked(enum kind kind)
{
    MPI_Comm comm = duplicate();
    struct arrays arrays = arrays_make(kind);
    expect_call(comm, kind, &arrays, MPI_SUCCESS, "the first call");
    if (world_rank == 0) {
        pause_for(100);
        MPIX_Comm_revoke(comm);
    } else {
        expect_call(comm, kind, &arrays, MPIX_ERR_REVOKED, "the call that was revoked");
    }
    expect_call(comm, kind, &arrays, MPIX_ERR_REVOKED, "a call afterwards");
    MPI_Comm smaller = shrink(comm, world_size);
    MPI_Comm_free(&comm);
    arrays_free(&arrays);
    return smaller;
}

static MPI_Comm lose(enum kind kind, int doomed, bool first)
{
    MPI_Comm comm = duplicate();
    struct arrays arrays = arrays_make(kind);
    if (!first) {
        expect_call(comm, kind, &arrays, MPI_SUCCESS, "the first call");
    }
    if (world_rank == doomed) {
        pause_for(100);
        raise(SIGKILL);
    }
    expect_call(comm, kind, &arrays, MPIX_ERR_PROC_FAILED, "the call without the dead rank");
    expect_call(comm, kind, &arrays, MPIX_ERR_PROC_FAILED, "a call afterwards");
    MPI_Comm smaller = shrink(comm, world_size - 1);
    MPI_Comm_free(&comm);
    arrays_free(&arrays);
    return smaller;
}

/* ---- ranks that are ahead -------------------------------------------------------------------- */

enum loose {
    LOOSE_BCAST, LOOSE_SCATTER, LOOSE_SCAN, LOOSE_REDUCE, LOOSE_GATHER, LOOSE_GATHERV, LOOSE
};

static const char *const loose_names[LOOSE] = {"bcast",  "scatter", "scan",
                                               "reduce", "gather",  "gatherv"};

/* A small call, checked if it succeeds; its error class. */
static int loose_call(MPI_Comm comm, enum loose which, int number)
{
    int rank, rc, send[RANKS_MAX], receive[RANKS_MAX], expected = number;
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < RANKS_MAX; i++) {
        send[i] = number + (which == LOOSE_SCATTER ? i : rank);
        receive[i] = which == LOOSE_BCAST && rank == 0 ? number : -1;
    }
    if (which == LOOSE_BCAST) {
        rc = MPI_Bcast(receive, 1, MPI_INT, 0, comm);
    } else if (which == LOOSE_SCATTER) {
        rc = MPI_Scatter(send, 1, MPI_INT, receive, 1, MPI_INT, 0, comm);
        expected += rank;
    } else if (which == LOOSE_SCAN) { /* the least is rank 0's */
        rc = MPI_Scan(send, receive, 1, MPI_INT, MPI_MIN, comm);
    } else if (which == LOOSE_REDUCE) {
        rc = MPI_Reduce(send, receive, 1, MPI_INT, MPI_MIN, 0, comm);
    } else if (which == LOOSE_GATHER) {
        rc = MPI_Gather(send, 1, MPI_INT, receive, 1, MPI_INT, 0, comm);
    } else {
        int counts[RANKS_MAX], places[RANKS_MAX];
        for (int i = 0; i < RANKS_MAX; i++) {
            counts[i] = 1;
            places[i] = i;
        }
        rc = MPI_Gatherv(send, 1, MPI_INT, receive, counts, places, MPI_INT, 0, comm);
    }
    if (rc == MPI_SUCCESS && (rank == 0 || which <= LOOSE_SCAN) && receive[0] != expected) {
        wrong("small call %d: %d instead of %d", number, receive[0], expected);
    }
    return class_of(rc);
}

/*
 * A rank dies.  Who waits for it hears so at once, who gives data may first make as many calls as
 * there are slots.  Who gets data from one of those may do so as long as these come.
 */
static MPI_Comm lose_ahead(enum loose which, int doomed)
{
    enum { FIRST = 20, AHEAD = 10 }; /* more calls than there are slots */
    MPI_Comm comm = duplicate();
    int class = MPI_SUCCESS, number = 0;
    while (number < FIRST) {
        expect(loose_call(comm, which, number++), MPI_SUCCESS, "a small call", MPI_Wtime());
    }
    MPI_Barrier(comm);
    if (world_rank == doomed) {
        pause_for(100);
        raise(SIGKILL);
    }
    double begun = MPI_Wtime();
    while (class == MPI_SUCCESS && number < FIRST + AHEAD) {
        class = loose_call(comm, which, number++);
    }
    expect(class, MPIX_ERR_PROC_FAILED, "small calls without the dead rank", begun);
    expect(loose_call(comm, which, number), MPIX_ERR_PROC_FAILED, "one afterwards", MPI_Wtime());
    MPI_Comm smaller = shrink(comm, world_size - 1);
    MPI_Comm_free(&comm);
    return smaller;
}

/* ---- within a call --------------------------------------------------------------------------- */

static int inside_doomed = -1, inside_slow = -1, inside_turns;

/* A sum.  The doomed rank dies in the second block, the slow one sleeps in its first. */
static void deadly_sum(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const double *from = in;
    double *to = inout;
    (void)type;
    inside_turns++;
    if (world_rank == inside_doomed && inside_turns == 2) {
        raise(SIGKILL);
    }
    if (world_rank == inside_slow && inside_turns == 1) {
        pause_for(1000);
    }
    for (int i = 0; i < *count; i++) {
        to[i] += from[i];
    }
}

/* What is in the buffers when a call has returned stays there. */
static MPI_Comm die_inside(int doomed)
{
    MPI_Comm comm = duplicate();
    MPI_Op op;
    struct arrays arrays = arrays_make(KIND_HEAP);
    expect_call(comm, KIND_HEAP, &arrays, MPI_SUCCESS, "the first call");
    MPI_Op_create(deadly_sum, 1, &op);
    inside_doomed = doomed;
    inside_slow = (doomed + 1) % world_size;
    double begun = MPI_Wtime();
    int rc = MPI_Allreduce(arrays.send, arrays.receive, LARGE, MPI_DOUBLE, op, comm);
    for (int i = 0; i < LARGE; i++) {
        arrays.receive[i] = -7;
    }
    expect(class_of(rc), MPIX_ERR_PROC_FAILED, "the call in which a rank dies", begun);
    pause_for(1200);
    int changed = 0;
    for (int i = 0; i < LARGE; i++) {
        changed += arrays.receive[i] != -7;
    }
    if (changed > 0) {
        wrong("%d elements have changed after the call had returned", changed);
    }
    MPI_Comm smaller = shrink(comm, world_size - 1);
    MPI_Comm_free(&comm);
    arrays_free(&arrays);
    MPI_Op_free(&op);
    return smaller;
}

/* ---- at random times ------------------------------------------------------------------------- */

/* Make new communicators and segments, and calls on them, until one fails. */
static void call_until_failure(MPI_Comm comm, double until)
{
    int class = MPI_SUCCESS, more = 1;
    while (class == MPI_SUCCESS && more != 0) {
        MPI_Comm other;
        class = duplicate_class(comm, &other);
        if (class != MPI_SUCCESS) {
            break;
        }
        for (enum kind kind = KIND_SMALL; kind < KINDS && class == MPI_SUCCESS; kind++) {
            struct arrays arrays = arrays_make(kind);
            for (int i = 0; i < 8 && class == MPI_SUCCESS; i++) {
                class = call(i % 2 == 0 ? other : comm, kind, &arrays);
            }
            arrays_free(&arrays);
        }
        if (class != MPI_SUCCESS) {
            MPIX_Comm_revoke(other);
        }
        MPI_Comm_free(&other);
        if (class == MPI_SUCCESS) { /* all end in the same round */
            int mine = MPI_Wtime() < until;
            class = class_of(MPI_Allreduce(&mine, &more, 1, MPI_INT, MPI_MAX, comm));
        }
    }
    if (class != MPI_SUCCESS && class != MPIX_ERR_PROC_FAILED && class != MPIX_ERR_REVOKED) {
        wrong("a call while ranks die: %s", class_name(class));
    }
    if (class != MPI_SUCCESS) {
        MPIX_Comm_revoke(comm);
    }
}

static MPI_Comm die_at_times(int victims, uint64_t seed)
{
    MPI_Comm comm = duplicate();
    int first = (int)(random_at(seed, 0) % (uint64_t)world_size);
    int turn = (world_rank - first + world_size) % world_size; /* as which it dies */
    if (turn < victims) {
        die_after((long)(random_at(seed, (uint64_t)turn + 1) % 300) + 300 * turn);
    }
    double until = MPI_Wtime() + PATIENCE;
    int left = world_size;
    while (left > world_size - victims && MPI_Wtime() < until) {
        call_until_failure(comm, until);
        MPI_Comm smaller = shrink(comm, 0);
        MPI_Comm_free(&comm);
        comm = smaller;
        MPI_Comm_size(comm, &left);
    }
    if (left != world_size - victims) {
        wrong("%d ranks are left of %d", left, world_size - victims);
    }
    return comm;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Its place among so many names; behind them, if it is none of these. */
static int place_of(const char *name, const char *const names[], int count)
{
    int place = 0;
    while (place < count && strcmp(names[place], name) != 0) {
        place++;
    }
    return place;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    bool calls_of_kind = strcmp(how, "revoked") == 0 || strcmp(how, "dead") == 0 ||
                         strcmp(how, "first") == 0;
    bool is_loose = strcmp(how, "loose") == 0 && argc > 3;
    enum kind kind = calls_of_kind && argc > 2 ? (enum kind)place_of(argv[2], kind_names, KINDS)
                                               : KIND_SMALL;
    enum loose loose = is_loose ? (enum loose)place_of(argv[2], loose_names, LOOSE) : LOOSE;
    int last = calls_of_kind || is_loose ? 3 : 2;
    int number = argc > last ? atoi(argv[last]) : 0;
    MPI_Comm left;
    survivors_init("check_failures", &argc, &argv);
    if (strcmp(how, "revoked") == 0 && kind < KINDS) {
        left = be_revoked(kind);
    } else if (calls_of_kind && kind < KINDS) {
        left = lose(kind, number, strcmp(how, "first") == 0);
    } else if (loose < LOOSE) {
        left = lose_ahead(loose, number);
    } else if (strcmp(how, "inside") == 0) {
        left = die_inside(number);
    } else if (strcmp(how, "times") == 0 && argc > 3) {
        left = die_at_times(number, strtoull(argv[3], NULL, 0));
    } else {
        fprintf(stderr, "check_failures: unknown arguments; see the head of its source\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
        return 2;
    }
    go_on(left);
    return verdict(left);
}

#else /* no ULFM */

int main(int argc, char **argv)
{
    return survivors_skip("check_failures", &argc, &argv);
}

#endif
