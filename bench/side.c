/*
 * side.c - see side.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "side.h"

#include "form.h"

#include <stdio.h>

static struct side *side_add(struct sides *sides, const char *head, const char *words)
{
    struct side *side = &sides->side[sides->count++];
    side->head = head;
    side->words = words;
    side->comm = MPI_COMM_NULL;
    side->rival = NULL;
    side->buffers = NULL;
    side->form = FORM_BLOCKING;
    side->part = SIDE_CALL;
    side->compute = &sides->compute;
    side->persistent = MPI_REQUEST_NULL;
    return side;
}

static struct side *mpi_add(struct sides *sides, const struct sides_origin *origin, MPI_Comm comm,
                            const char *head, const char *words)
{
    struct side *side = side_add(sides, head, words);
    side->comm = comm;
    side->buffers = origin->buffers;
    return side;
}

/* A call that is not blocking, alone and beside the computation. */
static void started_add(struct sides *sides, const struct sides_origin *origin, MPI_Comm comm,
                        const char *head, const char *beside, const char *words)
{
    mpi_add(sides, origin, comm, head, words)->form = origin->form;
    struct side *side = mpi_add(sides, origin, comm, beside, words);
    side->form = origin->form;
    side->part = SIDE_BESIDE;
}

/* In the order of SIDES_CALL and so on. */
static void started_add_all(struct sides *sides, const struct sides_origin *origin)
{
    bool compared = origin->without != MPI_COMM_NULL;
    compute_open(&sides->compute, origin->tests);
    started_add(sides, origin, origin->with, compared ? "with(us)" : "call(us)",
                compared ? "with+c(us)" : "overall(us)", compared ? " with coll/symm" : "");
    mpi_add(sides, origin, origin->with, "compute(us)", "")->part = SIDE_COMPUTE;
    if (compared) {
        started_add(sides, origin, origin->without, "without(us)", "without+c(us)",
                    " without coll/symm");
    } else {
        mpi_add(sides, origin, origin->with, "blocking(us)", " blocking");
    }
}

/* The same calls in two kinds of memory. */
static void beside_add(struct sides *sides, const struct sides_origin *origin)
{
    const struct buffers *each[] = {origin->buffers, origin->beside};
    for (int i = 0; i < 2; i++) {
        const char *memory = memory_word(each[i]->memory);
        char *head = sides->beside[i].head, *words = sides->beside[i].words;
        snprintf(head, sizeof(sides->beside[i].head), "%s(us)", memory);
        snprintf(words, sizeof(sides->beside[i].words), " in %s", memory);
        mpi_add(sides, origin, origin->with, head, words)->buffers = each[i];
    }
}

/* What NCCL calls instead.  It has no all-to-all in place. */
static struct call call_of_nccl(const struct call *call)
{
    struct call mine = *call;
    mine.in_place = call->in_place && !call_exchanges(call->collective);
    mine.in_own_block = true;
    return mine;
}

static void nccl_add(struct sides *sides, const struct nccl *nccl, const struct call *largest)
{
    const struct call mine = call_of_nccl(largest);
    static const char *const heads[NCCL_WAYS] = {"NCCL(us)", "window(us)", "CE(us)"};
    static const char *const words[NCCL_WAYS] = {
        " by NCCL", " by NCCL in windows", " by NCCL with copy engines"
    };
    for (int way = 0; way < NCCL_WAYS; way++) {
        struct nccl_path *path = &sides->path[sides->count - 1];
        if (nccl_path_open(path, nccl, (enum nccl_way) way, largest->collective,
                           call_send_bytes(&mine), call_receive_bytes(&mine))) {
            struct side *side = side_add(sides, heads[way], words[way]);
            side->rival = path;
            side->buffers = &path->buffers;
        }
    }
}

/*
 * The component passes on thousands of barriers before it serves them on a communicator that makes
 * no other call. Nonblocking calls and blocking ones count by themselves.
 */
static void set_up_for_barriers(MPI_Comm comm)
{
    int one = 1;
    MPI_Request request;
    MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, comm);
    MPI_Iallreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void sides_open(struct sides *sides, const struct sides_origin *origin, const struct call *largest)
{
    sides->count = 0;
    if (largest->collective == COLLECTIVE_BARRIER) {
        set_up_for_barriers(origin->with);
    }
    if (origin->form != FORM_BLOCKING) {
        started_add_all(sides, origin);
    } else if (origin->without != MPI_COMM_NULL) {
        mpi_add(sides, origin, origin->with, "with(us)", " with coll/symm");
        mpi_add(sides, origin, origin->without, "without(us)", " without coll/symm");
    } else if (origin->beside != NULL) {
        beside_add(sides, origin);
    } else {
        mpi_add(sides, origin, origin->with, "MPI(us)", origin->nccl != NULL ? " by MPI" : "");
    }
    if (origin->nccl != NULL) {
        nccl_add(sides, origin->nccl, largest);
    }
}

void sides_close(struct sides *sides)
{
    for (int i = 0; i < sides->count; i++) {
        if (sides->side[i].rival != NULL) {
            nccl_path_close(&sides->path[i - 1]);
        }
    }
    sides->count = 0;
}

static void persistent_open(struct side *side, const struct call *call)
{
    struct call mine = side_call(side, call);
    form_init(&mine, side->comm, &side->persistent);
}

void sides_prepare(struct sides *sides, const struct call *call)
{
    for (int i = 0; i < sides->count; i++) {
        struct side *side = &sides->side[i];
        if (side->form == FORM_PERSISTENT && side->part == SIDE_CALL) {
            persistent_open(side, call);
        } else if (side->form == FORM_PERSISTENT) {
            side->persistent = sides->side[i - 1].persistent; /* the same call */
        }
    }
}

void sides_release(struct sides *sides)
{
    for (int i = 0; i < sides->count; i++) {
        struct side *side = &sides->side[i];
        if (side->persistent != MPI_REQUEST_NULL && side->part == SIDE_CALL) {
            MPI_Request_free(&side->persistent);
        }
        side->persistent = MPI_REQUEST_NULL;
    }
}

struct call side_call(const struct side *side, const struct call *call)
{
    struct call mine = side->rival != NULL ? call_of_nccl(call) : *call;
    mine.buffers = side->buffers;
    return mine;
}

static void started_run(const struct side *side, const struct call *call)
{
    MPI_Request request = side->persistent;
    if (side->form == FORM_PERSISTENT) {
        MPI_Start(&request);
    } else {
        form_start(call, side->comm, &request);
    }
    if (side->part == SIDE_BESIDE) {
        compute_run(side->compute, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void side_run(const struct side *side, const struct call *call)
{
    if (side->rival != NULL) {
        nccl_path_run(side->rival, call);
    } else if (side->part == SIDE_COMPUTE) {
        compute_run(side->compute, NULL);
    } else if (side->form != FORM_BLOCKING) {
        started_run(side, call);
    } else {
        call_run(call, side->comm);
    }
}
