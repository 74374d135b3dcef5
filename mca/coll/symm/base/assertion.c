/*
 * base/assertion.c - see base/assertion.h.
 *
 * Open MPI calls us back with a communicator, so a table leads from communicators to layers.  Where
 * Open MPI does not call us back, there is no table.
 *
 * Open MPI 6.0 has its own reader of the key.  It ignores values with kinds that it does not know,
 * and takes the kinds of the job instead (mpi_memory_alloc_kinds), from which it has removed those
 * of devices if it was built without them.  We serve device memory all the same, so only what the
 * program itself has said of the communicator counts.  Where 6.0 reads the key, it gives us the
 * first value whatever the program sets, so a second one is no promise.  Neither is a first one
 * that may be the job's.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/base/assertion.h"

#include <pthread.h>

#include "heap/gpu/cuda_device.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static opal_hash_table_t layers; /* of the communicators that are followed */
static bool has_table;           /* there are some */

/*
 * Communicators often lie at equal distances.  Open MPI's table takes a key modulo its size, and
 * would put such addresses side by side, where removing one moves all that follow.
 */
static uint64_t key_of(const struct ompi_communicator_t *comm)
{
    return (uintptr_t)comm * UINT64_C(0x9e3779b97f4a7c15);
}

static mca_coll_symm_layer_t *layer_find(const struct ompi_communicator_t *comm)
{
    void *layer = NULL;
    if (has_table) {
        (void)opal_hash_table_get_value_uint64(&layers, key_of(comm), &layer);
    }
    return layer;
}

static void table_drop_if_empty(void)
{
    has_table = opal_hash_table_get_size(&layers) > 0;
    if (!has_table) {
        OBJ_DESTRUCT(&layers);
    }
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

static bool layer_add(mca_coll_symm_layer_t *layer, const struct ompi_communicator_t *comm)
{
    enum { SIZE_AT_FIRST = 64 };
    int rc = OPAL_SUCCESS;
    (void)pthread_mutex_lock(&mutex);
    if (!has_table) {
        OBJ_CONSTRUCT(&layers, opal_hash_table_t);
        rc = opal_hash_table_init(&layers, SIZE_AT_FIRST);
    }
    if (rc == OPAL_SUCCESS) {
        rc = opal_hash_table_set_value_uint64(&layers, key_of(comm), layer);
    }
    table_drop_if_empty();
    (void)pthread_mutex_unlock(&mutex);
    return rc == OPAL_SUCCESS;
}

void mca_coll_symm_assertion_follow(mca_coll_symm_layer_t *layer, struct ompi_communicator_t *comm)
{
    /* Without device memory nobody asks.  Without memory for the table, any kind is expected. */
    if (!SYMM_OMPI_INFO_IS_FOLLOWED || !symm_cuda_is_built() || !layer_add(layer, comm)) {
        return;
    }
    layer->comm = comm;
    layer->read_below = symm_ompi_kinds_are_read(comm);
    symm_ompi_info_follow(comm, "mpi_assert_memory_alloc_kinds", key_set);
}

void mca_coll_symm_assertion_unfollow(const mca_coll_symm_layer_t *layer)
{
    if (layer->comm == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&mutex);
    /* A layer that outlives its communicator may find another one's layer in its place. */
    if (layer_find(layer->comm) == layer) {
        (void)opal_hash_table_remove_value_uint64(&layers, key_of(layer->comm));
        table_drop_if_empty();
    }
    (void)pthread_mutex_unlock(&mutex);
}
