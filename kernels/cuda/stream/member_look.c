/*
 * member_look.c - what the kernels of a member have found, in words.  They store it in memory of
 * the host: no call of the driver is made here.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "heap/server/alive.h"
#include "kernels/collective.h"
#include "kernels/cuda/device_code/stream_arguments.h"
#include "kernels/cuda/stream/member_state.h"

static const double forgotten = 10; /* seconds without news of a call that waits: it has gone on */
static symm_stream_tell *tell; /* whom: while members are held */
static double notice;

/* ---- words ----------------------------------------------------------------------------------- */

static const char *reason(uint32_t why)
{
    return (why & SYMM_STREAM_OVERLAPPED) != 0
               ? "two calls of the communicator ran at a time on one rank; order them by one "
                 "stream or by events"
           : (why & SYMM_STREAM_MISMATCHED) != 0
               ? "ranks made different calls; all have to make the same ones in the same order, "
                 "with the same sizes, types and operations"
           : (why & SYMM_STREAM_ABORTED) != 0 ? "it has been aborted"
                                              : "another rank has failed";
}

static void call_describe(struct symm_stream_queue *queue, uint64_t number, char *text, size_t size)
{
    struct symm_stream_call call;
    const uint64_t count = number >> SYMM_STREAM_CALL_BITS;
    if (!symm_stream_queue_recall(queue, number, &call)) {
        (void)snprintf(text, size, "call %" PRIu64, count);
        return;
    }
    const struct symm_collective_row *row = symm_collective_get(call.collective);
    (void)snprintf(text, size, "call %" PRIu64 " (%s of %zu %s)", count, row->name, call.count,
                   row->reduces ? "elements" : "bytes");
}

/* What another rank of the communicator has told. */
static void told_describe(int rank, uint32_t why, char *text, size_t size)
{
    if (why == SYMM_STREAM_ABORTED) {
        (void)snprintf(text, size, "collectives on streams of the communicator have been aborted "
                       "by its rank %d", rank);
        return;
    }
    (void)snprintf(text, size, "a collective on a stream has failed: rank %d of the communicator "
                   "has found that %s", rank, reason(why));
}

static void fault_describe(const struct symm_stream_member *member,
                           const struct symm_stream_fault *fault, char *text, size_t size)
{
    char call[128];
    const uint32_t heard = atomic_load_explicit(&member->heard, memory_order_acquire);
    if (fault->why == SYMM_STREAM_TOLD && heard != 0) {
        told_describe((int)(heard & 0xff), heard >> 8, text, size);
        return;
    }
    if (fault->why == SYMM_STREAM_TOLD && fault->teller >= 0) {
        told_describe(fault->teller, fault->told, text, size);
        return;
    }
    if (fault->why == SYMM_STREAM_ABORTED) {
        (void)snprintf(text, size, "collectives on streams of the communicator have been aborted");
        return;
    }
    call_describe(member->queue, fault->call, call, sizeof(call));
    (void)snprintf(text, size, "a collective on a stream has failed: %s of rank %d of the "
                   "communicator: %s", call, member->setup.rank, reason(fault->why));
}

static void gone_describe(int rank, char *text, size_t size)
{
    (void)snprintf(text, size, "collectives on a stream have ended: the process of rank %d of the "
                   "communicator has gone", rank);
}

bool symm_stream_member_has_failed(const struct symm_stream_member *member)
{
    return member->phase != SYMM_STREAM_LIVES ||
           (member->queue != NULL &&
            symm_stream_queue_fault(member->queue).why != SYMM_STREAM_SOUND);
}

enum symm_status symm_stream_member_state(const struct symm_stream_member *member, char *text,
                                          size_t size)
{
    char device[SYMM_CUDA_TEXT_SIZE];
    if (member->phase != SYMM_STREAM_LIVES) {
        (void)snprintf(text, size, "collectives on streams have ended with MPI_Finalize");
        return SYMM_ERR_PEER_LOST;
    }
    if (member->queue != NULL) {
        const struct symm_stream_fault fault = symm_stream_queue_fault(member->queue);
        const int gone = atomic_load_explicit(&member->gone, memory_order_acquire);
        if (gone != 0) {
            gone_describe(gone - 1, text, size);
            return SYMM_ERR_UNREACHABLE;
        }
        if (fault.why != SYMM_STREAM_SOUND) {
            fault_describe(member, &fault, text, size);
            return SYMM_ERR_PEER_LOST;
        }
    }
    symm_cuda_device_describe(member->device, device, sizeof(device));
    (void)snprintf(text, size, "kernels of %d ranks meet on %s", member->setup.ranks, device);
    return SYMM_OK;
}

/* ---- looking --------------------------------------------------------------------------------- */

void symm_stream_members_tell(symm_stream_tell *teller, double seconds)
{
    notice = seconds;
    tell = teller;
}

void symm_stream_member_look(struct symm_stream_member *member)
{
    char text[SYMM_STREAM_WHY_SIZE];
    const struct symm_stream_fault fault = symm_stream_queue_fault(member->queue);
    /* Who has been told by this rank's program, by an abort, or by a peer need not be told. */
    if (fault.why != SYMM_STREAM_SOUND && !member->is_told && tell != NULL) {
        member->is_told = true;
        if ((fault.why & (SYMM_STREAM_MISMATCHED | SYMM_STREAM_OVERLAPPED)) != 0) {
            symm_stream_lane_tell(&member->lane, fault.why);
            fault_describe(member, &fault, text, sizeof(text));
            tell(text, true, member->setup.is_fatal);
        }
    }
}

/* A peer may have told where no kernel of this rank is at work. */
static void lane_look(struct symm_stream_member *member)
{
    int rank;
    const uint32_t why = symm_stream_lane_told(&member->lane, &rank);
    if (why != 0 && atomic_load_explicit(&member->heard, memory_order_relaxed) == 0) {
        atomic_store_explicit(&member->heard, why << 8 | (uint32_t)rank, memory_order_release);
        symm_stream_queue_abort(member->queue, SYMM_STREAM_TOLD);
    }
}

/* A peer whose process ends sends nothing any more, unless it had departed. */
static void peers_look(struct symm_stream_member *member)
{
    char text[SYMM_STREAM_WHY_SIZE];
    for (int rank = 0; rank < member->setup.ranks && member->gone == 0; rank++) {
        if (member->peers[rank] != NULL && symm_alive_has_gone(member->peers[rank]) &&
            !symm_stream_lane_has_departed(&member->lane, rank)) {
            atomic_store_explicit(&member->gone, rank + 1, memory_order_release);
            symm_stream_queue_abort(member->queue, SYMM_STREAM_TOLD);
            gone_describe(rank, text, sizeof(text));
            tell(text, true, false);
        }
    }
}

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* One call that waits is told of once. */
static void wait_look(struct symm_stream_member *member)
{
    char text[SYMM_STREAM_WHY_SIZE], call[128];
    struct symm_stream_wait wait;
    struct symm_stream_waiting *known = &member->waiting;
    const double moment = now();
    if (!symm_stream_queue_waits(member->queue, &wait)) {
        return;
    }
    if (known->call != wait.call || moment - known->last > forgotten) {
        *known = (struct symm_stream_waiting){.call = wait.call, .since = moment};
    }
    known->last = moment;
    if (notice > 0 && !known->is_told && moment - known->since >= notice) {
        known->is_told = true;
        call_describe(member->queue, wait.call, call, sizeof(call));
        (void)snprintf(text, sizeof(text), "%s on a stream has waited %.0f s for rank %d of the "
                       "communicator, which has begun call %" PRIu64 " so far", call,
                       moment - known->since, wait.rank, wait.begun >> SYMM_STREAM_CALL_BITS);
        tell(text, false, false);
    }
}

void symm_stream_member_watch(struct symm_stream_member *member)
{
    if (tell != NULL) {
        lane_look(member);
        peers_look(member);
        symm_stream_member_look(member);
        wait_look(member);
    }
}
