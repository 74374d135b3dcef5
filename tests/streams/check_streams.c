/*
 * Collectives on CUDA streams against blocking ones on the same data: all collectives, types and
 * operations at random, with blocks of any length at any address, in place and not, on several
 * communicators and streams.  In each round a rank makes the calls one by one, or has them in a
 * graph that it launches again for the next rounds.
 *
 *     check_streams [--rounds N] [--most BYTES] [--threads]
 *
 * With --threads, MPI gives MPI_THREAD_MULTIPLE, and some calls have datatypes with gaps, which
 * differ between ranks, or an operation of the program's: the host has a part in them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/cuda_memory.h"
#include "tests/harness/cuda_streams.h"
#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 4, REPEATS = 3, COMMS = 2, GUARD = 64, RANKS = 8 };
enum { POISON = 0xa5 };

enum kind {
    ALLREDUCE, REDUCE, REDUCE_SCATTER, BCAST, ALLGATHER, ALLTOALL, GATHER, SCATTER, BARRIER, KINDS
};
static const char *const names[KINDS] = {
    "all-reduce", "reduce", "reduce-scatter", "broadcast", "all-gather", "all-to-all", "gather",
    "scatter", "barrier",
};

/* A call with its memory: of the stream's call, and of the blocking one. */
struct call {
    enum kind kind;
    MPI_Datatype type;
    MPI_Op op;
    int count, root, comm;
    bool in_place;
    size_t extent, offset;
    unsigned char *memory[2][2]; /* [blocking][receive] */
};

static uint64_t most = 20000; /* bytes of a block */
static bool has_threads;
static size_t room;           /* bytes of each array */
static MPI_Comm comms[COMMS];
static void *streams[COMMS];
static unsigned char *host[2];

static uint64_t draw(uint64_t place, uint64_t what, uint64_t below)
{
    return test_random(what, place) % below;
}

/* ---- types ----------------------------------------------------------------------------------- */

/* Two integers each: with gaps, back to front, and as they are. */
enum { GAPPED, TURNED, WHOLE, DERIVED };
static MPI_Datatype derived[DERIVED];
static MPI_Op own_op; /* on any of these, and on MPI_INT */

static void integers_add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const int *from = in;
    int *to = inout;
    MPI_Aint lower, extent;
    MPI_Type_get_extent(*type, &lower, &extent);
    const int step = (int)extent / (int)sizeof(int), other = step == 4 ? 2 : step / 2;
    for (int i = 0; i < *count; i++) {
        to[i * step] += from[i * step];
        if (step > 1) {
            to[i * step + other] += from[i * step + other];
        }
    }
}

static void derived_make(void)
{
    const int places[] = {1, 0};
    MPI_Datatype vector;
    MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, 4 * (MPI_Aint)sizeof(int), &derived[GAPPED]);
    MPI_Type_create_indexed_block(2, 1, places, MPI_INT, &derived[TURNED]);
    MPI_Type_contiguous(2, MPI_INT, &derived[WHOLE]);
    for (int i = 0; i < DERIVED; i++) {
        MPI_Type_commit(&derived[i]);
    }
    MPI_Type_free(&vector);
    MPI_Op_create(integers_add, 1, &own_op);
}

static bool is_derived(MPI_Datatype type)
{
    return has_threads && (type == derived[GAPPED] || type == derived[TURNED] ||
                           type == derived[WHOLE]);
}

static MPI_Datatype type_of(uint64_t number, bool is_pair)
{
    const MPI_Datatype pairs[] = {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT,
                                  MPI_SHORT_INT};
    const MPI_Datatype types[] = {
        MPI_FLOAT, MPI_DOUBLE, MPI_INT, MPI_UINT32_T, MPI_UINT64_T, MPI_INT64_T, MPI_SHORT,
        MPI_UNSIGNED_CHAR, MPI_SIGNED_CHAR, MPI_LONG_LONG, MPI_UINT16_T,
    };
    return is_pair ? pairs[number % (sizeof(pairs) / sizeof(*pairs))]
                   : types[number % (sizeof(types) / sizeof(*types))];
}

/* Operations that are exact on small whole numbers, whatever the type. */
static MPI_Op op_of(uint64_t number, bool is_pair)
{
    const MPI_Op ops[] = {MPI_SUM, MPI_MIN, MPI_MAX, MPI_SUM};
    const MPI_Op locations[] = {MPI_MINLOC, MPI_MAXLOC};
    return is_pair ? locations[number % 2] : ops[number % 4];
}

/* Small whole numbers, in any type; what lies between the parts of a pair is alike everywhere. */
static void element_fill(unsigned char *to, MPI_Datatype type, size_t extent, uint64_t random)
{
    const int number = (int)(random % 16), index = (int)(random >> 8 & 63);
    memset(to, 0, extent);
    if (is_derived(type)) {
        for (size_t at = 0; at < extent; at += sizeof(number)) {
            to[at] = (unsigned char)(number + (int)at);
        }
        return;
    }
    if (type == MPI_FLOAT || type == MPI_FLOAT_INT) {
        const float value = (float)number;
        memcpy(to, &value, sizeof(value));
    } else if (type == MPI_DOUBLE || type == MPI_DOUBLE_INT) {
        const double value = number;
        memcpy(to, &value, sizeof(value));
    } else {
        to[0] = (unsigned char)number; /* little-endian, as every machine with CUDA is */
    }
    if (type == MPI_FLOAT_INT || type == MPI_2INT || type == MPI_SHORT_INT) {
        memcpy(to + 4, &index, sizeof(index));
    } else if (type == MPI_DOUBLE_INT || type == MPI_LONG_INT) {
        memcpy(to + 8, &index, sizeof(index));
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool reduces(const struct call *call)
{
    return call->kind <= REDUCE_SCATTER;
}

static bool is_in_place(const struct call *call)
{
    const bool is_rooted = call->kind == REDUCE || call->kind == GATHER || call->kind == SCATTER;
    return call->in_place && (!is_rooted || test_rank == call->root);
}

/* Copies may have another type on each rank, of the same integers. */
static void derived_draw(struct call *call, uint64_t place)
{
    const uint64_t own = place * RANKS + (uint64_t)test_rank;
    if (!reduces(call)) {
        call->type = derived[draw(own, 30, DERIVED)];
    } else {
        call->type = draw(place, 31, 2) == 0 ? MPI_INT : derived[draw(place, 32, 2) * WHOLE];
        call->op = own_op;
    }
}

static void call_draw(struct call *call, uint64_t place, int comm)
{
    const bool is_pair = draw(place, 1, 4) == 0;
    MPI_Aint lower, extent;
    size_t most_extent;
    call->kind = (enum kind)draw(place, 2, KINDS);
    call->type = type_of(draw(place, 3, 1000), is_pair);
    call->op = op_of(draw(place, 4, 1000), is_pair);
    call->root = (int)draw(place, 5, (uint64_t)test_size);
    call->in_place = draw(place, 6, 2) == 0;
    call->comm = comm;
    if (has_threads && draw(place, 33, 3) == 0) {
        derived_draw(call, place);
    }
    MPI_Type_get_extent(call->type, &lower, &extent);
    call->extent = (size_t)extent;
    most_extent = is_derived(call->type) ? 4 * sizeof(int) : call->extent;
    /* Few elements in one call of three; none now and then. */
    const uint64_t elements = draw(place, 7, 3) == 0 ? draw(place, 8, 9)
                                                     : draw(place, 8, most / most_extent);
    call->count = (int)elements;
    /* On some ranks at an address that only its own type divides. */
    call->offset = draw(place * RANKS + (uint64_t)test_rank, 9, 4) * call->extent;
}

static void make(const struct call *call, bool blocking)
{
    unsigned char *from = call->memory[blocking][0] + call->offset;
    unsigned char *to = call->memory[blocking][1] + call->offset;
    MPI_Comm comm = comms[call->comm];
    const void *send = is_in_place(call) ? MPI_IN_PLACE : from;
    MPI_Datatype type = call->type;
    const int count = call->count, root = call->root;
#define CALL(name, ...) \
    (void)(blocking ? MPI_##name(__VA_ARGS__, comm) : MPIX_##name##_enqueue(__VA_ARGS__, comm))
    switch (call->kind) {
    case ALLREDUCE:
        CALL(Allreduce, send, to, count, type, call->op);
        break;
    case REDUCE:
        CALL(Reduce, send, to, count, type, call->op, root);
        break;
    case REDUCE_SCATTER:
        CALL(Reduce_scatter_block, send, to, count, type, call->op);
        break;
    case BCAST:
        CALL(Bcast, to, count, type, root);
        break;
    case ALLGATHER:
        CALL(Allgather, send, count, type, to, count, type);
        break;
    case ALLTOALL:
        CALL(Alltoall, send, count, type, to, count, type);
        break;
    case GATHER:
        CALL(Gather, send, count, type, to, count, type, root);
        break;
    case SCATTER:
        CALL(Scatter, from, count, type, is_in_place(call) ? MPI_IN_PLACE : to, count, type, root);
        break;
    default:
        (void)(blocking ? MPI_Barrier(comm) : MPIX_Barrier_enqueue(comm));
    }
#undef CALL
}

/* ---- data ------------------------------------------------------------------------------------ */

/* Whether the array has input of this rank; otherwise it is poisoned. */
static bool is_input(const struct call *call, int receive)
{
    if (call->kind == BCAST) {
        return receive && test_rank == call->root;
    }
    return receive == (call->kind != SCATTER && is_in_place(call));
}

static void call_fill(const struct call *call, uint64_t place)
{
    const size_t blocks = reduces(call) && call->kind != REDUCE_SCATTER ? 1 : (size_t)test_size;
    const size_t elements = (size_t)call->count * blocks;
    for (int receive = 0; receive < 2; receive++) {
        memset(host[0], POISON, room);
        for (size_t i = 0; i < elements && is_input(call, receive); i++) {
            element_fill(host[0] + call->offset + i * call->extent, call->type, call->extent,
                         test_random(place * RANKS + (uint64_t)test_rank, i));
        }
        cuda_memory_write(call->memory[0][receive], host[0], room);
        cuda_memory_write(call->memory[1][receive], host[0], room);
    }
    cuda_memory_settle();
}

/* What a reduce-scatter in place leaves behind its result is not defined. */
static size_t compared(const struct call *call, int receive)
{
    return call->kind == REDUCE_SCATTER && receive && is_in_place(call)
               ? call->offset + (size_t)call->count * call->extent : room;
}

/* Blocking calls leave gaps as they were; on streams pairs are copied with them. */
static void gaps_clear(const struct call *call, unsigned char *bytes)
{
    size_t at = 0, length = 0;
    if (call->type == MPI_SHORT_INT) {
        at = 2;
        length = 2;
    } else if (call->type == MPI_DOUBLE_INT || call->type == MPI_LONG_INT) {
        at = 12;
        length = 4;
    }
    for (size_t i = call->offset; length > 0 && i + call->extent <= room; i += call->extent) {
        memset(bytes + i + at, 0, length);
    }
}

static void call_check(const struct call *call, const char *how)
{
    static const char *const arrays[] = {"send buffer", "receive buffer"};
    for (int receive = 0; receive < 2; receive++) {
        const size_t bytes = compared(call, receive);
        for (int blocking = 0; blocking < 2; blocking++) {
            cuda_memory_read(host[blocking], call->memory[blocking][receive], room);
            gaps_clear(call, host[blocking]);
        }
        size_t i = 0;
        while (i < bytes && host[0][i] == host[1][i]) {
            i++;
        }
        if (i < bytes) {
            test_fail("%s of %d elements of %zu bytes, offset %zu, root %d, %s, %s: %s: byte %zu: "
                      "expected %u, found %u", names[call->kind], call->count, call->extent,
                      call->offset, call->root, call->in_place ? "in place" : "out of place", how,
                      arrays[receive], i, host[1][i], host[0][i]);
        }
    }
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static void calls_make(struct call *calls, int count)
{
    for (int i = 0; i < count; i++) {
        make(&calls[i], false);
    }
}

/* The ranks differ in what they put into graphs; a graph is launched again with other data. */
static void round_make(struct call *calls, uint64_t round)
{
    const int comm = (int)draw(round, 11, COMMS), count = 1 + (int)draw(round, 12, CALLS);
    const uint64_t own = round * RANKS + (uint64_t)test_rank;
    const bool has_graph = draw(own, 13, 2) == 0;
    void *stream = streams[comm], *graph = NULL;
    for (int i = 0; i < count; i++) {
        call_draw(&calls[i], round * CALLS + (uint64_t)i, comm);
    }
    test_case("round %d", (int)round);
    if (has_graph) {
        cuda_capture_begin(stream);
        calls_make(calls, count);
        graph = cuda_capture_end(stream);
    }
    for (uint64_t repeat = 0; repeat < REPEATS; repeat++) {
        for (int i = 0; i < count; i++) {
            call_fill(&calls[i], (round * REPEATS + repeat) * CALLS + (uint64_t)i);
        }
        if (draw(own, 14 + repeat, 4) == 0) {
            cuda_stream_delay(stream, (unsigned)draw(own, 20 + repeat, 2000));
        }
        if (has_graph) {
            cuda_graph_launch(graph, stream);
        } else {
            calls_make(calls, count);
        }
        cuda_stream_await(stream);
        for (int i = 0; i < count; i++) {
            make(&calls[i], true);
            call_check(&calls[i], has_graph ? "in a graph" : "queued");
        }
    }
    if (has_graph) {
        cuda_graph_destroy(graph);
    }
}

/* Returns how many arguments are its own. */
static int arguments_read(int argc, char **argv, uint64_t *rounds)
{
    int i = 1;
    while (i < argc) {
        if (strcmp(argv[i], "--threads") == 0) {
            has_threads = true;
            i++;
        } else if (i + 1 < argc && strcmp(argv[i], "--rounds") == 0) {
            *rounds = test_number(argv[i], argv[i + 1]);
            i += 2;
        } else if (i + 1 < argc && strcmp(argv[i], "--most") == 0) {
            most = test_number(argv[i], argv[i + 1]);
            i += 2;
        } else {
            break;
        }
    }
    return i - 1;
}

int main(int argc, char **argv)
{
    static struct call calls[CALLS];
    uint64_t rounds = 60;
    const int own = arguments_read(argc, argv, &rounds);
    test_begin(argc - own, argv + own, "check_streams",
               has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
    if (has_threads) {
        derived_make();
    }
    const char *local = getenv("OMPI_COMM_WORLD_LOCAL_RANK");
    cuda_memory_open(local != NULL ? atoi(local) : test_rank);
    cuda_streams_open();
    room = (most + 8 * GUARD) * (size_t)test_size + GUARD;
    /* Without our components blocking calls take memory of the host only. */
    const enum cuda_memory own_kind =
        test_expects_symm() && test_rank % 2 == 1 ? CUDA_MEMORY_MPI : CUDA_MEMORY_ALLOC;
    const enum cuda_memory other_kind = test_expects_symm() ? own_kind : CUDA_MEMORY_PINNED;
    host[0] = malloc(room);
    host[1] = malloc(room);
    for (int i = 0; i < CALLS; i++) {
        for (int j = 0; j < 4; j++) {
            calls[i].memory[j / 2][j % 2] =
                cuda_memory_get(j < 2 ? own_kind : other_kind, room);
        }
    }
    for (int i = 0; i < COMMS; i++) {
        streams[i] = cuda_stream_make();
    }
    comms[0] = cuda_mpix_comm(MPI_COMM_WORLD, streams[0]);
    MPI_Comm_dup(comms[0], &comms[1]); /* its lane begins with its first call */
    symm_mpix_comm_set_stream(comms[1], streams[1]);
    for (uint64_t round = 0; round < rounds; round++) {
        round_make(calls, round);
    }
    for (int i = 0; i < COMMS; i++) {
        test_check(symm_mpix_comm_state(comms[i], NULL, 0) == MPI_SUCCESS, "the lane is sound");
        MPI_Comm_free(&comms[i]);
    }
    return test_end();
}
