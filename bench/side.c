/*
 * side.c - see side.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "side.h"

static struct side *side_add(struct sides *sides, const char *head, const char *words)
{
    struct side *side = &sides->side[sides->count++];
    side->head = head;
    side->words = words;
    side->comm = MPI_COMM_NULL;
    side->rival = NULL;
    return side;
}

static void mpi_add(struct sides *sides, const struct sides_origin *origin, MPI_Comm comm,
                    const char *head, const char *words)
{
    struct side *side = side_add(sides, head, words);
    side->comm = comm;
    side->buffers = origin->buffers;
}

static void nccl_add(struct sides *sides, const struct nccl *nccl, const struct call *largest)
{
    static const char *const heads[NCCL_WAYS] = {"NCCL(us)", "window(us)", "CE(us)"};
    static const char *const words[NCCL_WAYS] = {
        " by NCCL", " by NCCL in windows", " by NCCL with copy engines"
    };
    for (int way = 0; way < NCCL_WAYS; way++) {
        struct nccl_path *path = &sides->path[sides->count - 1];
        if (nccl_path_open(path, nccl, (enum nccl_way) way, largest->collective, largest->bytes,
                           call_result_bytes(largest))) {
            struct side *side = side_add(sides, heads[way], words[way]);
            side->rival = path;
            side->buffers = &path->buffers;
        }
    }
}

/*
 * The component passes on thousands of barriers before it serves them on a communicator that makes
 * no other call.
 */
static void set_up_for_barriers(MPI_Comm comm)
{
    int one = 1;
    MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, comm);
}

void sides_open(struct sides *sides, const struct sides_origin *origin, const struct call *largest)
{
    sides->count = 0;
    if (largest->collective == COLLECTIVE_BARRIER) {
        set_up_for_barriers(origin->with);
    }
    if (origin->without != MPI_COMM_NULL) {
        mpi_add(sides, origin, origin->with, "with(us)", " with coll/symm");
        mpi_add(sides, origin, origin->without, "without(us)", " without coll/symm");
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

struct call side_call(const struct side *side, const struct call *call)
{
    struct call mine = *call;
    mine.buffers = side->buffers;
    return mine;
}

void side_run(const struct side *side, const struct call *call)
{
    if (side->rival != NULL) {
        nccl_path_run(side->rival, call);
    } else {
        call_run(call, side->comm);
    }
}
