/*
 * report/shortage.c - see report/shortage.h.
 *
 * These messages are not in the help texts: a process that has no descriptor left cannot open their
 * file, and Open MPI's reader ends a process that has no memory.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/report/shortage.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mca/coll/symm/base/lane.h"

enum { STATUS_BITS = 8, STATUS_MASK = (1 << STATUS_BITS) - 1 };

int mca_coll_symm_shortage(enum symm_status status, int error)
{
    bool has_error = status == SYMM_ERR_NO_MEMORY || status == SYMM_ERR_SYSTEM;
    return has_error ? (int)status | error << STATUS_BITS : (int)status;
}

static const char *const what_happens[] = {
    [MCA_COLL_SYMM_CANNOT_SHARE] =
        "The processes of a communicator are on one node, but cannot share memory with\n"
        "each other. Collectives on it are left to the other components of Open MPI:\n"
        "everything works, but more slowly.\n",
    [MCA_COLL_SYMM_CANNOT_MAP] =
        "A process of a communicator cannot map the memory that another one has from\n"
        "MPI_Alloc_mem. Large buffers are copied through other shared memory instead:\n"
        "everything works, but more slowly.\n",
    [MCA_COLL_SYMM_CANNOT_SERVE] =
        "A process has not even the few hundred bytes that the component coll/symm needs\n"
        "for a communicator. The other ranks count on it, so the job ends here.\n",
};

/* What the user can do about a shortage. */
static const char *advice_of(enum symm_status status)
{
    switch (status) {
    case SYMM_ERR_UNREACHABLE:
        return "Usual causes are processes in separate network namespaces, as in containers of\n"
               "their own. Start all ranks of a node in one network namespace: in one container,\n"
               "or in containers that share the network of the host.\n";
    case SYMM_ERR_PEER_LOST:
        return "The process that was asked has turned this one away, or could not answer. Look\n"
               "for ranks that run under different user ids, and for ranks that have no file\n"
               "descriptors left (ulimit -n) or have ended.\n";
    case SYMM_ERR_PERMISSION:
        return "The ranks of a node share memory only if they run under the same user id. Look\n"
               "for ranks that change it, or for user namespaces with different mappings. A\n"
               "process that is not of the job is refused as well.\n";
    case SYMM_ERR_NO_USER:
        return "In such a namespace (unshare -U, or a container without a user map) a process of\n"
               "any other user could pass for one of this job. Map the user of the job into it:\n"
               "unshare -U -r, or the user map of the container.\n";
    case SYMM_ERR_NO_MEMORY:
        return "Compare that rank's limits with those of the others: open files (ulimit -n),\n"
               "address space (ulimit -v, -d), size of files (ulimit -f), threads (ulimit -u),\n"
               "and the number of mappings (/proc/sys/vm/max_map_count). A part of each is left\n"
               "to the program.\n";
    default:
        return "Shared memory needs memory files (memfd_create), sockets (AF_UNIX) and threads.\n"
               "Look for what refuses them to that rank: a seccomp filter or a security module\n"
               "of its container, or ranks that load different releases of this library.\n";
    }
}

static atomic_flag told = ATOMIC_FLAG_INIT;

void mca_coll_symm_shortage_is_told(void)
{
    (void)atomic_flag_test_and_set(&told);
}

void mca_coll_symm_shortage_warn(enum mca_coll_symm_trouble trouble, const char *communicator,
                                 int rank, int reason)
{
    static const char line[] =
        "--------------------------------------------------------------------------\n";
    enum symm_status status = (enum symm_status)(reason & STATUS_MASK);
    int error = reason >> STATUS_BITS;
    char text[2000];
    if (atomic_flag_test_and_set(&told)) {
        return;
    }
    int length = snprintf(text, sizeof(text), "%s%s\n  communicator: %s\n  rank %d:      %s%s%s\n\n"
                          "%s%s", line, what_happens[trouble], communicator, rank,
                          symm_status_string(status), error != 0 ? ": " : "",
                          error != 0 ? strerror(error) : "", advice_of(status), line);
    if (length > 0 && (size_t)length < sizeof(text)) {
        ssize_t written = write(STDERR_FILENO, text, (size_t)length);
        (void)written;
    }
}

void mca_coll_symm_vote_lost_warn(const struct symm_operation *operation,
                                  enum mca_coll_symm_trouble trouble)
{
    const struct symm_vote *vote = &operation->lane->vote;
    if (vote->rank == 0 && (vote->reason & MCA_COLL_SYMM_TOLD) != 0) {
        return;
    }
    if (vote->rank == 0) {
        mca_coll_symm_shortage_warn(trouble, operation->comm->c_name, vote->loser, vote->reason);
    } else {
        mca_coll_symm_shortage_is_told();
    }
}
