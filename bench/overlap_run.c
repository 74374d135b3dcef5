/*
 * overlap_run.c - see overlap_run.h. The four kinds of runs take turns within a repetition, because
 * GPUs change their clocks under load: only differences between neighbours mean something.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "overlap_run.h"

#include "clock.h"
#include "failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { KIND_PRODUCT, KIND_ALONE, KIND_IN_TURN, KIND_OVERLAPPED, KINDS };

enum {
    PIECE = 4096,
    PIECES = 24, /* of a result are checked */
    TRIES = 5    /* runs to find out how many products a collective takes */
};

/* ---- data ------------------------------------------------------------------------------------ */

/* All bytes of a rank's input in a round. Sums of all ranks' bytes have no carry. */
static unsigned char input_byte(const struct call *call, int rank, int round)
{
    int range = 255 / call->ranks;
    return (unsigned char)(1 + (rank * 5 + round * 3) % range);
}

static unsigned char result_byte(const struct call *call, size_t offset, int round)
{
    unsigned sum = 0;
    if (call->collective == COLLECTIVE_ALLGATHER) {
        return input_byte(call, (int)(offset / call->bytes), round);
    }
    if (call->collective == COLLECTIVE_BCAST) {
        return input_byte(call, 0, round);
    }
    for (int rank = 0; rank < call->ranks; rank++) {
        sum += input_byte(call, rank, round);
    }
    return (unsigned char)sum;
}

static void buffers_prepare(const struct overlap_case *plan, int round)
{
    const struct call *call = &plan->call;
    device_fill(plan->device, call->buffers->receive, 0, call_result_bytes(call));
    device_fill(plan->device, call_input(call), input_byte(call, call->rank, round), call->bytes);
}

/* One piece of a result, all of it in a block of one rank or not. */
static bool piece_is_right(const struct overlap_case *plan, size_t first, size_t bytes, int round)
{
    unsigned char piece[PIECE];
    device_load(plan->device, piece, plan->call.buffers->receive + first, bytes);
    for (size_t i = 0; i < bytes; i++) {
        if (piece[i] != result_byte(&plan->call, first + i, round)) {
            return false;
        }
    }
    return true;
}

static bool result_is_right(const struct overlap_case *plan, int round)
{
    size_t whole = call_result_bytes(&plan->call);
    size_t bytes = whole < PIECE ? whole : PIECE;
    bool right = true;
    for (size_t i = 0; i < PIECES; i++) {
        right &= piece_is_right(plan, (whole - bytes) / (PIECES - 1) * i, bytes, round);
    }
    return right & piece_is_right(plan, whole - bytes, bytes, round);
}

/* ---- one run --------------------------------------------------------------------------------- */

/* Events are asked for in few runs: what they cost has no place in those that are measured. */
static void event_mark(const struct overlap_case *plan, void *event, void *stream)
{
    if (event != NULL) {
        device_event_record(plan->device, event, stream);
    }
}

static void collective_start(const struct overlap_case *plan, MPI_Request *request,
                             struct overlap_marks *marks)
{
    *request = MPI_REQUEST_NULL;
    marks->call = clock_us();
    if (plan->side.path != NULL) {
        event_mark(plan, marks->collective_begin, plan->side.stream);
        nccl_path_start(plan->side.path, &plan->call, plan->side.stream);
        event_mark(plan, marks->collective_end, plan->side.stream);
    } else if (plan->side.form == FORM_PERSISTENT) {
        *request = plan->persistent;
        MPI_Start(request);
    } else {
        form_start(&plan->call, plan->side.comm, request);
    }
    marks->returned = clock_us();
}

static bool collective_is_done(const struct overlap_case *plan, MPI_Request *request)
{
    int done = 1;
    if (plan->side.path != NULL) {
        return device_stream_is_done(plan->device, plan->side.stream);
    }
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    return done != 0;
}

static void products_start(const struct overlap_case *plan, int products,
                           struct overlap_marks *marks)
{
    event_mark(plan, marks->products_begin, product_stream(plan->product));
    for (int i = 0; i < products; i++) {
        product_start(plan->product);
    }
    event_mark(plan, marks->products_end, product_stream(plan->product));
    marks->launched = clock_us();
}

/* Until both are done that have been started. */
static void both_wait(const struct overlap_case *plan, MPI_Request *request, bool collective,
                      bool products, struct overlap_marks *marks)
{
    while (collective || products) {
        if (collective && collective_is_done(plan, request)) {
            collective = false;
            marks->collective_done = clock_us();
        }
        if (products && product_is_done(plan->product)) {
            products = false;
            marks->products_done = clock_us();
        }
    }
}

struct moment {
    double end, product_end; /* from the start */
};

static struct moment run(const struct overlap_case *plan, enum kind kind, int products, int round,
                         struct overlap_marks *marks)
{
    MPI_Request request = MPI_REQUEST_NULL;
    buffers_prepare(plan, round);
    MPI_Barrier(plan->control);
    double start = clock_us();
    marks->products_done = start;
    if (kind == KIND_IN_TURN) {
        products_start(plan, products, marks);
        both_wait(plan, &request, false, true, marks);
        collective_start(plan, &request, marks);
        both_wait(plan, &request, true, false, marks);
    } else {
        if (kind != KIND_PRODUCT) {
            collective_start(plan, &request, marks);
        }
        if (kind != KIND_ALONE) {
            products_start(plan, products, marks);
        }
        both_wait(plan, &request, kind != KIND_PRODUCT, kind != KIND_ALONE, marks);
    }
    struct moment moment = {clock_us() - start, marks->products_done - start};
    MPI_Allreduce(MPI_IN_PLACE, &moment, 2, MPI_DOUBLE, MPI_MAX, plan->control);
    return moment;
}

static struct moment run_unmarked(const struct overlap_case *plan, enum kind kind, int products,
                                  int round)
{
    struct overlap_marks marks = {.collective_begin = NULL};
    return run(plan, kind, products, round, &marks);
}

void overlap_run_marked(const struct overlap_case *plan, int products, int round,
                        struct overlap_marks *marks)
{
    (void)run(plan, KIND_OVERLAPPED, products, round, marks);
}

/* ---- a case ---------------------------------------------------------------------------------- */

static double median_of_runs(const struct overlap_case *plan, enum kind kind)
{
    double times[TRIES];
    for (int i = 0; i < TRIES; i++) {
        times[i] = run_unmarked(plan, kind, 1, i).end;
    }
    return clock_median(times, TRIES);
}

/* The first runs set things up. */
static int products_choose(const struct overlap_case *plan)
{
    const double longer = 1.5;
    (void)median_of_runs(plan, KIND_OVERLAPPED);
    double collective = median_of_runs(plan, KIND_ALONE);
    double product = median_of_runs(plan, KIND_PRODUCT);
    double products = longer * collective / product + 1;
    return products < 1000 ? (int)products : 1000;
}

static bool check(const struct overlap_case *plan, int round)
{
    char text[FAILURE_LENGTH];
    bool right = result_is_right(plan, round);
    bool product = product_is_right(plan->product);
    snprintf(text, sizeof(text), "%s of %zu bytes by %s beside a product: wrong %s",
             call_name(plan->call.collective), call_result_bytes(&plan->call), plan->side.name,
             right ? "product" : "result");
    return failure_agree(right && product, text, plan->control);
}

void overlap_measure(const struct overlap_case *plan, struct overlap_result *result)
{
    size_t count = (size_t)plan->repetitions;
    double *times = malloc((KINDS + 2) * count * sizeof(*times));
    double *medians[KINDS + 2];
    if (times == NULL) {
        failure_stop("out of memory");
    }
    for (size_t i = 0; i < KINDS + 2; i++) {
        medians[i] = times + i * count;
    }
    *result = (struct overlap_result){.products = products_choose(plan), .right = true};
    for (int i = -plan->warmup; i < plan->repetitions; i++) {
        struct moment moments[KINDS];
        int round = i + plan->warmup;
        for (int kind = 0; kind < KINDS; kind++) {
            moments[kind] =
                run_unmarked(plan, (enum kind)kind, result->products, round + kind);
        }
        result->right = result->right && check(plan, round + KIND_OVERLAPPED);
        for (int kind = 0; i >= 0 && kind < KINDS; kind++) {
            medians[kind][i] = moments[kind].end;
        }
        if (i >= 0) {
            double product = moments[KIND_PRODUCT].end;
            medians[KINDS][i] = moments[KIND_OVERLAPPED].end - product;
            medians[KINDS + 1][i] = moments[KIND_OVERLAPPED].product_end / product - 1;
        }
    }
    result->product = clock_median(medians[KIND_PRODUCT], plan->repetitions);
    result->alone = clock_median(medians[KIND_ALONE], plan->repetitions);
    result->in_turn = clock_median(medians[KIND_IN_TURN], plan->repetitions);
    result->overlapped = clock_median(medians[KIND_OVERLAPPED], plan->repetitions);
    result->hidden = 1 - clock_median(medians[KINDS], plan->repetitions) / result->alone;
    result->slowed = clock_median(medians[KINDS + 1], plan->repetitions);
    free(times);
}
