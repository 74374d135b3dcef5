/*
 * ordering_ranks.c - see ordering_ranks.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/unit/ordering/ordering_actor.h"

#include "mca/coll/symm/base/signature.h"
#include "mca/coll/symm/serve/operation.h"

#include <unistd.h>

struct actor ordering_actors[MODEL_RANKS_MAX];
static int actor_count;
static struct symm_team teams[MODEL_RANKS_MAX]; /* of ordering_record() */
static unsigned ring = SYMM_RING_LEAST, ring_calls; /* slots are used again after few calls */
static struct symm_control recorded; /* all ranks'; after the recording for its addresses only */

/* ---- the heap -------------------------------------------------------------------------------- */

/* `input` and `output` of all actors, at the same address in every rank. */
enum symm_status symm_process_locate(struct symm_process *process, const void *address, size_t size,
                                     struct symm_location *location)
{
    const unsigned char *byte = address;
    (void)process;
    for (int rank = 0; rank < actor_count; rank++) {
        const struct actor *actor = &ordering_actors[rank];
        if ((byte >= actor->input && byte + size <= actor->input + sizeof(actor->input)) ||
            (byte >= actor->output && byte + size <= actor->output + sizeof(actor->output))) {
            *location = (struct symm_location){.offset = (uintptr_t)address, .serial = 1};
            return SYMM_OK;
        }
    }
    return SYMM_ERR_FOREIGN;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static const struct plan {
    char name;
    enum symm_algorithm algorithm;
    enum symm_collective collective;
    bool is_direct, in_place;
} plans[] = {
    {CALL_SLOT_REDUCE, SYMM_ALLREDUCE_INLINE, SYMM_ALLREDUCE, false, false},
    {CALL_SLOT_GATHER, SYMM_ALLGATHER_INLINE, SYMM_ALLGATHER, false, false},
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
    {CALL_SLOT_BCAST, SYMM_BCAST_INLINE, SYMM_BCAST, false, false},
    {CALL_STAGED_BCAST, SYMM_BCAST_STAGED, SYMM_BCAST, false, false},
    {CALL_PULL_BCAST, SYMM_BCAST_PULL, SYMM_BCAST, true, false},
    {CALL_SLOT_ROOT, SYMM_GATHER_INLINE, SYMM_GATHER, false, false},
    {CALL_SLOT_BLOCKS, SYMM_GATHERV_INLINE, SYMM_GATHERV, false, false},
    {CALL_UNEVEN, SYMM_GATHERV_INLINE, SYMM_GATHERV, false, false},
    {CALL_STAGED_ROOT, SYMM_GATHER_STAGED, SYMM_GATHER, false, false},
    {CALL_STAGED_FOLD, SYMM_REDUCE_STAGED_ONE_SHOT, SYMM_REDUCE, false, false},
    {CALL_PUSH_ROOT, SYMM_GATHER_PUSH, SYMM_GATHER, true, false},
    {CALL_PULL_ROOT, SYMM_GATHER_PULL, SYMM_GATHER, true, false},
    {CALL_SLOT_SCAN, SYMM_SCAN_INLINE, SYMM_SCAN, false, false},
    {CALL_BELOW, SYMM_ALGORITHM_COUNT, SYMM_ALLGATHER, false, false},
};

int ordering_calls_parse(const char *text, struct planned_call *calls, int most)
{
    int count = 0;
    while (*text != '\0') {
        struct planned_call call = {.algorithm = *text++, .vetoer = -1};
        if (strchr("RSGCHFV", call.algorithm) != NULL) {
            call.pieces = *text++ - '0';
        }
        if (*text == '!') {
            call.vetoer = text[1] - '0';
            text += 2;
        }
        assert_true(count < most);
        calls[count++] = call;
    }
    return count;
}

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

static void words_sum(const void *source, void *target, int *count, struct ompi_datatype_t **dtype,
                      struct ompi_op_base_module_1_0_0_t *module)
{
    (void)dtype, (void)module;
    sum(NULL, source, target, (size_t)*count);
}

/* A predefined operation, of an Open MPI that has not been initialized. */
static struct ompi_op_t *sum_op(void)
{
    static struct ompi_op_t op = {.o_flags = OMPI_OP_FLAGS_INTRINSIC | OMPI_OP_FLAGS_COMMUTE};
    for (int type = 0; type < OMPI_OP_BASE_TYPE_MAX; type++) {
        op.o_func.intrinsic.fns[type] = words_sum;
    }
    return &op;
}

static bool is_in_slot(const struct planned_call *planned)
{
    return strchr("rgchsv", planned->algorithm) != NULL;
}

/*
 * Bytes of a line: up to 320, as much as there is anyway, and a table of the blocks of four ranks.
 */
enum { LINE = 512 };

enum { ROOT_OF_BCAST = 0, ROOT_OF_OTHERS = 1 };

/* What only some ranks have.  Of a call with a root a rank may have one buffer only. */
static void root_describe(struct symm_call *call, int rank)
{
    bool from_root = call->collective == SYMM_BCAST;
    call->root = from_root ? ROOT_OF_BCAST : ROOT_OF_OTHERS;
    if (rank == call->root && from_root) {
        call->output.at = symm_ompi_unconst(call->input.at);
    } else if (rank != call->root && from_root) {
        call->absent = SYMM_ABSENT_INPUT;
        call->input.at = call->output.at;
    } else if (rank != call->root) {
        call->absent = SYMM_ABSENT_OUTPUT;
        call->output.at = symm_ompi_unconst(call->input.at);
        call->output.bytes = 0;
    }
}

/* The buffers as the program knows them: it sends and receives bytes. */
static void bytes_describe(struct symm_call *call, size_t bytes)
{
    call->input.layout = (struct symm_layout){.dtype = &ompi_mpi_byte.dt, .count = bytes,
                                        .bytes = bytes, .dense = true, .repeats = true};
    call->output.layout = call->input.layout;
    call->input.address = call->input.at;
    call->output.address = call->output.at;
}

static size_t call_bytes(const struct planned_call *planned, int rank)
{
    if (is_in_slot(planned) || (planned->algorithm == CALL_UNEVEN && rank < 2)) {
        return WORDS_SMALL * sizeof(uint64_t);
    }
    if (planned->algorithm == CALL_PACKED_GATHER) {
        return PIECE;
    }
    return planned->pieces > 0 ? (size_t)planned->pieces * PIECE : 16 * SYMM_CACHE_LINE;
}

/* Both sides of an exchange, measured. */
static void sides_describe(struct symm_call *call, struct actor *actor, size_t bytes)
{
    size_t all = 0;
    const struct symm_side measured = {.dtype = &ompi_mpi_byte.dt, .is_measured = true,
                                       .plain = true, .size = 1};
    call->input.side = call->output.side = measured;
    call->input.side.shape = call->output.side.shape = SYMM_SIDE_ONE;
    call->input.side.one = (size_t)call->root;
    call->input.side.buffer = call->input.at;
    call->input.side.count = bytes;
    for (int rank = 0; rank < actor->size && actor->rank == call->root; rank++) {
        size_t block = call_bytes(actor->planned, rank);
        actor->blocks[rank] = (struct symm_packed_block){.at = all, .bytes = block};
        all += block;
    }
    if (actor->rank == call->root) {
        call->output.side.shape = SYMM_SIDE_PACKED; /* Open MPIs have other arrays differently */
        call->output.side.buffer = call->output.at;
        call->output.side.packed = actor->blocks;
        call->output.bytes = all;
    }
    call->gaps = SYMM_GAPS_BETWEEN;
    call->agreed_count = 0;
    call->input.largest = bytes;
    call->output.data = all;
}

void ordering_table_take(struct actor *actor)
{
    struct symm_control *control = &actor->module.blocking.team->control;
    const struct plan *plan = plan_of(actor->planned);
    if (control->extra != &actor->table) {
        recorder_read(control->extra, control->extra_size);
        actor->table = *(const struct symm_table *)control->extra;
    }
    /* Nothing else forced, and no size at which an all-gather is staged. */
    memset(actor->table.forced, 0, sizeof(actor->table.forced));
    actor->table.staged_max = actor->table.staged_max_of_many = actor->table.staged_share_max = 0;
    actor->table.forced[plan->collective] =
        plan->name == CALL_BELOW ? 0 : (uint8_t)(plan->algorithm + 1);
    control->extra = &actor->table;
}

/* What the program does with its buffers before the call: it writes both. */
void ordering_call_begin(struct actor *actor, const struct planned_call *planned)
{
    const struct plan *plan = plan_of(planned);
    struct symm_operation *operation = &actor->module.blocking.operation;
    struct symm_call *call = &actor->module.call;
    size_t bytes = call_bytes(planned, actor->rank);
    bool is_rooted = symm_collective_get(plan->collective)->is_rooted;
    bool is_gather = !symm_collective_get(plan->collective)->reduces;
    actor->planned = planned;
    *call = (struct symm_call){
        .collective = plan->collective,
        .veto = planned->vetoer == actor->rank ? SYMM_REASON_GAPS : SYMM_REASON_NONE,
        .input = {.at = plan->is_direct ? actor->input : actor->private_input, .bytes = bytes},
        .output = {.at = plan->is_direct ? actor->output : actor->private_output,
                   .bytes = is_gather && plan->collective != SYMM_BCAST
                                ? bytes * (size_t)actor->size : bytes},
        .in_place = plan->in_place,
        .count = is_gather ? bytes : bytes / sizeof(uint64_t),
        .extent = is_gather ? 1 : sizeof(uint64_t),
        .payload_bytes = bytes,
        .device = -1,
        .signature = 1,
        .agreed_count = bytes,
        .reduction = {.extent = sizeof(uint64_t), .reduce = sum},
    };
    if (plan->in_place) {
        call->input.at = call->output.at;
    }
    if (plan->name == CALL_PACKED_GATHER) { /* what packs and unpacks need not know about gaps */
        call->gaps = SYMM_GAPS_INPUT | SYMM_GAPS_OUTPUT;
        bytes_describe(call, bytes);
    }
    if (plan->collective == SYMM_SCAN) {
        call->op = sum_op();
        call->dtype = &ompi_mpi_uint64_t.dt;
    }
    if (is_rooted) {
        root_describe(call, actor->rank);
        bytes_describe(call, bytes);
        call->signature = symm_signature_rooted(plan->collective, call->root);
    }
    if (symm_collective_get(plan->collective)->has_tables) {
        sides_describe(call, actor, bytes);
    }
    recorder_write(call->input.at, bytes);
    recorder_write(call->output.at, call->output.bytes);
    if (actor->module.blocking.team != NULL) {
        ordering_table_take(actor);
    }
    operation->lane = &actor->module.blocking;
    operation->lane->module = &actor->module;
    operation->run.work = &operation->work;
    operation->call = call;
    operation->work.inputs = actor->inputs;
    operation->work.outputs = actor->outputs;
    operation->work.scratches = actor->scratches;
    actor->is_busy = true;
    if (ordering_is_fast(actor)) {
        operation->state = SYMM_OPERATION_DONE;
        operation->outcome = SYMM_OUTCOME_SERVED;
        operation->work.algorithm = plan->algorithm;
    } else {
        mca_coll_symm_operation_start(operation);
    }
}

/*
 * Whether the call goes below: it is not served, or some rank vetoes it.  A loose call goes below
 * only if whoever others wait for vetoes it: the root of a broadcast, all but that of a gather, or
 * rank 0 of a scan.  In a gatherv some rank has always data, but the one with the only short block.
 */
static bool is_below(const struct actor *actor)
{
    const struct planned_call *planned = actor->planned;
    if (planned->vetoer < 0 || planned->algorithm == CALL_BELOW) {
        return planned->algorithm == CALL_BELOW;
    }
    if (planned->algorithm == CALL_SLOT_BCAST) {
        return planned->vetoer == ROOT_OF_BCAST;
    }
    if (planned->algorithm == CALL_SLOT_BLOCKS || planned->algorithm == CALL_UNEVEN) {
        return planned->algorithm == CALL_UNEVEN && planned->vetoer == 0 && actor->size > 2;
    }
    if (planned->algorithm == CALL_SLOT_SCAN) {
        return planned->vetoer == 0;
    }
    return planned->algorithm != CALL_SLOT_ROOT ||
           (actor->size == 2 && planned->vetoer != ROOT_OF_OTHERS);
}

void ordering_ring_set(unsigned slots, unsigned calls)
{
    ring = slots;
    ring_calls = calls;
}

void ordering_call_end(struct actor *actor)
{
    const struct planned_call *planned = actor->planned;
    const struct symm_operation *operation = &actor->module.blocking.operation;
    if (is_below(actor)) {
        assert_int_equal(operation->outcome, SYMM_OUTCOME_FALLBACK);
    } else {
        assert_int_equal(operation->outcome, SYMM_OUTCOME_SERVED);
        assert_int_equal(operation->work.algorithm, plan_of(planned)->algorithm);
        recorder_read(operation->call->output.at, operation->call->output.bytes);
    }
    actor->is_busy = false;
    actor->call++;
}

/* ---- recording ------------------------------------------------------------------------------- */

void ordering_control_share(const struct symm_control *control)
{
    for (int rank = 0; rank < control->size; rank++) {
        recorder_word(&control->finished[rank].value, WORD_FINISHED, UINT64_MAX);
        for (uint64_t slot = 0; slot < control->ring; slot++) {
            uint64_t sequence = control->grown + slot;
            recorder_word(&symm_control_line(control, sequence, rank)->sequence, WORD_LINE, 0);
            recorder_word(&symm_control_phases(control, sequence)[rank].value, WORD_PHASE,
                          (UINT64_C(1) << SYMM_PHASE_BITS) - 1);
        }
    }
}

void ordering_actors_share(void)
{
    for (int rank = 0; rank < actor_count; rank++) {
        recorder_share(ordering_actors[rank].input, sizeof(ordering_actors[rank].input));
        recorder_share(ordering_actors[rank].output, sizeof(ordering_actors[rank].output));
    }
}

void ordering_actors_open(int count)
{
    actor_count = count;
    for (int rank = 0; rank < count; rank++) {
        struct actor *actor = &ordering_actors[rank];
        memset(actor, 0, sizeof(*actor));
        actor->rank = rank;
        actor->size = count;
    }
}

/* Teams whose set-up is over. */
static void teams_open(void)
{
    for (int rank = 0; rank < actor_count; rank++) {
        struct mca_coll_symm_lane *lane = &ordering_actors[rank].module.blocking;
        teams[rank] = (struct symm_team){.rank = rank, .size = actor_count, .control = recorded,
                                         .sequence = symm_control_first_start,
                                         .finished = symm_control_first_start,
                                         .finished_by_all = symm_control_first_start,
                                         .has_tables = true};
        lane->team = &teams[rank];
        lane->state = MCA_COLL_SYMM_READY;
        lane->operation.late = &ordering_actors[rank].late;
    }
}

/* Some steps of one rank; whether it has made all its calls. */
static bool actor_run(struct actor *actor, const struct planned_call *calls, int count,
                      size_t steps)
{
    recorder_turn(actor->rank);
    for (; actor->call < count && steps > 0; steps--) {
        if (!actor->is_busy) {
            ordering_call_begin(actor, &calls[actor->call]);
        }
        if (mca_coll_symm_operation_step(&actor->module.blocking.operation) == SYMM_OK) {
            ordering_call_end(actor);
        }
    }
    recorder_turn(-1);
    return actor->call == count;
}

void ordering_record(struct recording *recording, int ranks, const struct planned_call *calls,
                     int count, struct unit_random random)
{
    struct symm_table table;
    const struct symm_control_config config = {.payload_size = LINE,
                                               .piece_size = PIECE,
                                               .ring = ring,
                                               .ring_calls = ring_calls,
                                               .extra = &table,
                                               .extra_size = sizeof(table)};
    int done = 0;
    mca_coll_symm_table_fill(&table, ranks, NULL, 0);
    assert_status(symm_control_create(&recorded, ranks, &config), SYMM_OK);
    recorder_begin(recording, random);
    ordering_actors_open(ranks);
    teams_open();
    recorder_share(recorded.header, recorded.words_size + recorded.stages_size);
    ordering_actors_share();
    ordering_control_share(&recorded);
    for (long turn = 0; done < ranks; turn++) {
        assert_true(turn < 1000000); /* else they wait for each other */
        size_t rank = unit_random_below(&random, (size_t)ranks);
        if (ordering_actors[rank].call < count) {
            done += actor_run(&ordering_actors[rank], calls, count,
                              1 + unit_random_below(&random, 8));
        }
    }
    recorder_end();
    struct symm_control mapping = recorded;
    symm_control_destroy(&mapping);
}

void ordering_merge_stages(struct recording *recording)
{
    uintptr_t begin = (uintptr_t)symm_stage_buffer(&recorded, 0, 0);
    uintptr_t end = begin + (uintptr_t)recorded.size * SYMM_STAGE_BUFFERS * PIECE;
    for (size_t i = 0; i < recording->count; i++) {
        struct record *record = &recording->records[i];
        if (record->begin >= begin && record->begin < end &&
            (record->begin - begin) / PIECE % 2 == 1) { /* every other one becomes the one before */
            record->begin -= PIECE;
            record->end -= PIECE;
        }
    }
}
