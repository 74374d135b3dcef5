/*
 * Small calls on streams in great number: lists of calls are made again and again, as graphs on
 * some ranks and call by call on others, by two communicators side by side, on ranks that are late
 * now and then.
 *
 *     check_replays [--replays N] [--kill N]
 *
 * The memory of results is overwritten before each time, and copied to the host behind it.  All of
 * it is compared with what blocking calls gave.  With --kill the last rank ends itself by a signal
 * behind replay N.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/cuda_memory.h"
#include "tests/harness/cuda_streams.h"
#include "tests/harness/harness.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind { ALLREDUCE, REDUCE_SCATTER, ALLGATHER, ALLTOALL, BCAST, BARRIER, KINDS };
enum { LISTS = 4, COMMS = 2, CALLS = 50, MOST = 1024, RANKS = 64, POISON = 0x5a };

/* A call of a list, whose blocks are at these elements of the list's memory. */
struct call {
    enum kind kind;
    int count, root;
    size_t input, output;
};

/* What a list's calls work on, by one communicator: both have the same calls. */
struct work {
    MPI_Comm comm;
    void *stream, *graph;
    int *input, *output, *poison; /* of the device */
    int *results;                 /* pinned */
};

static struct call calls[LISTS][CALLS];
static struct work works[LISTS][COMMS];
static int *expected[LISTS];
static size_t inputs, outputs; /* elements of each list */

static uint64_t draw(uint64_t place, uint64_t what, uint64_t below)
{
    return test_random(what, place) % below;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void list_draw(int list)
{
    const size_t room = (size_t)MOST * (size_t)test_size;
    for (int i = 0; i < CALLS; i++) {
        const uint64_t place = (uint64_t)(list * CALLS + i);
        const uint64_t most = draw(place, 2, 2) == 0 ? 16 : MOST;
        calls[list][i] = (struct call){
            .kind = (enum kind)draw(place, 1, KINDS), .count = 1 + (int)draw(place, 3, most),
            .root = (int)draw(place, 4, (uint64_t)test_size), .input = (size_t)i * room,
            .output = (size_t)i * room,
        };
        /* Elements that eight bytes do not divide. */
        if (draw(place, 5, 4) == 0 && calls[list][i].count < MOST) {
            calls[list][i].output++;
        }
    }
    inputs = outputs = CALLS * room + 1;
}

static void call_make(const struct call *call, const struct work *work, bool blocking)
{
    const int *from = work->input + call->input;
    int *to = work->output + call->output;
    const int count = call->count;
    MPI_Comm comm = work->comm;
#define CALL(name, ...) \
    (void)(blocking ? MPI_##name(__VA_ARGS__, comm) : MPIX_##name##_enqueue(__VA_ARGS__, comm))
    switch (call->kind) {
    case ALLREDUCE:
        CALL(Allreduce, from, to, count, MPI_INT, MPI_SUM);
        break;
    case REDUCE_SCATTER:
        CALL(Reduce_scatter_block, from, to, count, MPI_INT, MPI_MAX);
        break;
    case ALLGATHER:
        CALL(Allgather, from, count, MPI_INT, to, count, MPI_INT);
        break;
    case ALLTOALL:
        CALL(Alltoall, from, count, MPI_INT, to, count, MPI_INT);
        break;
    case BCAST:
        if (test_rank == call->root) {
            from = work->input + call->input;
        }
        CALL(Bcast, test_rank == call->root ? (int *)(uintptr_t)from : to, count, MPI_INT,
             call->root);
        break;
    default:
        (void)(blocking ? MPI_Barrier(comm) : MPIX_Barrier_enqueue(comm));
    }
#undef CALL
}

/* Poison the results, make the calls, and copy the results. */
static void list_make(int list, const struct work *work)
{
    cuda_stream_copy(work->stream, work->output, work->poison, outputs * sizeof(int));
    for (int i = 0; i < CALLS; i++) {
        call_make(&calls[list][i], work, false);
    }
    cuda_stream_copy(work->stream, work->results, work->output, outputs * sizeof(int));
}

static void work_open(int list, struct work *work, MPI_Comm comm, void *stream)
{
    int *data = malloc(inputs * sizeof(int));
    *work = (struct work){.comm = comm, .stream = stream};
    work->input = cuda_memory_get(CUDA_MEMORY_ALLOC, inputs * sizeof(int));
    work->output = cuda_memory_get(CUDA_MEMORY_ALLOC, outputs * sizeof(int));
    work->poison = cuda_memory_get(CUDA_MEMORY_ALLOC, outputs * sizeof(int));
    work->results = cuda_memory_get(CUDA_MEMORY_PINNED, outputs * sizeof(int));
    for (size_t i = 0; i < inputs; i++) {
        data[i] = (int)(test_random((uint64_t)(list * RANKS + test_rank), i) & 0xffffff);
    }
    cuda_memory_write(work->input, data, inputs * sizeof(int));
    memset(data, POISON, inputs * sizeof(int));
    cuda_memory_write(work->poison, data, outputs * sizeof(int));
    cuda_memory_write(work->output, data, outputs * sizeof(int));
    cuda_memory_settle();
    free(data);
    cuda_capture_begin(stream);
    list_make(list, work);
    work->graph = cuda_capture_end(stream);
}

/* What blocking calls give, in memory of the host. */
static void list_expect(int list)
{
    struct work host = {.comm = MPI_COMM_WORLD};
    host.input = malloc(inputs * sizeof(int));
    host.output = malloc(outputs * sizeof(int));
    cuda_memory_read(host.input, works[list][0].input, inputs * sizeof(int));
    memset(host.output, POISON, outputs * sizeof(int));
    for (int i = 0; i < CALLS; i++) {
        call_make(&calls[list][i], &host, true);
    }
    expected[list] = host.output;
    free(host.input);
}

/* ---- replays --------------------------------------------------------------------------------- */

static void work_check(int list, const struct work *work, uint64_t replay)
{
    cuda_stream_await(work->stream);
    for (size_t i = 0; i < outputs; i++) {
        if (work->results[i] != expected[list][i]) {
            test_fail("replay %llu: list %d, element %zu: expected %d, found %d",
                      (unsigned long long)replay, list, i, expected[list][i], work->results[i]);
            return;
        }
    }
}

static void replay_make(uint64_t replay)
{
    const uint64_t own = replay * RANKS + (uint64_t)test_rank;
    const int list = (int)draw(replay, 11, LISTS), comm = (int)draw(replay, 12, COMMS);
    const struct work *work = &works[list][comm];
    if (draw(own, 13, 16) == 0) {
        cuda_stream_delay(work->stream, (unsigned)draw(own, 14, 200));
    }
    if (draw(own, 15, 8) == 0) {
        list_make(list, work);
    } else {
        cuda_graph_launch(work->graph, work->stream);
    }
    if (draw(own, 16, 2) == 0) {
        work_check(list, work, replay);
    }
}

int main(int argc, char **argv)
{
    uint64_t replays = 100, fatal = UINT64_MAX;
    void *streams[COMMS];
    MPI_Comm comms[COMMS];
    int used = 1;
    for (; used + 1 < argc; used += 2) {
        if (strcmp(argv[used], "--replays") == 0) {
            replays = test_number(argv[used], argv[used + 1]);
        } else if (strcmp(argv[used], "--kill") == 0) {
            fatal = test_number(argv[used], argv[used + 1]);
        } else {
            break;
        }
    }
    test_begin(argc - used + 1, argv + used - 1, "check_replays", MPI_THREAD_SINGLE);
    const char *local = getenv("OMPI_COMM_WORLD_LOCAL_RANK");
    cuda_memory_open(local != NULL ? atoi(local) : test_rank);
    cuda_streams_open();
    for (int i = 0; i < COMMS; i++) {
        streams[i] = cuda_stream_make();
        comms[i] = cuda_mpix_comm(MPI_COMM_WORLD, streams[i]);
    }
    for (int list = 0; list < LISTS; list++) {
        list_draw(list);
        for (int i = 0; i < COMMS; i++) {
            work_open(list, &works[list][i], comms[i], streams[i]);
        }
        list_expect(list);
    }
    test_case("%llu replays of %d calls", (unsigned long long)replays, CALLS);
    for (uint64_t replay = 0; replay < replays && test_failures() == 0; replay++) {
        replay_make(replay);
        if (replay == fatal && test_rank == test_size - 1) {
            (void)kill(getpid(), SIGKILL);
        }
    }
    for (int i = 0; i < COMMS; i++) {
        cuda_stream_await(streams[i]);
        test_check(symm_mpix_comm_state(comms[i], NULL, 0) == MPI_SUCCESS, "the lane is sound");
        MPI_Comm_free(&comms[i]);
    }
    return test_end();
}
