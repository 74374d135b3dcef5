/*
 * coll_symm_module.c - the component's part of a communicator: whether it serves it, and what stood
 * there before.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdlib.h>

#include "mca/coll/symm/coll_symm.h"
#include "mca/coll/symm/coll_symm_choose.h"
#include "mca/coll/symm/coll_symm_counters.h"
#include "mca/coll/symm/coll_symm_names.h"
#include "mca/coll/symm/coll_symm_report.h"
#include "mca/coll/symm/coll_symm_verbose.h"
#include "mca/help.h"

/* ---- life ---------------------------------------------------------------------------------------- */

static void module_construct(mca_coll_symm_module_t *module)
{
    module->state = MCA_COLL_SYMM_NEW;
    module->team = NULL;
    module->vote = (struct symm_vote){.tag = 0};
    memset(&module->operation, 0, sizeof(module->operation));
    module->operation.module = module;
    module->told_algorithms = 0;
    module->told_fallbacks = 0;
    module->saved_allreduce = NULL;
    module->saved_allreduce_module = NULL;
    module->saved_allgather = NULL;
    module->saved_allgather_module = NULL;
}

static void saved_release(mca_coll_base_module_t **saved)
{
    if (*saved != NULL) {
        OBJ_RELEASE(*saved);
        *saved = NULL;
    }
}

static void module_destruct(mca_coll_symm_module_t *module)
{
    saved_release(&module->saved_allreduce_module);
    saved_release(&module->saved_allgather_module);
    symm_team_destroy(module->team);
    symm_vote_destruct(&module->vote);
    free(module->operation.run.inputs);
    free(module->operation.run.outputs);
}

OBJ_CLASS_INSTANCE(mca_coll_symm_module_t, mca_coll_base_module_t, module_construct,
                   module_destruct);

/* Take over the two slots; called in ascending priority, so the table holds what stood before.  It is
 * disabled in descending order, or (up to 5.0) once for each slot. */
static int module_enable(mca_coll_base_module_t *base, struct ompi_communicator_t *comm)
{
    mca_coll_symm_module_t *module = (mca_coll_symm_module_t *)base;
    const mca_coll_base_comm_coll_t *table = comm->c_coll;
    if (table->coll_allreduce == NULL || table->coll_allgather == NULL) {
        if (ompi_comm_rank(comm) == 0) {
            symm_help_show("help-coll-symm.txt", "nothing below", comm->c_name);
        }
        return OMPI_ERR_NOT_FOUND;
    }
    SYMM_COLL_SAVE(comm, allreduce, module->saved_allreduce, module->saved_allreduce_module);
    SYMM_COLL_PUT(comm, allreduce, base->coll_allreduce, base);
    SYMM_COLL_SAVE(comm, allgather, module->saved_allgather, module->saved_allgather_module);
    SYMM_COLL_PUT(comm, allgather, base->coll_allgather, base);
    mca_coll_symm_verbose_selected(module, comm);
    return OMPI_SUCCESS;
}

static int module_disable(mca_coll_base_module_t *base, struct ompi_communicator_t *comm)
{
    mca_coll_symm_module_t *module = (mca_coll_symm_module_t *)base;
    SYMM_COLL_PUT(comm, allreduce, module->saved_allreduce, module->saved_allreduce_module);
    SYMM_COLL_PUT(comm, allgather, module->saved_allgather, module->saved_allgather_module);
    return OMPI_SUCCESS;
}

/* ---- which communicators ---------------------------------------------------------------------------- */

/* Count a communicator that is not served, and have its rank 0 say why. */
static void leave_unserved(struct ompi_communicator_t *comm, enum symm_unserved why)
{
    mca_coll_symm_count_unserved(why);
    if (ompi_comm_rank(comm) == 0) {
        mca_coll_symm_verbose_about(SYMM_VERBOSE_COMMUNICATORS, comm, "%d ranks: not served: %s",
                                    ompi_comm_size(comm) + ompi_comm_remote_size(comm),
                                    mca_coll_symm_unserved_text(why));
    }
}

/* Some rank's process has published no name for us: said by the first one that sees its own. */
static void missing_explain(struct ompi_communicator_t *comm, int missing)
{
    int speaker = 0;
    while (mca_coll_symm_server_name(ompi_group_peer_lookup(comm->c_local_group, speaker)) ==
               NULL && speaker < ompi_comm_rank(comm)) {
        speaker++;
    }
    if (speaker == ompi_comm_rank(comm)) {
        mca_coll_symm_verbose_about(SYMM_VERBOSE_COMMUNICATORS, comm,
                                    "%d ranks: not served: the process of rank %d runs without the "
                                    "component, or with another coll_symm_priority",
                                    ompi_comm_size(comm), missing);
    }
}

/* A team of the communicator's processes; NULL when some of them has no server, or memory is short. */
static struct symm_team *team_make(struct ompi_communicator_t *comm, int rank, int size)
{
    struct symm_team_config config = {
        .rank = rank,
        .size = size,
        .control = {.payload_size = mca_coll_symm_component.slot_size,
                    .piece_size = mca_coll_symm_component.piece_size,
                    .options = mca_coll_symm_choose_options()},
    };
    const char **names = calloc((size_t)size, sizeof(*names));
    bool complete = names != NULL;
    for (int i = 0; complete && i < size; i++) {
        names[i] = mca_coll_symm_server_name(ompi_group_peer_lookup(comm->c_local_group, i));
        complete = names[i] != NULL;
        if (!complete) {
            missing_explain(comm, i);
        }
    }
    struct symm_team *team = NULL;
    if (complete) {
        config.names = names;
        symm_ompi_comm_key(comm, config.key);
        if (symm_team_create(mca_coll_symm_component.process, &config, &team) != SYMM_OK) {
            team = NULL;
        }
    }
    free(names);
    return team;
}

/* All of this is the same on every rank of the communicator, so all decide alike. */
static bool is_eligible(struct ompi_communicator_t *comm)
{
    if (OMPI_COMM_IS_INTER(comm)) {
        leave_unserved(comm, SYMM_UNSERVED_INTER);
        return false;
    }
    if (ompi_comm_size(comm) < 2) {
        mca_coll_symm_verbose_about(SYMM_VERBOSE_ALGORITHMS, comm, "not served: only one rank");
        return false;
    }
    if (ompi_group_have_remote_peers(comm->c_local_group)) {
        leave_unserved(comm, SYMM_UNSERVED_NODES);
        return false;
    }
    return true;
}

mca_coll_base_module_t *mca_coll_symm_comm_query(struct ompi_communicator_t *comm, int *priority)
{
    int size = ompi_comm_size(comm), rank = ompi_comm_rank(comm);
    *priority = mca_coll_symm_component.priority;
    if (mca_coll_symm_component.priority < 0) {
        if (rank == 0) {
            mca_coll_symm_verbose_about(SYMM_VERBOSE_COMMUNICATORS, comm,
                                        "not served: coll_symm_priority is negative");
        }
        return NULL;
    }
    mca_coll_symm_report_attach();
    if (!is_eligible(comm)) {
        return NULL;
    }
    mca_coll_symm_module_t *module = OBJ_NEW(mca_coll_symm_module_t);
    if (module == NULL) {
        return NULL;
    }
    module->team = team_make(comm, rank, size);
    module->operation.run.inputs = calloc((size_t)size, sizeof(void *));
    module->operation.run.outputs = calloc((size_t)size, sizeof(void *));
    int rc = symm_vote_construct(&module->vote, rank, size);
    if (module->team == NULL || module->operation.run.inputs == NULL ||
        module->operation.run.outputs == NULL || rc != OMPI_SUCCESS) {
        if (module->team == NULL) {
            mca_coll_symm_count_unserved(SYMM_UNSERVED_COMPONENT);
        }
        OBJ_RELEASE(module);
        return NULL;
    }
    module->super.coll_module_enable = module_enable;
    module->super.coll_module_disable = module_disable;
    module->super.coll_allreduce = mca_coll_symm_allreduce;
    module->super.coll_allgather = mca_coll_symm_allgather;
    return &module->super;
}
