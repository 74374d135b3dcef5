/*
 * Deliberate faults behind MPI's profiling interface, to see that the checks notice each of them.
 * tests/results/checkers.tap runs the programs that are linked with this file, one fault at a time.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * SYMM_TEST_FAULT names the fault. The call is made properly first, then spoilt as an error in a
 * collective component would spoil it. Without the variable nothing is changed.
 */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 8 };

/* One call as far as the faults are concerned. */
struct call {
    const void *send;
    unsigned char *receive;
    size_t count; /* elements that are received in all */
    size_t extent;
    size_t size; /* bytes of data in an element */
    size_t block; /* bytes received from one rank; all-gather only */
    MPI_Comm comm;
    int rank;
    int ranks;
};

static bool fault_is(const char *name)
{
    const char *fault = getenv("SYMM_TEST_FAULT");
    return fault != NULL && strcmp(fault, name) == 0;
}

static struct call describe(const void *send, void *receive, int count, MPI_Datatype type,
                            MPI_Comm comm)
{
    struct call call = {.send = send, .receive = receive, .count = (size_t)count, .comm = comm};
    MPI_Aint lower;
    MPI_Aint extent;
    int size;
    PMPI_Type_get_extent(type, &lower, &extent);
    PMPI_Type_size(type, &size);
    PMPI_Comm_rank(comm, &call.rank);
    PMPI_Comm_size(comm, &call.ranks);
    call.extent = (size_t)extent;
    call.size = (size_t)size;
    return call;
}

static bool on_last_rank(const struct call *call)
{
    return call->rank == call->ranks - 1;
}

/* Faults in the bytes of a result, whatever the collective. */
static void spoil_result(const struct call *call)
{
    unsigned char *last = call->receive + (call->count - 1) * call->extent;
    size_t bytes = call->count * call->extent;
    if (fault_is("last_bit") && on_last_rank(call)) {
        last[0] ^= 1; /* the lowest bit of the last element */
    } else if (fault_is("same_everywhere") && call->size == 8 && call->extent == 8) {
        call->receive[7] ^= 0x10; /* all ranks agree on a wrong first element */
    } else if (fault_is("middle_of_large") && bytes > 100000 && call->rank == 0) {
        call->receive[bytes / 2 / 8 * 8] ^= 1;
    } else if (fault_is("guard_behind") && on_last_rank(call)) {
        call->receive[bytes] ^= 1;
    } else if (fault_is("guard_in_front") && on_last_rank(call) && bytes > SMALL) {
        call->receive[-1] ^= 1;
    } else if (fault_is("gap") && call->extent > call->size && call->size >= SMALL) {
        last[call->extent - 1] = 0;
    }
}

static void spoil_send(const struct call *call)
{
    if (fault_is("send_written") && call->send != MPI_IN_PLACE && call->send != MPI_BOTTOM &&
        call->count * call->extent > 4096) {
        *(unsigned char *)(size_t)call->send ^= 1;
    }
}

/* A result of one communicator turns up in another. */
static void spoil_communicator(const struct call *call)
{
    static unsigned char last[SMALL];
    static MPI_Comm last_comm = MPI_COMM_NULL;
    if (fault_is("other_communicator") && call->count * call->extent >= SMALL) {
        unsigned char mine[SMALL];
        memcpy(mine, call->receive, SMALL);
        if (last_comm != MPI_COMM_NULL && last_comm != call->comm) {
            memcpy(call->receive, last, SMALL);
        }
        memcpy(last, mine, SMALL);
        last_comm = call->comm;
    }
}

/* One rank rounds a sum differently: within any error bound, but not what the others have. */
static void spoil_rounding(const struct call *call, MPI_Datatype type, MPI_Op op)
{
    if (!fault_is("rounding") || !on_last_rank(call) || type != MPI_FLOAT || op != MPI_SUM) {
        return;
    }
    for (size_t i = 0; i < call->count; i++) {
        float value;
        memcpy(&value, call->receive + i * sizeof value, sizeof value);
        if (value != (float)(long)value) {
            call->receive[i * sizeof value] ^= 1;
            return;
        }
    }
}

static void spoil_inter(const struct call *call)
{
    int inter;
    PMPI_Comm_test_inter(call->comm, &inter);
    if (fault_is("inter_communicator") && inter) {
        call->receive[0] ^= 1;
    }
}

static void spoil_blocks(const struct call *call)
{
    if (fault_is("swapped_blocks") && call->ranks > 1 && on_last_rank(call)) {
        for (size_t i = 0; i < call->block; i++) {
            unsigned char byte = call->receive[i];
            call->receive[i] = call->receive[call->block + i];
            call->receive[call->block + i] = byte;
        }
    } else if (fault_is("own_block") && call->send != MPI_IN_PLACE) {
        memset(call->receive + (size_t)call->rank * call->block, 0xdb, call->block);
    }
}

/* Ranks combined in the opposite order. */
static int reduce_reversed(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm)
{
    MPI_Comm reversed;
    int rank;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_split(comm, 0, -rank, &reversed);
    int error = PMPI_Allreduce(send, receive, count, type, op, reversed);
    PMPI_Comm_free(&reversed);
    return error;
}

/* All threads of a process work in one piece of scratch memory. */
static int reduce_in_shared_scratch(const void *send, void *receive, int count, MPI_Datatype type,
                                    MPI_Op op, MPI_Comm comm)
{
    static unsigned char scratch[4096];
    struct call call = describe(send, receive, count, type, comm);
    size_t bytes = call.count * call.extent;
    if (bytes > sizeof scratch || send == MPI_IN_PLACE) {
        return PMPI_Allreduce(send, receive, count, type, op, comm);
    }
    memcpy(scratch, send, bytes);
    sched_yield();
    return PMPI_Allreduce(scratch, receive, count, type, op, comm);
}

int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    int error;
    unsigned char old[SMALL];
    struct call call = describe(send, receive, count, type, comm);
    size_t bytes = call.count * call.extent;
    memcpy(old, receive, bytes < SMALL ? bytes : SMALL);
    if (fault_is("reversed_order")) {
        error = reduce_reversed(send, receive, count, type, op, comm);
    } else if (fault_is("shared_scratch")) {
        error = reduce_in_shared_scratch(send, receive, count, type, op, comm);
    } else {
        error = PMPI_Allreduce(send, receive, count, type, op, comm);
    }
    if (count == 0) {
        return error;
    }
    spoil_result(&call);
    spoil_send(&call);
    spoil_communicator(&call);
    spoil_inter(&call);
    spoil_rounding(&call, type, op);
    if (fault_is("in_place") && send == MPI_IN_PLACE && bytes > 4096) {
        memcpy(receive, old, SMALL);
    }
    return error;
}

int MPI_Allgather(const void *send, int send_count, MPI_Datatype send_type, void *receive,
                  int receive_count, MPI_Datatype receive_type, MPI_Comm comm)
{
    struct call call = describe(send, receive, receive_count, receive_type, comm);
    int error = PMPI_Allgather(send, send_count, send_type, receive, receive_count, receive_type,
                               comm);
    call.block = call.count * call.extent;
    call.count *= (size_t)call.ranks;
    if (call.block != 0) {
        spoil_result(&call);
        spoil_send(&call);
        spoil_blocks(&call);
        spoil_communicator(&call);
    }
    return error;
}

/* Two blocks of the same length come to each other's places. */
static const int *places_of_all(const void *send, const int counts[], const int places[],
                                MPI_Comm comm)
{
    static int swapped[2];
    int ranks;
    PMPI_Comm_size(comm, &ranks);
    if (!fault_is("swapped_places") || ranks != 2 || send == MPI_IN_PLACE ||
        counts[0] != counts[1]) {
        return places;
    }
    swapped[0] = places[1];
    swapped[1] = places[0];
    return swapped;
}

int MPI_Allgatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive,
                   const int counts[], const int places[], MPI_Datatype type, MPI_Comm comm)
{
    return PMPI_Allgatherv(send, send_count, send_type, receive, counts,
                           places_of_all(send, counts, places, comm), type, comm);
}

int MPI_Alltoallv(const void *send, const int send_counts[], const int send_places[],
                  MPI_Datatype send_type, void *receive, const int counts[], const int places[],
                  MPI_Datatype type, MPI_Comm comm)
{
    return PMPI_Alltoallv(send, send_counts, send_places, send_type, receive, counts,
                          places_of_all(send, counts, places, comm), type, comm);
}

/* The root's two blocks of the same length are taken for each other. */
static const int *places_at_root(const int counts[], const int places[], int root, MPI_Comm comm)
{
    static int swapped[2];
    int rank, ranks;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    if (!fault_is("swapped_at_root") || ranks != 2 || rank != root || counts[0] != counts[1]) {
        return places;
    }
    swapped[0] = places[1];
    swapped[1] = places[0];
    return swapped;
}

int MPI_Gatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive,
                const int counts[], const int places[], MPI_Datatype type, int root, MPI_Comm comm)
{
    return PMPI_Gatherv(send, send_count, send_type, receive, counts,
                        places_at_root(counts, places, root, comm), type, root, comm);
}

int MPI_Scatterv(const void *send, const int counts[], const int places[], MPI_Datatype send_type,
                 void *receive, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return PMPI_Scatterv(send, counts, places_at_root(counts, places, root, comm), send_type,
                         receive, count, type, root, comm);
}

/* The first byte of the last rank's block is wrong. */
int MPI_Alltoallw(const void *send, const int send_counts[], const int send_places[],
                  const MPI_Datatype send_types[], void *receive, const int counts[],
                  const int places[], const MPI_Datatype types[], MPI_Comm comm)
{
    int error = PMPI_Alltoallw(send, send_counts, send_places, send_types, receive, counts, places,
                               types, comm);
    struct call call = describe(send, receive, 0, types[0], comm);
    int last = call.ranks - 1;
    if (fault_is("last_block") && counts[last] > 0) {
        MPI_Aint lower, extent;
        PMPI_Type_get_true_extent(types[last], &lower, &extent);
        call.receive[places[last] + lower] ^= 1;
    }
    return error;
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    struct call call = describe(NULL, buffer, count, type, comm);
    int error = PMPI_Bcast(buffer, count, type, root, comm);
    if (fault_is("broadcast") && call.rank != root && count != 0) {
        call.receive[0] ^= 1;
    }
    return error;
}

/* Faults of an allocator. Every block has some room in front, so that a fault that writes there
 * does not break malloc. Blocks that are not MPI's are remembered so as not to be freed. */

enum { ROOM = 256, FAKES = 256 };

static void *fakes[FAKES];
static unsigned char *latest;
static size_t latest_bytes;

static void *overlapping_block(size_t bytes)
{
    static unsigned calls;
    if (++calls % 5 != 0 || latest == NULL || bytes > latest_bytes / 2) {
        return NULL;
    }
    for (int i = 0; i < FAKES; i++) {
        if (fakes[i] == NULL) {
            fakes[i] = latest;
            return latest;
        }
    }
    return NULL;
}

static bool forget_fake(const void *block)
{
    for (int i = 0; i < FAKES; i++) {
        if (fakes[i] == block) {
            fakes[i] = NULL;
            return true;
        }
    }
    return false;
}

static size_t room(void)
{
    return fault_is("misaligned") ? ROOM - 8 : ROOM;
}

int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *result)
{
    unsigned char *block = fault_is("overlap") ? overlapping_block((size_t)size) : NULL;
    if (block == NULL) {
        int error = PMPI_Alloc_mem(size + ROOM, info, &block);
        if (error != MPI_SUCCESS) {
            return error;
        }
        block += room();
        latest = block;
        latest_bytes = (size_t)size;
    }
    memcpy(result, &block, sizeof block);
    return MPI_SUCCESS;
}

int MPI_Free_mem(void *block)
{
    if (fault_is("overlap") && forget_fake(block)) {
        return MPI_SUCCESS;
    }
    if (block == latest) {
        latest = NULL;
    } else if (fault_is("clobber") && latest != NULL) {
        latest[0] ^= 1; /* freeing one block writes into another */
    }
    return PMPI_Free_mem((unsigned char *)block - room());
}
