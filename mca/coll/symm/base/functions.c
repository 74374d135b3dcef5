/*
 * base/functions.c - see base/functions.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/base/functions.h"

/* The numbers of functions go by those of collectives that are served. */
#define IS_NUMBERED(NUMBER, name, ...)                                                             \
    _Static_assert((int)SYMM_MPI_FUNCTION_##name == (int)SYMM_##NUMBER * SYMM_CALL_FORM_COUNT,     \
                   "the list begins with the collectives that are served");
SYMM_COLLECTIVES(IS_NUMBERED)

/* ---- tables ---------------------------------------------------------------------------------- */

#define IS_ENTRY(function, name, FORM)                                                             \
    _Static_assert(offsetof(mca_coll_base_comm_coll_t, coll_##function##_module) ==                \
                       offsetof(mca_coll_base_comm_coll_t, coll_##function) +                      \
                           offsetof(struct symm_table_entry, owner),                               \
                   "in Open MPI's tables a module is behind its function");
#define ARE_ENTRIES(NUMBER, name, ...) SYMM_FORMS(IS_ENTRY, name)
SYMM_ALL_COLLECTIVES(ARE_ENTRIES)
IS_ENTRY(reduce_local, reduce_local, LOCAL)

const size_t mca_coll_symm_entry_offsets[SYMM_MPI_FUNCTION_COUNT] = {
#define OFFSET(function, name, FORM) offsetof(mca_coll_base_comm_coll_t, coll_##function),
#define OFFSETS(NUMBER, name, ...) SYMM_FORMS(OFFSET, name)
    SYMM_ALL_COLLECTIVES(OFFSETS)
    OFFSET(reduce_local, reduce_local, LOCAL)
};

const char *mca_coll_symm_function_name(enum symm_mpi_function function)
{
    static const char *const names[SYMM_MPI_FUNCTION_COUNT] = {
#define NAME(function, name, FORM) #function,
#define NAMES(NUMBER, name, ...) SYMM_FORMS(NAME, name)
        SYMM_ALL_COLLECTIVES(NAMES)
        NAME(reduce_local, reduce_local, LOCAL)
    };
    return names[function];
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* A caller takes an entry's function for what it is, and calls it. */
typedef int caller_t(struct symm_table_entry entry, const struct symm_arguments *arguments);

#define TYPE(NAME) __typeof__(((mca_coll_base_comm_coll_t *)0)->coll_##NAME)
#define CALLER(NAME, name, FORM)                                                                   \
    static int NAME##_call(struct symm_table_entry entry, const struct symm_arguments *arguments)  \
    {                                                                                              \
        return ((TYPE(NAME))entry.function)SYMM_PASS(name, FORM, entry.owner);                     \
    }
#define CALLERS(NUMBER, name, ...) SYMM_FORMS(CALLER, name)
SYMM_ALL_COLLECTIVES(CALLERS)
CALLER(reduce_local, reduce_local, LOCAL)

int mca_coll_symm_function_call(enum symm_mpi_function function, struct symm_table_entry entry,
                                const struct symm_arguments *arguments)
{
    static caller_t *const callers[SYMM_MPI_FUNCTION_COUNT] = {
#define ITS_CALLER(function, name, FORM) function##_call,
#define THEIR_CALLERS(NUMBER, name, ...) SYMM_FORMS(ITS_CALLER, name)
        SYMM_ALL_COLLECTIVES(THEIR_CALLERS)
        ITS_CALLER(reduce_local, reduce_local, LOCAL)
    };
    return callers[function](entry, arguments);
}
