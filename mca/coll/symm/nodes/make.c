/*
 * nodes/make.c - see nodes/make.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/make.h"

#include <pthread.h>
#include <stdlib.h>

#include "heap/team/process.h"
#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/nodes/failures.h"
#include "mca/coll/symm/nodes/present.h"
#include "mca/coll/symm/report/counters.h"
#include "mca/coll/symm/report/verbose.h"

/*
 * Those that are being made: components are asked for others meanwhile, too.  Whichever thread
 * progresses asks them.
 */
struct making {
    const struct ompi_communicator_t *comm;
    struct making *next;
};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct making *all_making; /* under the mutex */

bool mca_coll_symm_nodes_is_own(const struct ompi_communicator_t *comm)
{
    (void)pthread_mutex_lock(&mutex);
    const struct making *making = all_making;
    while (making != NULL && making->comm != comm) {
        making = making->next;
    }
    (void)pthread_mutex_unlock(&mutex);
    return making != NULL;
}

static void making_add(struct making *making, const struct ompi_communicator_t *comm)
{
    (void)pthread_mutex_lock(&mutex);
    making->comm = comm;
    making->next = all_making;
    all_making = making;
    (void)pthread_mutex_unlock(&mutex);
}

static void making_remove(const struct making *making)
{
    (void)pthread_mutex_lock(&mutex);
    struct making **place = &all_making;
    while (*place != making) {
        place = &(*place)->next;
    }
    *place = making->next;
    (void)pthread_mutex_unlock(&mutex);
}

/* ---- where ranks are ------------------------------------------------------------------------- */

static bool is_near(const struct ompi_communicator_t *comm, int rank)
{
    return OPAL_PROC_ON_LOCAL_NODE(
        ompi_group_peer_lookup(comm->c_local_group, rank)->super.proc_flags);
}

static int lowest_near(const struct ompi_communicator_t *comm)
{
    int rank = 0;
    while (!is_near(comm, rank)) {
        rank++;
    }
    return rank;
}

/* Whether this rank's node is what all others take for it. */
static bool is_agreed(const struct symm_topology *topology, const struct ompi_communicator_t *comm)
{
    for (int rank = 0; rank < topology->size; rank++) {
        if (is_near(comm, rank) != (topology->node_of[rank] == topology->node)) {
            return false;
        }
    }
    return true;
}

/* ---- scratch --------------------------------------------------------------------------------- */

/* From the heap, where the node's other ranks reach it; elsewhere their steps take copies more. */
static bool scratch_get(mca_coll_symm_nodes_t *nodes)
{
    void *block = NULL;
    struct symm_heap *heap = symm_process_heap(mca_coll_symm_component.process);
    nodes->is_in_heap = symm_heap_alloc(heap, SYMM_NODES_SCRATCH, 0, &block) == SYMM_OK;
    nodes->scratch = nodes->is_in_heap ? block : malloc(SYMM_NODES_SCRATCH);
    return nodes->scratch != NULL;
}

static void device_scratch_put(mca_coll_symm_nodes_t *nodes)
{
    struct symm_heap *heap;
    if (nodes->device_scratch != NULL &&
        symm_process_device_heap(mca_coll_symm_component.process, nodes->device, &heap) ==
            SYMM_OK) {
        (void)symm_heap_free(heap, nodes->device_scratch);
    }
    nodes->device_scratch = NULL;
}

static void scratch_put(mca_coll_symm_nodes_t *nodes)
{
    device_scratch_put(nodes);
    if (nodes->is_in_heap) {
        (void)symm_heap_free(symm_process_heap(mca_coll_symm_component.process), nodes->scratch);
    } else {
        free(nodes->scratch);
    }
    nodes->is_in_heap = false;
    nodes->scratch = NULL;
}

/* ---- making ---------------------------------------------------------------------------------- */

/* All this rank's part that can fail without the others.  `lowest` is known of all ranks. */
static bool parts_make(mca_coll_symm_nodes_t *nodes, struct ompi_communicator_t *comm,
                       const int *lowest)
{
    struct symm_topology *topology = &nodes->topology;
    if (!symm_topology_make(topology, lowest, ompi_comm_size(comm), ompi_comm_rank(comm)) ||
        !is_agreed(topology, comm)) {
        return false;
    }
    int *rail = malloc((size_t)topology->nodes * sizeof(*rail));
    bool is_made = rail != NULL && scratch_get(nodes);
    if (is_made && symm_topology_has_node(topology)) {
        nodes->node = symm_ompi_comm_new(comm, &topology->ranks[topology->first[topology->node]],
                                         symm_topology_count(topology, topology->node), "node");
        is_made = nodes->node != NULL;
    }
    if (is_made && symm_topology_has_rail(topology)) {
        for (int node = 0; node < topology->nodes; node++) {
            rail[node] = symm_topology_rank(topology, node, topology->local);
        }
        nodes->rail = symm_ompi_comm_new(comm, rail, topology->nodes, "rail");
        /* it would ask all ranks whether they are on one node, and then take itself out */
        is_made = nodes->rail != NULL && symm_ompi_comm_exclude(nodes->rail, "^han");
    }
    free(rail);
    return is_made;
}

/* Whether all ranks say so. */
static bool all_say(bool mine, struct ompi_communicator_t *comm)
{
    int no = mine ? 0 : 1, any_no = 1;
    return symm_ompi_greatest_ints(&no, 1, &any_no, comm) == OMPI_SUCCESS && any_no == 0;
}

/*
 * Where to look for numbers after so many rounds.  Threads that make communicators at a time may
 * take each other's; so each looks elsewhere, by its parent's number.
 */
static int start_of(int round, int last, struct ompi_communicator_t *comm)
{
    enum { SPREAD = 8, DOUBLINGS = 8 };
    unsigned width = SPREAD << (round < DOUBLINGS ? round : DOUBLINGS);
    unsigned mixed = ((unsigned)symm_ompi_comm_number(comm) + 1U) * 2654435761U;
    mixed = (mixed ^ (unsigned)round) * 2246822519U;
    return last + 1 + (int)((mixed >> 16) % width);
}

/*
 * Numbers for this rank's two communicators, free everywhere, and their epoch: the same on all
 * ranks.
 */
enum { FIRST, SECOND, EPOCH, NUMBERS };

static bool numbers_get(int numbers[NUMBERS], struct ompi_communicator_t *comm)
{
    enum { ROUNDS = 64 };
    static _Atomic int next; /* epoch; greater than those of this rank's other communicators */
    int start = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int mine[NUMBERS] = {0};
        symm_ompi_comm_numbers_find(start, mine);
        mine[EPOCH] = atomic_fetch_add(&next, 1);
        if (symm_ompi_greatest_ints(mine, NUMBERS, numbers, comm) != OMPI_SUCCESS) {
            return false;
        }
        for (int seen = next; seen <= numbers[EPOCH];) {
            (void)atomic_compare_exchange_weak(&next, &seen, numbers[EPOCH] + 1);
        }
        bool has_first = symm_ompi_comm_number_take(numbers[FIRST], comm);
        bool has_both = has_first && symm_ompi_comm_number_take(numbers[SECOND], comm);
        if (all_say(has_both, comm)) {
            return true;
        }
        if (has_first) {
            symm_ompi_comm_number_put(numbers[FIRST]);
        }
        if (has_both) {
            symm_ompi_comm_number_put(numbers[SECOND]);
        }
        start = start_of(round, numbers[FIRST], comm);
    }
    return false;
}

static bool begin(struct ompi_communicator_t **part, struct ompi_communicator_t *comm, int number,
                  int epoch)
{
    if (*part == NULL) {
        symm_ompi_comm_number_put(number);
        return true;
    }
    struct making making;
    making_add(&making, *part);
    int rc = symm_ompi_comm_begin(part, comm, number, epoch);
    making_remove(&making);
    if (rc != OMPI_SUCCESS) {
        *part = NULL;
    }
    return rc == OMPI_SUCCESS;
}

/*
 * Ranks vote before each step in which a rank that stays away would leave the others waiting: the
 * first time that they have memory, the second time about all parts and numbers, and then that the
 * communicators are there.
 */
static bool make(mca_coll_symm_nodes_t *nodes, struct ompi_communicator_t *comm)
{
    int mine = lowest_near(comm), numbers[NUMBERS];
    int *lowest = malloc((size_t)ompi_comm_size(comm) * sizeof(*lowest));
    bool is_made = all_say(lowest != NULL, comm);
    if (is_made) {
        is_made = symm_ompi_allgather_ints(&mine, 1, lowest, comm) == OMPI_SUCCESS &&
                  parts_make(nodes, comm, lowest);
        is_made = all_say(is_made, comm) && nodes->topology.most > 1 && numbers_get(numbers, comm);
    }
    free(lowest);
    if (!is_made) {
        /* these have no numbers yet, and are no communicators for those who look for them */
        if (nodes->node != NULL) {
            OBJ_RELEASE(nodes->node);
        }
        if (nodes->rail != NULL) {
            OBJ_RELEASE(nodes->rail);
        }
        nodes->node = nodes->rail = NULL;
        return false;
    }
    bool has_node = begin(&nodes->node, comm, numbers[FIRST], numbers[EPOCH]);
    bool has_rail = begin(&nodes->rail, comm, numbers[SECOND], numbers[EPOCH]);
    return all_say(has_node && has_rail, comm);
}

void mca_coll_symm_nodes_end(mca_coll_symm_nodes_t *nodes)
{
    mca_coll_symm_nodes_unwatch(nodes);
    symm_ompi_comm_end(&nodes->node);
    symm_ompi_comm_end(&nodes->rail);
    symm_topology_end(&nodes->topology);
    scratch_put(nodes);
}

/* ---- when ------------------------------------------------------------------------------------ */

enum { CREDIT = 16, LARGE = 64 << 10 };

static void tell(const mca_coll_symm_nodes_t *nodes, struct ompi_communicator_t *comm,
                 bool are_present)
{
    const struct symm_topology *topology = &nodes->topology;
    if (ompi_comm_rank(comm) != 0) {
        return;
    }
    if (nodes->state == SYMM_NODES_MADE) {
        mca_coll_symm_verbose_about(SYMM_VERBOSE_COMMUNICATORS, comm,
                                    "%d ranks on %d nodes, with %d to %d ranks%s: by node and rail",
                                    topology->size, topology->nodes, topology->rails,
                                    topology->most, topology->ordered ? "" : ", not node by node");
    } else {
        mca_coll_symm_verbose_about(SYMM_VERBOSE_COMMUNICATORS, comm, "%d ranks: not served: %s",
                                    ompi_comm_size(comm),
                                    are_present ? "no node has two ranks, or communicators for "
                                                  "nodes could not be made"
                                                : "some process runs without the component, with "
                                                  "another coll_symm_priority, or with "
                                                  "coll_symm_nodes never");
    }
}

bool mca_coll_symm_nodes_ready(mca_coll_symm_nodes_t *nodes, struct ompi_communicator_t *comm,
                               size_t bytes)
{
    if (nodes->state == SYMM_NODES_NEW) {
        nodes->credit += bytes >= LARGE ? CREDIT : 1;
        if (nodes->credit >= CREDIT) {
            bool are_present = mca_coll_symm_are_present(comm);
            bool is_made = are_present && make(nodes, comm);
            nodes->state = is_made ? SYMM_NODES_MADE : SYMM_NODES_NONE;
            tell(nodes, comm, are_present);
            if (is_made) {
                mca_coll_symm_nodes_watch(nodes, comm);
            } else {
                mca_coll_symm_count_unserved(are_present ? SYMM_UNSERVED_NODES
                                                         : SYMM_UNSERVED_COMPONENT);
                mca_coll_symm_nodes_end(nodes);
            }
        }
    }
    return nodes->state == SYMM_NODES_MADE;
}
