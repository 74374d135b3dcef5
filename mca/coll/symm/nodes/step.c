/*
 * nodes/step.c - see nodes/step.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/step.h"

#include <stdlib.h>

#include "mca/coll/symm/report/counters.h"

void mca_coll_symm_step(int *error, struct ompi_communicator_t *comm,
                        enum symm_mpi_function function, struct symm_arguments arguments)
{
    arguments.comm = comm;
    int rc = mca_coll_symm_function_call(
        function, mca_coll_symm_entry_get(comm->c_coll, function), &arguments);
    if (*error == OMPI_SUCCESS) {
        *error = rc;
    }
}

void mca_coll_symm_step_between(int *error, const struct mca_coll_symm_nodes_t *nodes,
                                enum symm_mpi_function function, struct symm_arguments arguments,
                                size_t bytes)
{
    mca_coll_symm_count_between(nodes->collective, bytes);
    mca_coll_symm_step(error, nodes->rail, function, arguments);
}

void mca_coll_symm_step_copy(int *error, const void *from, void *to, size_t count,
                             struct ompi_datatype_t *dtype)
{
    int rc = ompi_datatype_copy_content_same_ddt(dtype, (int32_t)count, to,
                                                 symm_ompi_unconst(from));
    if (*error == OMPI_SUCCESS && rc < 0) {
        *error = rc;
    }
}

/* ---- scratch --------------------------------------------------------------------------------- */

bool mca_coll_symm_room_open(struct symm_room *room, unsigned char *scratch, size_t bytes,
                             struct ompi_datatype_t *dtype, size_t count)
{
    ptrdiff_t gap;
    ptrdiff_t span = opal_datatype_span(&dtype->super, (int64_t)count, &gap);
    room->held = (size_t)span > bytes ? malloc((size_t)span) : NULL;
    if ((size_t)span > bytes && room->held == NULL) {
        return false;
    }
    room->at = mca_coll_symm_at(room->held != NULL ? room->held : scratch, -gap);
    return true;
}

void mca_coll_symm_room_close(struct symm_room *room)
{
    free(room->held);
}
