/*
 * nodes/failures.c - see nodes/failures.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/failures.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static mca_coll_symm_nodes_t *watched; /* under the mutex */

void mca_coll_symm_nodes_give_up(mca_coll_symm_nodes_t *nodes)
{
    nodes->is_revoked = true;
    if (nodes->node != NULL) {
        symm_ompi_comm_revoke(nodes->node);
    }
    if (nodes->rail != NULL) {
        symm_ompi_comm_revoke(nodes->rail);
    }
}

/* Another thread may be here, or this one, if revoking takes it into opal_progress(). */
static int look(void)
{
    int revoked = 0;
    if (pthread_mutex_trylock(&mutex) != 0) {
        return 0;
    }
    for (mca_coll_symm_nodes_t *nodes = watched; nodes != NULL; nodes = nodes->next_watched) {
        if (!nodes->is_revoked && symm_ompi_comm_failure(nodes->parent) != MPI_SUCCESS) {
            mca_coll_symm_nodes_give_up(nodes);
            revoked++;
        }
    }
    (void)pthread_mutex_unlock(&mutex);
    return revoked;
}

void mca_coll_symm_nodes_watch(mca_coll_symm_nodes_t *nodes, struct ompi_communicator_t *comm)
{
    nodes->parent = comm;
    if (!symm_ompi_is_fault_tolerant()) {
        return;
    }
    (void)pthread_mutex_lock(&mutex);
    if (watched == NULL) {
        (void)opal_progress_register(look);
    }
    nodes->next_watched = watched;
    watched = nodes;
    (void)pthread_mutex_unlock(&mutex);
}

void mca_coll_symm_nodes_unwatch(mca_coll_symm_nodes_t *nodes)
{
    (void)pthread_mutex_lock(&mutex);
    mca_coll_symm_nodes_t **place = &watched;
    while (*place != NULL && *place != nodes) {
        place = &(*place)->next_watched;
    }
    if (*place != NULL) {
        *place = nodes->next_watched;
        if (watched == NULL) {
            (void)opal_progress_unregister(look);
        }
    }
    (void)pthread_mutex_unlock(&mutex);
}
