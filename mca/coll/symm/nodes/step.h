/*
 * nodes/step.h - a step of a plan: a collective of the node's communicator or of the rail's.
 *
 * A rank whose step has failed takes part in all later ones with what it has, since the others wait
 * for it, and returns the first error at the end.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_NODES_STEP_H
#define MCA_COLL_SYMM_NODES_STEP_H

#include "mca/coll/symm/data/pack.h"
#include "mca/coll/symm/nodes/module.h"

/* Make a step, with arguments but for the communicator; *error keeps the first error. */
void mca_coll_symm_step(int *error, struct ompi_communicator_t *comm,
                        enum symm_mpi_function function, struct symm_arguments arguments);

/*
 * The same between nodes, on this rank's rail, which gives so many bytes of data to it.  They are
 * counted.
 */
void mca_coll_symm_step_between(int *error, const struct mca_coll_symm_nodes_t *nodes,
                                enum symm_mpi_function function, struct symm_arguments arguments,
                                size_t bytes);

/* Copy elements within this rank. */
void mca_coll_symm_step_copy(int *error, const void *from, void *to, size_t count,
                             struct ompi_datatype_t *dtype);

/* ---- scratch --------------------------------------------------------------------------------- */

/*
 * Room for elements of a type, in a module's scratch, or in memory of its own if they span more.
 * Addresses are as the type wants them.  NULL: there is no memory.
 */
struct symm_room {
    void *at;
    void *held;
};

bool mca_coll_symm_room_open(struct symm_room *room, unsigned char *scratch, size_t bytes,
                             struct ompi_datatype_t *dtype, size_t count);
void mca_coll_symm_room_close(struct symm_room *room);

/* `i` elements behind `buffer`. */
static inline void *mca_coll_symm_element(const void *buffer, size_t i,
                                          struct ompi_datatype_t *dtype)
{
    ptrdiff_t lower, extent;
    ompi_datatype_get_extent(dtype, &lower, &extent);
    return (void *)((uintptr_t)buffer + i * (uintptr_t)extent);
}

#endif /* MCA_COLL_SYMM_NODES_STEP_H */
