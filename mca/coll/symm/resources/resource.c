/*
 * resources/resource.c - see resources/resource.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/resources/resource.h"

/*
 * Each row may look at what those before it have done.  There is no choice before all segments are
 * mapped.  Who offers a pad offers neither buffers
 * from elsewhere nor scratch.  Scratch is offered where buffers are not.  Multicast is for buffers
 * that all ranks reach.
 */
static const struct symm_resource *const resources[] = {
    &mca_coll_symm_segments, &mca_coll_symm_pads,      &mca_coll_symm_elsewhere,
    &mca_coll_symm_scratch,  &mca_coll_symm_multicast,
};

enum { RESOURCES = sizeof(resources) / sizeof(*resources) };

static bool is_for(const struct symm_resource *resource, const struct symm_operation *operation)
{
    return resource->on_host || operation->call->device >= 0;
}

void mca_coll_symm_resources_prepare(struct symm_operation *operation)
{
    for (int i = 0; i < RESOURCES; i++) {
        if (is_for(resources[i], operation) && resources[i]->prepare != NULL) {
            enum symm_reason reason = resources[i]->prepare(operation);
            operation->veto = operation->veto == SYMM_REASON_NONE ? reason : operation->veto;
        }
    }
}

void mca_coll_symm_resources_describe(struct symm_operation *operation, struct symm_line *line)
{
    for (int i = 0; i < RESOURCES; i++) {
        if (is_for(resources[i], operation) && resources[i]->describe != NULL) {
            line->flags |= resources[i]->describe(operation, line);
        }
    }
}

void mca_coll_symm_resources_posted(struct symm_operation *operation)
{
    for (int i = 0; i < RESOURCES; i++) {
        if (is_for(resources[i], operation) && resources[i]->posted != NULL) {
            resources[i]->posted(operation);
        }
    }
}

void mca_coll_symm_resources_note(struct symm_operation *operation, struct symm_facts *facts)
{
    for (int i = 0; i < RESOURCES; i++) {
        if (is_for(resources[i], operation) && resources[i]->note != NULL) {
            resources[i]->note(operation, facts);
        }
    }
}

bool mca_coll_symm_resources_chosen(struct symm_operation *operation,
                                    enum symm_algorithm algorithm, const struct symm_facts *facts)
{
    for (int i = 0; i < RESOURCES; i++) {
        if (is_for(resources[i], operation) && resources[i]->chosen != NULL &&
            resources[i]->chosen(operation, algorithm, facts)) {
            operation->holdings->under_set_up = resources[i];
            return true;
        }
    }
    return false;
}

enum symm_status mca_coll_symm_resources_set_up(struct symm_operation *operation)
{
    return operation->holdings->under_set_up->set_up(operation);
}

bool mca_coll_symm_resources_resolve(struct symm_operation *operation,
                                     const struct symm_facts *facts)
{
    bool has_all = true;
    for (int i = 0; i < RESOURCES; i++) {
        if (is_for(resources[i], operation) && resources[i]->resolve != NULL) {
            has_all &= resources[i]->resolve(operation, facts);
        }
    }
    return has_all;
}

void mca_coll_symm_resources_leave(struct symm_operation *operation)
{
    if (operation->work.sequence == 0) {
        return; /* no line has been written for it, so it has nothing */
    }
    for (int i = RESOURCES - 1; i >= 0; i--) {
        if (is_for(resources[i], operation) && resources[i]->leave != NULL) {
            resources[i]->leave(operation);
        }
    }
}
