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
 * Begin a nonblocking call, or make a persistent operation.  The caller then describes
 * request->call and request->arguments, and ends with submit() or init().  Errors: OUT_OF_RESOURCE.
 */
int mca_coll_symm_request_open(mca_coll_symm_request_t **request,
                               const struct symm_request_below *make, bool persistent,
                               struct ompi_communicator_t *comm, mca_coll_base_module_t *module);

/*
 * Keep a copy of an array with an element for each rank: bindings of other languages free theirs
 * when the call has returned.  One that is kept is put into request->arguments.rcounts.  Errors:
 * OUT_OF_RESOURCE; the request has then been given back.
 */
int mca_coll_symm_request_keep(mca_coll_symm_request_t *request, symm_counts_t counts);

/*
 * Keep copies of arrays of request->arguments: of rcounts and rdisps, and of rdtypes, unless that
 * is NULL, or of those of the send buffer, or of both.  Errors: as above.
 */
enum { SYMM_KEEP_RECEIVED = 1, SYMM_KEEP_SENT = 2 };

/* Behind these arrays, of eight bytes for each rank, `kept` has room for others of the caller's. */
enum { SYMM_KEPT_ARRAYS = 6, SYMM_KEPT_FREE = 3 };
int mca_coll_symm_request_keep_blocks(mca_coll_symm_request_t *request, unsigned which);

/*
 * The nonblocking call is described: start it, and hand the request to the program.  Errors: the
 * communicator has failed or been revoked, and the request is gone.  5.0.7 gets over that error of
 * a call in MPI_Comm_dup(), but not over one of a request (docs/design/open-mpi.md).
 */
int mca_coll_symm_request_submit(mca_coll_symm_request_t *request, ompi_request_t **handle);

/* The persistent operation is described: hand it to the program. */
int mca_coll_symm_request_init(mca_coll_symm_request_t *request, struct ompi_info_t *info,
                               ompi_request_t **handle);

/* For the component, when it is closed. */
void mca_coll_symm_requests_close(void);

#endif /* MCA_COLL_SYMM_REQUEST_REQUEST_H */
