/*
 * base/component.h - the component's settings: one object, which every folder reads.
 *
 * coll_symm_parameters.c gives the fields their values, before anything else runs.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_BASE_COMPONENT_H
#define MCA_COLL_SYMM_BASE_COMPONENT_H

#include "mca/ompi_compat.h"

#include "heap/symm.h"
#include "kernels/collective.h"

struct symm_process;

/* A parameter's value when no algorithm is forced. */
enum { MCA_COLL_SYMM_AUTO = -1 };

/* The values of the parameter coll_symm_multicast. */
enum { MCA_COLL_SYMM_MULTICAST_AUTO, MCA_COLL_SYMM_MULTICAST_NEVER };

/* The values of the parameter coll_symm_host_copies. */
enum {
    MCA_COLL_SYMM_HOST_COPY_AUTO,
    MCA_COLL_SYMM_HOST_COPY_ALWAYS,
    MCA_COLL_SYMM_HOST_COPY_NEVER,
};

/* The values of the parameter coll_symm_nodes. */
enum { MCA_COLL_SYMM_NODES_AUTO, MCA_COLL_SYMM_NODES_NEVER };

struct mca_coll_symm_component_t {
    symm_coll_base_component_t super;
    int priority;
    int forced[SYMM_COLLECTIVE_COUNT]; /* enum symm_algorithm, or MCA_COLL_SYMM_AUTO */
    char *table; /* a file of choices; see choose/table_file.h */
    size_t slot_size;
    int slots;
    size_t piece_size;
    size_t allgather_staged_max; /* 0: see choose/choose.c */
    size_t device_scratch; /* bytes a device; 0: none */
    size_t scratch_least;  /* bytes */
    size_t device_packing; /* bytes a device; 0: none */
    size_t ipc_bytes;      /* see coll_symm_device_parameters.c, also for the next two */
    size_t ipc_least;
    int ipc_uses;
    int host_copies;       /* MCA_COLL_SYMM_HOST_COPY_AUTO, ... */
    _Atomic int has_host_copies; /* for calls below: 1 yes, -1 no; 0: before communicators */
    size_t host_pinned;    /* bytes */
    int device_blocks;     /* of a kernel at most; 0: see kernels/cuda */
    size_t device_pads;    /* bytes; 0: none */
    bool device_graphs;    /* see kernels/cuda/launch/queue.h */
    int multicast;         /* MCA_COLL_SYMM_MULTICAST_AUTO, ... */
    int nodes;             /* MCA_COLL_SYMM_NODES_AUTO, ... */
    int multicast_blocks;  /* of a kernel; 0: see kernels/cuda */
    bool progress_thread;  /* see progress_thread/thread.h */
    bool report;
    char *report_file;     /* see report/json.h */
    int verbose;           /* see report/verbose.h */
    struct symm_process *process; /* NULL if it could not be had: then nothing is served */
};
typedef struct mca_coll_symm_component_t mca_coll_symm_component_t;

SYMM_API extern mca_coll_symm_component_t mca_coll_symm_component; /* the one symbol we export */

#endif /* MCA_COLL_SYMM_BASE_COMPONENT_H */
