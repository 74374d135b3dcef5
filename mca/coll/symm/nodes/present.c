/*
 * nodes/present.c - see nodes/present.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/present.h"

#include <pthread.h>

#include "mca/coll/symm/base/component.h"

/* Threads may make calls on several communicators at a time. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static opal_hash_table_t known; /* a process's number in the job -> &yes or &no */
static bool is_open;
static char yes, no;

void mca_coll_symm_present_open(void)
{
    enum { SIZE_AT_FIRST = 64 };
    OBJ_CONSTRUCT(&known, opal_hash_table_t);
    is_open = opal_hash_table_init(&known, SIZE_AT_FIRST) == OPAL_SUCCESS;
    if (is_open && symm_ompi_can_make_comms() &&
        mca_coll_symm_component.nodes != MCA_COLL_SYMM_NODES_NEVER) {
        (void)symm_ompi_modex_tell(mca_coll_symm_component.priority);
    }
}

void mca_coll_symm_present_close(void)
{
    if (is_open) {
        OBJ_DESTRUCT(&known);
        is_open = false;
    }
}

static bool has_told(ompi_proc_t *proc)
{
    int32_t priority = -1;
    return symm_ompi_modex_hear(proc, &priority) == OMPI_SUCCESS &&
           priority == mca_coll_symm_component.priority;
}

/* A look-up takes some microseconds.  Without memory for the answer it is made again. */
static bool is_present(ompi_proc_t *proc)
{
    uint32_t number = proc->super.proc_name.vpid;
    void *found = NULL;
    (void)pthread_mutex_lock(&mutex);
    if (opal_hash_table_get_value_uint32(&known, number, &found) != OPAL_SUCCESS) {
        found = has_told(proc) ? &yes : &no;
        (void)opal_hash_table_set_value_uint32(&known, number, found);
    }
    (void)pthread_mutex_unlock(&mutex);
    return found == &yes;
}

bool mca_coll_symm_are_present(struct ompi_communicator_t *comm)
{
    bool are = is_open && symm_ompi_modex_brings_all();
    for (int rank = 0; are && rank < ompi_comm_size(comm); rank++) {
        ompi_proc_t *proc = ompi_group_peer_lookup(comm->c_local_group, rank);
        are = proc != NULL && proc->super.proc_name.jobid == OPAL_PROC_MY_NAME.jobid &&
              is_present(proc);
    }
    return are;
}
