/*
 * host_copy/call.h - a call that the component below makes on host copies of device buffers.
 *
 * The functions of host_copy/forms.h describe their buffers and leave the rest to this file:
 *
 *     struct symm_host_copy_call call;
 *     mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_bcast, comm, module);
 *     ... describe call.buffers (host_copy/describe.h) ...
 *     return SYMM_HOST_COPY_CALL_BELOW(&call, bcast, call.buffers.receive.address, ...);
 *
 * The communicator's entry holds the function below from begin() until that function has returned
 * (base/layer.h).
 *
 * Each rank decides for itself: other ranks' buffers may lie elsewhere.  A rank that cannot fill
 * its copies must not leave the others waiting in the component below.  It takes part there with
 * memory whose contents are worth nothing, and fails afterwards.  If it has no memory even for
 * that, it fails at once.  In a call that we would have served it lets the others know
 * (serve/below.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_CALL_H
#define MCA_COLL_SYMM_HOST_COPY_CALL_H

#include "mca/coll/symm/base/layer.h"
#include "mca/coll/symm/host_copy/copies.h"

struct symm_host_copy_call {
    enum symm_host_copy_collective collective;
    const mca_coll_base_comm_coll_t *below_table;
    enum symm_host_copy_why why;
    mca_coll_base_module_t *module;
    struct symm_aside aside;
    struct symm_host_copy_buffers buffers; /* messages name their communicator */
    int error;
};

static inline void mca_coll_symm_host_copy_call_begin(struct symm_host_copy_call *call,
                                                      enum symm_host_copy_collective collective,
                                                      struct ompi_communicator_t *comm,
                                                      mca_coll_base_module_t *module)
{
    call->collective = collective;
    call->below_table = mca_coll_symm_below_table(module);
    call->module = module;
    call->why = mca_coll_symm_host_copy_why_of(collective, module);
    if (collective == SYMM_HOST_COPY_reduce_local) { /* no communicator's promise is about it */
        mca_coll_symm_host_copy_buffers_begin(&call->buffers, comm, SYMM_KINDS_ANY, false);
        call->aside.entry = NULL;
    } else {
        mca_coll_symm_host_copy_buffers_begin(&call->buffers, comm,
                                              ((const mca_coll_symm_layer_t *)module)->kinds,
                                              mca_coll_symm_host_copy_is_served(module));
        mca_coll_symm_layer_step_aside(&call->aside, collective, comm, module);
    }
}

/*
 * Make the copies that are needed, and then the bytes that are handed over.  False: the call cannot
 * be made at all.
 */
bool mca_coll_symm_host_copy_call_copies_make(struct symm_host_copy_call *call);
bool mca_coll_symm_host_copy_call_bytes_make(struct symm_host_copy_call *call);
static inline bool mca_coll_symm_host_copy_call_open(struct symm_host_copy_call *call)
{
    call->error = OMPI_SUCCESS;
    if (!mca_coll_symm_host_copy_buffers_are_needless(&call->buffers) &&
        !mca_coll_symm_host_copy_call_copies_make(call)) {
        return false;
    }
    return !call->buffers.moves || mca_coll_symm_host_copy_call_bytes_make(call);
}

/*
 * Bring back the results, count the call and explain it.  Returns the first error, for MPI.
 */
int mca_coll_symm_host_copy_call_end(struct symm_host_copy_call *call);
static inline int mca_coll_symm_host_copy_call_close(struct symm_host_copy_call *call, int rc)
{
    mca_coll_symm_layer_step_back(&call->aside);
    if (call->error == OMPI_SUCCESS) {
        call->error = rc;
    }
    bool ends = mca_coll_symm_host_copy_is_made(&call->buffers) ||
                mca_coll_symm_bytes_are_held(&call->buffers);
    return ends ? mca_coll_symm_host_copy_call_end(call) : call->error;
}

/*
 * Have the component below make the collective `name`; the arguments are those of its function
 * without the last one, the module.  They are evaluated when the copies exist.  This is a macro
 * because each collective's function has its own type.
 */
#define SYMM_HOST_COPY_CALL_BELOW(call, name, ...)                                                \
    mca_coll_symm_host_copy_call_close(                                                           \
        (call), mca_coll_symm_host_copy_call_open(call)                                           \
                    ? (call)->below_table->coll_##name(__VA_ARGS__,                               \
                                                       (call)->below_table->coll_##name##_module) \
                    : OMPI_ERR_OUT_OF_RESOURCE)

#endif /* MCA_COLL_SYMM_HOST_COPY_CALL_H */
