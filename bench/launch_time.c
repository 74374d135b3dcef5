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
#include "heap/cuda_device.h"
#include "kernels/cuda/copy.h"
#include "kernels/cuda/device.h"

enum { REPETITIONS = 2000, WARM_UP = 200, QUEUED = 32, BYTES = 1024 };

struct bench {
    struct symm_device *device;
    unsigned char *input, *other, *output; /* on the device, BYTES each */
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

static void wait_for(struct bench *bench, struct symm_ticket *ticket)
{
    enum symm_status status;
    do {
        status = symm_device_ticket_test(bench->device, ticket);
        check(status, "waiting");
    } while (status == SYMM_PENDING);
}

/* ---- what is timed --------------------------------------------------------------------------- */

static void reduce_start(struct bench *bench, size_t elements, struct symm_ticket *ticket)
{
    struct symm_cuda_reduce arguments = {
        .inputs = {bench->input, bench->other}, .outputs = {bench->output}, .end = elements,
        .ranks = 2, .output_count = 1,
    };
    check(symm_device_reduce_start(bench->device, SYMM_CUDA_FLOAT, SYMM_CUDA_SUM, &arguments, 0,
                                   ticket), "starting a reduction");
}

static void time_reduce(struct bench *bench, size_t elements)
{
    static double launches[REPETITIONS], wholes[REPETITIONS];
    for (int i = -WARM_UP; i < REPETITIONS; i++) {
        struct symm_ticket ticket;
        double begin = clock_us();
        reduce_start(bench, elements, &ticket);
        double launched = clock_us();
        wait_for(bench, &ticket);
        double end = clock_us();
        if (i >= 0) {
            launches[i] = launched - begin;
            wholes[i] = end - begin;
        }
    }
    (void)printf("%-52s %8.2f\n", "start a kernel: until the launch has returned",
                 clock_median(launches, REPETITIONS));
    (void)printf("reduction of %4zu bytes, start until its flag is seen   %8.2f\n",
                 elements * sizeof(float), clock_median(wholes, REPETITIONS));
}

/* Kernels in a row: what each takes on the device, or to launch if that is more. */
static void time_queue(struct bench *bench)
{
    static double times[REPETITIONS];
    for (int i = -WARM_UP; i < REPETITIONS; i++) {
        struct symm_ticket tickets[QUEUED];
        double begin = clock_us();
        for (int k = 0; k < QUEUED; k++) {
            reduce_start(bench, BYTES / sizeof(float), &tickets[k]);
        }
        for (int k = 0; k < QUEUED; k++) {
            wait_for(bench, &tickets[k]);
        }
        if (i >= 0) {
            times[i] = (clock_us() - begin) / QUEUED;
        }
    }
    (void)printf("%-52s %8.2f\n", "the same reduction, each of 32 in a row",
                 clock_median(times, REPETITIONS));
}

static void time_copy_engine(struct bench *bench)
{
    static double times[REPETITIONS];
    for (int i = -WARM_UP; i < REPETITIONS; i++) {
        const struct symm_cuda_push push = {bench->input, bench->output, BYTES};
        struct symm_ticket ticket;
        double begin = clock_us();
        check(symm_device_engine_start(bench->device, &push, 1, -1, NULL, 0, &ticket),
              "starting a copy");
        wait_for(bench, &ticket);
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
    static const unsigned char zeros[BYTES];
    struct symm_heap *heap = NULL;
    void *block = NULL;
    check(symm_process_device_heap(process, device, &heap), "making a heap");
    check(symm_heap_alloc(heap, BYTES, 0, &block), "allocating");
    check(symm_cuda_copy(device, block, zeros, BYTES), "filling");
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
    symm_cuda_device_describe(number, text, sizeof(text));
    (void)printf("# %s, medians of %d, microseconds\n", text, REPETITIONS);
    if (have_met) {
        (void)printf("%-52s %8.2f\n", "two processes agree by lines", meeting.agree_us);
        (void)printf("%-52s %8.2f\n", "and depart by phases", meeting.depart_us);
    }
    time_reduce(&bench, 1);
    time_reduce(&bench, BYTES / sizeof(float));
    time_queue(&bench);
    time_copy_engine(&bench);
    symm_device_close_all();
    symm_process_release(process);
    return 0;
}
