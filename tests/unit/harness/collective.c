/*
 * collective.c - see collective.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/collective.h"

#include <string.h>
#include <time.h>

/* What a line carries when it does not carry the data. */
struct buffers {
    struct symm_location input, output;
    uint32_t retired;
};

bool collective_reaches_inputs(enum symm_algorithm algorithm)
{
    return symm_algorithm_has((int)algorithm, SYMM_NEEDS_INPUTS);
}

bool collective_reaches_outputs(enum symm_algorithm algorithm)
{
    return symm_algorithm_has((int)algorithm, SYMM_NEEDS_OUTPUTS);
}

static bool is_slot(enum symm_algorithm algorithm)
{
    return symm_algorithm_get(algorithm)->in_slot;
}

static void dawdle(const struct collective *call, struct unit_random *delays)
{
    if (call->is_late && unit_random_below(delays, 8) == 0) {
        const struct timespec moment = {.tv_nsec = (long)unit_random_below(delays, 200000)};
        (void)nanosleep(&moment, NULL);
    }
}

static void wait_for_slot(struct symm_team *team, uint64_t sequence)
{
    unsigned polls = 0;
    for (int rank = 0; sequence > SYMM_RING_MOST && rank < team->size; rank++) {
        while (atomic_load_explicit(&team->control.finished[rank].value, memory_order_acquire) <
               symm_control_before(&team->control, sequence)) {
            unit_pause(&polls);
        }
    }
}

static void line_post(struct fork_rank *self, struct symm_team *team,
                      const struct collective *call, uint64_t sequence)
{
    struct symm_heap *heap = symm_process_heap(team->process);
    struct symm_line *line = symm_control_line(&team->control, sequence, team->rank);
    size_t extent = call->reduction != NULL ? call->reduction->extent : 1;
    struct buffers buffers = {.retired = symm_heap_retired(heap)};
    line->signature = (uint64_t)call->algorithm;
    line->count = call->count;
    line->flags = call->flags;
    size_t input = call->is_rooted ? call->input_bytes : call->count * extent;
    size_t output = call->is_rooted ? call->output_bytes : call->count * extent;
    if (is_slot(call->algorithm)) {
        FORK_CHECK(self, input <= team->control.payload_size);
        memcpy(line->payload, call->input, input);
    } else {
        if (collective_reaches_inputs(call->algorithm) && (input > 0 || !call->is_rooted)) {
            FORK_STATUS(self, symm_heap_locate(heap, call->input, input, &buffers.input),
                        SYMM_OK);
        }
        if (collective_reaches_outputs(call->algorithm) && (output > 0 || !call->is_rooted)) {
            FORK_STATUS(self, symm_heap_locate(heap, call->output, output, &buffers.output),
                        SYMM_OK);
        }
        memcpy(line->payload, &buffers, sizeof(buffers));
    }
    symm_line_post(line, sequence);
}

static struct symm_line *line_wait(struct fork_rank *self, struct symm_team *team,
                                   const struct collective *call, uint64_t sequence, int rank)
{
    struct symm_line *line = symm_control_line(&team->control, sequence, rank);
    unsigned polls = 0;
    while (!symm_line_is_posted(line, sequence)) {
        unit_pause(&polls);
    }
    FORK_CHECK(self, line->signature == (uint64_t)call->algorithm && line->count == call->count);
    return line;
}

static void *reach(struct fork_rank *self, struct symm_team *team, int rank,
                   const struct symm_location *location)
{
    return location->serial != 0 ? fork_team_reach(self, team, rank, location) : NULL;
}

uint32_t collective_make(struct fork_rank *self, struct symm_team *team,
                         const struct collective *call, struct unit_random *delays)
{
    const void *inputs[FORK_RANKS_MAX] = {NULL};
    void *outputs[FORK_RANKS_MAX] = {NULL};
    uint64_t sequence = ++team->sequence;
    uint32_t flags = 0;
    dawdle(call, delays);
    wait_for_slot(team, sequence);
    line_post(self, team, call, sequence);
    for (int rank = 0; rank < team->size; rank++) {
        struct symm_line *line = line_wait(self, team, call, sequence, rank);
        flags |= line->flags;
        if (!is_slot(call->algorithm)) {
            struct buffers theirs;
            memcpy(&theirs, line->payload, sizeof(theirs));
            symm_team_collect(team, rank, 0, theirs.retired);
            inputs[rank] = reach(self, team, rank, &theirs.input);
            outputs[rank] = reach(self, team, rank, &theirs.output);
        }
    }
    inputs[team->rank] = call->input;
    outputs[team->rank] = call->output;
    const struct symm_work work = {
        .team = team, .algorithm = call->algorithm, .sequence = sequence, .count = call->count,
        .begins = call->begins, .root = call->root,
        .reduction = call->reduction, .input = call->input, .output = call->output,
        .inputs = inputs, .outputs = outputs,
    };
    struct symm_run run = {.work = &work};
    unsigned polls = 0;
    dawdle(call, delays);
    while (symm_run_step(&run) == SYMM_PENDING) {
        dawdle(call, delays);
        if (!run.worked) {
            unit_pause(&polls);
        }
        run.worked = false;
    }
    team->finished = sequence;
    atomic_store_explicit(&team->control.finished[team->rank].value, sequence,
                          memory_order_release);
    return flags;
}
