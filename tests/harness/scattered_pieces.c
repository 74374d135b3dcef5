/*
 * See scattered_pieces.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _GNU_SOURCE

#include "tests/harness/scattered_pieces.h"

#include "tests/harness/cuda_memory.h"
#include "tests/harness/harness.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ROOM = 1 << 20 };

/* Host memory that an int as a displacement in bytes reaches from `device`; NULL: there is none. */
static unsigned char *memory_near(const unsigned char *device, bool below)
{
    const uintptr_t step = 16 << 20, most = (uintptr_t)INT_MAX - ROOM;
    for (uintptr_t away = step; away < most; away += step) {
        uintptr_t wanted = ((uintptr_t)device & ~(uintptr_t)4095) + (below ? -away : away);
        void *memory = mmap((void *)wanted, ROOM, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (memory != MAP_FAILED) {
            return memory;
        }
    }
    return NULL;
}

/* A buffer with a piece on the device, for even ranks, and one in host memory. */
struct pieces {
    unsigned char *at[2];
    int displacement; /* of the second piece, in bytes from the first */
};

static bool pieces_get(struct pieces *pieces, bool below, size_t bytes)
{
    pieces->at[0] = cuda_memory_get(CUDA_MEMORY_ALLOC, bytes);
    pieces->at[1] = memory_near(pieces->at[0], below);
    pieces->displacement =
        pieces->at[1] == NULL ? 0 : (int)((intptr_t)pieces->at[1] - (intptr_t)pieces->at[0]);
    return pieces->at[1] != NULL;
}

static void pieces_put(const struct pieces *pieces)
{
    cuda_memory_put(CUDA_MEMORY_ALLOC, pieces->at[0]);
    if (pieces->at[1] != NULL) {
        munmap(pieces->at[1], ROOM);
    }
}

static unsigned char value_of(int source, int target)
{
    return (unsigned char)(16 * source + target + 1);
}

static void arguments_set(const struct pieces *pieces, int counts[], int displacements[],
                          size_t bytes)
{
    for (int rank = 0; rank < test_size; rank++) { /* all but two ranks get nothing */
        counts[rank] = rank < 2 && test_rank < 2 ? (int)bytes : 0;
        displacements[rank] = rank == 1 ? pieces->displacement : 0;
    }
}

static void exchange_check(const struct pieces *send, const struct pieces *receive, size_t bytes)
{
    int counts[2][SCATTERED_RANKS], displacements[2][SCATTERED_RANKS];
    MPI_Datatype types[SCATTERED_RANKS];
    unsigned char *data = malloc(bytes);
    for (int rank = 0; rank < test_size; rank++) {
        types[rank] = MPI_BYTE;
    }
    arguments_set(send, counts[0], displacements[0], bytes);
    arguments_set(receive, counts[1], displacements[1], bytes);
    memset(data, value_of(test_rank, 0), bytes);
    cuda_memory_write(send->at[0], data, bytes);
    memset(send->at[1], value_of(test_rank, 1), bytes);
    memset(data, 0, bytes);
    cuda_memory_write(receive->at[0], data, bytes);
    MPI_Alltoallw(send->at[0], counts[0], displacements[0], types, receive->at[0], counts[1],
                  displacements[1], types, MPI_COMM_WORLD);
    for (int source = 0; source < 2 && test_rank < 2; source++) {
        if (source == 0) {
            cuda_memory_read(data, receive->at[0], bytes);
        } else {
            memcpy(data, receive->at[1], bytes);
        }
        test_check(data[0] == value_of(source, test_rank) &&
                       memcmp(data, data + 1, bytes - 1) == 0, "the right piece");
    }
    free(data);
}

void scattered_pieces_check(void)
{
    for (int i = 0; i < 4 && test_size > 1 && test_size <= SCATTERED_RANKS; i++) {
        size_t bytes = i / 2 == 0 ? 1000 : 100000;
        struct pieces send, receive;
        test_case("MPI_Alltoallw of %zu bytes on a device and in host memory %s it", bytes,
                  i % 2 == 0 ? "behind" : "before");
        int found = pieces_get(&send, i % 2 != 0, bytes);
        found &= (int)pieces_get(&receive, i % 2 != 0, bytes);
        MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        if (found != 0) {
            exchange_check(&send, &receive, bytes);
        } else if (test_rank == 0) {
            printf("# no host memory near the device's\n");
        }
        pieces_put(&receive);
        pieces_put(&send);
    }
}
