/*
 * check_across_requests.c - nonblocking and persistent calls on communicators over several nodes,
 * many at a time, beside blocking ones: the requests of a plan's steps must meet those of the same
 * call on the other ranks, whatever is under way.
 *
 * Ranks are late by turns, wait in orders of their own, and start persistent requests in orders of
 * their own.  Types and operations of nonblocking calls are freed while these are under way; not
 * those of persistent ones, which libnbc does not hold.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdlib.h>

#include "tests/harness/harness.h"
#include "tests/harness/persistent.h"

enum kind { ALLREDUCE, BCAST, REDUCE, ALLGATHER, REDUCE_SCATTER, ALLTOALL, BARRIER, KINDS };
static const char *const names[KINDS] = {
    "allreduce", "bcast", "reduce", "allgather", "reduce_scatter_block", "alltoall", "barrier"};

enum { CALLS = 12, MOST = 300000, ROUNDS = 12, STARTS = 3 };

struct call {
    enum kind kind;
    int count, root; /* elements: of a reduction or broadcast, or of a block */
    bool is_persistent, in_place;
    int *input, *output;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Request request;
};

static MPI_Comm comm;

/* Alike on all ranks. */
static unsigned draw_number(uint64_t *place)
{
    return (unsigned)(test_random(53, (*place)++) >> 33);
}

/* ---- data ------------------------------------------------------------------------------------ */

static int given(const struct call *call, int rank, int i)
{
    return (rank + 1) * 1000 + (int)call->kind + i % 977;
}

static int blocks_in(const struct call *call)
{
    return call->kind == REDUCE_SCATTER || call->kind == ALLTOALL ? test_size : 1;
}

static int blocks_out(const struct call *call)
{
    return call->kind == ALLGATHER || call->kind == ALLTOALL ? test_size : 1;
}

static void fill(struct call *call)
{
    for (int i = 0; i < call->count * blocks_in(call); i++) {
        call->input[i] = given(call, test_rank, i);
    }
    for (int i = 0; i < call->count * blocks_out(call); i++) {
        call->output[i] = -1;
    }
    if (call->in_place || (call->kind == BCAST && test_rank == call->root)) {
        for (int i = 0; i < call->count; i++) {
            call->output[i] = call->input[i];
        }
    }
}

static int expected(const struct call *call, int i)
{
    int block = i / call->count, at = i % call->count, sum = 0;
    switch (call->kind) {
    case BCAST: return given(call, call->root, i);
    case ALLGATHER: return given(call, block, at);
    case ALLTOALL: return given(call, block, test_rank * call->count + at);
    default:
        at = call->kind == REDUCE_SCATTER ? test_rank * call->count + i : i;
        for (int rank = 0; rank < test_size; rank++) {
            sum += given(call, rank, at);
        }
        return sum;
    }
}

static void check(const struct call *call)
{
    bool has_output = call->kind != BARRIER && (call->kind != REDUCE || test_rank == call->root);
    for (int i = 0; has_output && i < call->count * blocks_out(call); i++) {
        if (call->output[i] != expected(call, i)) {
            test_fail("%s of %d: element %d is %d instead of %d", names[call->kind], call->count,
                      i, call->output[i], expected(call, i));
            return;
        }
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void sum(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++) {
        ((int *)inout)[i] += ((int *)in)[i];
    }
}

static void let_go(struct call *call)
{
    MPI_Type_free(&call->type);
    MPI_Op_free(&call->op);
}

#define CALL(Name, name, ...)                                                                    \
    (call->is_persistent ? PERSISTENT(Name)(__VA_ARGS__, comm, MPI_INFO_NULL, &call->request)    \
                         : MPI_I##name(__VA_ARGS__, comm, &call->request))

static void make(struct call *call)
{
    const void *input = call->in_place ? MPI_IN_PLACE : call->input;
    int count = call->count, root = call->root, *output = call->output;
    MPI_Type_contiguous(1, MPI_INT, &call->type);
    MPI_Type_commit(&call->type);
    MPI_Op_create(sum, root % 2, &call->op);
    MPI_Datatype type = call->type;
    switch (call->kind) {
    case ALLREDUCE:
        CALL(Allreduce, allreduce, input, output, count, MPI_INT, MPI_SUM);
        break;
    case BCAST:
        CALL(Bcast, bcast, output, count, type, root);
        break;
    case REDUCE:
        CALL(Reduce, reduce, input, output, count, MPI_INT, call->op, root);
        break;
    case ALLGATHER:
        CALL(Allgather, allgather, input, count, type, output, count, type);
        break;
    case REDUCE_SCATTER:
        CALL(Reduce_scatter_block, reduce_scatter_block, input, output, count, MPI_INT, MPI_SUM);
        break;
    case ALLTOALL:
        CALL(Alltoall, alltoall, input, count, type, output, count, type);
        break;
    default:
        if (call->is_persistent) {
            PERSISTENT(Barrier)(comm, MPI_INFO_NULL, &call->request);
        } else {
            MPI_Ibarrier(comm, &call->request);
        }
    }
    if (!call->is_persistent) {
        let_go(call);
    }
}

static void blocking_try(int count)
{
    struct call call = {.kind = ALLREDUCE, .count = count,
                        .input = malloc((size_t)count * sizeof(int)),
                        .output = malloc((size_t)count * sizeof(int))};
    fill(&call);
    MPI_Allreduce(call.input, call.output, count, MPI_INT, MPI_SUM, comm);
    check(&call);
    free(call.input);
    free(call.output);
}

static void draw(struct call *call, uint64_t *place, bool is_persistent)
{
    static const int counts[] = {1, 17, 5000, 20001, 100003, MOST};
    call->kind = (enum kind)(draw_number(place) % KINDS);
    call->count = counts[draw_number(place) % (sizeof(counts) / sizeof(counts[0]))];
    call->root = (int)(draw_number(place) % (unsigned)test_size);
    call->in_place = call->kind == ALLREDUCE && draw_number(place) % 2 == 0;
    call->is_persistent = is_persistent;
    if (blocks_in(call) > 1 || blocks_out(call) > 1) {
        call->count = call->count / test_size + 1;
    }
    call->input = malloc((size_t)(call->count * blocks_in(call)) * sizeof(int));
    call->output = malloc((size_t)(call->count * blocks_out(call)) * sizeof(int));
    fill(call);
}

static void end(struct call *call)
{
    free(call->input);
    free(call->output);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static void nonblocking_try(int round, uint64_t *place)
{
    struct call calls[CALLS];
    test_case("nonblocking calls, round %d", round);
    for (int i = 0; i < CALLS; i++) {
        draw(&calls[i], place, false);
        if (round % test_size == test_rank && i == CALLS / 2) {
            test_delay(20000);
        }
        make(&calls[i]);
        if (draw_number(place) % 4 == 0) {
            blocking_try(draw_number(place) % 2 == 0 ? 100 : MOST);
        }
    }
    for (int i = 0; i < CALLS; i++) {
        struct call *call = &calls[(i * 5 + test_rank) % CALLS];
        MPI_Wait(&call->request, MPI_STATUS_IGNORE);
        check(call);
        end(call);
    }
}

static void persistent_try(int round, uint64_t *place)
{
    struct call calls[CALLS], other;
    test_case("persistent calls, round %d", round);
    for (int i = 0; i < CALLS; i++) {
        draw(&calls[i], place, true);
        make(&calls[i]);
    }
    for (int start = 0; start < STARTS; start++) {
        for (int i = 0; i < CALLS; i++) {
            struct call *call = &calls[(i * 7 + test_rank + start) % CALLS];
            fill(call);
            MPI_Start(&call->request);
        }
        draw(&other, place, false);
        make(&other);
        blocking_try(MOST);
        for (int i = 0; i < CALLS; i++) {
            MPI_Wait(&calls[i].request, MPI_STATUS_IGNORE);
            check(&calls[i]);
        }
        MPI_Wait(&other.request, MPI_STATUS_IGNORE);
        check(&other);
        end(&other);
    }
    for (int i = 0; i < CALLS; i++) {
        MPI_Request_free(&calls[i].request);
        let_go(&calls[i]);
        end(&calls[i]);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_across_requests", MPI_THREAD_SINGLE);
    uint64_t place = 0;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        blocking_try(MOST); /* from here on nonblocking calls have plans */
        nonblocking_try(round, &place);
        persistent_try(round, &place);
        MPI_Comm_free(&comm);
    }
    return test_end();
}
