/*
 * mpool_symm.h - the memory pool component, by which MPI_Alloc_mem allocates from the symmetric
 * heap.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_MPOOL_SYMM_H
#define MCA_MPOOL_SYMM_H

#include "mca/ompi_compat.h"

#include "heap/team/process.h"

struct mca_mpool_symm_component_t {
    mca_mpool_base_component_t super;
    int priority;
    int kind; /* enum symm_kind_name, where no hint names one */
    size_t window_size;
    size_t segment_size;
    char *cuda_library; /* for dlopen() */
    struct symm_process *process; /* NULL: none could be made, and nothing is allocated here */
};
typedef struct mca_mpool_symm_component_t mca_mpool_symm_component_t;

SYMM_API extern mca_mpool_symm_component_t mca_mpool_symm_component; /* our one exported symbol */

/* ---- hints (mpool_symm_hints.c) -------------------------------------------------------------- */

enum symm_kind_name { SYMM_KIND_HOST, SYMM_KIND_CUDA };

enum symm_hints_verdict {
    SYMM_HINTS_DEFAULT, /* no hints: any pool may serve the allocation */
    SYMM_HINTS_OURS,    /* this pool is asked for */
    SYMM_HINTS_OTHER,   /* another pool is asked for */
    SYMM_HINTS_INVALID, /* this pool is asked for, with a hint that it does not know */
};

struct symm_hints {
    enum symm_hints_verdict verdict;
    enum symm_kind_name kind;
    char offender[64]; /* of invalid hints: the one to complain about */
};

/*
 * Parse the value of the info key `mpool_hints`, as in "mpool=symm,kind=host".  `text` may be
 * NULL.  Keys and values are compared without regard to case, as by Open MPI's other pools.
 */
void mca_mpool_symm_hints_parse(const char *text, enum symm_kind_name default_kind,
                                struct symm_hints *hints);

/* ---- modules --------------------------------------------------------------------------------- */

/* Allocates host memory from the process's symmetric heap (mpool_symm_module.c). */
extern mca_mpool_base_module_t mca_mpool_symm_host_module;

/*
 * Allocates from the heap of the current device (mpool_symm_device.c).  The call fails if there is
 * no such heap, as in every build without CUDA, because other memory would be wrong.
 */
extern mca_mpool_base_module_t mca_mpool_symm_device_module;

/* ---- failing (mpool_symm_refusal.c) ---------------------------------------------------------- */

/*
 * Make MPI_Alloc_mem able to fail, which it cannot by itself, and undo that.  Called when the
 * component is opened and closed.
 */
void mca_mpool_symm_refusal_open(void);
void mca_mpool_symm_refusal_close(void);

/*
 * Called by a pool that is about to return NULL: this thread's MPI_Alloc_mem fails with
 * MPI_ERR_NO_MEM.  Ends the job if that is not possible.
 */
void mca_mpool_symm_refuse(void);

#endif /* MCA_MPOOL_SYMM_H */
