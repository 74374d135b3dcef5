/*
 * member_state.h - what a member of a stream lane holds; for member.c and members.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_STREAM_MEMBER_STATE_H
#define SYMM_KERNELS_CUDA_STREAM_MEMBER_STATE_H

#include "heap/server/alive.h"
#include "kernels/cuda/stream/member.h"
#include "kernels/cuda/stream/queue.h"
#include "kernels/cuda/stream/streams.h"

enum symm_stream_phase {
    SYMM_STREAM_LIVES,
    SYMM_STREAM_ENDS,     /* no more calls: `ended` is behind the last kernel */
    SYMM_STREAM_STAYS,    /* for good: when its last kernel has ended cannot be found out */
    SYMM_STREAM_DEPARTED, /* from the others' memory */
    SYMM_STREAM_GONE,     /* nothing is left but what the handle points to */
};

/* A call that has said that it waits. */
struct symm_stream_waiting {
    uint64_t call;
    double since, last; /* seconds */
    bool is_told;
};

struct symm_stream_member {
    struct symm_stream_member *next; /* of all members of the process */
    struct symm_stream_setup setup;
    int device;
    struct symm_stream_lane lane;
    struct symm_stream_queue *queue; /* NULL: not connected, or of one rank */
    struct symm_stream_limits limits;
    void *_Atomic stream;
    _Atomic(enum symm_stream_phase) phase;
    bool is_released; /* the handle has gone */
    uint32_t generation; /* of the context in which it began */
    CUevent ended; /* NULL: there is none */
    struct symm_alive *peers[SYMM_STREAM_RANKS]; /* processes; NULL: it is not known */
    _Atomic int gone; /* a rank whose process has ended before it departed, and one; 0: none has */
    /* What another rank has told, and not its kernels: its reason << 8 | its rank; 0: nothing. */
    _Atomic uint32_t heard;
    bool is_told;  /* its fault */
    struct symm_stream_waiting waiting;
};

/* Add it to the members of the process. */
void symm_stream_members_add(struct symm_stream_member *member);

/* No other thread is at them, until symm_stream_members_done(). */
void symm_stream_members_hold(void);

/* The first of them, unless another thread is at them. */
bool symm_stream_members_try(struct symm_stream_member **first);
void symm_stream_members_done(void);

/*
 * Whom to tell, and of calls that have waited for so many seconds; NULL: nobody.  This and the next
 * two by a thread that is at the members.
 */
void symm_stream_members_tell(symm_stream_tell *tell, double seconds);

/* Tell of a fault that its kernels have found, once; and of peers that have gone and long waits. */
void symm_stream_member_look(struct symm_stream_member *member);
void symm_stream_member_watch(struct symm_stream_member *member);

/* Move on those that have been released, as far as they can. */
void symm_stream_members_sweep(void);

#endif /* SYMM_KERNELS_CUDA_STREAM_MEMBER_STATE_H */
