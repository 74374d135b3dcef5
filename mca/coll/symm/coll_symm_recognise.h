/*
 * coll_symm_recognise.h - whose memory a buffer is.
 *
 * Host memory is recognised by a look into a table of pages that are known to be the host's; there are no
 * calls of the driver, whether it is in the process or not.  Memory of our own heaps is found by comparing
 * addresses.  The driver is asked about the rest.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_RECOGNISE_H
#define MCA_COLL_SYMM_RECOGNISE_H

#include <stdbool.h>

#include "heap/cuda_device.h"

struct symm_place {
    struct symm_memory memory; /* base, size, id and the rest are only there if it is not ours */
    bool ours;                 /* it lies in a segment of a heap of this process, */
    struct symm_location location; /* here */
};

/* Where the memory is that the byte at `address` belongs to. */
void mca_coll_symm_recognise(const void *address, struct symm_place *place);

/* Whether that is host memory for certain; a look into the table, which knows most of it after first use. */
bool mca_coll_symm_is_known_host(const void *address);

/*
 * The same in short: the device that it is on, or that it belongs to if it is managed memory; -1 where
 * host code may use it.
 */
int mca_coll_symm_device_of(const void *address);

/* At component open and close. */
void mca_coll_symm_recognise_open(void);
void mca_coll_symm_recognise_close(void);

#endif /* MCA_COLL_SYMM_RECOGNISE_H */
