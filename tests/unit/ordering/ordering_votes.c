/*
 * ordering_votes.c - see ordering_votes.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/unit/ordering/ordering_votes.h"

#include "mca/coll/symm/base/modex.h"
#include "mca/coll/symm/base/vote.h"
#include "mca/coll/symm/report/shortage.h"

/* A message is written once.  It is from rank 0 to another rank, or the other way. */
enum message { MESSAGE_ANNOUNCEMENT, MESSAGE_BALLOT, MESSAGE_VERDICT, MESSAGES };

enum { YES = 1, NO = 2 };

static struct {
    struct symm_arena *arena;
    struct symm_arena_mapping mapping; /* of all processes */
    enum life_breakage how;
    struct actor *actor;
    int life;
    const struct planned_life *planned;
    uint64_t words[LIVES_MAX][MESSAGES][MODEL_RANKS_MAX];
    unsigned char announced[LIVES_MAX][SYMM_VOTE_ANNOUNCEMENT];
} stage;

void ordering_votes_open(struct symm_arena *arena, void *chunk, enum life_breakage how)
{
    memset(&stage, 0, sizeof(stage));
    stage.arena = arena;
    stage.mapping = (struct symm_arena_mapping){.chunk = 1, .memory = chunk,
                                                .size = SYMM_ARENA_FIRST};
    stage.how = how;
}

void ordering_votes_share(void)
{
    recorder_share(stage.words, sizeof(stage.words));
    for (int life = 0; life < LIVES_MAX; life++) {
        for (int message = 0; message < MESSAGES; message++) {
            for (int rank = 1; rank < MODEL_RANKS_MAX; rank++) {
                recorder_word(&stage.words[life][message][rank], WORD_MESSAGE, 0);
            }
        }
    }
}

void ordering_votes_turn(struct actor *actor, int life, const struct planned_life *planned)
{
    stage.actor = actor;
    stage.life = life;
    stage.planned = planned;
}

/* ---- messages -------------------------------------------------------------------------------- */

static uintptr_t message_word(enum message message, int rank)
{
    return (uintptr_t)&stage.words[stage.life][message][rank];
}

static void message_send(enum message message, int rank, uint64_t value)
{
    recorder_store(message_word(message, rank), value, true);
}

/* 0: it is not there yet. */
static uint64_t message_test(enum message message, int rank)
{
    return recorder_load(message_word(message, rank), true);
}

/* ---- votes ----------------------------------------------------------------------------------- */

void symm_vote_init(struct symm_vote *vote, int rank, int size, int tag)
{
    *vote = (struct symm_vote){.tag = tag, .rank = rank, .size = size, .loser = -1};
}

void symm_vote_open_announced(struct symm_vote *vote, struct ompi_communicator_t *comm)
{
    (void)comm;
    vote->in.next = 1;
}

void symm_vote_announce(struct symm_vote *vote, struct ompi_communicator_t *comm,
                        const void *content, size_t size)
{
    (void)comm;
    memcpy(stage.announced[stage.life], content, size);
    for (int rank = 1; rank < vote->size; rank++) {
        message_send(MESSAGE_ANNOUNCEMENT, rank, YES);
    }
}

enum symm_status symm_vote_announcement_test(struct symm_vote *vote,
                                             struct ompi_communicator_t *comm)
{
    (void)comm;
    if (message_test(MESSAGE_ANNOUNCEMENT, vote->rank) == 0) {
        return SYMM_PENDING;
    }
    memcpy(vote->announcement.content, stage.announced[stage.life], SYMM_VOTE_ANNOUNCEMENT);
    return SYMM_OK;
}

/* In the communicator whose set-up is to be lost, one rank is short of something in the end. */
int mca_coll_symm_shortage(enum symm_status status, int error)
{
    (void)error;
    assert_status(status, SYMM_OK);
    return stage.planned->end == LIFE_LOST && stage.planned->loser == stage.actor->rank;
}

void symm_vote_cast(struct symm_vote *vote, struct ompi_communicator_t *comm, int ballot)
{
    (void)comm;
    vote->ballot = ballot;
    if (vote->rank != 0) {
        message_send(MESSAGE_BALLOT, vote->rank, ballot == 0 ? YES : NO);
    }
}

/* Rank 0: whether all ballots are in. */
static bool collect(struct symm_vote *vote)
{
    if (stage.how == LIFE_NO_BALLOTS && stage.planned->end == LIFE_LOST) {
        vote->loser = stage.planned->loser;
        return true;
    }
    for (; vote->in.next < vote->size; vote->in.next++) {
        uint64_t ballot = message_test(MESSAGE_BALLOT, vote->in.next);
        if (ballot == 0) {
            return false;
        }
        vote->loser = ballot == NO ? vote->in.next : vote->loser;
    }
    return true;
}

enum symm_status symm_vote_test(struct symm_vote *vote, struct ompi_communicator_t *comm,
                                bool *all_yes)
{
    uint64_t verdict;
    (void)comm;
    if (vote->rank != 0) {
        verdict = message_test(MESSAGE_VERDICT, vote->rank);
    } else {
        if (!collect(vote)) {
            return SYMM_PENDING;
        }
        verdict = vote->loser < 0 ? YES : NO;
        for (int rank = 1; rank < vote->size; rank++) {
            message_send(MESSAGE_VERDICT, rank, verdict);
        }
        if (stage.planned->end == LIFE_DOUBTED) {
            vote->error = MPI_ERR_OTHER;
            return SYMM_ERR_SYSTEM;
        }
    }
    if (verdict == 0) {
        return SYMM_PENDING;
    }
    *all_yes = verdict == YES;
    if (*all_yes) {
        ordering_table_take(stage.actor);
    }
    return SYMM_OK;
}

/* ---- communicators --------------------------------------------------------------------------- */

static struct {
    struct ompi_communicator_t comm;
    ompi_group_t group;
    ompi_proc_t *procs[MODEL_RANKS_MAX];
} comms[MODEL_RANKS_MAX]; /* of each process, the one at hand */

static ompi_proc_t everybody;

void ordering_comm_set(struct actor *actor)
{
    size_t process = (size_t)(actor - ordering_actors);
    for (int rank = 0; rank < MODEL_RANKS_MAX; rank++) {
        comms[process].procs[rank] = &everybody;
    }
    comms[process].group.grp_proc_count = actor->size;
    comms[process].group.grp_proc_pointers = comms[process].procs;
    comms[process].comm.c_local_group = &comms[process].group;
    comms[process].comm.c_my_rank = actor->rank;
    actor->module.blocking.operation.comm = &comms[process].comm;
}

int mca_coll_symm_server_name(const ompi_proc_t *proc, const char **name)
{
    (void)proc;
    *name = "owner";
    return OMPI_SUCCESS;
}

/* ---- the arena ------------------------------------------------------------------------------- */

enum symm_status symm_server_export(struct symm_server *server, const struct symm_object_id *id,
                                    const struct symm_object *object)
{
    (void)server, (void)id, (void)object;
    return SYMM_OK;
}

void symm_server_withdraw(struct symm_server *server, const struct symm_object_id *id)
{
    (void)server, (void)id;
}

enum symm_status symm_process_serve(struct symm_process *process)
{
    (void)process;
    return SYMM_OK;
}

bool symm_process_is_own(const struct symm_process *process)
{
    (void)process;
    return true;
}

struct symm_arena *symm_process_arena(struct symm_process *process)
{
    (void)process;
    return stage.arena;
}

struct symm_arena_peers *symm_process_arena_peers(struct symm_process *process)
{
    (void)process;
    return NULL;
}

struct symm_arena_mapping *symm_arena_peers_get(struct symm_arena_peers *peers, const char *owner,
                                                uint32_t chunk)
{
    (void)peers, (void)owner;
    assert_int_equal(chunk, stage.mapping.chunk);
    return &stage.mapping;
}

void symm_arena_peers_put(struct symm_arena_peers *peers, struct symm_arena_mapping *mapping)
{
    (void)peers, (void)mapping;
}

enum symm_status symm_arena_peers_add(struct symm_arena_peers *peers, const char *owner,
                                      uint32_t chunk, const struct symm_object *object,
                                      struct symm_arena_mapping **mapping)
{
    (void)peers, (void)owner, (void)chunk, (void)object, (void)mapping;
    fail_msg("all processes have mapped the chunk");
    return SYMM_ERR_SYSTEM;
}

enum symm_status symm_request_ask(struct symm_request *request, const char *name,
                                  const struct symm_object_id *id, struct symm_object *object)
{
    (void)request, (void)name, (void)id, (void)object;
    fail_msg("all processes have mapped the chunk");
    return SYMM_ERR_SYSTEM;
}

void symm_request_cancel(struct symm_request *request)
{
    (void)request;
}

/* ---- what the arena asks --------------------------------------------------------------------- */

/* The linker brings calls here. */
uint64_t __real_symm_control_next_start(const struct symm_control_header *header);
uint64_t __wrap_symm_control_next_start(const struct symm_control_header *header);
uint64_t __wrap_symm_control_next_start(const struct symm_control_header *header)
{
    uint64_t last = atomic_load(&header->last);
    recorder_expect(WORD_LAST, last, last);
    uint64_t start = __real_symm_control_next_start(header);
    recorder_expect(WORD_CLASSES, 0, 0);
    return stage.how == LIFE_NO_NUMBERS ? symm_control_first_start : start;
}

void __real_symm_arena_abandon(struct symm_arena *arena, struct symm_arena_block *block);
void __wrap_symm_arena_abandon(struct symm_arena *arena, struct symm_arena_block *block);
void __wrap_symm_arena_abandon(struct symm_arena *arena, struct symm_arena_block *block)
{
    if (stage.how == LIFE_NO_DOUBT) {
        symm_arena_give(arena, block);
    } else {
        __real_symm_arena_abandon(arena, block);
    }
}
