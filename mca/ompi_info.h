/*
 * ompi_info.h - the part of ompi_compat.h about info keys of communicators.  ompi_compat.h includes
 * it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_MCA_OMPI_INFO_H
#define SYMM_MCA_OMPI_INFO_H

/*
 * A function that Open MPI calls when an info key of an object, such as a communicator, is set.  It
 * returns the value that the object keeps, or NULL for none.
 */
typedef const char *symm_info_callback_t(opal_infosubscriber_t *object, const char *key,
                                         const char *value);

/*
 * Open MPI 4.1 can follow keys of up to 27 characters only, and crashes with others, so no key is
 * followed there.
 */
enum { SYMM_OMPI_INFO_IS_FOLLOWED = OMPI_MAJOR_VERSION >= 5 };

/*
 * Have `callback` called whenever the key of a communicator is set, and once at once: with the
 * present value or, if there is none, "".  Nothing is done where no key is followed.
 */
static inline void symm_ompi_info_follow(struct ompi_communicator_t *comm, const char *key,
                                         symm_info_callback_t *callback)
{
#if OMPI_MAJOR_VERSION < 5
    (void)comm;
    (void)key;
    (void)callback;
#else
    (void)opal_infosubscribe_subscribe(&comm->super, key, "", callback);
#endif
}

#if OMPI_MAJOR_VERSION >= 6
/* Whether an object has an info key, with this value unless that is NULL. */
static inline bool symm_ompi_info_has(const opal_infosubscriber_t *object, const char *key,
                                      const char *value)
{
    opal_cstring_t *found;
    int is_there = 0;
    if (object->s_info != NULL) {
        (void)opal_info_get(object->s_info, key, &found, &is_there);
    }
    if (is_there == 0) {
        return false;
    }
    bool same = value == NULL || strcmp(found->string, value) == 0;
    OBJ_RELEASE(found);
    return same;
}
#endif

/*
 * Open MPI 6.0 reads mpi_assert_memory_alloc_kinds itself where the job names kinds of memory, for
 * communicators that are made with the key.  From then on it hands on the first value, whatever the
 * program sets.  Whether it reads the key of a communicator that is being made.
 */
static inline bool symm_ompi_kinds_are_read(const struct ompi_communicator_t *comm)
{
#if OMPI_MAJOR_VERSION < 6
    (void)comm;
    return false;
#else
    return symm_ompi_info_has(&comm->super, "mpi_assert_memory_alloc_kinds", NULL) &&
           symm_ompi_info_has(&comm->super, "mpi_memory_alloc_kinds", NULL);
#endif
}

/*
 * Whether that first value may be the job's, which 6.0 puts in the place of one that it does not
 * support.  MPI_Comm_create_from_group() does not copy the program's info before, all others do.
 * Only communicators made from groups have ids of PMIx.
 */
static inline bool symm_ompi_kinds_may_be_jobs(const struct ompi_communicator_t *comm,
                                               const char *value)
{
#if OMPI_MAJOR_VERSION < 6
    (void)comm;
    (void)value;
    return false;
#else
    const ompi_instance_t *instance = comm->c_local_group->grp_instance;
    return comm->c_contextid.cid_base != 0 &&
           (instance == NULL ||
            symm_ompi_info_has(&instance->super, "mpi_memory_alloc_kinds", value));
#endif
}

/* The communicator that such an object is. */
static inline struct ompi_communicator_t *symm_ompi_info_comm(opal_infosubscriber_t *object)
{
    _Static_assert(offsetof(struct ompi_communicator_t, super) == 0, "it begins with the object");
    return (struct ompi_communicator_t *)object;
}

#endif /* SYMM_MCA_OMPI_INFO_H */
