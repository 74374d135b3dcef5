/*
 * Types for exchanges of blocks.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/exchange_types.h"

#include <string.h>

static struct exchange_type types[EXCHANGE_TYPES];

/* Ints at these distances, in this order. */
static void type_make(struct exchange_type *type, int ints, const int *distances, int extent)
{
    MPI_Datatype made;
    MPI_Type_create_indexed_block(ints, 1, distances, MPI_INT, &made);
    MPI_Type_create_resized(made, 0, extent * 4, &type->handle);
    MPI_Type_commit(&type->handle);
    MPI_Type_free(&made);
    type->size = (size_t)ints * 4;
    type->extent = (ptrdiff_t)extent * 4;
    for (int i = 0; i < ints * 4; i++) {
        ptrdiff_t at = (ptrdiff_t)distances[i / 4] * 4 + i % 4;
        type->at[i] = at;
        type->lower = i == 0 || at < type->lower ? at : type->lower;
        type->upper = i == 0 || at + 1 > type->upper ? at + 1 : type->upper;
    }
}

void exchange_types_open(void)
{
    memset(types, 0, sizeof types);
    types[0] = (struct exchange_type){.handle = MPI_BYTE, .size = 1, .extent = 1, .upper = 1};
    type_make(&types[1], 3, (const int[]){0, 1, 2}, 3);
    type_make(&types[2], 2, (const int[]){-2, -1}, 2);   /* in front of its address */
    type_make(&types[3], 1, (const int[]){0}, 3);        /* a gap behind */
    type_make(&types[4], 2, (const int[]){1, 0}, 2);     /* the wrong way round */
    type_make(&types[5], 3, (const int[]){1, 3, 4}, 6);  /* gaps everywhere */
    type_make(&types[6], 1, (const int[]){5}, 1);        /* behind its address */
}

void exchange_types_close(void)
{
    for (int i = 1; i < EXCHANGE_TYPES; i++) {
        MPI_Type_free(&types[i].handle);
    }
}

const struct exchange_type *exchange_type(int index)
{
    return &types[index];
}
