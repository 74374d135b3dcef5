/*
 * team.h - the ranks of one communicator as the heap and the kernels see them.
 *
 * A team knows its ranks by the names of their servers, shares control memory with them, and turns
 * (rank, offset) into an address.  It knows neither MPI nor what the calls on it mean, so processes
 * that merely fork can form one.
 *
 * Not thread-safe: MPI allows one collective call at a time per communicator.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_TEAM_H
#define SYMM_HEAP_TEAM_H

#include "heap/control.h"
#include "heap/process.h"
#include "heap/request.h"
#include "heap/team_memory.h"

enum {
    SYMM_TEAM_KEY_SIZE = 16,
    SYMM_SCRATCH_SIZE = 64 * 1024, /* a block that stays in the second-level cache */
};

/* What a team is made from. */
struct symm_team_config {
    int rank, size;
    const char *const *names; /* [size] server names; copied */
    /* The same on all ranks, and no other team of rank 0's process has it at the time. */
    uint8_t key[SYMM_TEAM_KEY_SIZE];
    struct symm_control_config control; /* rank 0's counts */
};

struct symm_team {
    int rank, size;
    struct symm_process *process;
    struct symm_control control;  /* usable once set-up has succeeded */
    uint64_t sequence;            /* of the newest call begun here; 0: none */
    uint64_t finished;            /* newest call after which nothing older is unfinished here */
    uint64_t finished_by_all;     /* what this rank knows of everybody's `finished` */
    void *scratch;                /* SYMM_SCRATCH_SIZE private bytes, for use within one step */
    /* Set-up and mapping; private to team.c and team_memory.c. */
    uint8_t key[SYMM_TEAM_KEY_SIZE];
    char (*names)[SYMM_SOCKET_NAME_SIZE];
    struct symm_control_config control_config;
    void *extra; /* of control_config */
    struct symm_peer **peers;     /* [SYMM_HEAPS_MAX][size]; NULL: not used yet, or own */
    uint32_t *segment_states;     /* [SYMM_TEAM_VIEWS][SYMM_TEAM_ROWS][size][SYMM_SEGMENTS_MAX] */
    uint8_t *devices;             /* [size] of the call at hand, then [SYMM_TEAM_VIEWS][size] */
    bool devices_differ;          /* from those of `view` */
    unsigned view, view_to_lose;  /* whose states count now; which is overwritten next */
    uint32_t rows_known;          /* no segment_states of heaps in rows from this one on */
    struct symm_imports *imports; /* of the process; NULL until something was opened */
    struct symm_importer **importers; /* [size]; NULL until something of the rank was opened */
    uint32_t *dropped;            /* [size] as the ranks have said last */
    bool dropped_more;            /* since that was last asked */
    struct symm_multicast_groups *groups; /* of multicast (multicast.h) */
    uint32_t *retired;            /* [SYMM_HEAPS_MAX][size] last of symm_team_collect() */
    uint64_t refused_until;       /* sequence at which refusals are forgotten; 0: none is */
    uint64_t refusal_span;        /* how long they are left alone, next time */
    struct symm_request request;  /* for the control memory */
    bool exported;                /* the control memory, by rank 0 */
};

/* Nothing is shared yet.  Errors: NO_MEMORY, ARGUMENT. */
SYMM_API enum symm_status symm_team_create(struct symm_process *process,
                                           const struct symm_team_config *config,
                                           struct symm_team **team);

SYMM_API void symm_team_destroy(struct symm_team *team);

/*
 * Get the control memory: rank 0 makes it, the others ask rank 0's server for it.  Everything else
 * that can run out is got here too, so that nothing fails on one rank alone later.  Call until the
 * answer is not SYMM_PENDING.  A failure is this rank's own; the ranks must agree on what follows.
 * Errors: those of symm_control_create(), symm_server_export() and symm_request_test().
 */
SYMM_API enum symm_status symm_team_set_up(struct symm_team *team);

/*
 * The ranks have agreed on how set-up went: nobody asks for the control memory any more, and a
 * request for it that is still under way is given up.
 */
SYMM_API void symm_team_set_up_end(struct symm_team *team);

/* ---- in each call ---------------------------------------------------------------------------- */

/*
 * What could not be mapped may have met a passing shortage, so refused segments become unknown
 * again after many calls, each time after twice as many.  To be called in each call that asks for
 * states, with its sequence, so that all ranks forget in the same call.
 */
SYMM_API void symm_team_forget_refusals(struct symm_team *team, uint64_t sequence);

/*
 * Unmap what `rank` has given back of one of its heaps, if `retired`, its count of such segments,
 * has changed; then end the groups of multicast that have such a segment.
 */
SYMM_API void symm_team_collect(struct symm_team *team, int rank, uint32_t heap, uint32_t retired);

#endif /* SYMM_HEAP_TEAM_H */
