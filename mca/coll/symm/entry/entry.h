/*
 * entry/entry.h - what the entries of all collectives share: from a call that is described to what
 * MPI gets.
 *
 * The entry of a collective is a file of its own, which knows MPI's arguments:
 *
 *     struct symm_entry entry;
 *     if (!mca_coll_symm_entry_open(&entry, SYMM_BCAST, comm, module)) {
 *         return MPI_ERR_OTHER;
 *     }
 *     ... describe entry.module->call (base/call.h) ...
 *     return SYMM_ENTRY_MAKE(&entry, comm, bcast, buffer, count, dtype, root);
 *
 * The call is served, or the component below makes it: on copies in host memory, or while we step
 * aside in the communicator's table.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_ENTRY_ENTRY_H
#define MCA_COLL_SYMM_ENTRY_ENTRY_H

#include "mca/coll/symm/base/layer.h"
#include "mca/coll/symm/base/module.h"
#include "mca/coll/symm/host_copy/call.h"
#include "mca/coll/symm/request/request.h"
#include "mca/coll/symm/serve/below.h"
#include "mca/coll/symm/serve/drive.h"

struct symm_entry {
    mca_coll_symm_module_t *module;
    bool is_within; /* the component below makes it for another call of ours */
    int rc;         /* the result of a call that was served */
    const mca_coll_base_comm_coll_t *table; /* of the components below */
    struct symm_below below;
    struct symm_aside aside;
    bool is_aside;
};

/* A call begins, with data.  Returns false if another call is running: the user has been told. */
static inline bool mca_coll_symm_entry_open(struct symm_entry *entry,
                                            enum symm_collective collective,
                                            struct ompi_communicator_t *comm,
                                            mca_coll_base_module_t *module)
{
    entry->module = (mca_coll_symm_module_t *)module;
    entry->is_within = entry->module->blocking.operation.state != SYMM_OPERATION_DONE;
    return !entry->is_within ||
           mca_coll_symm_below_interrupt(&entry->module->blocking.operation, comm,
                                         symm_collective_get(collective)->mpi_name);
}

/* The call is described.  Returns true if it has been served: entry->rc is for MPI. */
static inline bool mca_coll_symm_entry_serve(struct symm_entry *entry,
                                             struct ompi_communicator_t *comm)
{
    struct symm_operation *operation = &entry->module->blocking.operation;
    bool is_served = mca_coll_symm_operation_serve(operation, comm, &entry->rc);
    if (is_served && entry->is_within) {
        mca_coll_symm_below_resume(operation);
    }
    return is_served;
}

/*
 * The call goes below.  Returns true if it goes on host copies or as bytes (host_copy/bytes.h), and
 * false if it goes to the functions of entry->table.
 */
bool mca_coll_symm_entry_below_begin(struct symm_entry *entry,
                                     enum symm_host_copy_collective collective,
                                     struct ompi_communicator_t *comm);

/* A call without data goes below, to the functions of entry->table. */
void mca_coll_symm_entry_below_aside(struct symm_entry *entry,
                                     enum symm_host_copy_collective collective,
                                     struct ompi_communicator_t *comm);

/* The call has been made below.  Returns what is for MPI. */
int mca_coll_symm_entry_below_end(struct symm_entry *entry, int rc);

/* Make the call that is described, with these arguments in front of communicator and module. */
#define SYMM_ENTRY_MAKE(entry, comm, name, ...)                                                    \
    (mca_coll_symm_entry_serve(entry, comm) ? (entry)->rc                                          \
     : mca_coll_symm_entry_below_begin(entry, SYMM_HOST_COPY_##name, comm)                         \
         ? mca_coll_symm_entry_below_end(                                                          \
               entry, mca_coll_symm_host_copy_##name(__VA_ARGS__, comm,                            \
                                                     &(entry)->module->super.super))               \
         : mca_coll_symm_entry_below_end(                                                          \
               entry, (entry)->table->coll_##name(__VA_ARGS__, comm,                               \
                                                  (entry)->table->coll_##name##_module)))

/* The same for a collective without data and arguments of its own. */
#define SYMM_ENTRY_MAKE_WITHOUT_DATA(entry, comm, name)                                            \
    (mca_coll_symm_entry_serve(entry, comm)                                                        \
         ? (entry)->rc                                                                             \
         : (mca_coll_symm_entry_below_aside(entry, SYMM_LAYER_##name, comm),                       \
            mca_coll_symm_entry_below_end(                                                         \
                entry, (entry)->table->coll_##name(comm, (entry)->table->coll_##name##_module))))

/* ---- nonblocking and persistent calls -------------------------------------------------------- */

/*
 * A call without data ends at once: the request is empty, or a persistent one that does nothing.  A
 * persistent request of coll/libnbc sends messages all the same, does not hold its communicator,
 * and crashes where the program frees that before it waits (4.1.4).
 */

/*
 * Have the component below make the call of a request that is not served.  `name` is that of its
 * entry in the table; the arguments are those up to the communicator.
 */
#define SYMM_ENTRY_REQUEST_BELOW(request, name, ...)                                              \
    (mca_coll_symm_has_bytes(SYMM_HOST_COPY_##name) ||                                            \
             mca_coll_symm_host_copy_is_for(SYMM_HOST_COPY_##name)                                \
         ? mca_coll_symm_host_copy_##name(__VA_ARGS__, &(request)->module->super.super)           \
         : SYMM_ENTRY_REQUEST_ASIDE(request, name, __VA_ARGS__))
#define SYMM_ENTRY_REQUEST_ASIDE(request, name, ...)                                              \
    (request)->module->super.below_table.coll_##name(                                             \
        __VA_ARGS__, (request)->module->super.below_table.coll_##name##_module)

#endif /* MCA_COLL_SYMM_ENTRY_ENTRY_H */
