/*
 * empty_types.c - see empty_types.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/empty_types.h"

const char *const empty_type_names[EMPTY_TYPES] = {
    "no ints", "a vector of resized nothing", "vectors of such vectors", "a structure of nothing",
    "nothing that begins before 0", "nothing of negative extent", "nothing, far apart",
    "a structure without members"};

/* Nothing, with bounds. */
static MPI_Datatype resized(MPI_Datatype inner, MPI_Aint lower, MPI_Aint extent)
{
    MPI_Datatype type;
    MPI_Type_create_resized(inner, lower, extent, &type);
    return type;
}

static MPI_Datatype vector(int count, int stride, MPI_Datatype inner)
{
    MPI_Datatype type;
    MPI_Type_vector(count, 1, stride, inner, &type);
    return type;
}

static MPI_Datatype structure(MPI_Datatype first, MPI_Datatype second)
{
    static const int lengths[2] = {1, 3};
    static const MPI_Aint displacements[2] = {0, 64};
    const MPI_Datatype members[2] = {first, second};
    MPI_Datatype type;
    MPI_Type_create_struct(2, lengths, displacements, members, &type);
    return type;
}

void empty_types_make(MPI_Datatype types[EMPTY_TYPES])
{
    const MPI_Aint far = (MPI_Aint)1 << 40;
    MPI_Datatype none = vector(0, 1, MPI_INT), nothing = resized(none, 0, sizeof(int));
    MPI_Type_contiguous(0, MPI_INT, &types[0]);
    types[1] = vector(2, 3, nothing);
    types[2] = vector(3, 5, types[1]);
    types[3] = structure(nothing, types[1]);
    types[4] = resized(types[0], -17, 1000);
    types[5] = resized(types[1], 100, -8);
    MPI_Type_create_hvector(2, 1, far, nothing, &types[6]);
    MPI_Type_create_struct(0, NULL, NULL, NULL, &types[7]);
    for (int i = 0; i < EMPTY_TYPES; i++) {
        MPI_Type_commit(&types[i]);
    }
    MPI_Type_free(&none);
    MPI_Type_free(&nothing);
}

void empty_types_free(MPI_Datatype types[EMPTY_TYPES])
{
    for (int i = 0; i < EMPTY_TYPES; i++) {
        MPI_Type_free(&types[i]);
    }
}
