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
 * (base/nbc_tag.h).  A persistent operation gets one below in the same way, by its first call that
 * is not served, and keeps it.
 *
 * Source: MPI-4.1 sections 6.12 and 6.13.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_REQUEST_REQUEST_H
#define MCA_COLL_SYMM_REQUEST_REQUEST_H

#include <stdatomic.h>

#include "mca/coll/symm/base/module.h"

struct symm_queue;
typedef struct mca_coll_symm_request_t mca_coll_symm_request_t;

/* MPI's arguments, for the component below.  A collective uses those that it has. */
struct symm_arguments {
    const void *sbuf;
    void *rbuf;
    symm_count_t scount, rcount;
    symm_counts_t rcounts; /* in `kept` of the request, like all arrays */
    symm_counts_t scounts;
    symm_disps_t sdisps, rdisps;
    struct ompi_datatype_t *const *sdtypes, *const *rdtypes; /* NULL: one type */
    struct ompi_datatype_t *sdtype, *rdtype;
    struct ompi_op_t *op;
    int root;
};

/* How the component below makes a nonblocking call of a collective, or a persistent operation. */
struct symm_request_below {
    int (*start)(mca_coll_symm_request_t *request, ompi_request_t **below);
    int (*init)(mca_coll_symm_request_t *request, struct ompi_info_t *info, ompi_request_t **below);
};

/*
 * Bindings write into a request after the call has returned, as into one of libnbc.  So it is
 * derived from the same class.
 */
struct mca_coll_symm_request_t {
    ompi_coll_base_nbc_request_t super;
    mca_coll_symm_module_t *module; /* of the communicator, which is held */
    struct symm_queue *queue;
    struct symm_call call;
    struct symm_arguments arguments;
    void *kept;                /* copies of the program's arrays; NULL: none */
    const struct symm_request_below *make;
    int tag;                   /* for the component below */
    struct ompi_info_t *info;  /* persistent: for the component below */
    ompi_request_t *below;     /* MPI_REQUEST_NULL: none */
    /*
     * Not under way, or done.  Open MPI's own word says so, too, but is not written with release.
     */
    _Atomic bool is_over;
    bool is_begun;         /* the lane is at work on it */
    bool is_below;         /* it is not served: `below` is under way */
    int error;             /* the result; for MPI */
    enum symm_algorithm algorithm; /* that has served it, where the program did not see the end */
    mca_coll_symm_request_t *next; /* in a queue, or idle */
};
OBJ_CLASS_DECLARATION(mca_coll_symm_request_t);

static inline struct ompi_communicator_t *mca_coll_symm_request_comm(
    const mca_coll_symm_request_t *request)
{
    return request->super.super.req_mpi_object.comm;
}

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
