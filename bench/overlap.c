/*
 * overlap.c - how much of a collective on GPU memory hides behind a matrix product, and how much
 * the product is slowed by it: MPI's nonblocking calls, and NCCL's on a stream.
 * overlap_options.c has the text of --help, which explains the columns.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "failure.h"
#include "machine.h"
#include "overlap_options.h"
#include "overlap_run.h"

#include <limits.h>
#include <stdio.h>

enum {
    EXIT_WRONG = 1, /* a result was wrong, or what was to be measured is not there */
    EXIT_USAGE = 2,
    RANKS_MOST = 64
};

struct session {
    struct overlap_options options;
    int rank, ranks;
    MPI_Comm control; /* barriers and bookkeeping, without the component */
    MPI_Comm comm;
    struct gpus gpus;
    struct nccl *nccl; /* NULL: none */
    struct product *product;
    void *stream;      /* NCCL's */
    bool right;
};

/* ---- what is measured ------------------------------------------------------------------------ */

static void header_print(const struct session *session)
{
    int version = product_library_version(session->product);
    printf("# cuBLAS %d.%d.%d: product of matrices of %d x %d bfloat16 numbers%s\n",
           version / 10000, version / 100 % 100, version % 100, session->options.order,
           session->options.order, session->options.in_place ? "; collectives in place" : "");
    printf("# Size: bytes of a result\n");
    printf("%-11s %11s %-7s %8s %11s %9s %11s %14s %7s %7s %s\n", "# collective", "Size", "side",
           "products", "product(us)", "alone(us)", "in turn(us)", "overlapped(us)", "hidden",
           "slowed", "Validation");
}

static void result_print(const struct overlap_case *plan, const struct overlap_result *result)
{
    printf("%-12s %11zu %-7s %8d %11.1f %9.1f %11.1f %14.1f %6.1f%% %6.2f%% %s\n",
           plan->call.collective == COLLECTIVE_ALLREDUCE ? "allreduce" : "allgather",
           call_result_bytes(&plan->call), plan->side.name, result->products, result->product,
           result->alone, result->in_turn, result->overlapped, 100 * result->hidden,
           100 * result->slowed, result->right ? "Pass" : "WRONG");
    fflush(stdout);
}

static void side_measure(struct session *session, const struct overlap_side *side,
                         enum collective collective, size_t bytes, const struct buffers *buffers)
{
    struct overlap_result result;
    const struct overlap_case plan = {
        .side = *side,
        .call = {collective, bytes, session->rank, session->ranks, session->options.in_place,
                 ELEMENT_INT, buffers},
        .device = session->gpus.device,
        .product = session->product,
        .control = session->control,
        .repetitions = session->options.repetitions,
        .warmup = session->options.warmup,
    };
    overlap_measure(&plan, &result);
    session->right &= result.right;
    if (session->rank == 0) {
        result_print(&plan, &result);
    }
}

static void mpi_measure(struct session *session, enum collective collective, size_t bytes,
                        size_t result_bytes)
{
    const struct overlap_side side = {.name = "MPI", .comm = session->comm};
    struct buffers buffers;
    buffers_open(&buffers, MEMORY_CUDA, session->gpus.device, bytes, result_bytes);
    side_measure(session, &side, collective, bytes, &buffers);
    buffers_close(&buffers);
}

static void nccl_measure(struct session *session, enum collective collective, size_t bytes,
                         size_t result_bytes)
{
    static const char *const names[NCCL_WAYS] = {
        [NCCL_PLAIN] = "NCCL", [NCCL_WINDOW] = "window", [NCCL_CE] = "CE"
    };
    for (int way = 0; session->nccl != NULL && way < NCCL_WAYS; way++) {
        struct nccl_path path;
        if (nccl_path_open(&path, session->nccl, (enum nccl_way)way, collective, bytes,
                           result_bytes)) {
            const struct overlap_side side = {
                .name = names[way], .comm = MPI_COMM_NULL, .path = &path,
                .stream = session->stream,
            };
            side_measure(session, &side, collective, bytes, &path.buffers);
            nccl_path_close(&path);
        }
    }
}

/* An all-gather's blocks are parts of its result. All-reduces are of whole elements. */
static void size_measure(struct session *session, enum collective collective, size_t result_bytes)
{
    bool gathers = collective == COLLECTIVE_ALLGATHER;
    size_t parts = gathers ? (size_t)session->ranks : 1;
    size_t unit = ELEMENT_BYTES;
    size_t bytes = (result_bytes / parts + unit - 1) / unit * unit;
    if (bytes > INT_MAX) {
        bytes = INT_MAX / unit * unit;
    }
    mpi_measure(session, collective, bytes, bytes * parts);
    nccl_measure(session, collective, bytes, bytes * parts);
}

static void all_measure(struct session *session)
{
    static const enum collective order[] = {COLLECTIVE_ALLGATHER, COLLECTIVE_ALLREDUCE};
    for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
        for (int size = 0; session->options.chosen[order[i]] && size < session->options.sizes;
             size++) {
            size_measure(session, order[i], session->options.bytes[size]);
        }
    }
}

/* ---- what that takes ------------------------------------------------------------------------- */

/* Without the component, nonblocking calls crash on GPU memory. */
static bool component_is_there(const struct session *session)
{
    int priority;
    char text[FAILURE_LENGTH];
    bool there = machine_component_loaded(session->control, &priority);
    snprintf(text, sizeof(text), "nonblocking collectives on GPU memory need coll/%s, which is not "
             "loaded", machine_component);
    return failure_agree(there || machine_mpi_knows_gpus(), text, session->control);
}

static bool product_get(struct session *session)
{
    char text[FAILURE_LENGTH] = "";
    bool mine = product_open(&session->product, session->options.cublas_file,
                             session->options.order, session->gpus.device, text);
    bool all = failure_agree(mine, text, session->control);
    if (mine && !all) {
        product_close(session->product);
    }
    return all;
}

static bool rival_get(struct session *session)
{
    const struct overlap_options *options = &session->options;
    session->nccl = NULL;
    if (!options->rival) {
        return true;
    }
    if (!nccl_open(&session->nccl, options->rival_file, &session->gpus, session->control)) {
        return false;
    }
    if (session->rank == 0) {
        nccl_print(session->nccl);
    }
    return true;
}

static void measure_with_product(struct session *session)
{
    if (!rival_get(session)) {
        session->right = false;
        return;
    }
    session->stream = device_stream_open(session->gpus.device);
    if (session->rank == 0) {
        header_print(session);
    }
    all_measure(session);
    device_stream_close(session->gpus.device, session->stream);
    if (session->nccl != NULL) {
        nccl_close(session->nccl);
    }
}

static int session_run(struct session *session)
{
    session->control = machine_dup_without(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &session->comm);
    session->right = component_is_there(session);
    if (session->right && gpus_open(&session->gpus, session->control)) {
        machine_print(session->control);
        gpus_print(&session->gpus, session->control);
        session->right = product_get(session);
        if (session->right) {
            measure_with_product(session);
            product_close(session->product);
        }
        gpus_close(&session->gpus);
    } else {
        session->right = false;
    }
    MPI_Comm_free(&session->comm);
    MPI_Comm_free(&session->control);
    return session->right ? 0 : EXIT_WRONG;
}

static int usage_error(int rank, const char *message)
{
    if (rank == 0) {
        fprintf(stderr, "overlap: %s\n", message);
    }
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    struct session session = {.rank = 0};
    char message[256];
    int status = 0;
    failure_program = "overlap";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &session.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &session.ranks);
    switch (overlap_options_parse(argc, argv, &session.options, message, sizeof(message))) {
    case OPTIONS_HELP:
        if (session.rank == 0) {
            fputs(overlap_help, stdout);
        }
        break;
    case OPTIONS_BAD:
        status = usage_error(session.rank, message);
        break;
    default:
        status = session.ranks < 2 || session.ranks > RANKS_MOST
                     ? usage_error(session.rank, "start it with mpirun -n 2 to -n 64")
                     : session_run(&session);
        break;
    }
    MPI_Finalize();
    return status;
}
