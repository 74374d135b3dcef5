/*
 * The catalogue of types and operations of the randomised test.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/results/random/random_types.h"
#include "tests/harness/harness.h"

struct test_layout random_types_layout(const struct test_element *element)
{
    size_t used = test_scalar_used(element->form.scalar);
    struct test_layout layout = {.name = element->name, .type = element->type, .blocks = 1};
    layout.extent = element->form.extent;
    layout.unit = test_scalar_size(element->form.scalar);
    layout.length[0] = used;
    if (element->form.family == FAMILY_PAIR) {
        layout.blocks = 2;
        layout.offset[1] = element->form.second;
        layout.length[1] = sizeof(int);
        layout.unit = layout.unit > sizeof(int) ? layout.unit : sizeof(int);
    } else if (element->form.family == FAMILY_COMPLEX && used == element->form.second) {
        layout.length[0] = element->form.extent;
    } else if (element->form.family == FAMILY_COMPLEX) {
        layout.blocks = 2;
        layout.offset[1] = element->form.second;
        layout.length[1] = used;
    }
    return layout;
}

static struct test_layout monoid_layout(const struct test_monoid *monoid)
{
    struct test_layout layout = {.name = monoid->name, .blocks = 1};
    int integers;
    int addresses;
    int inner;
    int combiner;
    layout.type = monoid->new_type();
    layout.extent = monoid->extent;
    layout.unit = monoid->unit;
    layout.length[0] = monoid->used;
    MPI_Type_get_envelope(layout.type, &integers, &addresses, &inner, &combiner);
    layout.derived = combiner != MPI_COMBINER_NAMED;
    return layout;
}

static void add_operation(struct random_types *types, const struct test_monoid *monoid,
                          int commutes)
{
    struct random_operation *added = &types->operations[types->operation_count++];
    added->monoid = monoid;
    added->layout = monoid_layout(monoid);
    added->commutes = commutes;
    MPI_Op_create(monoid->function, commutes, &added->op);
}

void random_types_create(struct random_types *types)
{
    size_t count;
    const struct test_monoid *monoids = test_monoids(&count);
    test_layouts_create(types->plain, types->ints);
    types->elements = test_elements(&types->element_count);
    types->operation_count = 0;
    for (size_t i = 0; i < count && types->operation_count + 2 <= RANDOM_OPERATIONS; i++) {
        /* To declare one that commutes as one that does not is legal, too. */
        for (int commutes = 0; commutes <= monoids[i].commutes; commutes++) {
            add_operation(types, &monoids[i], commutes);
        }
    }
}

void random_types_free(struct random_types *types)
{
    for (size_t i = 0; i < types->operation_count; i++) {
        struct random_operation *operation = &types->operations[i];
        MPI_Op_free(&operation->op);
        if (operation->layout.derived) {
            MPI_Type_free(&operation->layout.type);
        }
    }
    test_layouts_free(types->plain, types->ints);
}
