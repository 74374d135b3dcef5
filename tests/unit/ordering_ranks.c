/*
 * ordering_ranks.c - see ordering_ranks.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/unit/ordering_ranks.h"

#include "mca/coll/symm/agree/mismatch.h"
#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/base/module.h"
#include "mca/coll/symm/choose/single_copy.h"
#include "mca/coll/symm/choose/explain.h"
#include "mca/coll/symm/choose/table.h"
#include "mca/coll/symm/device/device.h"
#include "mca/coll/symm/device/reach.h"
#include "mca/coll/symm/device/scratch.h"
#include "mca/coll/symm/report/verbose.h"
#include "mca/coll/symm/serve/operation.h"
#include "mca/coll/symm/serve/set_up.h"

#include <unistd.h>

enum {
    WORDS_SMALL = 6,   /* that fit in a line */
    PIECE = 4096,      /* the least that control memory takes */
    BLOCK = PIECES_MAX * PIECE, /* of a rank's input */
};

struct actor {
    struct symm_table table; /* the team's, with what its call is to be made by */
    struct symm_team team;
    struct mca_coll_symm_module_t module;
    const void *inputs[MODEL_RANKS_MAX];
    void *outputs[MODEL_RANKS_MAX], *scratches[MODEL_RANKS_MAX];
    _Alignas(64) unsigned char input[BLOCK], output[MODEL_RANKS_MAX * BLOCK]; /* peers reach them */
    unsigned char private_input[BLOCK], private_output[MODEL_RANKS_MAX * BLOCK];
    int call; /* the one under way or to come */
    bool is_busy;
};

static struct actor actors[MODEL_RANKS_MAX];
static int actor_count;
static struct symm_control control; /* all ranks'; after the recording for its addresses only */

/* ---- stand-ins ------------------------------------------------------------------------------- */

mca_coll_symm_component_t mca_coll_symm_component;

static _Noreturn void unexpected(const char *what)
{
    fail_msg("%s is not to be called here", what);
    abort();
}

int mca_coll_symm_mismatch_report(const struct symm_operation *operation)
{
    (void)operation;
    unexpected(__func__);
}

int mca_coll_symm_shortage(enum symm_status status, int error)
{
    (void)status, (void)error;
    unexpected(__func__);
}

void mca_coll_symm_verbose_about(int level, const struct ompi_communicator_t *comm,
                                 const char *format, ...)
{
    (void)level, (void)comm, (void)format;
    unexpected(__func__);
}

void mca_coll_symm_choice_explain(struct symm_operation *operation, const struct symm_facts *facts)
{
    (void)operation, (void)facts;
    unexpected(__func__);
}

void mca_coll_symm_step_set_up(struct symm_operation *operation)
{
    (void)operation;
    unexpected(__func__);
}

void mca_coll_symm_step_vote_on_set_up(struct symm_operation *operation)
{
    (void)operation;
    unexpected(__func__);
}

void mca_coll_symm_vote_lost_tell(const struct symm_operation *operation,
                                  enum mca_coll_symm_trouble trouble)
{
    (void)operation, (void)trouble;
    unexpected(__func__);
}

bool mca_coll_symm_single_copy(void)
{
    unexpected(__func__);
}

enum symm_status mca_coll_symm_device_prepare(struct symm_operation *operation)
{
    (void)operation;
    unexpected(__func__);
}

enum symm_status mca_coll_symm_device_reach(struct symm_operation *operation, int rank,
                                            const struct symm_location *location,
                                            enum symm_status mapped)
{
    (void)operation, (void)rank, (void)location, (void)mapped;
    unexpected(__func__);
}

void mca_coll_symm_device_run_describe(struct symm_operation *operation)
{
    (void)operation;
    unexpected(__func__);
}

void mca_coll_symm_device_copy_early(struct symm_operation *operation)
{
    (void)operation;
    unexpected(__func__);
}

int mca_coll_symm_device_failure(const struct symm_operation *operation)
{
    (void)operation;
    unexpected(__func__);
}

void *mca_coll_symm_scratch_take(int device, size_t *size)
{
    (void)device, (void)size;
    unexpected(__func__);
}

void mca_coll_symm_scratch_give(int device)
{
    (void)device;
    unexpected(__func__);
}

void symm_vote_open(struct symm_vote *vote, struct ompi_communicator_t *comm)
{
    (void)vote, (void)comm;
    unexpected(__func__);
}

void symm_vote_cast(struct symm_vote *vote, struct ompi_communicator_t *comm, int ballot)
{
    (void)vote, (void)comm, (void)ballot;
    unexpected(__func__);
}

enum symm_status symm_vote_test(struct symm_vote *vote, struct ompi_communicator_t *comm,
                                bool *all_yes)
{
    (void)vote, (void)comm, (void)all_yes;
    unexpected(__func__);
}

enum symm_status symm_team_map(struct symm_team *team, int rank,
                               const struct symm_location *location)
{
    (void)team, (void)rank, (void)location;
    unexpected(__func__);
}

enum symm_status symm_team_tables_get(struct symm_team *team)
{
    (void)team;
    unexpected(__func__);
}

void symm_team_tables_settle(struct symm_team *team, bool all_have)
{
    (void)team, (void)all_have;
    unexpected(__func__);
}

void symm_vote_open_announced(struct symm_vote *vote, struct ompi_communicator_t *comm)
{
    (void)vote, (void)comm;
    unexpected(__func__);
}

void symm_team_set_segment_state(struct symm_team *team, int rank,
                                 const struct symm_location *location,
                                 enum symm_segment_state state)
{
    (void)team, (void)rank, (void)location, (void)state;
    unexpected(__func__);
}

/* The heap: `input` and `output` of all actors, at the same address in every rank. */
struct symm_heap *symm_process_heap_at(struct symm_process *process, uint32_t number)
{
    (void)process, (void)number;
    return NULL;
}

enum symm_status symm_process_locate(struct symm_process *process, const void *address, size_t size,
                                     struct symm_location *location)
{
    const unsigned char *byte = address;
    (void)process;
    for (int rank = 0; rank < actor_count; rank++) {
        const struct actor *actor = &actors[rank];
        if ((byte >= actor->input && byte + size <= actor->input + sizeof(actor->input)) ||
            (byte >= actor->output && byte + size <= actor->output + sizeof(actor->output))) {
            *location = (struct symm_location){.offset = (uintptr_t)address, .serial = 1};
            return SYMM_OK;
        }
    }
    return SYMM_ERR_FOREIGN;
}

uint32_t symm_heap_retired(struct symm_heap *heap)
{
    (void)heap;
    return 0;
}

enum symm_segment_state symm_team_segment_state(const struct symm_team *team, int rank,
                                                const struct symm_location *location)
{
    (void)team, (void)rank, (void)location;
    return SYMM_SEGMENT_MAPPED;
}

void *symm_team_address(const struct symm_team *team, int rank,
                        const struct symm_location *location)
{
    (void)team, (void)rank;
    return (void *)(uintptr_t)location->offset;
}

void symm_team_note_device(struct symm_team *team, int rank, uint8_t device)
{
    (void)team, (void)rank, (void)device; /* host memory: always the same */
}

void symm_team_devices_done(struct symm_team *team)
{
    (void)team;
}

void symm_team_forget_refusals(struct symm_team *team, uint64_t sequence)
{
    (void)team, (void)sequence;
}

void symm_team_collect(struct symm_team *team, int rank, uint32_t heap, uint32_t retired)
{
    (void)team, (void)rank, (void)heap, (void)retired;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static const struct plan {
    char name;
    enum symm_algorithm algorithm;
    enum symm_collective collective;
    bool is_direct, in_place;
} plans[] = {
    {CALL_SLOT_REDUCE, SYMM_ALLREDUCE_SLOT, SYMM_ALLREDUCE, false, false},
    {CALL_SLOT_GATHER, SYMM_ALLGATHER_SLOT, SYMM_ALLGATHER, false, false},
    {CALL_STAGED_REDUCE, SYMM_ALLREDUCE_STAGED, SYMM_ALLREDUCE, false, false},
    {CALL_STAGED_ONE_SHOT, SYMM_ALLREDUCE_STAGED_ONE_SHOT, SYMM_ALLREDUCE, false, false},
    {CALL_STAGED_GATHER, SYMM_ALLGATHER_STAGED, SYMM_ALLGATHER, false, false},
    {CALL_TWO_SHOT, SYMM_ALLREDUCE_TWO_SHOT, SYMM_ALLREDUCE, true, false},
    {CALL_TWO_SHOT_IN_PLACE, SYMM_ALLREDUCE_TWO_SHOT, SYMM_ALLREDUCE, true, true},
    {CALL_ONE_SHOT, SYMM_ALLREDUCE_ONE_SHOT, SYMM_ALLREDUCE, true, false},
    {CALL_PULL, SYMM_ALLGATHER_PULL, SYMM_ALLGATHER, true, false},
    {CALL_PUSH, SYMM_ALLGATHER_PUSH, SYMM_ALLGATHER, true, false},
    {CALL_MULTIMEM, SYMM_ALLREDUCE_MULTIMEM, SYMM_ALLREDUCE, true, false},
    {CALL_MULTIMEM_IN_PLACE, SYMM_ALLREDUCE_MULTIMEM, SYMM_ALLREDUCE, true, true},
    {CALL_MULTIMEM_GATHER, SYMM_ALLGATHER_MULTIMEM, SYMM_ALLGATHER, true, false},
    {CALL_PACKED_GATHER, SYMM_ALLGATHER_STAGED, SYMM_ALLGATHER, false, false},
    {CALL_SLOT_BCAST, SYMM_BCAST_SLOT, SYMM_BCAST, false, false},
    {CALL_STAGED_BCAST, SYMM_BCAST_STAGED, SYMM_BCAST, false, false},
    {CALL_PULL_BCAST, SYMM_BCAST_PULL, SYMM_BCAST, true, false},
    {CALL_SLOT_ROOT, SYMM_GATHER_SLOT, SYMM_GATHER, false, false},
    {CALL_STAGED_ROOT, SYMM_GATHER_STAGED, SYMM_GATHER, false, false},
    {CALL_PUSH_ROOT, SYMM_GATHER_PUSH, SYMM_GATHER, true, false},
    {CALL_PULL_ROOT, SYMM_GATHER_PULL, SYMM_GATHER, true, false},
    {CALL_BELOW, SYMM_ALGORITHM_COUNT, SYMM_ALLGATHER, false, false},
};

static const struct plan *plan_of(const struct planned_call *planned)
{
    size_t i = 0;
    while (plans[i].name != planned->algorithm) {
        i++;
    }
    return &plans[i];
}

static void sum(void *context, const void *source, void *target, size_t count)
{
    const uint64_t *from = source;
    uint64_t *to = target;
    (void)context;
    recorder_read(source, count * sizeof(uint64_t));
    recorder_read(target, count * sizeof(uint64_t));
    recorder_write(target, count * sizeof(uint64_t));
    for (size_t i = 0; i < count; i++) {
        to[i] += from[i];
    }
}

static bool is_in_slot(const struct planned_call *planned)
{
    return strchr("rgch", planned->algorithm) != NULL;
}

/* What only some ranks have.  Of a broadcast or gather a rank may have one buffer only. */
static void root_describe(struct symm_call *call, int rank)
{
    bool from_root = call->collective == SYMM_BCAST;
    call->root = from_root ? 0 : 1;
    if (rank == call->root && from_root) {
        call->output = symm_ompi_unconst(call->input);
    } else if (rank != call->root && from_root) {
        call->absent = SYMM_ABSENT_INPUT;
        call->input = call->output;
    } else if (rank != call->root) {
        call->absent = SYMM_ABSENT_OUTPUT;
        call->output = symm_ompi_unconst(call->input);
        call->output_bytes = 0;
    }
}

static size_t call_bytes(const struct planned_call *planned)
{
    if (is_in_slot(planned)) {
        return WORDS_SMALL * sizeof(uint64_t);
    }
    if (planned->algorithm == CALL_PACKED_GATHER) {
        return PIECE;
    }
    return planned->pieces > 0 ? (size_t)planned->pieces * PIECE : 16 * SYMM_CACHE_LINE;
}

/* What the program does with its buffers before the call: it writes both. */
static void call_begin(struct actor *actor, const struct planned_call *planned)
{
    const struct plan *plan = plan_of(planned);
    struct symm_operation *operation = &actor->module.blocking.operation;
    struct symm_call *call = &actor->module.call;
    size_t bytes = call_bytes(planned);
    bool is_rooted = symm_collective_get(plan->collective)->is_rooted;
    bool is_gather = plan->collective == SYMM_ALLGATHER || is_rooted;
    *call = (struct symm_call){
        .collective = plan->collective,
        .veto = planned->vetoer == actor->team.rank ? SYMM_REASON_GAPS : SYMM_REASON_NONE,
        .input = plan->is_direct ? actor->input : actor->private_input,
        .output = plan->is_direct ? actor->output : actor->private_output,
        .in_place = plan->in_place,
        .count = is_gather ? bytes : bytes / sizeof(uint64_t),
        .extent = is_gather ? 1 : sizeof(uint64_t),
        .input_bytes = bytes,
        .output_bytes = is_gather && plan->collective != SYMM_BCAST
                            ? bytes * (size_t)actor->team.size : bytes,
        .payload_bytes = bytes,
        .device = -1,
        .signature = 1,
        .agreed_count = bytes,
        .reduction = {.extent = sizeof(uint64_t), .reduce = sum},
    };
    if (plan->in_place) {
        call->input = call->output;
    }
    if (plan->name == CALL_PACKED_GATHER) { /* what packs and unpacks need not know about gaps */
        call->gaps = SYMM_GAPS_INPUT | SYMM_GAPS_OUTPUT;
        call->source = (struct symm_layout){
            .dtype = &ompi_mpi_byte.dt, .count = bytes, .bytes = bytes, .dense = true};
        call->target = call->source;
        call->send = call->input;
        call->receive = call->output;
    }
    if (is_rooted) {
        root_describe(call, actor->team.rank);
    }
    recorder_write(call->input, bytes);
    recorder_write(call->output, call->output_bytes);
    /* Nothing forced, and no size at which an all-gather is staged. */
    actor->table = *(const struct symm_table *)control.extra;
    actor->table.forced[plan->collective] =
        plan->name == CALL_BELOW ? 0 : (uint8_t)(plan->algorithm + 1);
    actor->team.control.extra = &actor->table;
    operation->module = &actor->module;
    operation->lane = &actor->module.blocking;
    operation->call = call;
    operation->run.inputs = actor->inputs;
    operation->run.outputs = actor->outputs;
    operation->run.scratches = actor->scratches;
    mca_coll_symm_operation_start(operation);
    actor->is_busy = true;
}

/* And after it: it reads the result, at once. */
static void call_end(struct actor *actor, const struct planned_call *planned)
{
    const struct symm_operation *operation = &actor->module.blocking.operation;
    if (planned->vetoer >= 0 || planned->algorithm == CALL_BELOW) {
        assert_int_equal(operation->outcome, SYMM_OUTCOME_FALLBACK);
    } else {
        assert_int_equal(operation->outcome, SYMM_OUTCOME_SERVED);
        assert_int_equal(operation->run.algorithm, plan_of(planned)->algorithm);
        recorder_read(operation->call->output, operation->call->output_bytes);
    }
    actor->is_busy = false;
    actor->call++;
}

/* ---- recording ------------------------------------------------------------------------------- */

/* Which words there are, and what else is shared. */
static void share(void)
{
    recorder_share(control.header, control.words_size + control.stages_size);
    for (int rank = 0; rank < control.size; rank++) {
        recorder_share(actors[rank].input, sizeof(actors[rank].input));
        recorder_share(actors[rank].output, sizeof(actors[rank].output));
        recorder_word(&control.finished[rank].value, WORD_FINISHED, UINT64_MAX);
        for (uint64_t slot = 0; slot < SYMM_RING; slot++) {
            recorder_word(&symm_control_line(&control, slot, rank)->sequence, WORD_LINE, 0);
            recorder_word(&symm_control_phases(&control, slot)[rank].value, WORD_PHASE,
                          (UINT64_C(1) << SYMM_PHASE_BITS) - 1);
        }
    }
}

static void actors_open(int ranks)
{
    actor_count = ranks;
    for (int rank = 0; rank < ranks; rank++) {
        struct actor *actor = &actors[rank];
        memset(actor, 0, sizeof(*actor));
        actor->team.rank = rank;
        actor->team.size = ranks;
        actor->team.control = control;
        actor->team.sequence = symm_control_first_start;
        actor->team.finished = symm_control_first_start;
        actor->team.finished_by_all = symm_control_first_start;
        actor->team.has_tables = true;
        actor->module.blocking.team = &actor->team;
        actor->module.blocking.state = MCA_COLL_SYMM_READY;
    }
}

/* Some steps of one rank; whether it has made all its calls. */
static bool actor_run(struct actor *actor, const struct planned_call *calls, int count,
                      size_t steps)
{
    recorder_turn(actor->team.rank);
    for (; actor->call < count && steps > 0; steps--) {
        if (!actor->is_busy) {
            call_begin(actor, &calls[actor->call]);
        }
        if (mca_coll_symm_operation_step(&actor->module.blocking.operation) == SYMM_OK) {
            call_end(actor, &calls[actor->call]);
        }
    }
    recorder_turn(-1);
    return actor->call == count;
}

void ordering_record(struct recording *recording, int ranks, const struct planned_call *calls,
                     int count, struct unit_random random)
{
    struct symm_table table;
    const struct symm_control_config config = {.payload_size = SYMM_CACHE_LINE,
                                               .piece_size = PIECE,
                                               .extra = &table,
                                               .extra_size = sizeof(table)};
    int done = 0;
    mca_coll_symm_table_fill(&table, ranks, NULL, 0);
    assert_status(symm_control_create(&control, ranks, &config), SYMM_OK);
    recorder_begin(recording, random);
    actors_open(ranks);
    share();
    for (long turn = 0; done < ranks; turn++) {
        assert_true(turn < 1000000); /* else they wait for each other */
        size_t rank = unit_random_below(&random, (size_t)ranks);
        if (actors[rank].call < count) {
            done += actor_run(&actors[rank], calls, count, 1 + unit_random_below(&random, 8));
        }
    }
    recorder_end();
    struct symm_control mapping = control;
    symm_control_destroy(&mapping);
}

void ordering_merge_stages(struct recording *recording)
{
    uintptr_t begin = (uintptr_t)symm_stage_buffer(&control, 0, 0);
    uintptr_t end = begin + (uintptr_t)control.size * SYMM_STAGE_BUFFERS * PIECE;
    for (size_t i = 0; i < recording->count; i++) {
        struct record *record = &recording->records[i];
        if (record->begin >= begin && record->begin < end &&
            (record->begin - begin) / PIECE % 2 == 1) { /* every other one becomes the one before */
            record->begin -= PIECE;
            record->end -= PIECE;
        }
    }
}
