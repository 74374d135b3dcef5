/*
 * base/assertion.c - see base/assertion.h.
 *
 * Open MPI calls us back with a communicator, so the layers are in a list.  It is searched when the
 * key is set, which is rare.
 *
 * Open MPI 6.0 has its own reader of the key.  It ignores values with kinds that it does not know,
 * and takes the kinds of the job instead (mpi_memory_alloc_kinds), from which it has removed those
 * of devices if it was built without them.  We serve device memory all the same, so only what the
 * program itself has said of the communicator counts.  Where 6.0 reads the key, it gives us the
 * first value whatever the program sets, so a second one is no promise.  Neither is a first one that
 * may be the job's.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/base/assertion.h"

#include <pthread.h>

#include "heap/cuda_device.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static mca_coll_symm_layer_t *first; /* of those that follow their communicator */

static mca_coll_symm_layer_t *layer_find(const struct ompi_communicator_t *comm)
{
    mca_coll_symm_layer_t *layer = first;
    while (layer != NULL && layer->comm != comm) {
        layer = layer->next_followed;
    }
    return layer;
}

/* The key is not kept for a communicator without a layer: the hint is not used. */
static const char *key_set(opal_infosubscriber_t *object, const char *key, const char *value)
{
    (void)key;
    (void)pthread_mutex_lock(&mutex);
    mca_coll_symm_layer_t *layer = layer_find(symm_ompi_info_comm(object));
    if (layer != NULL) {
        bool is_doubtful = layer->read_below &&
                           (layer->asserted || symm_ompi_kinds_may_be_jobs(layer->comm, value));
        layer->kinds = is_doubtful ? SYMM_KINDS_ANY : mca_coll_symm_kinds_read(value);
        layer->asserted = *value != '\0';
    }
    (void)pthread_mutex_unlock(&mutex);
    return layer != NULL && *value != '\0' ? value : NULL;
}

void mca_coll_symm_assertion_follow(mca_coll_symm_layer_t *layer, struct ompi_communicator_t *comm)
{
    if (!symm_cuda_is_built()) {
        return; /* nobody asks */
    }
    layer->comm = comm;
    layer->read_below = symm_ompi_kinds_are_read(comm);
    (void)pthread_mutex_lock(&mutex);
    layer->next_followed = first;
    first = layer;
    (void)pthread_mutex_unlock(&mutex);
    symm_ompi_info_follow(comm, "mpi_assert_memory_alloc_kinds", key_set);
}

void mca_coll_symm_assertion_unfollow(const mca_coll_symm_layer_t *layer)
{
    (void)pthread_mutex_lock(&mutex);
    for (mca_coll_symm_layer_t **link = &first; *link != NULL; link = &(*link)->next_followed) {
        if (*link == layer) {
            *link = layer->next_followed;
            break;
        }
    }
    (void)pthread_mutex_unlock(&mutex);
}
