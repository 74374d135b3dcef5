/*
 * data/recognise.h - which memory a buffer is in.
 *
 * Host memory is recognised without calls of the driver, by a table of pages that are known to be
 * the host's.  Memory that MPI_Alloc_mem has given is recognised by its address.  The driver is
 * asked about the rest.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_DATA_RECOGNISE_H
#define MCA_COLL_SYMM_DATA_RECOGNISE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "heap/gpu/cuda_device.h"
#include "mca/coll/symm/data/kinds.h"

struct symm_process;

struct symm_place {
    struct symm_memory memory; /* of ours only kind and device are set */
    bool ours; /* given by MPI_Alloc_mem of this process, shared or not */
};

/*
 * Describe the memory that the byte at `address` belongs to, which is of these kinds.  The driver
 * is not asked if the program has promised the answer.
 */
void mca_coll_symm_recognise(const void *address, enum symm_kinds kinds, struct symm_place *place);

/* The table of pages that are known to be the host's, by page number; 0: no page. */
enum { MCA_COLL_SYMM_KNOWN_SLOTS = 512, MCA_COLL_SYMM_PAGE_BITS = 12 };
extern _Atomic uintptr_t mca_coll_symm_known_pages[MCA_COLL_SYMM_KNOWN_SLOTS];

/* The page's slot.  Blocks tend to begin at multiples of large powers of two, hence the shifts. */
static inline _Atomic uintptr_t *mca_coll_symm_known_slot(uintptr_t page)
{
    return &mca_coll_symm_known_pages[(page ^ page >> 9 ^ page >> 18 ^ page >> 27) %
                                      MCA_COLL_SYMM_KNOWN_SLOTS];
}

/*
 * Whether `address` is known to be in host memory.  Memory that has been used before mostly is in
 * the table.
 */
static inline bool mca_coll_symm_is_known_host(const void *address)
{
    uintptr_t page = (uintptr_t)address >> MCA_COLL_SYMM_PAGE_BITS;
    return page != 0 && atomic_load_explicit(mca_coll_symm_known_slot(page),
                                             memory_order_relaxed) == page;
}

/*
 * The device that the memory at `address` is on, or that it belongs to if it is managed memory; -1:
 * it is host memory.
 */
int mca_coll_symm_device_of(const void *address, enum symm_kinds kinds);

/*
 * Start and stop keeping the table, when the component is opened and closed.  `ours` is the process
 * whose heaps hold the memory of MPI_Alloc_mem.
 */
void mca_coll_symm_recognise_open(struct symm_process *ours);
void mca_coll_symm_recognise_close(void);

#endif /* MCA_COLL_SYMM_DATA_RECOGNISE_H */
