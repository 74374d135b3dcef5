/*
 * overlap_cases.c - see overlap_cases.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "overlap_cases.h"

#include "forcing.h"
#include "overlap_timeline.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- the table ------------------------------------------------------------------------------- */

static void header_print(const struct overlap_session *session)
{
    int version = product_library_version(session->product);
    printf("# cuBLAS %d.%d.%d: product of matrices of %d x %d bfloat16 numbers%s\n",
           version / 10000, version / 100 % 100, version % 100, session->options.order,
           session->options.order, session->options.in_place ? "; collectives in place" : "");
    if (session->options.timeline) {
        overlap_timeline_head();
    }
    printf("# Size: bytes of a result\n");
    printf("%-11s %11s %-11s %8s %11s %9s %11s %14s %7s %7s %s\n", "# collective", "Size", "side",
           "products", "product(us)", "alone(us)", "in turn(us)", "overlapped(us)", "hidden",
           "slowed", "Validation");
}

static void result_print(const struct overlap_case *plan, const struct overlap_result *result)
{
    printf("%-12s %11zu %-11s %8d %11.1f %9.1f %11.1f %14.1f %6.1f%% %6.2f%% %s\n",
           options_collective_name(plan->call.collective), call_result_bytes(&plan->call),
           plan->side.name, result->products, result->product, result->alone, result->in_turn,
           result->overlapped, 100 * result->hidden, 100 * result->slowed,
           result->right ? "Pass" : "WRONG");
    fflush(stdout);
}

/* ---- one side -------------------------------------------------------------------------------- */

static struct overlap_case case_of(const struct overlap_session *session,
                                   const struct overlap_side *side, enum collective collective,
                                   size_t bytes, const struct buffers *buffers)
{
    return (struct overlap_case){
        .side = *side,
        .call = {collective, bytes, session->rank, session->ranks, session->options.in_place,
                 ELEMENT_INT, buffers},
        .device = session->gpus.device,
        .product = session->product,
        .persistent = MPI_REQUEST_NULL,
        .control = session->control,
        .repetitions = session->options.repetitions,
        .warmup = session->options.warmup,
    };
}

static void side_measure(struct overlap_session *session, struct overlap_case *plan)
{
    struct overlap_result result;
    bool persistent = plan->side.path == NULL && plan->side.form == FORM_PERSISTENT;
    if (persistent) {
        form_init(&plan->call, plan->side.comm, &plan->persistent);
    }
    overlap_measure(plan, &result);
    session->right &= result.right;
    if (session->rank == 0) {
        result_print(plan, &result);
    }
    if (session->options.timeline) {
        overlap_timeline_print(plan, result.products);
    }
    if (persistent) {
        MPI_Request_free(&plan->persistent);
    }
}

/* ---- all sides ------------------------------------------------------------------------------- */

static void mpi_measure(struct overlap_session *session, enum overlap_way way, const char *name,
                        MPI_Comm comm, const struct call *call)
{
    const struct overlap_side side = {
        .name = name, .form = way == WAY_PERSISTENT ? FORM_PERSISTENT : FORM_NONBLOCKING,
        .comm = comm,
    };
    struct overlap_case plan = case_of(session, &side, call->collective, call->bytes,
                                       call->buffers);
    side_measure(session, &plan);
}

/* An algorithm that is not possible here gives way to another one, and is not measured. None by
 * multicast takes part: this program makes no multicast objects. */
static void algorithms_measure(struct overlap_session *session, struct forcing *forcing,
                               const struct call *call)
{
    for (int i = 0; i < forcing->count; i++) {
        const struct candidate *candidate = &forcing->candidate[i];
        char word[FORCING_WORD];
        forcing_probe(forcing, call, candidate->comm, word);
        if (strcmp(word, candidate->word) == 0) {
            forcing_hold(forcing, candidate);
            mpi_measure(session, WAY_MPI, candidate->word, candidate->comm, call);
            forcing_release(forcing);
        }
    }
}

static void ours_measure(struct overlap_session *session, struct forcing *forcing,
                         enum collective collective, size_t bytes, size_t result_bytes)
{
    const struct overlap_options *options = &session->options;
    struct buffers buffers;
    buffers_open(&buffers, MEMORY_CUDA, session->gpus.device, bytes, result_bytes);
    const struct overlap_side none = {.name = NULL};
    struct call call = case_of(session, &none, collective, bytes, &buffers).call;
    if (options->way[WAY_MPI]) {
        mpi_measure(session, WAY_MPI, overlap_way_names[WAY_MPI], session->comm, &call);
    }
    if (options->way[WAY_PERSISTENT] && form_has_persistent()) {
        mpi_measure(session, WAY_PERSISTENT, overlap_way_names[WAY_PERSISTENT], session->comm,
                    &call);
    }
    if (forcing != NULL) {
        algorithms_measure(session, forcing, &call);
    }
    buffers_close(&buffers);
}

static void nccl_measure(struct overlap_session *session, enum collective collective, size_t bytes,
                         size_t result_bytes)
{
    static const enum overlap_way ways[NCCL_WAYS] = {
        [NCCL_PLAIN] = WAY_NCCL, [NCCL_WINDOW] = WAY_WINDOW, [NCCL_CE] = WAY_CE
    };
    for (int way = 0; session->nccl != NULL && way < NCCL_WAYS; way++) {
        struct nccl_path path;
        if (session->options.way[ways[way]] &&
            nccl_path_open(&path, session->nccl, (enum nccl_way)way, collective, bytes,
                           result_bytes)) {
            const struct overlap_side side = {
                .name = overlap_way_names[ways[way]], .comm = MPI_COMM_NULL, .path = &path,
                .stream = session->stream,
            };
            struct overlap_case plan = case_of(session, &side, collective, bytes, &path.buffers);
            side_measure(session, &plan);
            nccl_path_close(&path);
        }
    }
}

/* An all-gather's blocks are parts of its result. All-reduces are of whole elements. */
static void size_measure(struct overlap_session *session, struct forcing *forcing,
                         enum collective collective, size_t result_bytes)
{
    bool gathers = collective == COLLECTIVE_ALLGATHER;
    size_t parts = gathers ? (size_t)session->ranks : 1;
    size_t unit = ELEMENT_BYTES;
    size_t bytes = (result_bytes / parts + unit - 1) / unit * unit;
    if (bytes > INT_MAX) {
        bytes = INT_MAX / unit * unit;
    }
    ours_measure(session, forcing, collective, bytes, bytes * parts);
    nccl_measure(session, collective, bytes, bytes * parts);
}

static void sizes_measure(struct overlap_session *session, struct forcing *forcing,
                          enum collective collective)
{
    for (int size = 0; size < session->options.sizes; size++) {
        size_measure(session, forcing, collective, session->options.bytes[size]);
    }
}

static void collective_measure(struct overlap_session *session, enum collective collective)
{
    struct forcing forcing;
    if (!session->options.algorithms) {
        sizes_measure(session, NULL, collective);
    } else if (forcing_open(&forcing, collective, FORCING_NONE, session->control)) {
        sizes_measure(session, &forcing, collective);
        forcing_close(&forcing);
    } else {
        session->right = false;
    }
}

void overlap_cases_measure(struct overlap_session *session)
{
    if (session->rank == 0) {
        header_print(session);
    }
    for (size_t i = 0; i < OVERLAP_COLLECTIVES; i++) {
        if (session->options.chosen[overlap_collectives[i]]) {
            collective_measure(session, overlap_collectives[i]);
        }
    }
}
