/*
 * mpi_request/nbc_tag.c - see mpi_request/nbc_tag.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/mpi_request/nbc_tag.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void mca_coll_symm_nbc_lock(void)
{
    (void)pthread_mutex_lock(&mutex);
}

void mca_coll_symm_nbc_unlock(void)
{
    (void)pthread_mutex_unlock(&mutex);
}

int mca_coll_symm_nbc_tag_take(struct ompi_communicator_t *comm)
{
    mca_coll_symm_nbc_lock();
    int tag = ompi_coll_base_nbc_reserve_tags(comm, 1);
    mca_coll_symm_nbc_unlock();
    return tag;
}

void mca_coll_symm_nbc_tag_lend(struct symm_lent_tag *lent, struct ompi_communicator_t *comm,
                                int tag)
{
    mca_coll_symm_nbc_lock();
    lent->comm = comm;
    lent->counter = comm->c_nbc_tag;
    comm->c_nbc_tag = tag;
}

void mca_coll_symm_nbc_tag_take_back(const struct symm_lent_tag *lent)
{
    lent->comm->c_nbc_tag = lent->counter;
    mca_coll_symm_nbc_unlock();
}
