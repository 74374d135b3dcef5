/*
 * base/module.h - a communicator that is served: what the component keeps for it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_BASE_MODULE_H
#define MCA_COLL_SYMM_BASE_MODULE_H

#include "mca/ompi_compat.h"

#include "heap/team.h"
#include "mca/coll/symm/base/call.h"
#include "mca/coll/symm/base/layer.h"
#include "mca/coll/symm/base/operation.h"
#include "mca/coll/symm/base/vote.h"

enum mca_coll_symm_state {
    MCA_COLL_SYMM_NEW,      /* the next call tries to set up what the ranks share */
    MCA_COLL_SYMM_READY,    /* control memory is shared by all ranks */
    MCA_COLL_SYMM_DISABLED, /* set-up has failed: calls go below until it is tried again */
    MCA_COLL_SYMM_FAILED,   /* this rank has left a call (serve/leave.h): all others fail */
};

/*
 * Tags for messages on the communicator.  All are reserved when the module is enabled, because that
 * is the only moment at which every rank is sure to get the same ones (coll_symm_module.c).
 */
enum { MCA_COLL_SYMM_MESSAGE_TAGS = 8 };
struct mca_coll_symm_tags {
    int vote;             /* votes of blocking calls */
    int nonblocking_vote; /* votes of nonblocking calls, which begin in an order of their own */
    int first_message;    /* calls over messages: this one and the next lower numbers */
};

struct mca_coll_symm_module_t {
    mca_coll_symm_layer_t super;
    enum mca_coll_symm_state state;
    struct symm_team *team;     /* NULL before set-up and while disabled */
    unsigned calls_until_retry; /* disabled: after so many calls set-up is tried again */
    unsigned calls_before_set_up; /* new: so many calls have gone below without trying to set up */
    unsigned retry_distance;    /* between the last try and the next; the same on all ranks */
    unsigned calls_relayed;     /* so many next calls on devices are expected to be relayed */
    int relay_device;           /* the device of the last relayed call; -1: there was none */
    enum symm_algorithm last_algorithm; /* of the last call that was run; programs repeat calls */
    struct mca_coll_symm_tags tags;
    struct symm_vote vote;
    struct symm_call call;           /* the blocking call under way; const once it is described */
    struct symm_operation operation; /* what serves it */
    /*
     * What the user has been told already, by choose/explain.c, report/verbose.c and
     * agree/multicast.c.
     */
    bool told_algorithms[SYMM_ALGORITHM_COUNT];
    bool told_fallbacks[SYMM_COLLECTIVE_COUNT][SYMM_REASON_COUNT];
    uint32_t told_multicast;         /* as bits */
};
typedef struct mca_coll_symm_module_t mca_coll_symm_module_t;
OBJ_CLASS_DECLARATION(mca_coll_symm_module_t);

#endif /* MCA_COLL_SYMM_BASE_MODULE_H */
