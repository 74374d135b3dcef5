/*
 * resources/multicast.c - calls whose buffers are reached through a multicast address
 * (heap/multicast.h).
 *
 * Each rank's line says whether the rank wants multicast, so every rank knows whether all do.  When
 * a call has been given an algorithm by multicast and its buffers have no multicast address yet,
 * the ranks set one up, with a vote after each step.  If anything fails on any rank, all ranks go
 * on with an algorithm that needs no multicast.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/resources/resource.h"

#include "heap/gpu/cuda_device.h"
#include "heap/team/multicast_setup.h"
#include "kernels/cuda/launch/multimem.h"
#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/report/shortage.h"
#include "mca/coll/symm/report/verbose.h"

/* ---- reasons against multicast --------------------------------------------------------------- */

/* A rank's reason against multicast, as its line says it. */
enum bar {
    BAR_NONE,
    BAR_UNABLE,
    BAR_PARAMETER,
    BAR_VARIABLES, /* this and higher values: one of the variables below */
};

/* The variables, under the names that symm_multicast_opted_out() uses. */
static const char *const variables[] = {
    "NCCL_NVLS_ENABLE=0", "NVSHMEM_DISABLE_NVLS=1", "TORCH_SYMM_MEM_DISABLE_MULTICAST=1",
};

enum { VARIABLES = sizeof(variables) / sizeof(*variables) };

_Static_assert(BAR_VARIABLES + VARIABLES - 1 < 1 << LINE_BAR_BITS, "a line has room for it");

static int bar_of_variable(const char *variable)
{
    int i = 0;
    while (i < VARIABLES - 1 && strcmp(variable, variables[i]) != 0) {
        i++;
    }
    return BAR_VARIABLES + i;
}

/*
 * The variables are about NVLink, so they count for device memory only.  In host memory multicast
 * is software, and of the settings only the parameter can forbid it.
 */
static int bar_get(const struct symm_operation *operation, uint32_t heap)
{
    const char *variable;
    if (mca_coll_symm_component.multicast == MCA_COLL_SYMM_MULTICAST_NEVER) {
        return BAR_PARAMETER;
    }
    if (operation->call->device >= 0 && symm_multicast_opted_out(&variable)) {
        return bar_of_variable(variable);
    }
    struct symm_process *process = operation->lane->team->process;
    return symm_heap_multicast_able(symm_process_heap_at(process, heap)) ? BAR_NONE : BAR_UNABLE;
}

/* The reason of this rank, where it has buffers that multicast could reach. */
static uint32_t describe(struct symm_operation *operation, struct symm_line *line)
{
    const struct line_buffers *buffers = buffers_of(line);
    const struct symm_location *location = &buffers->input;
    if ((line->flags & LINE_OUTPUT_IN_HEAP) != 0) {
        location = &buffers->output;
    } else if ((line->flags & LINE_INPUT_IN_HEAP) == 0) {
        return 0; /* there is nothing to reach */
    }
    if (location->heap == SYMM_HEAP_IPC) {
        return 0;
    }
    return (uint32_t)bar_get(operation, location->heap) << LINE_BAR_SHIFT;
}

/* ---- messages to the user -------------------------------------------------------------------- */

/* What the user has been told about a communicator, as bits. */
enum { TOLD_YES = 1, TOLD_BARRED = 2, TOLD_APART = 4, TOLD_LOST = 8, TOLD_TROUBLE = 16 };

/* Whether the user has been told before; from now on it counts as told. */
static bool was_told(const struct symm_operation *operation, uint32_t what)
{
    return (atomic_fetch_or(&operation->lane->module->told_multicast, what) & what) != 0;
}

/* Whether rank 0 has yet to tell the user. */
static bool is_news(const struct symm_operation *operation, uint32_t what)
{
    bool is_told = was_told(operation, what);
    return operation->lane->vote.rank == 0 && !is_told &&
           mca_coll_symm_is_verbose(SYMM_VERBOSE_COMMUNICATORS);
}

static void barred_warn(const struct symm_operation *operation, int rank, int bar)
{
    static const char *const texts[] = {
        [BAR_UNABLE] = "has none: device, driver or this library is without",
        [BAR_PARAMETER] = "has set coll_symm_multicast to never",
    };
    bool by_variable = bar >= BAR_VARIABLES;
    if (!is_news(operation, TOLD_BARRED)) {
        return;
    }
    mca_coll_symm_verbose_about(SYMM_VERBOSE_COMMUNICATORS, operation->comm,
                                "multicast: no, because rank %d %s%s", rank,
                                by_variable ? "has opted out by " : "",
                                by_variable ? variables[(bar - BAR_VARIABLES) % VARIABLES]
                                            : texts[bar]);
}

static void apart_warn(const struct symm_operation *operation)
{
    if (is_news(operation, TOLD_APART)) {
        mca_coll_symm_verbose_about(
            SYMM_VERBOSE_COMMUNICATORS, operation->comm,
            "multicast: not for these buffers, because ranks share a device, or theirs are not at "
            "the same place in segments of the same size");
    }
}

/* The rank that has lost the vote knows why, and tells the user once. */
static void lost_warn(const struct symm_operation *operation)
{
    static const char *const steps[] = {"create", "join", "bind to"};
    const struct symm_vote *vote = &operation->lane->vote;
    const struct symm_multicasting *multicasting = &operation->holdings->multicasting;
    if (vote->loser == vote->rank &&
        !was_told(operation, TOLD_TROUBLE)) {
        mca_coll_symm_verbose_about(
            SYMM_VERBOSE_TROUBLE, operation->comm,
            "rank %d cannot %s a multicast object, all ranks go on without it: %s", vote->rank,
            steps[multicasting->step], multicasting->failure);
    }
    if (is_news(operation, TOLD_LOST)) {
        mca_coll_symm_verbose_about(SYMM_VERBOSE_COMMUNICATORS, operation->comm,
                                    "multicast: no, because rank %d cannot set it up", vote->loser);
    }
}

/* ---- buffers of all ranks -------------------------------------------------------------------- */

enum side { INPUTS, OUTPUTS };

/*
 * Put where the ranks' inputs or outputs are into operation->holdings->locations.  Returns false if
 * not all of them are in heaps.
 */
static bool locations_get(struct symm_operation *operation, enum side side)
{
    for (int rank = 0; rank < operation->lane->team->size; rank++) {
        const struct symm_line *line = mca_coll_symm_line(operation, rank);
        const struct line_buffers *buffers = buffers_of(line);
        const struct symm_location *location = side == INPUTS ? &buffers->input : &buffers->output;
        uint32_t flag = side == INPUTS ? LINE_INPUT_IN_HEAP : LINE_OUTPUT_IN_HEAP;
        if ((line->flags & flag) == 0 || location->heap == SYMM_HEAP_IPC) {
            return false;
        }
        operation->holdings->locations[rank] = *location;
    }
    return true;
}

static bool is_possible(struct symm_operation *operation, enum side side)
{
    struct symm_team *team = operation->lane->team;
    if (!locations_get(operation, side)) {
        return false;
    }
    if (!symm_team_multicast_fits(team, operation->holdings->locations)) {
        apart_warn(operation);
        return false;
    }
    return symm_team_multicast_state(team, operation->holdings->locations) !=
           SYMM_MULTICAST_REFUSED;
}

/* Find the first rank that has a reason against multicast, and the reason.  -1: there is none. */
static int barred_find(const struct symm_operation *operation, int *bar)
{
    for (int rank = 0; rank < operation->lane->team->size; rank++) {
        const struct symm_line *line = mca_coll_symm_line(operation, rank);
        *bar = line_bar(line);
        if (*bar != BAR_NONE) {
            return rank;
        }
    }
    return -1;
}

/*
 * In host memory multicast is no quicker than anything else, so it is used there only if the user
 * forces it.
 */
static bool is_of_use(const struct symm_facts *facts)
{
    return facts->multimem &&
           (facts->device || symm_algorithm_is_multimem((enum symm_algorithm)facts->forced));
}

/* An address that has yet to be set up counts as possible. */
static void note(struct symm_operation *operation, struct symm_facts *facts)
{
    const struct symm_call *call = operation->call;
    enum symm_cuda_type type = (enum symm_cuda_type)call->cuda_type;
    enum symm_cuda_op op = (enum symm_cuda_op)call->cuda_op;
    bool reduces = symm_collective_get(call->collective)->reduces;
    bool limited = facts->device && reduces;
    int bar;
    if (facts->unmapped) {
        return; /* there is no choice yet */
    }
    facts->multimem = !limited || symm_multimem_can_reduce(type, op, false);
    facts->multimem_one_shot = !limited || symm_multimem_can_reduce(type, op, true);
    if (!is_of_use(facts)) {
        return;
    }
    int barred = barred_find(operation, &bar);
    if (barred >= 0) {
        barred_warn(operation, barred, bar);
        return;
    }
    facts->multicast_outputs = facts->outputs_reachable && is_possible(operation, OUTPUTS);
    facts->multicast_inputs = reduces && facts->inputs_reachable &&
                              is_possible(operation, INPUTS);
}

/* ---- setting up ------------------------------------------------------------------------------ */

enum step { CREATE, JOIN, BIND };

static bool is_needed(enum symm_algorithm algorithm, enum side side)
{
    return side == INPUTS ? symm_algorithm_multicasts_inputs(algorithm)
                          : symm_algorithm_multicasts_outputs(algorithm);
}

static void step_open(struct symm_operation *operation, enum step step)
{
    operation->holdings->multicasting = (struct symm_multicasting){.step = step};
    symm_cuda_forget_failure();
    symm_vote_open(&operation->lane->vote, operation->comm);
}

static bool chosen(struct symm_operation *operation, enum symm_algorithm algorithm,
                   const struct symm_facts *facts)
{
    struct symm_team *team = operation->lane->team;
    (void)facts;
    if (!symm_algorithm_is_multimem(algorithm)) {
        return false;
    }
    for (enum side side = INPUTS; side <= OUTPUTS; side++) {
        if (is_needed(algorithm, side) && locations_get(operation, side) &&
            symm_team_multicast_state(team, operation->holdings->locations) ==
                SYMM_MULTICAST_UNKNOWN) {
            symm_team_multicast_begin(team, operation->holdings->locations);
            step_open(operation, CREATE);
            return true;
        }
    }
    return false;
}

/* Get the kernels of multicast now, because nothing else needs them. */
static enum symm_status kernels_get(const struct symm_operation *operation)
{
    struct symm_device *device;
    if (operation->call->device < 0) {
        return SYMM_OK;
    }
    enum symm_status status = symm_device_get(operation->call->device, &device);
    return status == SYMM_OK ? symm_device_multimem_load(device) : status;
}

static enum symm_status step_do(struct symm_operation *operation)
{
    struct symm_team *team = operation->lane->team;
    enum symm_status status;
    switch (operation->holdings->multicasting.step) {
    case CREATE:
        status = kernels_get(operation);
        return status == SYMM_OK ? symm_team_multicast_create(team) : status;
    case JOIN:
        return symm_team_multicast_join(team);
    default:
        return symm_team_multicast_bind(team);
    }
}

static void failure_note(struct symm_multicasting *multicasting, enum symm_status status)
{
    char *text = multicasting->failure;
    size_t size = sizeof(multicasting->failure);
    symm_cuda_last_failure(text, size);
    if (*text == '\0') {
        (void)snprintf(text, size, "%s", symm_status_string(status));
    }
}

/* Do the current step.  Returns true if this rank has voted about it. */
static bool step_is_cast(struct symm_operation *operation)
{
    struct symm_multicasting *multicasting = &operation->holdings->multicasting;
    struct symm_vote *vote = &operation->lane->vote;
    if (multicasting->is_cast) {
        return true;
    }
    enum symm_status status = step_do(operation);
    if (status == SYMM_PENDING && symm_vote_is_lost(vote)) {
        status = SYMM_ERR_NOT_FOUND; /* rank 0 has nothing to offer and may not even answer */
    }
    if (status == SYMM_PENDING) {
        return false;
    }
    if (status != SYMM_OK) {
        failure_note(multicasting, status);
    }
    symm_vote_cast(vote, operation->comm, mca_coll_symm_shortage(status, 0));
    multicasting->is_cast = true;
    return true;
}

static enum symm_status set_up(struct symm_operation *operation)
{
    struct symm_team *team = operation->lane->team;
    const struct symm_multicasting *multicasting = &operation->holdings->multicasting;
    bool all_yes;
    while (step_is_cast(operation)) {
        enum symm_status status =
            symm_vote_test(&operation->lane->vote, operation->comm, &all_yes);
        if (status == SYMM_PENDING) {
            return SYMM_PENDING;
        }
        if (status != SYMM_OK || !all_yes) {
            symm_team_multicast_settle(team, false);
            if (status == SYMM_OK) {
                lost_warn(operation);
            }
            return status;
        }
        if (multicasting->step == BIND) {
            symm_team_multicast_settle(team, true);
            if (is_news(operation, TOLD_YES)) {
                mca_coll_symm_verbose_about(SYMM_VERBOSE_COMMUNICATORS, operation->comm,
                                            "multicast: yes");
            }
            return SYMM_OK;
        }
        step_open(operation, multicasting->step + 1);
    }
    return SYMM_PENDING;
}

/* ---- running --------------------------------------------------------------------------------- */

static bool resolve(struct symm_operation *operation, const struct symm_facts *facts)
{
    struct symm_work *work = &operation->work;
    (void)facts;
    if (!symm_algorithm_is_multimem(work->algorithm)) {
        return true;
    }
    struct symm_multicast_address *const addresses[] = {
        [INPUTS] = &work->multicast_input, [OUTPUTS] = &work->multicast_output,
    };
    for (enum side side = INPUTS; side <= OUTPUTS; side++) {
        *addresses[side] = (struct symm_multicast_address){.address = NULL};
        if (is_needed(work->algorithm, side) && locations_get(operation, side)) {
            (void)symm_team_multicast_address(work->team, operation->holdings->locations,
                                              addresses[side]);
        }
    }
    return true;
}

const struct symm_resource mca_coll_symm_multicast = {
    .name = "multicast", .on_host = true, .describe = describe, .note = note, .chosen = chosen,
    .set_up = set_up, .resolve = resolve,
};
