/*
 * serve/below.h - a blocking call of ours that is made by the component below, and calls that reach
 * us meanwhile.
 *
 * A component may make its calls of other collectives on the same communicator, through the
 * communicator's table.  So a call that has gone below may contain any number of calls that we
 * serve, or that go below in their turn.  A module has one operation, which is
 * free by then, so these calls use it.  What the outer call still needs is here, on its stack.
 *
 * While the operation is running, nothing else may use it.  A call that is made then breaks MPI's
 * rules: a reduction function of the program makes it, or a second thread.  That call returns an
 * error.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_SERVE_BELOW_H
#define MCA_COLL_SYMM_SERVE_BELOW_H

#include "mca/coll/symm/base/operation.h"

struct symm_below {
    struct mca_coll_symm_module_t *module;
    struct symm_below *outer; /* the call below that contains this one; NULL: none */
    uint64_t sequence; /* of the line posted for it; 0: none, because the ranks share no memory */
    bool spoilt;       /* this rank has seen that a rank has marked its phase */
};

/*
 * A call goes below, and has ended there with `rc` on this rank.  A rank that cannot bring in its
 * data takes part all the same (host_copy/call.h) and spoils the result.  It marks its phase of
 * this call first, and end() looks for such marks.  end() returns the error for MPI, on all ranks
 * alike.
 */
void mca_coll_symm_below_begin(struct symm_below *below, struct symm_operation *operation);
void mca_coll_symm_below_spoil(const struct symm_below *below);
int mca_coll_symm_below_end(struct symm_below *below, int rc);

/*
 * A call finds the operation in use.  Returns false if the operation is running: the user has been
 * told, and MPI_ERR_OTHER is to be returned.  Returns true if the operation belongs to a call that
 * is below: it may be used until resume().
 */
bool mca_coll_symm_below_interrupt(struct symm_operation *operation,
                                   struct ompi_communicator_t *comm, const char *function);
void mca_coll_symm_below_resume(struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_SERVE_BELOW_H */
