/*
 * ondevice_exchange.c - all-to-all calls, MPI_Allgatherv, MPI_Gatherv and MPI_Scatterv on device
 * memory: see ondevice.c.  Nonblocking calls end at once.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/device/ondevice/ondevice.h"

#include <stdbool.h>

/* The blocks of one buffer.  One type or many, displacements in extents or in bytes, or none. */
struct blocks {
    const void *buffer;
    int ranks, count;
    const int *counts, *disps;
    MPI_Datatype type;
    const MPI_Datatype *types;
    bool one;  /* the first block only */
    bool none; /* the rank does not need the buffer: nothing is looked at */
};

static struct ondevice_moved blocks_move(const struct blocks *blocks, const char *part)
{
    MPI_Aint lower = 0, upper = 0;
    bool is_first = true;
    bool is_empty = blocks->buffer == MPI_IN_PLACE || blocks->none;
    int ranks = is_empty ? 0 : blocks->one ? 1 : blocks->ranks;
    for (int rank = 0; rank < ranks; rank++) {
        MPI_Datatype type = blocks->types != NULL ? blocks->types[rank] : blocks->type;
        int size, count = blocks->counts != NULL ? blocks->counts[rank] : blocks->count;
        MPI_Aint bound, extent, first, true_extent;
        if (count == 0) {
            continue;
        }
        MPI_Type_size(type, &size);
        MPI_Type_get_extent(type, &bound, &extent);
        MPI_Type_get_true_extent(type, &first, &true_extent);
        if (size == 0) {
            continue;
        }
        MPI_Aint unit = blocks->types != NULL ? 1 : extent;
        first += unit * (blocks->disps != NULL ? blocks->disps[rank] : rank * count);
        MPI_Aint last = first + (count - 1) * extent + true_extent;
        lower = is_first || first < lower ? first : lower;
        upper = is_first || last > upper ? last : upper;
        is_first = false;
    }
    return ondevice_move(blocks->buffer, lower, (size_t)(upper - lower), part);
}

static int ranks_of(MPI_Comm comm)
{
    int size, inter;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter) {
        PMPI_Comm_remote_size(comm, &size);
    } else {
        PMPI_Comm_size(comm, &size);
    }
    return size;
}

/* Define a collective's two forms: its parameters, its arguments on devices, and both buffers. */
#define PARAMETERS(...) __VA_ARGS__
#define DEFINE(name, iname, parameters, arguments, sent, received)                                 \
    static int name##_make(parameters, MPI_Comm comm, bool blocks)                                 \
    {                                                                                              \
        MPI_Request request = MPI_REQUEST_NULL;                                                    \
        int ranks = ranks_of(comm);                                                                \
        const struct blocks to_send = {.buffer = sbuf, .ranks = ranks, sent};                      \
        const struct blocks to_receive = {.buffer = rbuf, .ranks = ranks, received};               \
        struct ondevice_moved send = blocks_move(&to_send, "send");                                \
        struct ondevice_moved receive = blocks_move(&to_receive, "receive");                       \
        ondevice_calls++;                                                                          \
        int rc = blocks ? PMPI_##name(arguments, comm) : PMPI_##iname(arguments, comm, &request);  \
        if (rc == MPI_SUCCESS) {                                                                   \
            rc = PMPI_Wait(&request, MPI_STATUS_IGNORE);                                           \
        }                                                                                          \
        ondevice_move_back(&receive);                                                              \
        ondevice_move_back(&send);                                                                 \
        return rc;                                                                                 \
    }

#define EVEN                                                                                       \
    const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount, MPI_Datatype rtype
DEFINE(Alltoall, Ialltoall, PARAMETERS(EVEN),
       PARAMETERS(send.address, scount, stype, receive.address, rcount, rtype),
       PARAMETERS(.count = scount, .type = stype), PARAMETERS(.count = rcount, .type = rtype))
int MPI_Alltoall(EVEN, MPI_Comm comm)
{
    return Alltoall_make(sbuf, scount, stype, rbuf, rcount, rtype, comm, true);
}
int MPI_Ialltoall(EVEN, MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return Alltoall_make(sbuf, scount, stype, rbuf, rcount, rtype, comm, false);
}

/* One block is sent, to all: it is described as the first of several. */
#define GATHER                                                                                     \
    const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, const int rcounts[],             \
        const int rdisps[], MPI_Datatype rtype
DEFINE(Allgatherv, Iallgatherv, PARAMETERS(GATHER),
       PARAMETERS(send.address, scount, stype, receive.address, rcounts, rdisps, rtype),
       PARAMETERS(.counts = &scount, .disps = (const int[]){0}, .type = stype, .one = true),
       PARAMETERS(.counts = rcounts, .disps = rdisps, .type = rtype))
int MPI_Allgatherv(GATHER, MPI_Comm comm)
{
    return Allgatherv_make(sbuf, scount, stype, rbuf, rcounts, rdisps, rtype, comm, true);
}
int MPI_Iallgatherv(GATHER, MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return Allgatherv_make(sbuf, scount, stype, rbuf, rcounts, rdisps, rtype, comm, false);
}

#define SPREAD                                                                                     \
    const void *sbuf, const int scounts[], const int sdisps[], MPI_Datatype stype, void *rbuf,     \
        const int rcounts[], const int rdisps[], MPI_Datatype rtype
DEFINE(Alltoallv, Ialltoallv, PARAMETERS(SPREAD),
       PARAMETERS(send.address, scounts, sdisps, stype, receive.address, rcounts, rdisps, rtype),
       PARAMETERS(.counts = scounts, .disps = sdisps, .type = stype),
       PARAMETERS(.counts = rcounts, .disps = rdisps, .type = rtype))
int MPI_Alltoallv(SPREAD, MPI_Comm comm)
{
    return Alltoallv_make(sbuf, scounts, sdisps, stype, rbuf, rcounts, rdisps, rtype, comm, true);
}
int MPI_Ialltoallv(SPREAD, MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return Alltoallv_make(sbuf, scounts, sdisps, stype, rbuf, rcounts, rdisps, rtype, comm, false);
}

#define TYPED                                                                                      \
    const void *sbuf, const int scounts[], const int sdisps[], const MPI_Datatype stypes[],        \
        void *rbuf, const int rcounts[], const int rdisps[], const MPI_Datatype rtypes[]
DEFINE(Alltoallw, Ialltoallw, PARAMETERS(TYPED),
       PARAMETERS(send.address, scounts, sdisps, stypes, receive.address, rcounts, rdisps, rtypes),
       PARAMETERS(.counts = scounts, .disps = sdisps, .types = stypes),
       PARAMETERS(.counts = rcounts, .disps = rdisps, .types = rtypes))
int MPI_Alltoallw(TYPED, MPI_Comm comm)
{
    return Alltoallw_make(sbuf, scounts, sdisps, stypes, rbuf, rcounts, rdisps, rtypes, comm, true);
}
int MPI_Ialltoallw(TYPED, MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return Alltoallw_make(sbuf, scounts, sdisps, stypes, rbuf, rcounts, rdisps, rtypes, comm,
                          false);
}

static bool is_leaf(int root, MPI_Comm comm)
{
    int rank;
    PMPI_Comm_rank(comm, &rank);
    return rank != root;
}

/* What is one block is described as the first of several. */
#define GATHER_TO_ROOT                                                                             \
    const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, const int rcounts[],             \
        const int rdisps[], MPI_Datatype rtype, int root
DEFINE(Gatherv, Igatherv, PARAMETERS(GATHER_TO_ROOT),
       PARAMETERS(send.address, scount, stype, receive.address, rcounts, rdisps, rtype, root),
       PARAMETERS(.counts = &scount, .disps = (const int[]){0}, .type = stype, .one = true),
       PARAMETERS(.counts = rcounts, .disps = rdisps, .type = rtype, .none = is_leaf(root, comm)))
int MPI_Gatherv(GATHER_TO_ROOT, MPI_Comm comm)
{
    return Gatherv_make(sbuf, scount, stype, rbuf, rcounts, rdisps, rtype, root, comm, true);
}
int MPI_Igatherv(GATHER_TO_ROOT, MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return Gatherv_make(sbuf, scount, stype, rbuf, rcounts, rdisps, rtype, root, comm, false);
}

#define SCATTER_FROM_ROOT                                                                          \
    const void *sbuf, const int scounts[], const int sdisps[], MPI_Datatype stype, void *rbuf,     \
        int rcount, MPI_Datatype rtype, int root
DEFINE(Scatterv, Iscatterv, PARAMETERS(SCATTER_FROM_ROOT),
       PARAMETERS(send.address, scounts, sdisps, stype, receive.address, rcount, rtype, root),
       PARAMETERS(.counts = scounts, .disps = sdisps, .type = stype, .none = is_leaf(root, comm)),
       PARAMETERS(.counts = &rcount, .disps = (const int[]){0}, .type = rtype, .one = true))
int MPI_Scatterv(SCATTER_FROM_ROOT, MPI_Comm comm)
{
    return Scatterv_make(sbuf, scounts, sdisps, stype, rbuf, rcount, rtype, root, comm, true);
}
int MPI_Iscatterv(SCATTER_FROM_ROOT, MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return Scatterv_make(sbuf, scounts, sdisps, stype, rbuf, rcount, rtype, root, comm, false);
}
