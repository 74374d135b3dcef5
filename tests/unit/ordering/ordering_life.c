/*
 * ordering_life.c - see ordering_life.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/unit/ordering/ordering_life.h"

#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/choose/choose.h"
#include "mca/coll/symm/choose/table_cache.h"
#include "mca/coll/symm/serve/leave.h"
#include "mca/coll/symm/serve/operation.h"
#include "tests/unit/ordering/ordering_recorded.h"
#include "tests/unit/ordering/ordering_votes.h"

enum {
    BLOCKS_MAX = 4,
    PIECE_LARGE = 20 * PIECE, /* no second block fits into the chunk */
};

/* Where a process is. */
struct journey {
    int life; /* the one at hand or to come */
    bool is_in;
    struct symm_team *kept; /* that it has yet to leave */
    int kept_life;
};

static struct {
    const struct planned_life *lives;
    int processes, count;
    int blocks; /* that may be in use at a time; they are cut first: their words have to be known */
    struct journey journeys[MODEL_RANKS_MAX];
    int left[LIVES_MAX]; /* processes that have left it */
} plan;

/* ---- communicators --------------------------------------------------------------------------- */

static int rank_of(const struct planned_life *life, int process)
{
    int rank = 0;
    for (int other = 0; other < process; other++) {
        rank += life->members[other];
    }
    return rank;
}

static int size_of(const struct planned_life *life)
{
    return rank_of(life, MODEL_RANKS_MAX);
}

/*
 * Whether process 0 is to go on to its next communicator.  In a recording all have left the one
 * before, so that there is one block, unless somebody is to be late; nothing says so to process 0
 * but the count.
 */
static bool may_begin(int life)
{
    for (int i = 0; i < life; i++) {
        bool is_awaited = plan.lives[i].late < 0 || i < life - 1;
        if (is_awaited && plan.left[i] < size_of(&plan.lives[i])) {
            return false;
        }
    }
    return true;
}

static void life_begin(struct actor *actor, int process, const struct planned_life *life)
{
    struct mca_coll_symm_lane *lane = &actor->module.blocking;
    actor->rank = rank_of(life, process);
    actor->size = size_of(life);
    actor->call = 0;
    mca_coll_symm_component.allgather_staged_max = (size_t)(1 + life->table) << 20;
    mca_coll_symm_lane_init(lane, &actor->module);
    ordering_comm_set(actor);
    mca_coll_symm_lane_enable(lane, lane->operation.comm, 1);
}

/* A rank whose team cannot go on waits in vain for rank 0's line. */
static bool is_in_vain(const struct actor *actor, const struct planned_life *life)
{
    const struct symm_operation *operation = &actor->module.blocking.operation;
    return life->end == LIFE_DOUBTED && actor->rank != 0 &&
           operation->state == SYMM_OPERATION_AGREEING;
}

/* One step; whether the process has made all its calls. */
static bool life_step(struct actor *actor, const struct planned_life *life)
{
    if (actor->call == life->count) {
        return true;
    }
    if (!actor->is_busy) {
        ordering_call_begin(actor, &life->calls[actor->call]);
    }
    if (mca_coll_symm_operation_step(&actor->module.blocking.operation) == SYMM_OK) {
        if (life->end == LIFE_FREED || life->end == LIFE_FAILED) {
            ordering_call_end(actor);
            return actor->call == life->count;
        }
        actor->is_busy = false;
        return true;
    }
    actor->is_busy = !is_in_vain(actor, life);
    return !actor->is_busy;
}

/* The process leaves what it has kept, if it is through with the next communicator. */
static void kept_leave(struct journey *journey)
{
    if (journey->kept != NULL && journey->kept_life < journey->life) {
        symm_team_destroy(journey->kept);
        journey->kept = NULL;
        plan.left[journey->kept_life]++;
    }
}

static void life_end(struct actor *actor, int process, const struct planned_life *life)
{
    struct journey *journey = &plan.journeys[process];
    struct mca_coll_symm_lane *lane = &actor->module.blocking;
    if (lane->team != NULL && life->end != LIFE_FREED) {
        ordering_control_leave(&lane->team->control, actor->rank);
    }
    if (life->late == process && journey->kept == NULL) {
        journey->kept = lane->team;
        journey->kept_life = journey->life;
        lane->team = NULL;
    } else {
        plan.left[journey->life]++;
    }
    mca_coll_symm_lane_end(lane);
    kept_leave(journey);
}

bool mca_coll_symm_leave_or_enter(struct symm_operation *operation)
{
    const struct symm_team *team = operation->lane->team;
    bool enters = true;
    if (plan.count > 0) { /* nobody has left, whatever the ranks of other teams have done */
        recorder_expect(WORD_FINISHED, 0, UINT64_MAX - 1);
        enters = ordering_control_enter(&team->control, operation->work.sequence, team->rank);
        recorder_expect(WORD_CLASSES, 0, 0);
    }
    return enters;
}

/* ---- recording ------------------------------------------------------------------------------- */

/* Some steps of one process; whether all is done. */
static bool process_run(int process, size_t steps)
{
    struct actor *actor = &ordering_actors[process];
    struct journey *journey = &plan.journeys[process];
    recorder_turn(process);
    for (; journey->life < plan.count && steps > 0; steps--) {
        const struct planned_life *life = &plan.lives[journey->life];
        ordering_votes_turn(actor, journey->life, life);
        if (!life->members[process]) {
            kept_leave(journey);
            journey->life++;
            continue;
        }
        if (!journey->is_in && process == 0 && !may_begin(journey->life)) {
            break;
        }
        if (!journey->is_in) {
            life_begin(actor, process, life);
            journey->is_in = true;
        }
        if (life_step(actor, life)) {
            life_end(actor, process, life);
            journey->is_in = false;
            journey->life++;
        }
    }
    if (journey->life == plan.count) {
        kept_leave(journey);
    }
    recorder_turn(-1);
    return journey->life == plan.count;
}

static void block_share(const struct symm_control *control)
{
    struct symm_control_header *header = control->header;
    recorder_word(&header->serial, WORD_SERIAL, 0);
    recorder_word(&header->last, WORD_LAST, 0);
    recorder_word(&header->left, WORD_LEFT, (uint64_t)control->size);
    ordering_control_share(control);
}

/* As set-up does for a communicator. */
static void table_settle(struct symm_table *table, const struct planned_life *life)
{
    mca_coll_symm_component.allgather_staged_max = (size_t)(1 + life->table) << 20;
    mca_coll_symm_choose_settle(table);
}

/* The arena has blocks, all free, so that it is known where their words will be. */
static void blocks_cut(struct symm_arena *arena, struct symm_control controls[BLOCKS_MAX],
                       void **chunk)
{
    struct symm_arena_block *blocks[BLOCKS_MAX];
    struct symm_control_place place;
    struct symm_table table;
    const struct symm_control_config config = {
        .payload_size = mca_coll_symm_component.slot_size,
        .piece_size = mca_coll_symm_component.piece_size,
        .ring = (unsigned)mca_coll_symm_component.slots,
        .extra = &table,
        .extra_size = mca_coll_symm_table_get(&table, size_of(plan.lives))};
    table_settle(&table, plan.lives);
    for (int i = 0; i < plan.blocks; i++) {
        assert_status(symm_arena_take(arena, size_of(plan.lives), &config, &controls[i], &place,
                                      &blocks[i]), SYMM_OK);
        *chunk = (unsigned char *)controls[i].header - place.offset;
    }
    for (int i = plan.blocks; i-- > 0;) {
        symm_arena_give(arena, blocks[i]);
    }
}

static void plan_open(int processes, const struct planned_life *lives, int count)
{
    memset(&plan, 0, sizeof(plan));
    plan.lives = lives;
    plan.processes = processes;
    plan.count = count;
    mca_coll_symm_component.slot_size = SYMM_CACHE_LINE;
    mca_coll_symm_component.slots = SYMM_RING_LEAST; /* slots are used again after few calls */
    mca_coll_symm_component.piece_size = PIECE;
    bool somebody_is_late = false;
    plan.blocks = 1;
    for (int i = 0; i < count; i++) {
        assert_int_equal(size_of(&lives[i]), size_of(&lives[0]));
        if (lives[i].table != lives[0].table) {
            mca_coll_symm_component.piece_size = PIECE_LARGE;
        }
        somebody_is_late |= lives[i].late >= 0;
        plan.blocks += lives[i].end == LIFE_DOUBTED;
    }
    plan.blocks += somebody_is_late;
    assert_in_range(plan.blocks, 1, mca_coll_symm_component.piece_size == PIECE ? BLOCKS_MAX : 1);
}

void ordering_record_lives(struct recording *recording, int processes,
                           const struct planned_life *lives, int count, enum life_breakage how,
                           struct unit_random random)
{
    struct symm_control controls[BLOCKS_MAX];
    struct symm_arena *arena;
    void *chunk;
    int done = 0;
    plan_open(processes, lives, count);
    assert_status(symm_arena_create(NULL, &arena), SYMM_OK);
    blocks_cut(arena, controls, &chunk);
    recorder_begin(recording, random);
    ordering_actors_open(processes);
    ordering_votes_open(arena, chunk, how);
    recorder_share(chunk, SYMM_ARENA_FIRST);
    ordering_actors_share();
    ordering_votes_share();
    for (int i = 0; i < plan.blocks; i++) {
        block_share(&controls[i]);
    }
    for (long turn = 0; done < processes; turn++) {
        assert_true(turn < 1000000); /* else they wait for each other */
        int process = (int)unit_random_below(&random, (size_t)processes);
        if (plan.journeys[process].life < count) {
            done += process_run(process, 1 + unit_random_below(&random, 8));
        }
    }
    recorder_end();
    plan.count = 0;
    symm_arena_destroy(arena);
}
