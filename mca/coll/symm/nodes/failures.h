/*
 * nodes/failures.h - jobs that outlive some of their processes (ULFM).
 *
 * A call by a plan waits in communicators of our own.  They hear nothing of it when the program's
 * is revoked, and those without the dead process hear nothing of that.  So opal_progress() looks at
 * the program's, and has calls on ours end with errors on all their ranks.  By communicators that
 * overlap, this reaches every rank that waits.
 *
 * Afterwards calls on the program's communicator fail before they come to us.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_NODES_FAILURES_H
#define MCA_COLL_SYMM_NODES_FAILURES_H

#include "mca/coll/symm/nodes/module.h"

/*
 * From now on, and until it ends, the module's communicators are revoked after a failure of the
 * program's, which is `comm`.  In other jobs this does nothing.
 */
void mca_coll_symm_nodes_watch(mca_coll_symm_nodes_t *nodes, struct ompi_communicator_t *comm);
void mca_coll_symm_nodes_unwatch(mca_coll_symm_nodes_t *nodes);

/*
 * A step has ended with such a failure.  The call's other steps must not be made: ranks that wait
 * for this one in them would get worthless data, and no error.
 */
void mca_coll_symm_nodes_give_up(mca_coll_symm_nodes_t *nodes);

#endif /* MCA_COLL_SYMM_NODES_FAILURES_H */
