/*
 * symm_bench.c - latency of MPI_Allreduce, MPI_Allgather, MPI_Reduce_scatter,
 * MPI_Reduce_scatter_block, MPI_Scan, MPI_Exscan, MPI_Bcast, MPI_Reduce, MPI_Gather, MPI_Scatter,
 * all-to-all calls and MPI_Barrier, of nonblocking and persistent ones too, in the format of the
 * OSU micro-benchmarks, with and without the component coll/symm, in two kinds of memory, or beside
 * NCCL, in one run. It is a plain MPI program and knows the component by name only.
 *
 * Each size passes these steps: validate (if asked), find the floor, time the call in blocks, print
 * a row for each state of the machine. --help (help.c) explains how time is taken. private.h
 * and, for GPUs, floor.h explain the floor.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "choice.h"
#include "floor.h"
#include "help.h"
#include "machine.h"
#include "measure.h"
#include "private.h"
#include "report.h"
#include "tune.h"
#include "validate.h"

#include <inttypes.h>
#include <time.h>

enum {
    EXIT_WRONG = 1, /* a result was wrong, or what was to be measured is not there */
    EXIT_USAGE = 2,
    RIVAL_VALIDATE_BYTES = 1 << 20 /* up to here the rival's results are checked too */
};

struct session {
    struct options options;
    int argc;
    char **argv;
    int rank;
    int ranks;
    MPI_Comm control; /* barriers and bookkeeping, never measured, without the component */
    MPI_Comm with;
    MPI_Comm without; /* MPI_COMM_NULL if nothing is compared */
    struct gpus gpus;
    struct nccl *nccl; /* NULL without a rival */
    struct cacheline cacheline;
};

static void session_open(struct session *session)
{
    session->control = machine_dup_without(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &session->with);
    session->without = MPI_COMM_NULL;
    if (session->options.compare) {
        session->without = machine_dup_without(MPI_COMM_WORLD);
    }
    cacheline_open(&session->cacheline, session->control);
    if (!session->options.seed_given) {
        session->options.seed = (uint64_t)time(NULL);
    }
    MPI_Bcast(&session->options.seed, 1, MPI_UINT64_T, 0, session->control);
}

static void session_close(struct session *session)
{
    cacheline_close(&session->cacheline);
    if (session->without != MPI_COMM_NULL) {
        MPI_Comm_free(&session->without);
    }
    MPI_Comm_free(&session->with);
    MPI_Comm_free(&session->control);
}

static bool is_on_gpu(const struct session *session)
{
    return memory_is_gpu(session->options.memory);
}

/* Opens the GPUs and the rival if options ask for them. Returns false if one is missing. */
static bool devices_open(struct session *session)
{
    const struct options *options = &session->options;
    session->nccl = NULL;
    session->gpus.device = NULL;
    if (!is_on_gpu(session)) {
        return true;
    }
    cacheline_ignore(&session->cacheline);
    if (!gpus_open(&session->gpus, session->control)) {
        return false;
    }
    gpus_print(&session->gpus, session->control);
    if (options->rival) {
        if (!nccl_open(&session->nccl, options->rival_file, &session->gpus, session->control)) {
            gpus_close(&session->gpus);
            return false;
        }
        if (session->rank == 0) {
            nccl_print(session->nccl);
        }
    }
    return true;
}

static void devices_close(struct session *session)
{
    if (session->nccl != NULL) {
        nccl_close(session->nccl);
    }
    if (is_on_gpu(session)) {
        gpus_close(&session->gpus);
    }
}

static bool size_validate(const struct session *session, const struct sides *sides,
                          const struct call *call)
{
    bool right = true;
    bool has_data = call->collective != COLLECTIVE_BARRIER;
    for (int i = 0; session->options.validate && has_data && i < sides->count; i++) {
        const struct side *side = &sides->side[i];
        if (side->part != SIDE_CALL) {
            continue;
        }
        if (side->rival == NULL || call->bytes <= RIVAL_VALIDATE_BYTES) {
            right &= validate_call(call, side, session->control, session->options.seed);
        }
    }
    return right;
}

/*
 * Ranks that share a GPU have no link between them; a barrier moves nothing. The tables of calls
 * that are not blocking do not show it.
 */
static double size_floor(const struct session *session, const struct call *call)
{
    if (call->collective == COLLECTIVE_BARRIER || session->options.form != FORM_BLOCKING) {
        return 0;
    }
    if (!is_on_gpu(session)) {
        return private_time(call, session->control);
    }
    return session->gpus.shared ? 0 : floor_time(call);
}

static bool size_run(struct session *session, struct sides *sides, const struct call *call,
                     struct report *report)
{
    const struct options *options = &session->options;
    struct measure_plan plan = {
        .sides = sides,
        .compute = options->form != FORM_BLOCKING ? &sides->compute : NULL,
        .control = session->control,
        .cacheline = &session->cacheline,
        .access = options->access,
        .iterations = options_iterations(options, call->bytes),
        .warmup = options_warmup(options, call->bytes),
        .blocks = options->blocks
    };
    struct measure_result result;
    struct report_entry entry = {.call = call, .result = &result};
    if (plan.blocks > plan.iterations) {
        plan.blocks = plan.iterations;
    }
    sides_prepare(sides, call);
    entry.right = size_validate(session, sides, call);
    entry.floor_us = size_floor(session, call);
    measure_run(&plan, call, &result);
    sides_release(sides);
    if (session->rank == 0) {
        report_size(report, &entry);
    }
    return entry.right;
}

/* Sizes double from the smallest on, as far as the largest. */
static bool collective_run(struct session *session, enum collective collective)
{
    const struct options *options = &session->options;
    struct buffers buffers, beside;
    struct sides sides;
    struct sides_origin origin = {
        session->with, session->without, session->nccl, &buffers,
        options->has_beside ? &beside : NULL, options->form, options->tests
    };
    struct report report;
    bool right = true;
    size_t least = call_round(collective, options->min_bytes > 0 ? options->min_bytes : 1,
                              session->ranks);
    size_t most = call_round(collective, options->max_bytes, session->ranks);
    struct call call = {collective, most, session->rank, session->ranks, options->in_place,
                        options->element, &buffers, false};
    buffers_open(&buffers, options->memory, session->gpus.device, call_send_bytes(&call),
                 call_receive_bytes(&call));
    if (options->has_beside) {
        buffers_open(&beside, options->beside, session->gpus.device, call_send_bytes(&call),
                     call_receive_bytes(&call));
    }
    sides_open(&sides, &origin, &call);
    if (session->rank == 0) {
        report_begin(&report, options, &sides, collective);
    }
    bool more = true;
    for (call.bytes = least; more && call.bytes <= most; call.bytes *= 2) {
        right &= size_run(session, &sides, &call, &report);
        more = call.bytes > 0;
    }
    if (session->rank == 0) {
        report_end(&report);
    }
    sides_close(&sides);
    if (options->has_beside) {
        buffers_close(&beside);
    }
    buffers_close(&buffers);
    return right;
}

/* ---- --chosen and --tune-to ------------------------------------------------------------------ */

/* `tune` is NULL with --chosen. */
static bool choice_run(struct session *session, enum collective collective, struct tune *tune)
{
    const struct options *options = &session->options;
    struct buffers buffers;
    struct choice_origin origin = {
        .options = options, .with = session->with, .control = session->control,
        .cacheline = &session->cacheline, .buffers = &buffers,
        .rank = session->rank, .ranks = session->ranks
    };
    struct call call = {collective,
                        call_round(collective, options->max_bytes, session->ranks), session->rank,
                        session->ranks, options->in_place, options->element, &buffers, false};
    struct forcing forcing;
    enum forcing_extra extra = is_on_gpu(session) ? FORCING_MULTICAST : FORCING_BELOW;
    if (!forcing_open(&forcing, collective, extra, session->control)) {
        return false;
    }
    buffers_open(&buffers, options->memory, session->gpus.device, call_send_bytes(&call),
                 call_receive_bytes(&call));
    bool right = tune != NULL ? tune_measure(tune, &origin, &forcing)
                              : choice_show(&origin, &forcing);
    buffers_close(&buffers);
    forcing_close(&forcing);
    return right;
}

static bool tune_finish(const struct session *session, const struct tune *tune)
{
    struct choice_origin origin = {.options = &session->options, .control = session->control,
                                   .rank = session->rank, .ranks = session->ranks};
    char name[DEVICE_NAME];
    if (is_on_gpu(session)) {
        device_name(session->gpus.device, name);
    }
    return tune_write(tune, &origin, is_on_gpu(session) ? name : NULL, session->argc,
                      session->argv);
}

static bool choices_run(struct session *session)
{
    static struct tune tune; /* hundreds of kilobytes */
    const char *path = session->options.tune_file;
    bool right = true;
    if (path != NULL && !tune_open(&tune, path, session->control)) {
        return false;
    }
    for (int i = 0; i < COLLECTIVE_COUNT && right; i++) {
        if (session->options.chosen[i]) {
            right = choice_run(session, (enum collective)i, path != NULL ? &tune : NULL);
        }
    }
    return right && (path == NULL || tune_finish(session, &tune));
}

/* ---- all else -------------------------------------------------------------------------------- */

static void component_print(bool loaded, int priority)
{
    if (loaded) {
        printf("# coll/%s is loaded, priority %d\n", machine_component, priority);
    } else {
        printf("# coll/%s is not loaded\n", machine_component);
    }
}

static void component_missing(const struct options *options)
{
    const char *name = options->compare       ? "--compare"
                       : options->show_choice ? "--chosen"
                                              : "--tune-to";
    fflush(stdout);
    fprintf(stderr,
            "symm_bench: %s has nothing to compare: coll/%s is not loaded in this job.\n"
            "Install it, or set OMPI_MCA_mca_base_component_path to its folder, first, and\n"
            "that of Open MPI, and do not exclude it with --mca coll.\n"
            "`ompi_info --param coll %s` must list it.\n",
            name, machine_component, machine_component);
}

static void gpu_support_missing(void)
{
    fflush(stdout);
    fprintf(stderr,
            "symm_bench: collectives on GPU memory need coll/%s, which is not loaded in this job;\n"
            "this Open MPI's own components cannot read GPU memory.\n",
            machine_component);
}

static int session_run(struct session *session)
{
    const struct options *options = &session->options;
    bool right = true;
    int priority;
    bool loaded = machine_component_loaded(session->control, &priority);
    machine_print(session->control);
    if (session->rank == 0) {
        component_print(loaded, priority);
        if (options->validate) {
            printf("# validation with --seed %" PRIu64 "\n", options->seed);
        }
    }
    bool choices = options->show_choice || options->tune_file != NULL;
    if ((options->compare || choices) && !loaded) {
        if (session->rank == 0) {
            component_missing(options);
        }
        return EXIT_WRONG;
    }
    if (is_on_gpu(session) && !loaded && !machine_mpi_knows_gpus()) {
        if (session->rank == 0) {
            gpu_support_missing();
        }
        return EXIT_WRONG;
    }
    if (!devices_open(session)) {
        return EXIT_WRONG;
    }
    if (choices) {
        right = choices_run(session);
    }
    for (int i = 0; i < COLLECTIVE_COUNT && !choices; i++) {
        if (options->chosen[i]) {
            right &= collective_run(session, (enum collective)i);
        }
    }
    devices_close(session);
    return right ? 0 : EXIT_WRONG;
}

static int session_begin(struct session *session)
{
    session_open(session);
    int status = session_run(session);
    session_close(session);
    return status;
}

/* --version: the lines that also stand above every table. */
static void version_print(void)
{
    MPI_Comm control = machine_dup_without(MPI_COMM_WORLD);
    machine_print(control);
    MPI_Comm_free(&control);
}

static int usage_error(int rank, const char *message)
{
    if (rank == 0) {
        fprintf(stderr, "symm_bench: %s\n", message);
    }
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    struct session session = {.argc = argc, .argv = argv};
    char message[256];
    int status = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &session.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &session.ranks);
    switch (options_parse(argc, argv, &session.options, message, sizeof(message))) {
    case OPTIONS_HELP:
        if (session.rank == 0) {
            help_print(stdout);
        }
        break;
    case OPTIONS_VERSION:
        version_print();
        break;
    case OPTIONS_BAD:
        status = usage_error(session.rank, message);
        break;
    case OPTIONS_RUN:
        status = session.ranks < 2
                     ? usage_error(session.rank, "1 rank has nobody to talk to: start it with "
                                                 "mpirun -n 2 or more")
                     : session_begin(&session);
        break;
    }
    MPI_Finalize();
    return status;
}
