/*
 * request/request.h - nonblocking and persistent calls of collectives that we serve.
 *
 * The program gets a request of ours.  It holds the call, and waits in a queue (request/queue.h)
 * for its turn in a lane (base/lane.h).  The nonblocking calls of a communicator go to its lanes
 * for such calls one by one, in turn.  Each persistent operation has a lane of its own.
 *
 * A rank learns only in its turn that a call is not served: the ranks agree on that.  The
 * component below then makes the call, while the program waits.  It takes a tag for each
 * nonblocking call from a counter of the communicator, and the program may have made other calls
 * since, in different numbers on different ranks.  So the tag is taken in the program's call, in
 * which all ranks are alike, and is lent to the component below when it makes the call
 * (mpi_request/nbc_tag.h).  A persistent operation gets one below in the same way, by its first
 * call that is not served, and keeps it.
 *
 * Source: MPI-4.1 sections 6.12 and 6.13.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_REQUEST_REQUEST_H
#define MCA_COLL_SYMM_REQUEST_REQUEST_H

#include "mca/coll/symm/request/request_state.h"

/*
 * Begin a nonblocking call, or make a persistent operation, with the program's arguments.  The
 * caller then keeps arrays, describes request->call by request->arguments, and ends with submit()
 * or init().  Errors: OUT_OF_RESOURCE.
 */
int mca_coll_symm_request_open(mca_coll_symm_request_t **request,
                               const struct symm_arguments *arguments, bool persistent,
                               mca_coll_base_module_t *module);

/*
 * Keep copies of arrays of request->arguments: bindings of other languages free theirs when the
 * call has returned.  Each array has an element for each rank.  Those of the receive buffer are
 * rcounts and rdisps, and rdtypes, unless that is NULL.  0: none are kept.  Errors:
 * OUT_OF_RESOURCE; the request has then been given back.
 */
enum { SYMM_KEEP_RECEIVED = 1, SYMM_KEEP_SENT = 2, SYMM_KEEP_RCOUNTS = 4 };

/* Behind these arrays, of eight bytes for each rank, `kept` has room for others of the caller's. */
enum { SYMM_KEPT_ARRAYS = 6, SYMM_KEPT_FREE = 3 };
int mca_coll_symm_request_retain(mca_coll_symm_request_t *request, unsigned which);

/*
 * The nonblocking call is described: start it, and hand the request to the program.  Errors: the
 * communicator has failed or been revoked, and the request is gone.  5.0.7 gets over that error of
 * a call in MPI_Comm_dup(), but not over one of a request (docs/design/open-mpi.md).
 */
int mca_coll_symm_request_submit(mca_coll_symm_request_t *request);

/* The persistent operation is described: hand it to the program. */
void mca_coll_symm_request_init(mca_coll_symm_request_t *request);

/* For the component, when it is closed. */
void mca_coll_symm_requests_close(void);

#endif /* MCA_COLL_SYMM_REQUEST_REQUEST_H */
