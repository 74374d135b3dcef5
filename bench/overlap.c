/*
 * overlap.c - how much of a collective on GPU memory hides behind a matrix product, and how much
 * the product is slowed by it: MPI's nonblocking and persistent calls, and NCCL's on a stream.
 * overlap_options.c has the text of --help, which explains the columns.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "failure.h"
#include "machine.h"
#include "overlap_cases.h"

#include <stdio.h>

enum {
    EXIT_WRONG = 1, /* a result was wrong, or what was to be measured is not there */
    EXIT_USAGE = 2,
    RANKS_MOST = 64
};

/* Without the component, nonblocking calls crash on GPU memory. */
static bool component_is_there(const struct overlap_session *session)
{
    int priority;
    char text[FAILURE_LENGTH];
    bool there = machine_component_loaded(session->control, &priority);
    snprintf(text, sizeof(text), "nonblocking collectives on GPU memory need coll/%s, which is not "
             "loaded", machine_component);
    return failure_agree(there || machine_mpi_knows_gpus(), text, session->control);
}

static bool product_get(struct overlap_session *session)
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

static bool rival_get(struct overlap_session *session)
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

static void measure_with_product(struct overlap_session *session)
{
    if (!rival_get(session)) {
        session->right = false;
        return;
    }
    session->stream = device_stream_open(session->gpus.device);
    overlap_cases_measure(session);
    device_stream_close(session->gpus.device, session->stream);
    if (session->nccl != NULL) {
        nccl_close(session->nccl);
    }
}

static int session_run(struct overlap_session *session)
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
    struct overlap_session session = {.rank = 0};
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
