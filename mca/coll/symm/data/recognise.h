/*
 * data/recognise.h - whose memory a buffer is.
 *
 * Host memory is recognised by a look into a table of pages that are known to be the host's; there are no
 * calls of the driver, whether it is in the process or not.  Memory of our own is found by comparing
 * addresses.  The driver is asked about the rest.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_DATA_RECOGNISE_H
#define MCA_COLL_SYMM_DATA_RECOGNISE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "heap/cuda_device.h"

struct symm_process;

struct symm_place {
    struct symm_memory memory; /* base, size, id and the rest are only there if it is not ours */
    bool ours; /* MPI_Alloc_mem has given it, from this process's heaps or as memory that cannot be shared */
};

/* Where the memory is that the byte at `address` belongs to. */
void mca_coll_symm_recognise(const void *address, struct symm_place *place);

/* Pages known to be the host's, by number; 0: none. */
enum { MCA_COLL_SYMM_KNOWN_SLOTS = 512, MCA_COLL_SYMM_PAGE_BITS = 12 };
extern _Atomic uintptr_t mca_coll_symm_known_pages[MCA_COLL_SYMM_KNOWN_SLOTS];

/* Blocks tend to begin at multiples of large powers of two. */
static inline _Atomic uintptr_t *mca_coll_symm_known_slot(uintptr_t page)
{
    return &mca_coll_symm_known_pages[(page ^ page >> 9 ^ page >> 18 ^ page >> 27) %
                                      MCA_COLL_SYMM_KNOWN_SLOTS];
}

/* Whether that is host memory for certain; what has been used before mostly is in the table. */
static inline bool mca_coll_symm_is_known_host(const void *address)
{
    uintptr_t page = (uintptr_t)address >> MCA_COLL_SYMM_PAGE_BITS;
    return page != 0 && atomic_load_explicit(mca_coll_symm_known_slot(page),
                                             memory_order_relaxed) == page;
}

/*
 * The same in short: the device that it is on, or that it belongs to if it is managed memory; -1 where
 * host code may use it.
 */
int mca_coll_symm_device_of(const void *address);

/* At component open, with the process whose heaps are ours; and at close. */
void mca_coll_symm_recognise_open(struct symm_process *ours);
void mca_coll_symm_recognise_close(void);

#endif /* MCA_COLL_SYMM_DATA_RECOGNISE_H */
