/*
 * base/functions.h - calling functions of a communicator's table, whatever their collective and
 * their form.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_BASE_FUNCTIONS_H
#define MCA_COLL_SYMM_BASE_FUNCTIONS_H

#include "mca/coll/symm/base/collectives.h"

/* An entry of a communicator's table: a function, and the module that it belongs to. */
struct symm_table_entry {
    void (*function)(void);
    mca_coll_base_module_t *owner;
};

/* Where a function's entry is in tables. */
extern const size_t mca_coll_symm_entry_offsets[SYMM_MPI_FUNCTION_COUNT];

static inline struct symm_table_entry mca_coll_symm_entry_get(
    const mca_coll_base_comm_coll_t *from, enum symm_mpi_function function)
{
    struct symm_table_entry entry;
    memcpy(&entry, (const unsigned char *)from + mca_coll_symm_entry_offsets[function],
           sizeof(entry));
    return entry;
}

/* "allgather", "iallgather", "allgather_init" and so on. */
const char *mca_coll_symm_function_name(enum symm_mpi_function function);

/*
 * Call an entry's function, which is one of those with this number, or has the same parameters.
 * Returns what the function returns.
 */
int mca_coll_symm_function_call(enum symm_mpi_function function, struct symm_table_entry entry,
                                const struct symm_arguments *arguments);

#endif /* MCA_COLL_SYMM_BASE_FUNCTIONS_H */
