/*
 * host_copy/forms.h - the three forms of a collective that is made on host copies: blocking,
 * nonblocking and persistent.
 *
 * The component below may know nothing of devices.  So functions of ours stand in a communicator's
 * table in front of its functions, with the same arguments.  all.h, neighbor.h, reduce.h and
 * rooted.h give each collective's parameters, SYMM_PARAMETERS_name, up to the communicator.  Their
 * sources describe each collective's buffers once (host_copy/describe.h) and define all three
 * functions by it:
 *
 *     SYMM_HOST_COPY_DEFINE(bcast, bcast_describe(buffers, buffer, count, dtype, root),
 *                           receive->address, count, dtype, root)
 *
 * These are macros because each collective's functions have their own types.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_FORMS_H
#define MCA_COLL_SYMM_HOST_COPY_FORMS_H

#include "mca/coll/symm/host_copy/call.h"
#include "mca/coll/symm/host_copy/request.h"
#include "mca/coll/symm/mpi_request/nbc_tag.h"

/* The parameters of the three forms: for the functions' heads. */
#define SYMM_BLOCKING_PARAMETERS(name) \
    SYMM_PARAMETERS_##name, struct ompi_communicator_t *comm, mca_coll_base_module_t *module
#define SYMM_NONBLOCKING_PARAMETERS(name)                              \
    SYMM_PARAMETERS_##name, struct ompi_communicator_t *comm,          \
        ompi_request_t **request, mca_coll_base_module_t *module
#define SYMM_PERSISTENT_PARAMETERS(name)                                                  \
    SYMM_PARAMETERS_##name, struct ompi_communicator_t *comm, struct ompi_info_t *info,   \
        ompi_request_t **request, mca_coll_base_module_t *module

#define SYMM_HOST_COPY_DECLARE(name)                                             \
    int mca_coll_symm_host_copy_##name(SYMM_BLOCKING_PARAMETERS(name));          \
    int mca_coll_symm_host_copy_i##name(SYMM_NONBLOCKING_PARAMETERS(name));      \
    int mca_coll_symm_host_copy_##name##_init(SYMM_PERSISTENT_PARAMETERS(name));

/*
 * Define the three functions of the collective `name`.  `description` describes `buffers`.  The
 * arguments behind it are those of the function below, up to the communicator.  They take addresses
 * from the copies `send` and `receive`, or all that is handed over from `sent` and `received`
 * (host_copy/bytes.h), and are evaluated when these exist.
 */
#define SYMM_HOST_COPY_DEFINE(name, description, ...)                                           \
    int mca_coll_symm_host_copy_##name(SYMM_BLOCKING_PARAMETERS(name))                          \
    {                                                                                           \
        struct symm_host_copy_call call;                                                        \
        struct symm_host_copy_buffers *buffers = &call.buffers;                                 \
        const struct symm_host_copy *send = &buffers->send, *receive = &buffers->receive;       \
        const struct symm_bytes *sent = &buffers->sent, *received = &buffers->received;         \
        mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_##name, comm, module);         \
        description;                                                                            \
        (void)send, (void)receive, (void)sent, (void)received;                                  \
        return SYMM_HOST_COPY_CALL_BELOW(&call, name, __VA_ARGS__, comm);                       \
    }                                                                                           \
                                                                                                \
    int mca_coll_symm_host_copy_i##name(SYMM_NONBLOCKING_PARAMETERS(name))                      \
    {                                                                                           \
        SYMM_HOST_COPY_LATER(i##name, false, description, __VA_ARGS__, comm)                    \
    }                                                                                           \
                                                                                                \
    int mca_coll_symm_host_copy_##name##_init(SYMM_PERSISTENT_PARAMETERS(name))                 \
    {                                                                                           \
        SYMM_HOST_COPY_LATER(name##_init, true, description, __VA_ARGS__, comm, info)           \
    }

/* The body of a function that returns a request; `name` is that of its entry in the table. */
#define SYMM_HOST_COPY_LATER(name, persistent, description, ...)                                 \
    const mca_coll_base_comm_coll_t *table = mca_coll_symm_below_table(module);                  \
    struct symm_host_copy_buffers described, *buffers = &described;                              \
    const struct symm_host_copy *send = &buffers->send, *receive = &buffers->receive;            \
    const struct symm_bytes *sent = &buffers->sent, *received = &buffers->received;              \
    struct symm_host_copy_request *ours = NULL;                                                  \
    mca_coll_symm_host_copy_buffers_begin(buffers, comm,                                         \
                                          ((const mca_coll_symm_layer_t *)module)->kinds,        \
                                          mca_coll_symm_host_copy_is_served(module));            \
    description;                                                                                 \
    (void)send, (void)receive, (void)sent, (void)received;                                       \
    int rc = mca_coll_symm_host_copy_request_open(&ours, buffers, SYMM_HOST_COPY_##name,         \
                                                  persistent, module);                           \
    if (rc == OMPI_SUCCESS) {                                                                    \
        mca_coll_symm_nbc_lock();                                                                \
        rc = table->coll_##name(__VA_ARGS__, ours == NULL ? request : &ours->below,              \
                                table->coll_##name##_module);                                    \
        mca_coll_symm_nbc_unlock();                                                              \
    }                                                                                            \
    return ours == NULL ? rc : mca_coll_symm_host_copy_request_pass(ours, rc, request);

#endif /* MCA_COLL_SYMM_HOST_COPY_FORMS_H */
