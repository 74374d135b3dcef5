/*
 * ompi_comms.h - the part of ompi_compat.h about communicators that a component makes for itself.
 * ompi_compat.h includes it.
 *
 * They are made in a blocking collective of their parent, by messages between its ranks.
 * MPI_Comm_split() is a collective of the parent itself, and hangs a legal program there: where
 * rank 0 begins MPI_Comm_idup() on another communicator before the collective, and the others begin
 * it behind, the number of ours would wait for the other's (ompi_comm_cid_lowest_id).  Making them
 * as MPI_Comm_create_group() does need not wait for that, but then two that threads make at a time
 * may take each other's numbers for ever.  So ranks agree on numbers here (nodes/make.c), and Open
 * MPI does the rest.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_MCA_OMPI_COMMS_H
#define SYMM_MCA_OMPI_COMMS_H

#if OMPI_MAJOR_VERSION == 4 || OMPI_MAJOR_VERSION == 5

#include "ompi/mca/coll/base/coll_base_functions.h"
#include "ompi/mca/coll/base/coll_tags.h"
#include "opal/mca/pmix/base/base.h"
#include "mca/ompi_ulfm.h"

/* Whether this is a release in which the internals below have been tried. */
static inline bool symm_ompi_can_make_comms(void)
{
    return true;
}

/*
 * The first two numbers of communicators from `start` on that this process does not use.  Those
 * that do not exist are those from the greatest on.
 */
static inline void symm_ompi_comm_numbers_find(int start, int numbers[2])
{
    int found = 0, number = start > ompi_mpi_communicators.lowest_free
                                ? start : ompi_mpi_communicators.lowest_free;
    while (found < 2) {
        if (opal_pointer_array_get_item(&ompi_mpi_communicators, number) == NULL) {
            numbers[found++] = number;
        }
        number++;
    }
}

/* Take numbers, and let go of those that communicators have not got. */
static inline bool symm_ompi_comm_number_take(int number, struct ompi_communicator_t *parent)
{
#if OMPI_MAJOR_VERSION == 4
    void *taken = parent; /* as ompi_comm_nextcid() does; there are no messages yet */
#else
    void *taken = (void *)OMPI_COMM_SENTINEL;
    (void)parent;
#endif
    unsigned half = mca_pml.pml_max_contextid / 2; /* programs need the others */
    return (unsigned)number < half &&
           opal_pointer_array_test_and_set_item(&ompi_mpi_communicators, number, taken);
}

static inline void symm_ompi_comm_number_put(int number)
{
    (void)opal_pointer_array_set_item(&ompi_mpi_communicators, number, NULL);
}

/*
 * Allocate a communicator of some ranks of `parent`, this one included.  Local.  `suffix` goes
 * behind the parent's name.  NULL: there is no memory.
 */
static inline struct ompi_communicator_t *symm_ompi_comm_new(struct ompi_communicator_t *parent,
                                                             const int *ranks, int count,
                                                             const char *suffix)
{
    struct ompi_communicator_t *comm = NULL;
    int rc = ompi_comm_set(&comm, parent, count, (int *)(uintptr_t)ranks, 0, NULL, NULL,
                           parent->error_handler,
#if OMPI_MAJOR_VERSION == 4
                           false, NULL, NULL);
#else
                           NULL, NULL, 0);
#endif
    if (rc != OMPI_SUCCESS) {
        return NULL;
    }
    (void)snprintf(comm->c_name, MPI_MAX_OBJECT_NAME, "%.40s %s", parent->c_name, suffix);
    return comm;
}

/* Which components are not asked for collectives: a list as that of --mca coll, "^han". */
static inline bool symm_ompi_comm_exclude(struct ompi_communicator_t *comm, const char *list)
{
    comm->super.s_info = OBJ_NEW(opal_info_t);
    return comm->super.s_info != NULL &&
           opal_info_set(comm->super.s_info, "ompi_comm_coll_preference", list) == OPAL_SUCCESS;
}

/*
 * Give it a number, which has been taken, an epoch (ompi_ulfm.h) and collectives, in a blocking
 * collective of its parent.  All its ranks call.  After an error *comm is MPI_COMM_NULL.
 *
 * The tag is that of a collective's messages: a call of the parent's is under way.
 */
static inline int symm_ompi_comm_begin(struct ompi_communicator_t **comm,
                                       struct ompi_communicator_t *parent, int number,
                                       int epoch)
{
    int tag = MCA_COLL_BASE_TAG_BARRIER;
    symm_ompi_comm_epoch_set(*comm, epoch);
#if OMPI_MAJOR_VERSION == 4
    (*comm)->c_contextid = (uint32_t)number;
#else
    (*comm)->c_flags |= OMPI_COMM_GLOBAL_INDEX;
    (*comm)->c_index = (uint32_t)number;
    (*comm)->c_contextid.cid_base = 0;
    (*comm)->c_contextid.cid_sub.u64 = (uint64_t)number;
#endif
    (void)opal_pointer_array_set_item(&ompi_mpi_communicators, number, *comm);
    int rc = ompi_comm_activate(comm, parent, NULL, &tag, NULL, false, OMPI_COMM_CID_GROUP);
    if (rc == OMPI_SUCCESS) {
        OBJ_RETAIN(*comm); /* symm_ompi_comm_end() */
        OMPI_COMM_SET_EXTRA_RETAIN(*comm);
    }
    return rc;
}

/*
 * Free it, without communication, when its parent is destructed.  Communicators that the program
 * does not free are released in MPI_Finalize in the order of their numbers.  One of ours may have a
 * lower number than its parent, whose destructor would find it gone.  So it is held once more, as
 * the local communicators of inter-communicators are, and ompi_comm_free() knows that.
 */
static inline void symm_ompi_comm_end(struct ompi_communicator_t **comm)
{
    if (*comm != MPI_COMM_NULL && *comm != NULL) {
        (void)ompi_comm_free(comm);
    }
    *comm = NULL;
}

/* An all-gather and an all-reduce by messages, whatever components the communicator has. */
static inline int symm_ompi_allgather_ints(const int *mine, int count, int *all,
                                           struct ompi_communicator_t *comm)
{
    return ompi_coll_base_allgather_intra_bruck(mine, count, MPI_INT, all, count, MPI_INT, comm,
                                                NULL);
}

static inline int symm_ompi_greatest_ints(const int *mine, int count, int *greatest,
                                          struct ompi_communicator_t *comm)
{
    return ompi_coll_base_allreduce_intra_recursivedoubling(mine, greatest, count, MPI_INT,
                                                            MPI_MAX, comm, NULL);
}

/*
 * Tell the processes of all nodes of the job a number; once, before MPI_Init exchanges.  Only where
 * that brings all numbers everywhere do all processes get the same answers.
 */
#define SYMM_OMPI_TOLD_KEY "symm.nodes"

static inline bool symm_ompi_modex_brings_all(void)
{
    return opal_pmix_collect_all_data && !opal_pmix_base_async_modex;
}

static inline int symm_ompi_modex_tell(int32_t number)
{
    int rc;
#if OMPI_MAJOR_VERSION == 4
    static char key[] = SYMM_OMPI_TOLD_KEY;
    OPAL_MODEX_SEND_VALUE(rc, OPAL_PMIX_GLOBAL, key, &number, OPAL_INT32);
#else
    OPAL_MODEX_SEND_VALUE(rc, PMIX_GLOBAL, SYMM_OMPI_TOLD_KEY, &number, PMIX_INT32);
#endif
    return rc;
}

/* What a process has told, as far as this node's server knows; nobody waits. */
static inline int symm_ompi_modex_look_up(const ompi_proc_t *proc, int32_t *number)
{
    int rc;
#if OMPI_MAJOR_VERSION == 4
    OPAL_MODEX_RECV_VALUE_IMMEDIATE(rc, SYMM_OMPI_TOLD_KEY, &proc->super.proc_name, &number,
                                    OPAL_INT32);
#else
    OPAL_MODEX_RECV_VALUE_IMMEDIATE(rc, SYMM_OMPI_TOLD_KEY, &proc->super.proc_name, &number,
                                    PMIX_INT32);
#endif
    return rc;
}

/*
 * What a process has told; an error if it has told nothing.  A look-up that waits would wait for
 * ever then, as the process might tell it yet.  One that does not wait needs the process's data to
 * be on this node, and 5.0 has them fetched there one process at a time, with the address that the
 * first message wants (pml/ucx); so it is made again behind that.
 */
static inline int symm_ompi_modex_hear(ompi_proc_t *proc, int32_t *number)
{
    int rc = symm_ompi_modex_look_up(proc, number);
    for (int tag = 0; rc != OMPI_SUCCESS && tag < OMPI_PROC_ENDPOINT_TAG_MAX; tag++) {
        if (proc->proc_endpoints[tag] != NULL) {
            return rc;
        }
    }
    if (rc != OMPI_SUCCESS && MCA_PML_CALL(add_procs(&proc, 1)) == OMPI_SUCCESS) {
        rc = symm_ompi_modex_look_up(proc, number);
    }
    return rc;
}

#else

static inline bool symm_ompi_can_make_comms(void)
{
    return false;
}

static inline void symm_ompi_comm_numbers_find(int start, int numbers[2])
{
    (void)start;
    (void)numbers;
}

static inline bool symm_ompi_comm_number_take(int number, struct ompi_communicator_t *parent)
{
    (void)number;
    (void)parent;
    return false;
}

static inline void symm_ompi_comm_number_put(int number)
{
    (void)number;
}

static inline struct ompi_communicator_t *symm_ompi_comm_new(struct ompi_communicator_t *parent,
                                                             const int *ranks, int count,
                                                             const char *suffix)
{
    (void)parent;
    (void)ranks;
    (void)count;
    (void)suffix;
    return NULL;
}

static inline bool symm_ompi_comm_exclude(struct ompi_communicator_t *comm, const char *list)
{
    (void)comm;
    (void)list;
    return false;
}

static inline int symm_ompi_comm_begin(struct ompi_communicator_t **comm,
                                       struct ompi_communicator_t *parent, int number,
                                       int epoch)
{
    (void)comm;
    (void)parent;
    (void)number;
    (void)epoch;
    return OMPI_ERR_NOT_SUPPORTED;
}

static inline void symm_ompi_comm_end(struct ompi_communicator_t **comm)
{
    (void)comm;
}

static inline int symm_ompi_allgather_ints(const int *mine, int count, int *all,
                                           struct ompi_communicator_t *comm)
{
    (void)mine;
    (void)count;
    (void)all;
    (void)comm;
    return OMPI_ERR_NOT_SUPPORTED;
}

static inline int symm_ompi_greatest_ints(const int *mine, int count, int *greatest,
                                          struct ompi_communicator_t *comm)
{
    (void)mine;
    (void)count;
    (void)greatest;
    (void)comm;
    return OMPI_ERR_NOT_SUPPORTED;
}

static inline bool symm_ompi_modex_brings_all(void)
{
    return false;
}

static inline int symm_ompi_modex_tell(int32_t number)
{
    (void)number;
    return OMPI_ERR_NOT_SUPPORTED;
}

static inline int symm_ompi_modex_hear(ompi_proc_t *proc, int32_t *number)
{
    (void)proc;
    (void)number;
    return OMPI_ERR_NOT_SUPPORTED;
}

#endif

#endif /* SYMM_MCA_OMPI_COMMS_H */
