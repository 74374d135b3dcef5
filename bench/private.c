/*
 * private.c - what private memory allows: see private.h for the formula, sweep.c for the work
 * itself.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "private.h"

#include "clock.h"
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* Keeps slices of a power of two from falling on the same lines of the cache. */
    STREAM_PADDING = 5 * SWEEP_VECTOR,
    SAMPLES = 7,
    SAMPLE_BYTES = 1 << 20 /* small slices are repeated until this much was moved */
};

static double sweep_time(const struct sweep *sweep, MPI_Comm control)
{
    double samples[SAMPLES];
    size_t moved = sweep->slice * (size_t)(sweep->sources + sweep->targets);
    int repeats = moved >= SAMPLE_BYTES ? 1 : (int)(SAMPLE_BYTES / moved);
    double median, slowest;
    sweep_run(sweep);
    for (int sample = 0; sample < SAMPLES; sample++) {
        MPI_Barrier(control);
        double start = clock_us();
        for (int i = 0; i < repeats; i++) {
            sweep_run(sweep);
        }
        samples[sample] = (clock_us() - start) / repeats;
    }
    median = clock_median(samples, SAMPLES);
    slowest = median;
    MPI_Reduce(&median, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, control);
    return slowest;
}

static size_t round_up(size_t bytes)
{
    return (bytes + SWEEP_VECTOR - 1) / SWEEP_VECTOR * SWEEP_VECTOR;
}

double private_time(const struct call *call, MPI_Comm control)
{
    struct sweep sweep = {0};
    bool reduce = call_reduces(call->collective);
    size_t ranks = (size_t)call->ranks;
    sweep.sources = reduce ? call->ranks : 1;
    bool one = call_scatters(call->collective) || call_is_rooted(call->collective) ||
               call_exchanges(call->collective);
    sweep.targets = one                             ? 1
                    : reduce || !call->in_place     ? call->ranks
                                                    : call->ranks - 1;
    size_t slices = (size_t)(sweep.sources + sweep.targets);
    size_t slice = reduce                              ? (call->bytes + ranks - 1) / ranks
                   : call_exchanges(call->collective) ? call_input_bytes(call)
                                                      : call->bytes;
    size_t most = PRIVATE_LIMIT / slices;
    sweep.slice = round_up(slice < most ? slice : most);
    sweep.stride = sweep.slice + STREAM_PADDING;
    unsigned char *memory = buffers_private(slices * sweep.stride);
    memset(memory, 0, slices * sweep.stride);
    sweep.from = memory;
    /* A reduction in place writes its sums where it read from. */
    sweep.to = reduce && call->in_place ? memory : memory + (size_t)sweep.sources * sweep.stride;
    double quickest = sweep_time(&sweep, control);
    if (sweep_can_stream()) {
        sweep.streaming = true;
        double streamed = sweep_time(&sweep, control);
        quickest = streamed < quickest ? streamed : quickest;
    }
    free(memory);
    return quickest * (double)slice / (double)sweep.slice;
}
