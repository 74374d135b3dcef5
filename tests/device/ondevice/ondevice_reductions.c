/*
 * ondevice_reductions.c - reduce-scatters and scans on device memory: see ondevice.c.  Nonblocking
 * calls end at once.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/device/ondevice/ondevice.h"

#include <stdbool.h>

/* How many elements a reduce-scatter takes from each rank and gives to this one. */
struct scattered {
    int count, results;
};

static struct scattered scattered_of(const int *counts, int count, MPI_Comm comm)
{
    struct scattered scattered = {0, 0};
    int size, rank;
    PMPI_Comm_size(comm, &size);
    PMPI_Comm_rank(comm, &rank);
    for (int i = 0; i < size; i++) {
        scattered.count += counts != NULL ? counts[i] : count;
    }
    scattered.results = counts != NULL ? counts[rank] : count;
    return scattered;
}

/* Of both collectives: counts or a count.  Nonblocking ones end at once. */
static int reduce_scatter(const void *sbuf, void *rbuf, const int *counts, int count,
                          MPI_Datatype type, MPI_Op op, MPI_Comm comm, bool blocks)
{
    MPI_Request request = MPI_REQUEST_NULL;
    struct scattered n = scattered_of(counts, count, comm);
    struct ondevice_moved send = ondevice_move_elements(sbuf, n.count, type, "send");
    struct ondevice_moved receive =
        ondevice_move_elements(rbuf, sbuf == MPI_IN_PLACE ? n.count : n.results, type, "receive");
    ondevice_calls++;
    void *to = receive.address;
    int rc;
    if (counts != NULL) {
        rc = blocks ? PMPI_Reduce_scatter(send.address, to, counts, type, op, comm)
                    : PMPI_Ireduce_scatter(send.address, to, counts, type, op, comm, &request);
    } else {
        rc = blocks ? PMPI_Reduce_scatter_block(send.address, to, count, type, op, comm)
                    : PMPI_Ireduce_scatter_block(send.address, to, count, type, op, comm, &request);
    }
    if (rc == MPI_SUCCESS) {
        rc = PMPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    ondevice_move_back(&receive);
    ondevice_move_back(&send);
    return rc;
}

int MPI_Reduce_scatter(const void *sbuf, void *rbuf, const int counts[], MPI_Datatype type,
                       MPI_Op op, MPI_Comm comm)
{
    return reduce_scatter(sbuf, rbuf, counts, 0, type, op, comm, true);
}

int MPI_Reduce_scatter_block(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm)
{
    return reduce_scatter(sbuf, rbuf, NULL, count, type, op, comm, true);
}

int MPI_Ireduce_scatter(const void *sbuf, void *rbuf, const int counts[], MPI_Datatype type,
                        MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return reduce_scatter(sbuf, rbuf, counts, 0, type, op, comm, false);
}

int MPI_Ireduce_scatter_block(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return reduce_scatter(sbuf, rbuf, NULL, count, type, op, comm, false);
}

/* Of both scans.  Nonblocking ones end at once.  A rank without a result may pass no buffer. */
static int scan(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op,
                MPI_Comm comm, bool exclusive, bool blocks)
{
    MPI_Request request = MPI_REQUEST_NULL;
    struct ondevice_moved send = ondevice_move_elements(sbuf, count, type, "send");
    struct ondevice_moved receive =
        ondevice_move_elements(rbuf, rbuf != NULL ? count : 0, type, "receive");
    ondevice_calls++;
    void *to = receive.address;
    int rc;
    if (blocks) {
        rc = (exclusive ? PMPI_Exscan : PMPI_Scan)(send.address, to, count, type, op, comm);
    } else {
        rc = (exclusive ? PMPI_Iexscan : PMPI_Iscan)(send.address, to, count, type, op, comm,
                                                     &request);
    }
    if (rc == MPI_SUCCESS) {
        rc = PMPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    ondevice_move_back(&receive);
    ondevice_move_back(&send);
    return rc;
}

int MPI_Scan(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return scan(sbuf, rbuf, count, type, op, comm, false, true);
}

int MPI_Exscan(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return scan(sbuf, rbuf, count, type, op, comm, true, true);
}

int MPI_Iscan(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
              MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return scan(sbuf, rbuf, count, type, op, comm, false, false);
}

int MPI_Iexscan(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op,
                MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return scan(sbuf, rbuf, count, type, op, comm, true, false);
}
