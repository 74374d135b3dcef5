/*
 * See drawn_types.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/drawn_types.h"
#include "tests/harness/harness.h"

#include <stdlib.h>

enum { ELEMENTS_MOST = 3000, DEPTH_MOST = 4, BLOCKS_MOST = 4 };

struct source {
    uint64_t stream, index;
};

static int below(struct source *source, int bound)
{
    return (int)(test_random(source->stream, source->index++) % (uint64_t)bound);
}

/* Elements of the type that follow each other do not overlap, whatever its bounds were. */
static MPI_Datatype spaced(MPI_Datatype inner, MPI_Aint unit, int gap)
{
    MPI_Datatype type;
    MPI_Aint first, length;
    MPI_Type_get_true_extent(inner, &first, &length);
    MPI_Type_create_resized(inner, first, (length + unit - 1) / unit * unit + gap * unit, &type);
    MPI_Type_free(&inner);
    return type;
}

static MPI_Datatype vector_draw(struct source *source, MPI_Datatype inner)
{
    MPI_Datatype type;
    int length = 1 + below(source, 3), stride = length + below(source, 3);
    int way = below(source, 4) == 0 ? -1 : 1;
    MPI_Type_vector(1 + below(source, BLOCKS_MOST), length, way * stride, inner, &type);
    return type;
}

static MPI_Datatype indexed_draw(struct source *source, MPI_Datatype inner)
{
    int lengths[BLOCKS_MOST], places[BLOCKS_MOST], blocks = 1 + below(source, BLOCKS_MOST), at = 0;
    MPI_Datatype type;
    bool reverse = below(source, 3) == 0; /* the type map has them from the last to the first */
    for (int i = 0; i < blocks; i++) {
        int k = reverse ? blocks - 1 - i : i;
        lengths[k] = 1 + below(source, 3);
        places[k] = at + below(source, 3);
        at = places[k] + lengths[k];
    }
    MPI_Type_indexed(blocks, lengths, places, inner, &type);
    return type;
}

/* Twice the same type, or the type and a single element, with a gap between them. */
static MPI_Datatype struct_draw(struct source *source, MPI_Datatype inner, MPI_Datatype element,
                                MPI_Aint unit)
{
    MPI_Aint first, length;
    MPI_Datatype type, parts[2] = {inner, below(source, 2) == 0 ? element : inner};
    MPI_Type_get_true_extent(inner, &first, &length);
    MPI_Aint behind = (length + unit - 1) / unit * unit + below(source, 2) * unit;
    MPI_Aint places[2] = {0, parts[1] == inner ? behind : first + behind};
    int lengths[2] = {1, 1};
    MPI_Type_create_struct(2, lengths, places, parts, &type);
    return type;
}

static MPI_Datatype subarray_draw(struct source *source, MPI_Datatype inner)
{
    int sizes[3], parts[3], starts[3], axes = 1 + below(source, 3);
    MPI_Datatype type;
    for (int i = 0; i < axes; i++) {
        sizes[i] = 1 + below(source, 5);
        parts[i] = 1 + below(source, sizes[i]);
        starts[i] = below(source, sizes[i] - parts[i] + 1);
    }
    MPI_Type_create_subarray(axes, sizes, parts, starts,
                             below(source, 2) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN, inner, &type);
    return type;
}

static MPI_Datatype around(struct source *source, MPI_Datatype inner, MPI_Datatype element,
                           MPI_Aint unit)
{
    MPI_Datatype type;
    switch (below(source, 6)) {
    case 0:
        MPI_Type_contiguous(1 + below(source, BLOCKS_MOST), inner, &type);
        break;
    case 1:
        type = indexed_draw(source, inner);
        break;
    case 2:
        type = struct_draw(source, inner, element, unit);
        break;
    case 3:
        type = subarray_draw(source, inner);
        break;
    default:
        type = vector_draw(source, inner);
    }
    return type;
}

static MPI_Datatype list_make(struct source *source, MPI_Datatype element, int blocks)
{
    int *places = malloc((size_t)blocks * sizeof(*places)), at = 0;
    MPI_Datatype type;
    for (int i = 0; i < blocks; i++) {
        places[i] = at;
        at += 2 + below(source, 3);
    }
    MPI_Type_create_indexed_block(blocks, 1, places, element, &type);
    free(places);
    return type;
}

static int elements_of(MPI_Datatype type, MPI_Aint unit)
{
    int size;
    MPI_Type_size(type, &size);
    return size / (int)unit;
}

struct drawn_type drawn_type_make(uint64_t number, int long_list)
{
    const MPI_Datatype elements[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE,
                                     MPI_C_DOUBLE_COMPLEX};
    struct source source = {test_stream(number, 0, 7), 0};
    struct drawn_type drawn = {
        .element = elements[below(&source, (int)(sizeof(elements) / sizeof(elements[0])))]};
    MPI_Aint unit, lower, length;
    MPI_Type_get_extent(drawn.element, &lower, &unit);
    MPI_Type_dup(drawn.element, &drawn.type);
    for (int depth = 1 + below(&source, DEPTH_MOST); depth > 0 && long_list == 0; depth--) {
        MPI_Datatype type = around(&source, drawn.type, drawn.element, unit);
        if (elements_of(type, unit) > ELEMENTS_MOST) {
            MPI_Type_free(&type);
            break;
        }
        MPI_Type_free(&drawn.type);
        drawn.type = spaced(type, unit, below(&source, 3));
    }
    if (long_list > 0) {
        MPI_Type_free(&drawn.type);
        drawn.type = spaced(list_make(&source, drawn.element, long_list), unit, 1);
    }
    MPI_Type_commit(&drawn.type);
    drawn.elements = elements_of(drawn.type, unit);
    MPI_Type_get_extent(drawn.type, &lower, &drawn.extent);
    MPI_Type_get_true_extent(drawn.type, &drawn.first, &length);
    drawn.end = drawn.first + length;
    return drawn;
}

void drawn_type_free(struct drawn_type *drawn)
{
    MPI_Type_free(&drawn->type);
}
