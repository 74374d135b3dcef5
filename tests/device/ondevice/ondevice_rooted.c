/*
 * ondevice_rooted.c - collectives with a root on device memory: see ondevice.c.  What is not
 * significant on a rank stays as it is.  Nonblocking calls end at once.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/device/ondevice/ondevice.h"

#include <stdbool.h>
#include <stdint.h>

static bool is_root(int root, MPI_Comm comm)
{
    int rank;
    PMPI_Comm_rank(comm, &rank);
    return rank == root;
}

static bool is_inter(MPI_Comm comm)
{
    int inter;
    PMPI_Comm_test_inter(comm, &inter);
    return inter != 0;
}

static struct ondevice_moved as_it_is(const void *buffer)
{
    return (struct ondevice_moved){.address = (void *)(uintptr_t)buffer};
}

static struct ondevice_moved move_where(bool moves, const void *buffer, int count,
                                        MPI_Datatype type, const char *part)
{
    return moves ? ondevice_move_elements(buffer, count, type, part) : as_it_is(buffer);
}

static int all_ranks(MPI_Comm comm)
{
    int size;
    PMPI_Comm_size(comm, &size);
    return size;
}

static int end_at_once(int rc, MPI_Request *request)
{
    int later = *request == MPI_REQUEST_NULL ? MPI_SUCCESS : PMPI_Wait(request, MPI_STATUS_IGNORE);
    return rc == MPI_SUCCESS ? later : rc;
}

static int bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, bool blocks)
{
    MPI_Request request = MPI_REQUEST_NULL;
    struct ondevice_moved moved = is_inter(comm) ? as_it_is(buffer)
                                        : ondevice_move_elements(buffer, count, type, "receive");
    ondevice_calls++;
    int rc = blocks ? PMPI_Bcast(moved.address, count, type, root, comm)
                    : PMPI_Ibcast(moved.address, count, type, root, comm, &request);
    rc = end_at_once(rc, &request);
    ondevice_move_back(&moved);
    return rc;
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(buffer, count, type, root, comm, true);
}

int MPI_Ibcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return bcast(buffer, count, type, root, comm, false);
}

static int reduce(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, int root,
                  MPI_Comm comm, bool blocks)
{
    MPI_Request request = MPI_REQUEST_NULL;
    bool moves = !is_inter(comm);
    struct ondevice_moved send = move_where(moves, sbuf, count, type, "send");
    struct ondevice_moved receive = move_where(moves && is_root(root, comm), rbuf, count, type,
                                               "receive");
    ondevice_calls++;
    int rc = blocks ? PMPI_Reduce(send.address, receive.address, count, type, op, root, comm)
                    : PMPI_Ireduce(send.address, receive.address, count, type, op, root, comm,
                                   &request);
    rc = end_at_once(rc, &request);
    ondevice_move_back(&receive);
    ondevice_move_back(&send);
    return rc;
}

int MPI_Reduce(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm)
{
    return reduce(sbuf, rbuf, count, type, op, root, comm, true);
}

int MPI_Ireduce(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return reduce(sbuf, rbuf, count, type, op, root, comm, false);
}

static int gather(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount,
                  MPI_Datatype rtype, int root, MPI_Comm comm, bool blocks)
{
    MPI_Request request = MPI_REQUEST_NULL;
    bool moves = !is_inter(comm);
    bool is_here = moves && is_root(root, comm); /* elsewhere count and type mean nothing */
    struct ondevice_moved send = move_where(moves, sbuf, scount, stype, "send");
    struct ondevice_moved receive = move_where(is_here, rbuf,
                                               is_here ? rcount * all_ranks(comm) : 0, rtype,
                                               "receive");
    ondevice_calls++;
    int rc = blocks ? PMPI_Gather(send.address, scount, stype, receive.address, rcount, rtype, root,
                                  comm)
                    : PMPI_Igather(send.address, scount, stype, receive.address, rcount, rtype,
                                   root, comm, &request);
    rc = end_at_once(rc, &request);
    ondevice_move_back(&receive);
    ondevice_move_back(&send);
    return rc;
}

int MPI_Gather(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount,
               MPI_Datatype rtype, int root, MPI_Comm comm)
{
    return gather(sbuf, scount, stype, rbuf, rcount, rtype, root, comm, true);
}

int MPI_Igather(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount,
                MPI_Datatype rtype, int root, MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return gather(sbuf, scount, stype, rbuf, rcount, rtype, root, comm, false);
}

static int scatter(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount,
                   MPI_Datatype rtype, int root, MPI_Comm comm, bool blocks)
{
    MPI_Request request = MPI_REQUEST_NULL;
    bool moves = !is_inter(comm);
    bool is_here = moves && is_root(root, comm); /* elsewhere count and type mean nothing */
    struct ondevice_moved send = move_where(is_here, sbuf, is_here ? scount * all_ranks(comm) : 0,
                                            stype, "send");
    struct ondevice_moved receive = move_where(moves, rbuf, rcount, rtype, "receive");
    ondevice_calls++;
    int rc = blocks ? PMPI_Scatter(send.address, scount, stype, receive.address, rcount, rtype,
                                   root, comm)
                    : PMPI_Iscatter(send.address, scount, stype, receive.address, rcount, rtype,
                                    root, comm, &request);
    rc = end_at_once(rc, &request);
    ondevice_move_back(&receive);
    ondevice_move_back(&send);
    return rc;
}

int MPI_Scatter(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount,
                MPI_Datatype rtype, int root, MPI_Comm comm)
{
    return scatter(sbuf, scount, stype, rbuf, rcount, rtype, root, comm, true);
}

int MPI_Iscatter(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount,
                 MPI_Datatype rtype, int root, MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return scatter(sbuf, scount, stype, rbuf, rcount, rtype, root, comm, false);
}
