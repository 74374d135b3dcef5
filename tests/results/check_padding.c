/*
 * What is behind the last element's data of a result stays as it was: pairs of a value and an
 * index end in padding, and a buffer may end before it, as Open MPI's own temporary ones do.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/harness.h"
#include "tests/harness/sweep.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT_MOST = 30000, EXTENT_MOST = 32, GUARD = 64, RANKS_MOST = 8 };

static const struct {
    MPI_Datatype type;
    const char *name;
} pairs[] = {
    {MPI_DOUBLE_INT, "double_int"}, {MPI_LONG_INT, "long_int"},
    {MPI_LONG_DOUBLE_INT, "long_double_int"}, {MPI_SHORT_INT, "short_int"},
};

enum { ALLREDUCE, REDUCE, SCAN, EXSCAN, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK, CALLS };

static const char *const call_names[CALLS] = {
    "allreduce", "reduce", "scan", "exscan", "reduce_scatter", "reduce_scatter_block",
};

enum { FROM_HEAP, FROM_MALLOC, IN_PLACE, PLACES };

static const char *const place_names[PLACES] = {"", " from memory of malloc", " in place"};

static unsigned char *inputs[2], *output; /* from the heap, from malloc */

static void call_make(int call, const void *from, int count, MPI_Datatype type)
{
    int counts[RANKS_MOST];
    for (int rank = 0; rank < test_size; rank++) {
        counts[rank] = count;
    }
    switch (call) {
    case ALLREDUCE:
        MPI_Allreduce(from, output, count, type, MPI_MAXLOC, test_comm);
        break;
    case REDUCE:
        if (test_rank == 1) {
            MPI_Reduce(from, output, count, type, MPI_MINLOC, 1, test_comm);
        } else {
            MPI_Reduce(from == MPI_IN_PLACE ? inputs[0] : from, NULL, count, type, MPI_MINLOC, 1,
                       test_comm);
        }
        break;
    case SCAN:
        MPI_Scan(from, output, count, type, MPI_MAXLOC, test_comm);
        break;
    case EXSCAN:
        MPI_Exscan(from, output, count, type, MPI_MINLOC, test_comm);
        break;
    case REDUCE_SCATTER:
        MPI_Reduce_scatter(from, output, counts, type, MPI_MAXLOC, test_comm);
        break;
    default:
        MPI_Reduce_scatter_block(from, output, count, type, MPI_MINLOC, test_comm);
        break;
    }
}

/* Each rank has bytes of its own there, so that another rank's would show. */
static void call_check(int call, int pair, int count, int place)
{
    MPI_Aint lower, extent, start, data;
    MPI_Datatype type = pairs[pair].type;
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_get_true_extent(type, &start, &data);
    bool scatters = call == REDUCE_SCATTER || call == REDUCE_SCATTER_BLOCK;
    size_t all = (size_t)count * (size_t)extent * (size_t)(scatters ? test_size : 1);
    size_t end = (size_t)(count - 1) * (size_t)extent + (size_t)data;
    unsigned char guard = (unsigned char)(0xe0 + test_rank);
    test_case("%s of %d %s%s", call_names[call], count, pairs[pair].name,
              place_names[place]);
    memset(inputs[0], 1 + test_rank, all);
    memset(inputs[1], 1 + test_rank, all);
    memset(output, guard, (size_t)test_size * COUNT_MOST * EXTENT_MOST + GUARD);
    if (place == IN_PLACE) {
        memset(output, 1 + test_rank, end);
    }
    call_make(call, place == IN_PLACE ? MPI_IN_PLACE : (const void *)inputs[place], count, type);
    for (size_t i = end; i < all + GUARD; i++) {
        if (output[i] != guard) {
            test_fail("byte %zu behind the last element's data is %#x, not %#x", i - end, output[i],
                      guard);
            break;
        }
    }
}

static void all(void)
{
    static const int counts[] = {1, 2, 60, 1000, COUNT_MOST};
    size_t bytes = (size_t)test_size * COUNT_MOST * EXTENT_MOST + GUARD;
    MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &inputs[0]);
    inputs[1] = malloc(bytes);
    MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &output);
    for (int call = 0; call < CALLS && test_size > 1 && test_size <= RANKS_MOST; call++) {
        for (size_t pair = 0; pair < sizeof(pairs) / sizeof(*pairs); pair++) {
            for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
                for (int place = 0; place < PLACES; place++) {
                    call_check(call, (int)pair, counts[i], place);
                }
            }
        }
    }
    MPI_Free_mem(output);
    free(inputs[1]);
    MPI_Free_mem(inputs[0]);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_padding", MPI_THREAD_SINGLE);
    test_sweep(all);
    return test_end();
}
