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

enum {
    SYMM_TEAM_KEY_SIZE = 16,
    SYMM_SCRATCH_SIZE = 64 * 1024, /* a block that stays in the second-level cache */
    SYMM_TEAM_VIEWS = 4,           /* combinations of the ranks' devices that are remembered */
    SYMM_TEAM_ROWS = SYMM_HEAPS_MAX + 1, /* heaps of a rank, and its memory from elsewhere */
};

/* What a team is made from. */
struct symm_team_config {
    int rank, size;
    const char *const *names; /* [size] server names; copied */
    /* The same on all ranks, and no other team of rank 0's process has it at the time. */
    uint8_t key[SYMM_TEAM_KEY_SIZE];
    struct symm_control_config control; /* rank 0's counts */
};

/* What all ranks of a team have found out together about one segment of one of them. */
enum symm_segment_state {
    SYMM_SEGMENT_UNKNOWN,  /* not met yet */
    SYMM_SEGMENT_MAPPED,   /* every rank can reach it */
    SYMM_SEGMENT_REFUSED,  /* some rank could not map it; nobody uses it directly */
};

struct symm_team {
    int rank, size;
    struct symm_process *process;
    struct symm_control control;  /* usable once set-up has succeeded */
    uint64_t sequence;            /* of the newest call begun here; 0: none */
    uint64_t finished;            /* newest call after which nothing older is unfinished here */
    uint64_t finished_by_all;     /* what this rank knows of everybody's `finished` */
    void *scratch;                /* SYMM_SCRATCH_SIZE private bytes, for use within one step */
    /* Set-up and mapping; private to team.c. */
    uint8_t key[SYMM_TEAM_KEY_SIZE];
    char (*names)[SYMM_SOCKET_NAME_SIZE];
    struct symm_control_config control_config;
    void *extra; /* of that */
    struct symm_peer **peers;     /* [SYMM_HEAPS_MAX][size]; NULL until first used; own ones stay so */
    uint32_t *segment_states;     /* [SYMM_TEAM_VIEWS][SYMM_TEAM_ROWS][size][SYMM_SEGMENTS_MAX] */
    uint8_t *devices;             /* [size] of the call at hand, then [SYMM_TEAM_VIEWS][size] */
    bool devices_differ;          /* from those of `view` */
    unsigned view, view_to_lose;  /* whose states count now; which is overwritten next */
    uint32_t rows_known;          /* no segment_states of heaps in rows from this one on */
    struct symm_imports *imports; /* of the process; NULL until something was opened */
    struct symm_importer **importers; /* [size]; likewise */
    uint32_t *dropped;            /* [size] as the ranks have said last */
    bool dropped_more;            /* since that was last asked */
    struct symm_multicast_groups *groups; /* of multicast (multicast.h) */
    uint32_t *retired;            /* [SYMM_HEAPS_MAX][size] what symm_team_collect() was told last */
    uint64_t refused_until;       /* sequence at which refused segments are tried again; 0: none is */
    uint64_t refusal_span;        /* how long they are left alone, next time */
    struct symm_request request;
    bool requesting, exported;
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
 * The ranks have agreed on how set-up went: nobody asks for the control memory any more, and a request
 * for it that is still under way is given up.
 */
SYMM_API void symm_team_set_up_end(struct symm_team *team);

/* ---- segments of the ranks --------------------------------------------------------------------- */

/*
 * What one device of a process reaches, another one need not reach.  So states are kept for combinations
 * of devices, one of each rank, and each call says which it is about: the device (a number of the rank's
 * own, below 256; 0: none) of each rank, then symm_team_devices_done().  All ranks must say the same, as
 * the oldest combinations are forgotten.
 */
SYMM_API void symm_team_note_device(struct symm_team *team, int rank, uint8_t device);
SYMM_API void symm_team_devices_done(struct symm_team *team);

/* What the team has agreed about the segment in which `location` of `rank` lies. */
SYMM_API enum symm_segment_state symm_team_segment_state(const struct symm_team *team, int rank,
                                                         const struct symm_location *location);

/* Record what the team has agreed.  All ranks must make the same calls, after set-up. */
SYMM_API void symm_team_set_segment_state(struct symm_team *team, int rank,
                                          const struct symm_location *location,
                                          enum symm_segment_state state);

/*
 * What could not be mapped may have met a passing shortage, so refused segments become unknown again
 * after many calls, each time after twice as many.  To be called in each call that asks for states, with
 * its sequence, so that all ranks forget in the same call.
 */
SYMM_API void symm_team_forget_refusals(struct symm_team *team, uint64_t sequence);

/* Map the segment of `rank` here; nothing to do for the own rank.  Errors: as symm_peer_map(). */
SYMM_API enum symm_status symm_team_map(struct symm_team *team, int rank,
                                        const struct symm_location *location);

/*
 * Name the device that another rank's memory there is on, as that rank calls it.  As long as that is not
 * known, `text` stays as it is.
 */
SYMM_API void symm_team_describe_device(const struct symm_team *team, int rank,
                                        const struct symm_location *location, char *text,
                                        size_t size);

/* Where `location` of `rank` is in this process; its segment must be mapped. */
SYMM_API void *symm_team_address(const struct symm_team *team, int rank,
                                 const struct symm_location *location);

/* ---- memory from elsewhere (cuda_ipc.h) ------------------------------------------------------------ */

/*
 * Allocations that are not of our heaps seem to be segments of heap SYMM_HEAP_IPC, with states like those of
 * segments.  But what one rank has closed for want of room, the others believe to be open: each call tells
 * what every rank has counted of such events (symm_imports_enter()), and if that has grown anywhere,
 * it is forgotten which such allocations are mapped.  All ranks must say the same.
 */
SYMM_API void symm_team_note_dropped(struct symm_team *team, int rank, uint32_t dropped);
SYMM_API void symm_team_dropped_done(struct symm_team *team);

/* As symm_importer_open(); nothing to do for the own rank. */
SYMM_API enum symm_status symm_team_open(struct symm_team *team, int rank,
                                         struct symm_imports *imports,
                                         const struct symm_location *location,
                                         const struct symm_ipc_handle *handle, int device);

/* Where that is in this process for that device; NULL: it is not open, or the own rank's. */
SYMM_API void *symm_team_opened(struct symm_team *team, int rank,
                                const struct symm_location *location, int device);

/* Close what the ranks have freed; they are looked at, not asked. */
SYMM_API void symm_team_collect_opened(struct symm_team *team);

/* All ranks' importers go; for team.c. */
void symm_team_close_opened(struct symm_team *team);

/* The segment of `location` where it lies in the window of `rank`, mapped here.  Errors: NOT_FOUND. */
enum symm_status symm_team_segment_place(const struct symm_team *team, int rank,
                                         const struct symm_location *location,
                                         struct symm_segment_place *place);

/* Something has been refused just now, so all refusals are to be forgotten some time. */
void symm_team_note_refusal(struct symm_team *team);

/*
 * Unmap what `rank` has given back of one of its heaps, if its count of such segments is news; and end what
 * multicast had of it.
 */
SYMM_API void symm_team_collect(struct symm_team *team, int rank, uint32_t heap, uint32_t retired);

#endif /* SYMM_HEAP_TEAM_H */
