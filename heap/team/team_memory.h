/*
 * team_memory.h - the memory of the ranks of a team: which of it all ranks can reach, and where it
 * is mapped here.  struct symm_team is in team.h, which includes this header.
 *
 * A rank's memory is segments of its heaps, and allocations that are not from our heaps
 * (cuda_ipc.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_TEAM_TEAM_MEMORY_H
#define SYMM_HEAP_TEAM_TEAM_MEMORY_H

#include "heap/gpu/cuda_importer.h"
#include "heap/heap.h"
#include "heap/private.h"

enum {
    SYMM_TEAM_VIEWS = 4, /* combinations of the ranks' devices that are remembered */
    SYMM_TEAM_ROWS = SYMM_HEAPS_MAX + 1, /* heaps of a rank, and its memory from elsewhere */
};

struct symm_team;

/* What all ranks of a team have found out together about one segment of one of them. */
enum symm_segment_state {
    SYMM_SEGMENT_UNKNOWN,  /* not met yet */
    SYMM_SEGMENT_MAPPED,   /* every rank can reach it */
    SYMM_SEGMENT_REFUSED,  /* some rank could not map it; nobody uses it directly */
};

/* ---- segments of the ranks ------------------------------------------------------------------- */

/*
 * What one device of a process reaches, another one need not reach.  So states are kept for
 * combinations of devices, one of each rank, and each call says which it is about: the device (a
 * number of the rank's own, below 256; 0: none) of each rank, then symm_team_devices_done().  All
 * ranks must say the same, as the oldest combinations are forgotten.
 */
SYMM_PRIVATE void symm_team_note_device(struct symm_team *team, int rank, uint8_t device);
SYMM_PRIVATE void symm_team_devices_done(struct symm_team *team);

/* What the team has agreed about the segment in which `location` of `rank` lies. */
SYMM_PRIVATE enum symm_segment_state symm_team_segment_state(const struct symm_team *team, int rank,
                                                             const struct symm_location *location);

/* Record what the team has agreed.  All ranks must make the same calls, with tables. */
SYMM_PRIVATE void symm_team_set_segment_state(struct symm_team *team, int rank,
                                              const struct symm_location *location,
                                              enum symm_segment_state state);

/* Map the segment of `rank` here; nothing to do for the own rank.  Errors: as symm_peer_map(). */
SYMM_PRIVATE enum symm_status symm_team_map(struct symm_team *team, int rank,
                                            const struct symm_location *location);

/*
 * Name the device of another rank's memory at `location`, as that rank calls it.  While the device
 * is not known, `text` stays as it is.
 */
SYMM_PRIVATE void symm_team_describe_device(const struct symm_team *team, int rank,
                                            const struct symm_location *location, char *text,
                                            size_t size);

/* Where `location` of `rank` is in this process; its segment must be mapped. */
SYMM_PRIVATE void *symm_team_address(const struct symm_team *team, int rank,
                                     const struct symm_location *location);

/* Where the segment of `location` lies in the window of `rank`, mapped here.  Errors: NOT_FOUND. */
enum symm_status symm_team_segment_place(const struct symm_team *team, int rank,
                                         const struct symm_location *location,
                                         struct symm_segment_place *place);

/* ---- memory from elsewhere (cuda_ipc.h) ------------------------------------------------------ */

/*
 * Allocations that are not of our heaps seem to be segments of heap SYMM_HEAP_IPC, with states like
 * those of segments.  But the other ranks still believe that an allocation is open which one rank
 * has closed for want of room.  So each call tells how many such events every rank has counted
 * (symm_imports_enter()), and if a count has grown, the team forgets which of these allocations are
 * mapped.  All ranks must say the same.
 */
SYMM_PRIVATE void symm_team_note_dropped(struct symm_team *team, int rank, uint32_t dropped);
SYMM_PRIVATE void symm_team_dropped_done(struct symm_team *team);

/* As symm_importer_open(); nothing to do for the own rank. */
SYMM_PRIVATE enum symm_status symm_team_open(struct symm_team *team, int rank,
                                             struct symm_imports *imports,
                                             const struct symm_location *location,
                                             const struct symm_ipc_handle *handle, int device);

/* Where that is in this process for that device; NULL: it is not open, or the own rank's. */
SYMM_PRIVATE void *symm_team_opened(struct symm_team *team, int rank,
                                    const struct symm_location *location, int device);

/* Close what the ranks have freed; they are looked at, not asked. */
SYMM_PRIVATE void symm_team_collect_opened(struct symm_team *team);

/* ---- for the rest of the team ---------------------------------------------------------------- */

/* Room for what is known of segments; once it is there, again costs nothing.  Errors: NO_MEMORY. */
enum symm_status symm_team_memory_create(struct symm_team *team);

/* Unmap and close everything, and forget it; also after only a part of it has been made. */
void symm_team_memory_destroy(struct symm_team *team);

/* Something has been refused just now, so all refusals are to be forgotten at some later call. */
void symm_team_note_refusal(struct symm_team *team);

/* Segments that have been refused are unknown again. */
void symm_team_memory_forget_refusals(struct symm_team *team);

/*
 * Unmap what `rank` has given back of this heap.  Whether `retired`, its count of such segments,
 * differs from the last one.
 */
bool symm_team_memory_collect(struct symm_team *team, int rank, uint32_t heap, uint32_t retired);

#endif /* SYMM_HEAP_TEAM_TEAM_MEMORY_H */
