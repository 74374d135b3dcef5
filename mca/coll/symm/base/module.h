/*
 * base/module.h - a communicator that is served: what the component keeps for it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_BASE_MODULE_H
#define MCA_COLL_SYMM_BASE_MODULE_H

#include "mca/ompi_compat.h"

#include "mca/coll/symm/base/call.h"
#include "mca/coll/symm/base/lane.h"
#include "mca/coll/symm/base/layer.h"

/*
 * Nonblocking calls of a communicator take turns in so many lanes (request/request.h), and so many
 * can be at work at a time.
 */
enum { MCA_COLL_SYMM_TURNS = 4 };

/*
 * Tags for messages on the communicator.  All are reserved when the module is enabled, because that
 * is the only moment at which every rank is sure to get the same ones (coll_symm_module.c).
 */
struct mca_coll_symm_tags {
    int vote;                                  /* votes of blocking calls */
    int nonblocking_vote[MCA_COLL_SYMM_TURNS]; /* votes in the lanes of nonblocking calls */
};

struct symm_queue;

struct mca_coll_symm_module_t {
    mca_coll_symm_layer_t super;
    struct mca_coll_symm_tags tags;
    struct mca_coll_symm_lane blocking;
    struct symm_queue *nonblocking[MCA_COLL_SYMM_TURNS]; /* request/queue.h; NULL: not used yet */
    unsigned turns; /* nonblocking calls so far; under the lock of mpi_request/nbc_tag.h */
    struct symm_call call; /* the blocking call under way; const once it is described */
    /*
     * What the user has been told already, by choose/explain.c, report/verbose.c and
     * resources/multicast.c.  Threads may tell at the same time, in lanes of their own.
     */
    _Atomic bool told_algorithms[SYMM_CALL_FORM_COUNT][SYMM_ALGORITHM_COUNT];
    _Atomic bool told_fallbacks[SYMM_CALL_FORM_COUNT][SYMM_COLLECTIVE_COUNT][SYMM_REASON_COUNT];
    _Atomic uint32_t told_multicast; /* as bits */
};
typedef struct mca_coll_symm_module_t mca_coll_symm_module_t;
OBJ_CLASS_DECLARATION(mca_coll_symm_module_t);

#endif /* MCA_COLL_SYMM_BASE_MODULE_H */
