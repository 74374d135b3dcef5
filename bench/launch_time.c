/*
 * launch_time.c - where the time of a small call on a device goes, without MPI and without peers:
 * two ranks that agree and depart, a launch, a kernel and its flag, a copy engine. symm_bench shows
 * what a whole call takes beyond that: the way to a peer and back.
 *
 *     bench/launch_time [DEVICE]
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/clock.h"
#include "bench/meeting.h"
#include "heap/gpu/cuda_device.h"
#include "kernels/cuda/launch/copy.h"
#include "kernels/cuda/launch/kernel.h"

/* A pad of two ranks lies in one buffer. */
enum { PAD_ROW = 128 << 10, PACKETS_MOST = PAD_ROW / 2 };
enum { REPETITIONS = 2000, WARM_UP = 200, QUEUED = 32, BYTES = 1024, BYTES_MOST = 256 << 10 };

struct bench {
    struct symm_device *device;
    unsigned char *input, *other, *output, *pad; /* on the device, BYTES_MOST each, and a vector */
};

static void check(enum symm_status status, const char *what)
{
    char failure[256];
    if (status != SYMM_OK && status != SYMM_PENDING) {
        symm_cuda_last_failure(failure, sizeof(failure));
        (void)fprintf(stderr, "launch_time: %s: %s: %s\n", what, symm_status_string(status),
                      failure);
        exit(1);
    }
}

static void wait_for(struct bench *bench, struct symm_completion *completion)
{
    enum symm_status status;
    do {
        status = symm_completion_test(bench->device, completion);
        check(status, "waiting");
    } while (status == SYMM_PENDING);
}

/* ---- what is timed --------------------------------------------------------------------------- */

/* `odd`: at an address that vectors do not fit, which is not for the kernels of little data. */
static void reduce_start(struct bench *bench, size_t elements, size_t odd,
                         struct symm_completion *completion)
{
    struct symm_kernel kernel;
    struct symm_cuda_reduce arguments = {
        .inputs = {bench->input + odd, bench->other}, .outputs = {bench->output}, .end = elements,
        .ranks = 2, .output_count = 1,
    };
    check(symm_device_start(bench->device,
                            symm_kernel_reduce(&kernel, SYMM_CUDA_FLOAT, SYMM_CUDA_SUM, &arguments,
                                               0), completion), "starting a reduction");
}

static void time_reduce(struct bench *bench, size_t elements, size_t odd)
{
    static double launches[REPETITIONS], wholes[REPETITIONS];
    for (int i = -WARM_UP; i < REPETITIONS; i++) {
        struct symm_completion completion;
        double begin = clock_us();
        reduce_start(bench, elements, odd, &completion);
        double launched = clock_us();
        wait_for(bench, &completion);
        double end = clock_us();
        if (i >= 0) {
            launches[i] = launched - begin;
            wholes[i] = end - begin;
        }
    }
    (void)printf("reduce %6zu bytes%-14s launched %5.2f, flags seen  %8.2f\n",
                 elements * sizeof(float), odd != 0 ? ", any address" : "",
                 clock_median(launches, REPETITIONS), clock_median(wholes, REPETITIONS));
}

/* Both rows of two ranks: what a rank sends to its peer, and what the peer sends, are its own. */
static void time_packets(struct bench *bench, size_t elements)
{
    struct symm_kernel kernel;
    static double launches[REPETITIONS], wholes[REPETITIONS];
    static uint32_t flag;
    struct symm_cuda_packets packets = {
        .input = bench->input, .output = bench->output, .pad = bench->pad, .pad_row = PAD_ROW,
        .rows = {bench->pad, bench->pad + PAD_ROW}, .sources = 3,
        .bytes = elements * sizeof(float), .patience = 1000 * 1000,
    };
    for (int i = -WARM_UP; i < REPETITIONS; i++) {
        struct symm_completion completion;
        packets.flag = ++flag;
        double begin = clock_us();
        check(symm_device_start(bench->device,
                                symm_kernel_packets_reduce(&kernel, SYMM_CUDA_FLOAT, SYMM_CUDA_SUM,
                                                           &packets, 0),
                                &completion), "sending packets");
        double launched = clock_us();
        wait_for(bench, &completion);
        double end = clock_us();
        check(completion.late ? SYMM_ERR_PROTOCOL : SYMM_OK, "packets");
        if (i >= 0) {
            launches[i] = launched - begin;
            wholes[i] = end - begin;
        }
    }
    (void)printf("reduce %6zu bytes%-14s launched %5.2f, flags seen  %8.2f\n",
                 elements * sizeof(float), ", by packets", clock_median(launches, REPETITIONS),
                 clock_median(wholes, REPETITIONS));
}

/* To itself and one more, as a rank of two does in an all-gather. */
static void time_push(struct bench *bench, size_t bytes)
{
    struct symm_kernel kernel;
    static double times[REPETITIONS];
    for (int i = -WARM_UP; i < REPETITIONS; i++) {
        const struct symm_cuda_push pushes[] = {{bench->input, bench->output, bytes},
                                                {bench->input, bench->other, bytes}};
        struct symm_completion completion;
        double begin = clock_us();
        check(symm_device_start(bench->device, symm_kernel_push(&kernel, pushes, 2, false, 0),
                                &completion),
              "starting copies");
        wait_for(bench, &completion);
        if (i >= 0) {
            times[i] = clock_us() - begin;
        }
    }
    (void)printf("copy %6zu bytes to two places by a kernel            %8.2f\n", bytes,
                 clock_median(times, REPETITIONS));
}

/* Two functions by turns, as where a program makes two collectives. */
static void time_turns(struct bench *bench)
{
    struct symm_kernel kernel;
    static double times[REPETITIONS];
    for (int i = -WARM_UP; i < REPETITIONS; i++) {
        const struct symm_cuda_push push = {bench->input, bench->other, BYTES};
        struct symm_completion completion;
        double begin = clock_us();
        reduce_start(bench, BYTES / sizeof(float), 0, &completion);
        wait_for(bench, &completion);
        check(symm_device_start(bench->device, symm_kernel_push(&kernel, &push, 1, false, 0),
                                &completion),
              "starting a copy");
        wait_for(bench, &completion);
        if (i >= 0) {
            times[i] = (clock_us() - begin) / 2;
        }
    }
    (void)printf("%-52s %8.2f\n", "reduce and copy 1024 bytes by turns, each",
                 clock_median(times, REPETITIONS));
}

/* Kernels in a row: what each takes on the device, or to launch if that is more. */
static void time_queue(struct bench *bench)
{
    static double times[REPETITIONS];
    for (int i = -WARM_UP; i < REPETITIONS; i++) {
        struct symm_completion completions[QUEUED];
        double begin = clock_us();
        for (int k = 0; k < QUEUED; k++) {
            reduce_start(bench, BYTES / sizeof(float), 0, &completions[k]);
        }
        for (int k = 0; k < QUEUED; k++) {
            wait_for(bench, &completions[k]);
        }
        if (i >= 0) {
            times[i] = (clock_us() - begin) / QUEUED;
        }
    }
    (void)printf("%-52s %8.2f\n", "reduce 1024 bytes, each of 32 in a row",
                 clock_median(times, REPETITIONS));
}

static void time_kernels(struct bench *bench)
{
    static const size_t sizes[] = {4, BYTES, 4 << 10, 16 << 10, 64 << 10, 128 << 10, BYTES_MOST};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        time_reduce(bench, sizes[i] / sizeof(float), 0);
    }
    time_reduce(bench, 1, 2);
    time_reduce(bench, BYTES / sizeof(float), 2);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes) && sizes[i] <= PACKETS_MOST; i++) {
        time_packets(bench, sizes[i] / sizeof(float));
    }
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        time_push(bench, sizes[i]);
    }
    time_turns(bench);
    time_queue(bench);
}

static void time_copy_engine(struct bench *bench)
{
    static double times[REPETITIONS];
    for (int i = -WARM_UP; i < REPETITIONS; i++) {
        const struct symm_cuda_push push = {bench->input, bench->output, BYTES};
        struct symm_completion completion;
        double begin = clock_us();
        check(symm_device_engine_start(bench->device, &push, 1, -1, NULL, 0, &completion),
              "starting a copy");
        wait_for(bench, &completion);
        if (i >= 0) {
            times[i] = clock_us() - begin;
        }
    }
    (void)printf("%-52s %8.2f\n", "copy of 1024 bytes by cuMemcpyAsync, until its event",
                 clock_median(times, REPETITIONS));
}

/* ---- the program ----------------------------------------------------------------------------- */

static unsigned char *buffer_make(struct symm_process *process, int device)
{
    static const unsigned char zeros[BYTES_MOST + 16];
    struct symm_heap *heap = NULL;
    void *block = NULL;
    check(symm_process_device_heap(process, device, &heap), "making a heap");
    check(symm_heap_alloc(heap, sizeof(zeros), 0, &block), "allocating");
    check(symm_cuda_copy(device, block, zeros, sizeof(zeros)), "filling");
    return block;
}

int main(int argc, char **argv)
{
    int number = argc > 1 ? atoi(argv[1]) : 0;
    struct symm_process *process = NULL;
    struct bench bench = {0};
    struct meeting_times meeting;
    char text[160];
    bool have_met = meeting_measure(&meeting);
    check(symm_process_acquire(NULL, &process), "starting");
    check(symm_device_get(number, &bench.device), "opening the device");
    bench.input = buffer_make(process, number);
    bench.other = buffer_make(process, number);
    bench.output = buffer_make(process, number);
    bench.pad = buffer_make(process, number);
    symm_cuda_device_describe(number, text, sizeof(text));
    (void)printf("# %s, medians of %d, microseconds\n", text, REPETITIONS);
    if (have_met) {
        (void)printf("%-52s %8.2f\n", "two processes agree by lines", meeting.agree_us);
        (void)printf("%-52s %8.2f\n", "and depart by phases", meeting.depart_us);
    }
    for (int graphs = 0; graphs <= 1; graphs++) {
        symm_device_use_graphs(graphs != 0);
        (void)printf("%s\n", graphs != 0 ? "# kernels as graphs" : "# kernels without graphs");
        time_kernels(&bench);
    }
    time_copy_engine(&bench);
    symm_device_close_all();
    symm_process_release(process);
    return 0;
}
