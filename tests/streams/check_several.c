/*
 * Several devices of a process: a communicator with a stream of each, where rank r's part in
 * communicator i is on device r + i.  Calls are queued one communicator after the other, on all of
 * them at once, and in graphs; blocking calls come between them; all is done three times.
 *
 * Ranks share devices here, so kernels of all communicators meet by turns of the devices.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdlib.h>
#include <string.h>

#include "tests/harness/cuda_memory.h"
#include "tests/harness/cuda_streams.h"
#include "tests/harness/harness.h"

enum { SEVERAL_MOST = 8, COUNT = 1000, CALLS = 5 };

static struct part {
    void *stream, *graph;
    MPI_Comm comm;
    int *input, *output;
} parts[SEVERAL_MOST];
static int devices;

static void use(int i)
{
    cuda_memory_use(test_rank + i);
}

static void part_make(int i)
{
    struct part *part = &parts[i];
    use(i);
    part->stream = cuda_stream_make();
    part->input = cuda_memory_get(CUDA_MEMORY_ALLOC, COUNT * sizeof(int));
    part->output = cuda_memory_get(CUDA_MEMORY_ALLOC, COUNT * sizeof(int));
    part->comm = cuda_mpix_comm(MPI_COMM_WORLD, part->stream);
    cuda_capture_begin(part->stream);
    MPIX_Allreduce_enqueue(part->input, part->output, COUNT, MPI_INT, MPI_SUM, part->comm);
    part->graph = cuda_capture_end(part->stream);
}

static void part_free(int i)
{
    struct part *part = &parts[i];
    use(i);
    cuda_graph_destroy(part->graph);
    MPI_Comm_free(&part->comm);
    cuda_stream_destroy(part->stream);
    cuda_memory_put(CUDA_MEMORY_ALLOC, part->input);
    cuda_memory_put(CUDA_MEMORY_ALLOC, part->output);
}

/* Rank r's numbers are factor * (r + 1) * element. */
static void data_put(int i, int factor)
{
    int numbers[COUNT];
    use(i);
    for (int at = 0; at < COUNT; at++) {
        numbers[at] = factor * (test_rank + 1) * at;
    }
    cuda_memory_write(parts[i].input, numbers, sizeof(numbers));
    memset(numbers, 0xa5, sizeof(numbers));
    cuda_memory_write(parts[i].output, numbers, sizeof(numbers));
    cuda_memory_settle();
}

static void data_check(int i, int factor, const char *what)
{
    int numbers[COUNT];
    use(i);
    cuda_memory_read(numbers, parts[i].output, sizeof(numbers));
    for (int at = 0; at < COUNT; at++) {
        if (numbers[at] != factor * test_size * (test_size + 1) / 2 * at) {
            test_fail("communicator %d, %s: element %d is %d", i, what, at, numbers[at]);
            return;
        }
    }
}

static void call(int i, bool in_graph)
{
    struct part *part = &parts[i];
    use(i);
    if (in_graph) {
        cuda_graph_launch(part->graph, part->stream);
    } else {
        MPIX_Allreduce_enqueue(part->input, part->output, COUNT, MPI_INT, MPI_SUM, part->comm);
    }
}

static void await(int i)
{
    use(i);
    cuda_stream_await(parts[i].stream);
}

static void blocking_call(int i)
{
    use(i);
    MPI_Allreduce(parts[i].input, parts[i].output, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void round_try(int factor)
{
    for (int i = 0; i < devices; i++) {
        data_put(i, factor);
        call(i, false);
        await(i);
        data_check(i, factor, "alone");
        data_put(i, factor + 1);
        blocking_call(i);
        data_check(i, factor + 1, "by a blocking call");
    }
    for (int in_graph = 0; in_graph < 2; in_graph++) {
        for (int i = 0; i < devices; i++) {
            data_put(i, factor + 2 + in_graph);
        }
        for (int calls = 0; calls < CALLS; calls++) {
            for (int i = 0; i < devices; i++) {
                call(i, in_graph);
            }
        }
        for (int i = 0; i < devices; i++) {
            await(i);
            data_check(i, factor + 2 + in_graph, in_graph ? "graphs at once" : "calls at once");
        }
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_several", MPI_THREAD_SINGLE);
    cuda_memory_open(test_rank);
    cuda_streams_open();
    devices = cuda_memory_devices() < SEVERAL_MOST ? cuda_memory_devices() : SEVERAL_MOST;
    for (int again = 0; again < 3; again++) {
        test_case("communicators on %d devices, time %d", devices, again);
        for (int i = 0; i < devices; i++) {
            part_make((i + again) % devices);
        }
        round_try(10 * again + 1);
        for (int i = 0; i < devices; i++) {
            part_free(i);
        }
    }
    return test_end();
}
