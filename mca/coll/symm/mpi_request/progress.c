/*
 * mpi_request/progress.c - see mpi_request/progress.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/mpi_request/progress.h"

void mca_coll_symm_outstanding_add(struct symm_outstanding *outstanding)
{
    (void)pthread_mutex_lock(&outstanding->mutex);
    if (outstanding->count++ == 0) {
        (void)opal_progress_register(outstanding->callback);
    }
    (void)pthread_mutex_unlock(&outstanding->mutex);
}

static void drop(struct symm_outstanding *outstanding, size_t count)
{
    outstanding->count -= count;
    if (count > 0 && outstanding->count == 0) {
        (void)opal_progress_unregister(outstanding->callback);
    }
}

void mca_coll_symm_outstanding_drop(struct symm_outstanding *outstanding, int completed)
{
    if (completed > 0) {
        (void)pthread_mutex_lock(&outstanding->mutex);
        drop(outstanding, (size_t)completed);
        (void)pthread_mutex_unlock(&outstanding->mutex);
    }
}

void mca_coll_symm_outstanding_forget(struct symm_outstanding *outstanding)
{
    (void)pthread_mutex_lock(&outstanding->mutex);
    drop(outstanding, outstanding->count);
    (void)pthread_mutex_unlock(&outstanding->mutex);
}
