/*
 * path/path.h - the ways to make a call, in the order in which they are tried.
 *
 *   fast          at once, without an operation: blocking calls of little data (fast/fast.h)
 *   node          by an operation of the node's ranks (serve/operation.h)
 *   host copies   by the component below, on copies of device buffers (host_copy/copies.h)
 *   underlying    by the component below, with the program's arguments (base/layer.h)
 *
 * The entry of a collective tries the first two itself (entry/entry.h): they need the call as the
 * entry describes it, and MPI's arguments in memory would take a small call 18 to 25 instructions
 * more, 2 to 6 % of it.  What they have not made goes by the table in path.c: in the entry at once,
 * and in the queue of requests (request/queue.h) once the ranks have agreed not to serve a call.
 * Calls that look like Open MPI's own go on host copies at once (entry/allreduce.c).
 *
 * On a communicator that is not served, the communicator's entry holds what the table would choose:
 * the function of host copies (host_copy/layer.c), or the component's own.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_PATH_PATH_H
#define MCA_COLL_SYMM_PATH_PATH_H

#include "mca/coll/symm/base/functions.h"

struct symm_path {
    const char *name; /* for whoever debugs */

    /* Whether it makes calls of this function.  NULL: it makes all. */
    bool (*may)(enum symm_mpi_function function);

    /*
     * Make the call, which starts here: a blocking one is over when this returns.  Of any other
     * a->request becomes the request, which goes on by itself, and the status of which is the
     * call's.  Returns what is for MPI.
     */
    int (*make)(enum symm_mpi_function function, const struct symm_arguments *a,
                mca_coll_base_module_t *module);
};

/*
 * Make a call that neither of the first two has made by the first path of the table that may.  The
 * module is one with a layer (base/layer.h).  Returns what is for MPI.
 */
int mca_coll_symm_path_make(enum symm_mpi_function function, const struct symm_arguments *a,
                            mca_coll_base_module_t *module);

#endif /* MCA_COLL_SYMM_PATH_PATH_H */
