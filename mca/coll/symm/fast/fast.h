/*
 * fast/fast.h - small calls in host memory that are made at once, without an operation, because
 * nothing has to be waited for.
 *
 * The root of a broadcast, scatter or scatterv writes data that fit its line, and leaves.  Another
 * rank takes its block if the root's line is there.  In a gather, gatherv or reduce who has data
 * for the root writes them, and the root takes them if all lines are there.  In a scan a rank makes
 * its call if the lines of those before it are there.  An operation makes the call on every rank
 * that finds anything else.  Ranks need not decide alike: their lines are those of any other call.
 * An operation takes up to twice the time, half of it for descriptions and states that such a call
 * has no use for.
 *
 * The functions return true if the call has been served; if not, nothing has been done.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_FAST_FAST_H
#define MCA_COLL_SYMM_FAST_FAST_H

#include "mca/coll/symm/base/module.h"

/*
 * A blocking MPI_Bcast, MPI_Scatter or MPI_Gather: module->call has the buffers of this rank, and
 * knows whether it is in place.  The output of a broadcast is also the input.
 */
bool mca_coll_symm_fast_bcast(mca_coll_symm_module_t *module, int root);
bool mca_coll_symm_fast_scatter(mca_coll_symm_module_t *module, int root);
bool mca_coll_symm_fast_gather(mca_coll_symm_module_t *module, int root);

/* A blocking MPI_Scatterv or MPI_Gatherv: module->call has its root, sending and receiving. */
bool mca_coll_symm_fast_scatterv(mca_coll_symm_module_t *module);
bool mca_coll_symm_fast_gatherv(mca_coll_symm_module_t *module);

/* A blocking MPI_Reduce, MPI_Scan or MPI_Exscan, which module->call describes. */
bool mca_coll_symm_fast_reduction(mca_coll_symm_module_t *module);

#endif /* MCA_COLL_SYMM_FAST_FAST_H */
