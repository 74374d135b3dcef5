/*
 * Elements with an operation.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "operands.h"

/* Affine maps, whose data have eight bytes. */
static const struct test_monoid *affine(void)
{
    size_t count;
    return &test_monoids(&count)[2];
}

static void affine_apply(const char *in, char *inout, int length, MPI_Datatype type,
                         ptrdiff_t displacement)
{
    MPI_Aint lower, extent;
    MPI_Type_get_extent(type, &lower, &extent);
    for (int i = 0; i < length; i++) {
        ptrdiff_t at = i * extent + displacement;
        affine()->combine(in + at, inout + at);
    }
}

static void affine_here(void *in, void *inout, int *length, MPI_Datatype *type)
{
    affine_apply(in, inout, *length, *type, 0);
}

static void affine_behind(void *in, void *inout, int *length, MPI_Datatype *type)
{
    affine_apply(in, inout, *length, *type, 8);
}

static MPI_Datatype pair_type(MPI_Aint displacement, MPI_Aint lower, MPI_Aint extent)
{
    MPI_Datatype pair, type;
    int blocks = 2;
    MPI_Datatype ints = MPI_INT32_T;
    MPI_Type_create_struct(1, &blocks, &displacement, &ints, &pair);
    MPI_Type_create_resized(pair, lower, extent, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&pair);
    return type;
}

struct test_operand test_operand_of_monoid(const struct test_monoid *monoid)
{
    struct test_operand kind = {.name = monoid->name, .monoid = monoid, .type = monoid->new_type(),
                                   .extent = monoid->extent, .unit = monoid->unit};
    MPI_Op_create(monoid->function, monoid->commutes, &kind.handle);
    return kind;
}

struct test_operand test_operand_of_pairs(const char *name, ptrdiff_t displacement, ptrdiff_t lower,
                                    size_t extent)
{
    struct test_operand kind = {
        .name = name, .monoid = affine(), .extent = extent, .unit = 4, .lower = lower,
        .type = pair_type(displacement, lower, (MPI_Aint)extent),
        .datum = (size_t)(displacement - lower)};
    MPI_Op_create(displacement == 0 ? affine_here : affine_behind, 0, &kind.handle);
    return kind;
}

struct test_operand test_operand_of_element(const char *name, enum test_op op)
{
    const struct test_element *element = test_element(name);
    return (struct test_operand){
        .name = name, .element = element, .op = op, .type = element->type,
        .handle = test_op_handle(op), .extent = element->form.extent,
        .unit = test_scalar_size(element->form.scalar)};
}

void test_operand_free(struct test_operand *kind)
{
    int integers, addresses, types, combiner;
    if (kind->element == NULL) {
        MPI_Op_free(&kind->handle);
        MPI_Type_get_envelope(kind->type, &integers, &addresses, &types, &combiner);
        if (combiner != MPI_COMBINER_NAMED) {
            MPI_Type_free(&kind->type);
        }
    }
}
