/*
 * coll_symm.h - the collective component: what its files share.
 *
 * The path of a call: entry/allreduce.c or _allgather.c takes it from MPI and describes it
 * (base/call.h), serve/operation.c carries it through its states, agree/agree.c
 * exchanges what the ranks have to say, choose/choose.c picks the algorithm.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_H
#define MCA_COLL_SYMM_H

#include "mca/ompi_compat.h"

#include "heap/process.h"
#include "heap/team.h"
#include "mca/coll/symm/host_copy/layer.h"
#include "mca/coll/symm/base/operation.h"
#include "mca/coll/symm/base/vote.h"

/* ---- component ------------------------------------------------------------------------------- */

/* A parameter's value when no algorithm is forced. */
enum { MCA_COLL_SYMM_AUTO = -1 };

struct mca_coll_symm_component_t {
    symm_coll_base_component_t super;
    int priority;
    int forced[SYMM_COLLECTIVE_COUNT]; /* enum symm_algorithm, or MCA_COLL_SYMM_AUTO */
    char *table; /* a file of choices; see choose/table_file.h */
    size_t slot_size;
    size_t piece_size;
    size_t allgather_staged_max; /* 0: see choose/choose.c */
    size_t device_scratch; /* bytes a device; 0: none */
    size_t scratch_least;  /* bytes */
    size_t ipc_bytes;      /* see coll_symm_parameters.c for these three */
    size_t ipc_least;
    int ipc_sightings;
    int host_staging; /* see host_copy/staging.h */
    size_t host_pinned; /* bytes */
    int device_blocks; /* of a kernel at most; 0: see kernels/cuda */
    int multicast;     /* see agree/multicast.h */
    int multicast_blocks; /* of a kernel; 0: see kernels/cuda */
    bool report;
    int verbose; /* see report/verbose.h */
    struct symm_process *process; /* NULL if it could not be had: then nothing is served */
};
typedef struct mca_coll_symm_component_t mca_coll_symm_component_t;

SYMM_API extern mca_coll_symm_component_t mca_coll_symm_component; /* the one symbol we export */

/* Register the parameters and give the component's fields their values (coll_symm_parameters.c). */
void mca_coll_symm_parameters_register(mca_coll_symm_component_t *component);

/* Make `--mca coll symm` mean "symm above the others" (coll_symm_select.c). */
void mca_coll_symm_select_register(void);

/* Say so if the user's list lacks components without which MPI_Init fails; once all are open. */
void mca_coll_symm_select_check(void);

/* Say why there is no component below us on a communicator; once in a job. */
void mca_coll_symm_select_nothing_below(const struct ompi_communicator_t *comm);

/*
 * Whether the framework's other components have the interface that this one was built for.  If not,
 * it will not be asked for modules, without a word: so that is said here.  When it is opened.
 */
bool mca_coll_symm_select_interface_is_theirs(void);

/* ---- module: one per communicator that is served --------------------------------------------- */

enum mca_coll_symm_state {
    MCA_COLL_SYMM_NEW,      /* the next call tries to set up what the ranks share */
    MCA_COLL_SYMM_READY,    /* control memory is shared by all ranks */
    MCA_COLL_SYMM_DISABLED, /* some rank could not: calls go below, until it is tried again */
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
    struct symm_team *team;    /* NULL before set-up and while disabled */
    unsigned calls_until_retry; /* disabled: after so many calls set-up is tried again */
    unsigned retry_distance;   /* between the last try and the next; the same on all ranks */
    unsigned calls_in_stages;  /* on devices, so many of the next are taken to go through scratch */
    int stages_device;         /* on which the last one was; -1: there was none */
    struct mca_coll_symm_tags tags;
    struct symm_vote vote;
    struct symm_operation operation; /* the blocking call under way */
    /* What has been said already, for choose/explain.c, report/verbose.c and agree/multicast.c. */
    bool told_algorithms[SYMM_ALGORITHM_COUNT];
    bool told_fallbacks[SYMM_COLLECTIVE_COUNT][SYMM_REASON_COUNT];
    uint32_t told_multicast; /* as bits */
};
typedef struct mca_coll_symm_module_t mca_coll_symm_module_t;
OBJ_CLASS_DECLARATION(mca_coll_symm_module_t);

/* A module in reserve, for a process that has no memory for the next one. */
int mca_coll_symm_reserve_open(void);
void mca_coll_symm_reserve_close(void);

/*
 * Get what the module needs for its first call, or what is missing of it.  A failure is this rank's
 * own, and calling again is fine.  Errors: NO_MEMORY, NOT_FOUND.
 */
enum symm_status mca_coll_symm_module_prepare(mca_coll_symm_module_t *module,
                                              struct ompi_communicator_t *comm);

/* Set-up has failed on some rank: give everything back, and let calls go below for some time. */
void mca_coll_symm_module_disable(mca_coll_symm_module_t *module);

int mca_coll_symm_init_query(bool enable_progress_threads, bool enable_mpi_threads);
mca_coll_base_module_t *mca_coll_symm_comm_query(struct ompi_communicator_t *comm, int *priority);

/* ---- collectives (MPI-4.1 sections 6.7 and 6.9) ---------------------------------------------- */

int mca_coll_symm_allreduce(const void *sbuf, void *rbuf, symm_count_t count,
                            struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                            struct ompi_communicator_t *comm, mca_coll_base_module_t *module);

int mca_coll_symm_allgather(const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype,
                            void *rbuf, symm_count_t rcount, struct ompi_datatype_t *rdtype,
                            struct ompi_communicator_t *comm, mca_coll_base_module_t *module);

#endif /* MCA_COLL_SYMM_H */
