/*
 * Every blocking collective on device memory, compared byte by byte with the same call on host
 * memory: all types, in place and not, all sorts of communicators, roots and memory, one buffer or
 * both on a device, or one rank's only.
 *
 * The driver is loaded after MPI has been used, as many programs do.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "tests/harness/blocking_communicators.h"
#include "tests/harness/harness.h"
#include "tests/harness/pending.h"
#include "tests/harness/scattered_pieces.h"
#include "tests/harness/sweep.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static struct pending *pending;
static MPI_Datatype types[BLOCKING_TYPES];
static MPI_Op op;

/* ---- all of them ----------------------------------------------------------------------------- */

static void variant_check(const char *comm_name, int type, int memory, int where)
{
    static uint64_t number;
    if (test_leaves_out(++number)) {
        return;
    }
    pending->memory = (enum cuda_memory)memory;
    pending->where = (enum pending_where)where;
    test_case("%s, %s, %s%s, root %d, %s: %s", pending->call->name, comm_name,
              blocking_type_names[type], pending->kase.in_place ? ", in place" : "",
              pending->kase.root, cuda_memory_names[memory], pending_where_names[where]);
    if (pending_make(pending)) {
        pending_check(pending);
    }
}

/* Both buffers in all memories, one buffer or one rank in turn; quickly, everything in turn. */
static void variants_check(const struct blocking_call *call, const struct blocking_case *common,
                           const char *comm_name)
{
    static int turn;
    pending->call = call;
    pending->kase = *common;
    for (int type = 0; type < BLOCKING_TYPES; type++) {
        for (int place = 0; place <= (call->may_be_in_place && !common->inter); place++) {
            pending->kase.type = types[type];
            pending->kase.in_place = place;
            turn++;
            for (int memory = 0; memory < CUDA_MEMORY_KINDS; memory++) {
                int chosen = turn % CUDA_MEMORY_KINDS;
                if (!test_quick || memory == chosen) {
                    variant_check(comm_name, type, memory, PENDING_BOTH);
                }
                if (memory == (test_quick ? chosen : CUDA_MEMORY_ALLOC)) {
                    variant_check(comm_name, type, memory, 1 + turn % (PENDING_WHERES - 1));
                }
            }
        }
    }
}

/* `roots`: this rank is in the group that has the root, where there are two groups. */
static void communicator_check(MPI_Comm comm, const char *name, bool neighbors, bool roots)
{
    struct blocking_case kase = blocking_case_make(comm, op, roots);
    int root_group = !kase.inter || roots ? kase.size : kase.others;
    for (int i = 0; i < blocking_call_count; i++) {
        const struct blocking_call *call = &blocking_calls[i];
        if (call->neighbors != neighbors || (call->intra_only && kase.inter)) {
            continue;
        }
        kase.root = 0;
        variants_check(call, &kase, name);
        if (call->rooted && root_group > 1) {
            kase.root = root_group - 1;
            variants_check(call, &kase, name);
        }
    }
}

/* ---- several devices ------------------------------------------------------------------------- */

/* A rank's pieces for its two neighbours in a ring are on two devices. */
static void exchange(unsigned char *const out[2], unsigned char *const in[2], int bytes)
{
    MPI_Comm ring;
    int before = (test_rank + test_size - 1) % test_size, after = (test_rank + 1) % test_size;
    int sources[2] = {before, after}, targets[2] = {after, before}, weights[2] = {1, 1};
    int counts[2] = {bytes, bytes};
    MPI_Datatype byte[2] = {MPI_BYTE, MPI_BYTE};
    MPI_Aint from[2] = {0, out[1] - out[0]}, to[2] = {0, in[1] - in[0]};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, weights, 2, targets, weights,
                                   MPI_INFO_NULL, 0, &ring);
    MPI_Neighbor_alltoallw(out[0], counts, from, byte, in[0], counts, to, byte, ring);
    MPI_Comm_free(&ring);
}

static void devices_check(int local_rank)
{
    enum { BYTES = 4096 };
    unsigned char *out[2], *in[2], found[BYTES], expected[BYTES];
    if (cuda_memory_devices() < 2) {
        return;
    }
    test_case("pieces on two devices");
    for (int i = 0; i < 2; i++) {
        cuda_memory_use(local_rank + i);
        out[i] = cuda_memory_get(CUDA_MEMORY_ALLOC, BYTES);
        in[i] = cuda_memory_get(CUDA_MEMORY_ALLOC, BYTES);
        memset(found, 2 * test_rank + i, BYTES);
        cuda_memory_write(out[i], found, BYTES);
    }
    exchange(out, in, BYTES);
    for (int i = 0; i < 2; i++) {
        int source = i == 0 ? test_rank + test_size - 1 : test_rank + 1;
        cuda_memory_use(local_rank + i);
        cuda_memory_read(found, in[i], BYTES);
        memset(expected, 2 * (source % test_size) + i, BYTES);
        test_check(memcmp(expected, found, BYTES) == 0, "a piece is another one");
        cuda_memory_put(CUDA_MEMORY_ALLOC, out[i]);
        cuda_memory_put(CUDA_MEMORY_ALLOC, in[i]);
    }
    cuda_memory_use(local_rank);
}

/* ---- addresses that change hands ------------------------------------------------------------- */

/* What is at the address, by a collective of this rank alone. */
static void fetch(const void *address, unsigned char *to, int count)
{
    MPI_Scan(address, to, count, MPI_BYTE, MPI_BOR, MPI_COMM_SELF);
}

/* Device memory at an address in a range, if there is any to be had; NULL: there is not. */
static unsigned char *device_memory_within(unsigned char *from, size_t bytes, size_t size)
{
    enum { TRIES = 64 };
    unsigned char *tried[TRIES], *found = NULL;
    int count = 0;
    while (count < TRIES && found == NULL) {
        tried[count] = cuda_memory_get(CUDA_MEMORY_ALLOC, size);
        if (tried[count] >= from && tried[count] < from + bytes) {
            found = tried[count];
        } else {
            count++;
        }
    }
    while (count-- > 0) {
        cuda_memory_put(CUDA_MEMORY_ALLOC, tried[count]);
    }
    return found;
}

/* An address that was host memory in one call is device memory in the next. */
static void reuse_check(void)
{
    enum { BYTES = 64 };
    const size_t room = 64 << 20, step = 2 << 20; /* device memory begins at multiples of that */
    unsigned char expected[BYTES], found[BYTES];
    test_case("addresses of the host's that become a device's");
    unsigned char *host =
        mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uintptr_t aligned = ((uintptr_t)host + step - 1) / step * step;
    for (uintptr_t at = aligned; at < (uintptr_t)host + room; at += step) {
        fetch((const void *)at, found, 1);
    }
    munmap(host, room);
    unsigned char *device = device_memory_within(host, room, step);
    if (test_rank == 0) {
        printf("# %s\n",
               device != NULL ? "an address was used again" : "no address was used again");
    }
    if (device != NULL) {
        memset(expected, test_rank + 1, BYTES);
        cuda_memory_write(device, expected, BYTES);
        fetch(device, found, BYTES);
        test_check(memcmp(expected, found, BYTES) == 0, "the bytes are others");
        cuda_memory_put(CUDA_MEMORY_ALLOC, device);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm node;
    int local_rank, before = 1;
    test_begin(argc, argv, "check_host_copy", MPI_THREAD_SINGLE);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &local_rank);
    MPI_Bcast(&before, 1, MPI_INT, 0, MPI_COMM_WORLD); /* nobody has heard of CUDA */
    cuda_memory_open(local_rank);
    pending = calloc(1, sizeof(*pending));
    pending_buffers_get(pending);
    blocking_types_make(types, &op);
    blocking_communicators_check(communicator_check);
    devices_check(local_rank);
    scattered_pieces_check();
    reuse_check();
    blocking_types_free(types, &op);
    pending_buffers_put(pending);
    free(pending);
    MPI_Comm_free(&node);
    return test_end();
}
