/*
 * entry/entry.h - the functions that Open MPI calls: those of MPI_Bcast, MPI_Ibcast, MPI_Bcast_init
 * and of all other collectives that we serve.
 *
 * They are generated from the list of collectives (base/collectives.h).  What differs between
 * collectives is a row of functions, in a file of the collective's own:
 *
 *     static const struct symm_entry_row row = {
 *         .collective = SYMM_BCAST,
 *         .is_empty = is_empty,
 *         .fast = fast,
 *         .describe = describe,
 *     };
 *     SYMM_ENTRY_DEFINE(bcast, row)
 *
 * The call is served, fast or by an operation, or goes on by the next path (path/path.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_ENTRY_ENTRY_H
#define MCA_COLL_SYMM_ENTRY_ENTRY_H

#include "mca/coll/symm/base/collectives.h"
#include "mca/coll/symm/base/module.h"
#include "mca/coll/symm/request/request.h"
#include "mca/coll/symm/serve/below.h"
#include "mca/coll/symm/serve/wait.h"

#define SYMM_ENTRY_DECLARE(function, name, FORM) int mca_coll_symm_##function SYMM_HEAD(name, FORM);
#define SYMM_ENTRY_DECLARE_ALL(NUMBER, name, ...) SYMM_FORMS(SYMM_ENTRY_DECLARE, name)
SYMM_COLLECTIVES(SYMM_ENTRY_DECLARE_ALL)
#undef SYMM_ENTRY_DECLARE
#undef SYMM_ENTRY_DECLARE_ALL

/* What differs between collectives.  All but the collective and one description may be NULL. */
struct symm_entry_row {
    enum symm_collective collective;

    /*
     * Whether no rank gives or gets data: then the call ends at once (data/pack.h).  NULL: ranks do
     * not know that alike, and all take part.
     */
    bool (*is_empty)(const struct symm_arguments *a);

    /* Describe the call: first what `fast` needs of it, then the rest. */
    void (*outline)(struct symm_call *call, enum symm_kinds kinds, const struct symm_arguments *a);
    void (*describe)(struct symm_call *call, enum symm_kinds kinds, const struct symm_arguments *a);

    /* Make a blocking call without an operation (fast/fast.h).  False: nothing has been done. */
    bool (*fast)(mca_coll_symm_module_t *module, const struct symm_arguments *a);

    /*
     * For a request, which keeps its arguments and holds their types: which arrays it copies
     * (request/request.h).  A type that is not significant, and may be anything, is replaced.
     */
    unsigned (*keep)(struct symm_arguments *a);

    /* Whether a nonblocking call goes below in the program's call, and is not counted. */
    bool (*is_for_below)(const struct symm_arguments *a);
};

/*
 * A blocking call.  Returns true if it is done, and *rc is for MPI.  False: it goes below.
 * Inlined with a row that is known, as are the row's functions: else a small call takes 30
 * instructions more.
 */
__attribute__((always_inline))
static inline bool mca_coll_symm_entry_serve(const struct symm_entry_row *row,
                                             const struct symm_arguments *a,
                                             mca_coll_base_module_t *base, int *rc)
{
    mca_coll_symm_module_t *module = (mca_coll_symm_module_t *)base;
    *rc = OMPI_SUCCESS;
    if (row->is_empty != NULL && row->is_empty(a)) {
        return true;
    }
    bool is_free = module->blocking.operation.state == SYMM_OPERATION_DONE;
    if (!is_free &&
        !mca_coll_symm_below_interrupt(&module->blocking.operation, a->comm,
                                       symm_collective_get(row->collective)->mpi_name)) {
        *rc = MPI_ERR_OTHER; /* another call is running: the user has been told */
        return true;
    }
    if (row->outline != NULL) {
        row->outline(&module->call, module->super.kinds, a);
    }
    if (row->fast != NULL && is_free && row->fast(module, a)) {
        return true;
    }
    if (row->describe != NULL) {
        row->describe(&module->call, module->super.kinds, a);
    }
    int result; /* in memory, unlike *rc */
    bool is_served = mca_coll_symm_operation_serve(&module->blocking.operation, a->comm, &result);
    *rc = result;
    if (is_served && module->super.below != NULL) { /* within another call of ours */
        mca_coll_symm_below_resume(&module->blocking.operation);
    }
    return is_served;
}

/* The next path makes a call that serve() has not made.  Returns what is for MPI. */
int mca_coll_symm_entry_below(enum symm_collective collective, const struct symm_arguments *a,
                              mca_coll_base_module_t *module);

/* A nonblocking or persistent call.  Returns what is for MPI. */
int mca_coll_symm_entry_request(const struct symm_entry_row *row, enum symm_call_form form,
                                const struct symm_arguments *a, mca_coll_base_module_t *module);

/*
 * Define the functions of a collective.  The first one of MPI_Bcast becomes
 *
 *     int mca_coll_symm_bcast(void *rbuf, symm_count_t rcount, struct ompi_datatype_t *rdtype,
 *                             int root, struct ompi_communicator_t *comm,
 *                             mca_coll_base_module_t *module)
 *     {
 *         const struct symm_arguments arguments = {
 *             .rbuf = rbuf, .rcount = rcount, .rdtype = rdtype, .root = root, .comm = comm};
 *         int rc;
 *         if (mca_coll_symm_entry_serve(&row, &arguments, module, &rc)) {
 *             return rc;
 *         }
 *         const struct symm_arguments again = {... the same ...};
 *         return mca_coll_symm_entry_below(row.collective, &again, module);
 *     }
 *
 * The struct is made again for the component below so that the first one stays in registers.
 */
#define SYMM_ENTRY_DEFINE(name, row)                                                              \
    int mca_coll_symm_##name SYMM_HEAD(name, BLOCKING)                                            \
    {                                                                                             \
        const struct symm_arguments arguments = SYMM_ARGUMENTS(name, BLOCKING);                   \
        int rc;                                                                                   \
        if (mca_coll_symm_entry_serve(&(row), &arguments, module, &rc)) {                         \
            return rc;                                                                            \
        }                                                                                         \
        const struct symm_arguments again = SYMM_ARGUMENTS(name, BLOCKING);                       \
        return mca_coll_symm_entry_below((row).collective, &again, module);                       \
    }                                                                                             \
    SYMM_ENTRY_DEFINE_REQUEST(i##name, name, NONBLOCKING, row)                                    \
    SYMM_ENTRY_DEFINE_REQUEST(name##_init, name, PERSISTENT, row)
#define SYMM_ENTRY_DEFINE_REQUEST(function, name, FORM, row)                                      \
    int mca_coll_symm_##function SYMM_HEAD(name, FORM)                                            \
    {                                                                                             \
        const struct symm_arguments arguments = SYMM_ARGUMENTS(name, FORM);                       \
        return mca_coll_symm_entry_request(&(row), SYMM_CALL_##FORM, &arguments, module);         \
    }

#endif /* MCA_COLL_SYMM_ENTRY_ENTRY_H */
