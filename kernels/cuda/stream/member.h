/*
 * member.h - a process's part in a stream lane: its memory, its queue of kernels, and how long they
 * live.
 *
 * To begin, each rank makes an offer and brings it to all others; each connects; and all have to
 * hear whether all have.  What can go wrong later is found out here.  From then on a call waits for
 * nobody.  After any error `why` or symm_cuda_last_failure() has the words for it.
 *
 * A member that is released lives on until its last kernel has ended and no graph has one.  Then it
 * departs, and keeps its memory until all others have departed, and no stream of another member has
 * work.  That is looked at whenever a member begins or is released.  Where the driver does not tell
 * when the last kernel has ended, it never departs: if the stream is captured at the release, for
 * one.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_STREAM_MEMBER_H
#define SYMM_KERNELS_CUDA_STREAM_MEMBER_H

#include "heap/private.h"
#include "heap/server/names.h"
#include "heap/team/stream_lane.h"
#include "kernels/cuda/stream/collectives.h"

enum { SYMM_STREAM_WHY_SIZE = 640 };

struct symm_stream_member;

/* How a member begins.  The stream tells the device; its context is the device's primary one. */
struct symm_stream_setup {
    struct symm_process *process; /* that answers its peers */
    void *stream;                 /* of the program: CUstream */
    int rank, ranks;
    size_t bytes;        /* of device memory, at most; 0: as many as are of use */
    size_t blocks;       /* of a kernel, at most, SYMM_STREAM_BLOCKS_LEAST or more; 0: likewise */
    bool is_fatal;       /* the program does not want to go on after a failure */
    bool shares_devices; /* ranks may have one device in common, which is slow: 2 ms a call */
};

/* What a rank tells the others; of one build of the library. */
struct symm_stream_offer {
    bool is_good; /* otherwise `why` says what is missing */
    char why[SYMM_STREAM_WHY_SIZE];
    uint64_t version; /* of the library */
    uint64_t device;  /* symm_cuda_device_identity() */
    char name[SYMM_NAME_SIZE];
    struct symm_stream_place place;
    struct symm_stream_limits limits; /* rank 0's count, and the least room */
};

/*
 * The member is NULL if the offer is not good.  May wait for all kernels of the device, if it is
 * the first.  A lane of one rank has no memory.
 */
SYMM_PRIVATE void symm_stream_member_create(const struct symm_stream_setup *setup,
                                            struct symm_stream_member **member,
                                            struct symm_stream_offer *offer);

/*
 * With the offers of all ranks, all good.  Call until the answer is not SYMM_PENDING.  `why` has
 * SYMM_STREAM_WHY_SIZE bytes.  Errors: NOT_FOUND (these devices cannot have a lane), and those of
 * symm_peer_map() and symm_stream_queue_create().
 */
SYMM_PRIVATE enum symm_status symm_stream_member_connect(struct symm_stream_member *member,
                                                         const struct symm_stream_offer *offers,
                                                         char *why);

/* Some rank could not begin, and so nobody has. */
SYMM_PRIVATE void symm_stream_member_cancel(struct symm_stream_member *member);

/*
 * Queue a call.  Calls may come from several threads; their order is the stream's.  Errors:
 * ARGUMENT (no kernel for the type and operation), SYSTEM (`stream` has been invalidated, the
 * device has been reset, ...), NO_MEMORY.
 */
SYMM_PRIVATE enum symm_status symm_stream_member_add(struct symm_stream_member *member,
                                                     const struct symm_stream_call *call);

/* Whether kernels of the member reach this memory: pageable host memory they mostly do not. */
SYMM_PRIVATE bool symm_stream_member_reaches(const struct symm_stream_member *member,
                                             const void *address);

/*
 * Later calls go to `stream`, of the same device, behind all that the stream before holds
 * (symm_stream_order()).  Errors: ARGUMENT (another device), SYSTEM, NO_MEMORY.
 */
SYMM_PRIVATE enum symm_status symm_stream_member_set_stream(struct symm_stream_member *member,
                                                            void *stream);

/*
 * Kernels that wait end without results, and later ones do nothing: here at once, and at the others
 * when their threads that watch look (symm_stream_members_watch()).
 */
SYMM_PRIVATE void symm_stream_member_abort(struct symm_stream_member *member);

/*
 * No more calls: the communicator has gone.  Its stream still exists, unless MPI has ended.  The
 * handle is valid until then, also behind symm_stream_members_end().
 */
SYMM_PRIVATE void symm_stream_member_release(struct symm_stream_member *member);

/* Whether the lane is of no use any more: it has failed, or MPI ends.  Three loads. */
SYMM_PRIVATE bool symm_stream_member_has_failed(const struct symm_stream_member *member);

/*
 * A sentence on the lane, in SYMM_STREAM_WHY_SIZE bytes at most.  Errors: PEER_LOST (the lane is of
 * no use any more), UNREACHABLE (since the process of a rank has ended).
 */
SYMM_PRIVATE enum symm_status symm_stream_member_state(const struct symm_stream_member *member,
                                                       char *text, size_t size);

/*
 * Have the thread that answers peers look at what kernels find, ten times a second while there are
 * members, and tell: of failures, and once of each call that has waited for so many seconds (0: of
 * none).  NULL: no more.
 */
typedef void symm_stream_tell(const char *text, bool is_failure, bool is_fatal);
SYMM_PRIVATE void symm_stream_members_watch(struct symm_process *process, symm_stream_tell *tell,
                                            double seconds);

/*
 * At the end of MPI.  Waits up to so many seconds for kernels, then ends those that wait for a
 * peer.  What they have found is told before this returns.  What graphs hold stays mapped; their
 * kernels wait for nobody from now on.  Returns how many members have memory still, and of how many
 * kernels have been ended.
 */
SYMM_PRIVATE int symm_stream_members_end(double seconds, int *ended);

#endif /* SYMM_KERNELS_CUDA_STREAM_MEMBER_H */
