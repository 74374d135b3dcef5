/*
 * coll_symm_module.c - the component's part of a communicator: whether it serves the communicator,
 * and what is below.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "mca/coll/symm/coll_symm.h"
#include "mca/coll/symm/report/counters.h"
#include "mca/coll/symm/base/modex.h"
#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/host_copy/layer.h"
#include "mca/coll/symm/nodes/make.h"
#include "mca/coll/symm/nodes/module.h"
#include "mca/coll/symm/report/report.h"
#include "mca/coll/symm/report/shortage.h"
#include "mca/coll/symm/report/verbose.h"
#include "mca/coll/symm/report/words.h"
#include "mca/coll/symm/request/queue.h"

/* ---- life ------------------------------------------------------------------------------------ */

static void module_construct(mca_coll_symm_module_t *module)
{
    memset(&module->tags, 0, sizeof(module->tags));
    mca_coll_symm_lane_init(&module->blocking, module);
    memset(module->nonblocking, 0, sizeof(module->nonblocking));
    module->turns = 0;
    memset(&module->call, 0, sizeof(module->call));
    module->blocking.operation.call = &module->call;
    memset(module->told_algorithms, 0, sizeof(module->told_algorithms));
    memset(module->told_fallbacks, 0, sizeof(module->told_fallbacks));
    module->told_multicast = 0;
}

static void module_destruct(mca_coll_symm_module_t *module)
{
    mca_coll_symm_lane_end(&module->blocking);
    for (int turn = 0; turn < MCA_COLL_SYMM_TURNS; turn++) {
        mca_coll_symm_queue_destroy(module->nonblocking[turn]);
    }
}

OBJ_CLASS_INSTANCE(mca_coll_symm_module_t, mca_coll_symm_layer_t, module_construct,
                   module_destruct);

/*
 * All ranks decide alike whether a communicator is served, and a rank that then had no memory for
 * its module would leave the others waiting.  So one module is kept in reserve.  Everything else
 * that a call needs is allocated when the ranks can vote about it.
 */
static _Atomic(mca_coll_symm_module_t *) reserve;

int mca_coll_symm_reserve_open(void)
{
    if (atomic_load(&reserve) == NULL) {
        mca_coll_symm_module_t *module = OBJ_NEW(mca_coll_symm_module_t), *none = NULL;
        if (module == NULL) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        if (!atomic_compare_exchange_strong(&reserve, &none, module)) {
            OBJ_RELEASE(module);
        }
    }
    return OMPI_SUCCESS;
}

void mca_coll_symm_reserve_close(void)
{
    mca_coll_symm_module_t *module = atomic_exchange(&reserve, NULL);
    if (module != NULL) {
        OBJ_RELEASE(module);
    }
}

static mca_coll_symm_module_t *module_get(struct ompi_communicator_t *comm)
{
    mca_coll_symm_module_t *module = OBJ_NEW(mca_coll_symm_module_t);
    if (module == NULL) {
        module = atomic_exchange(&reserve, NULL);
    }
    if (module == NULL) {
        mca_coll_symm_shortage_warn(MCA_COLL_SYMM_CANNOT_SERVE, comm->c_name, ompi_comm_rank(comm),
                                    mca_coll_symm_shortage(SYMM_ERR_NO_MEMORY, ENOMEM));
        (void)ompi_mpi_abort(&ompi_mpi_comm_world.comm, MPI_ERR_NO_MEM);
        return NULL;
    }
    (void)mca_coll_symm_reserve_open();
    return module;
}

/*
 * The counter that nonblocking collectives get their tags from was set when the communicator was
 * made.  Components take tags from it in calls only, so all ranks get the same ones here.  At the
 * first call ranks may get different ones: MPI_Comm_idup makes nonblocking all-reduces on the
 * communicator from within opal_progress(), and each rank is there at a moment of its own.
 *
 * The counter begins anew after 2^30 nonblocking calls, and five of them get these tags again.
 * Over pml/ucx, which sends 24 bits of a tag, it begins anew after 2^24.  A vote is disturbed if
 * one of the five calls is under way at the same time.  Votes are made at first calls and for new
 * memory only, so this is not guarded against.  A guard would have to hold the counter back in the
 * same call on all ranks, which only libnbc could do.  Over pml/ucx libnbc's tags meet those of
 * Open MPI's own blocking collectives just as often.
 */
static void tags_reserve(struct mca_coll_symm_tags *tags, struct ompi_communicator_t *comm)
{
    int first = ompi_coll_base_nbc_reserve_tags(comm, 1 + MCA_COLL_SYMM_TURNS);
    tags->vote = first;
    for (int turn = 0; turn < MCA_COLL_SYMM_TURNS; turn++) {
        tags->nonblocking_vote[turn] = first - 1 - turn;
    }
}

/*
 * Called in ascending priority, so the table holds the component below.  Modules are disabled in
 * descending order, or (up to 5.0) once for each entry.
 */
static int module_enable(mca_coll_base_module_t *base, struct ompi_communicator_t *comm)
{
    mca_coll_symm_module_t *module = (mca_coll_symm_module_t *)base;
    const mca_coll_base_comm_coll_t *table = comm->c_coll;
    if (table->coll_allreduce == NULL || table->coll_allgather == NULL) {
        if (ompi_comm_rank(comm) == 0) {
            mca_coll_symm_select_nothing_below(comm);
        }
        return OMPI_ERR_NOT_FOUND;
    }
    tags_reserve(&module->tags, comm);
    mca_coll_symm_lane_enable(&module->blocking, comm, module->tags.vote);
    mca_coll_symm_layer_enable(&module->super, comm);
    mca_coll_symm_verbose_selected(module, comm);
    return OMPI_SUCCESS;
}

/* ---- which communicators --------------------------------------------------------------------- */

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

/* Whether the process of a rank is known to have published no name for us. */
static bool is_missing(struct ompi_communicator_t *comm, int rank)
{
    const char *name;
    const ompi_proc_t *proc = ompi_group_peer_lookup(comm->c_local_group, rank);
    return mca_coll_symm_server_name(proc, &name) == OMPI_SUCCESS && name == NULL;
}

/* The first rank that has a name itself says which process has none. */
static void missing_explain(struct ompi_communicator_t *comm, int missing)
{
    int speaker = 0;
    while (speaker < ompi_comm_rank(comm) && is_missing(comm, speaker)) {
        speaker++;
    }
    if (speaker == ompi_comm_rank(comm)) {
        mca_coll_symm_verbose_about(SYMM_VERBOSE_COMMUNICATORS, comm,
                                    "%d ranks: not served: the process of rank %d runs without the "
                                    "component, or with another coll_symm_priority",
                                    ompi_comm_size(comm), missing);
    }
}

/* Tell the user, once, that processes of this node have no part in shared memory. */
static void refusal_warn(const struct ompi_communicator_t *comm, int rank, const ompi_proc_t *proc)
{
    int reason = mca_coll_symm_refusal(proc);
    if (reason != 0 && opal_process_info.my_local_rank == 0) {
        mca_coll_symm_shortage_warn(MCA_COLL_SYMM_CANNOT_SHARE, comm->c_name, rank, reason);
    }
}

/*
 * Whether all processes run the component, which all ranks know alike.  A rank that cannot find
 * out, for lack of memory, assumes that they do, and says no when it comes to serving.  This goes
 * wrong only where some process does run without the component as well.
 */
static bool is_everywhere(struct ompi_communicator_t *comm)
{
    for (int rank = 0; rank < ompi_comm_size(comm); rank++) {
        if (is_missing(comm, rank)) {
            refusal_warn(comm, rank, ompi_group_peer_lookup(comm->c_local_group, rank));
            missing_explain(comm, rank);
            mca_coll_symm_count_unserved(SYMM_UNSERVED_COMPONENT);
            return false;
        }
    }
    return true;
}

/*
 * Whether a communicator is served.  All conditions are the same on every rank of it, so all decide
 * alike.
 */
static bool is_eligible(struct ompi_communicator_t *comm)
{
    if (OMPI_COMM_IS_INTER(comm)) {
        leave_unserved(comm, SYMM_UNSERVED_INTER);
        return false;
    }
    if (ompi_comm_size(comm) < 2) { /* many communicators have one rank: nothing to say */
        mca_coll_symm_verbose_about(SYMM_VERBOSE_ALGORITHMS, comm, "not served: only one rank");
        return false;
    }
    if (ompi_group_have_remote_peers(comm->c_local_group)) {
        if (!mca_coll_symm_nodes_is_own(comm)) {
            leave_unserved(comm, SYMM_UNSERVED_NODES);
        }
        return false;
    }
    return is_everywhere(comm);
}

mca_coll_base_module_t *mca_coll_symm_comm_query(struct ompi_communicator_t *comm, int *priority)
{
    *priority = mca_coll_symm_component.priority;
    if (mca_coll_symm_component.priority < 0) {
        if (ompi_comm_rank(comm) == 0) {
            mca_coll_symm_verbose_about(SYMM_VERBOSE_COMMUNICATORS, comm,
                                        "not served: coll_symm_priority is negative");
        }
        return NULL;
    }
    mca_coll_symm_report_attach(mca_coll_symm_server_name);
    symm_cuda_notice(); /* before calls, in which it would have to wait */
    if (mca_coll_symm_nodes_may_serve(comm)) {
        return mca_coll_symm_nodes_query();
    }
    if (!is_eligible(comm)) {
        return mca_coll_symm_layer_query(comm, priority);
    }
    mca_coll_symm_module_t *module = module_get(comm);
    if (module == NULL) {
        return NULL;
    }
    mca_coll_base_module_t *base = &module->super.super;
    base->coll_module_enable = module_enable;
    base->coll_module_disable = mca_coll_symm_layer_disable;
#define SERVE(function, name, FORM) base->coll_##function = mca_coll_symm_##function;
#define SERVE_ALL(NUMBER, name, ...) SYMM_FORMS(SERVE, name)
    SYMM_COLLECTIVES(SERVE_ALL)
#undef SERVE
#undef SERVE_ALL
    return base;
}
