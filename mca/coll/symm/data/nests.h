/*
 * data/nests.h - elements with gaps as loops of runs, which a kernel packs and unpacks.
 *
 * Open MPI describes a datatype by loops of blocks, however many elements they make.  So the nests
 * of a subarray or of nested vectors are as few as its description is short, and finding them takes
 * no longer for large arrays than for small ones.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_DATA_NESTS_H
#define MCA_COLL_SYMM_DATA_NESTS_H

#include "kernels/cuda/device_code/arguments.h"
#include "mca/coll/symm/data/pack.h"

/* A nest whose packed bytes begin `at` bytes behind the first packed byte of block `block`. */
struct symm_nest {
    struct symm_cuda_nest nest;
    size_t at;
    int block;
};

/* To begin with, all members are zero. */
struct symm_nests {
    struct symm_nest *items;
    size_t count, room;
};

/*
 * Add the elements of a layout, which begin at `buffer` as the program has them, and whose bytes
 * are packed from offset `at` on, in the order of the type map; nest.packed is such an offset.
 * Returns false if there would be too many nests, or there is no memory for them; some may have
 * been added then.
 */
bool mca_coll_symm_nests_add(struct symm_nests *nests, const struct symm_layout *layout,
                             const void *buffer, size_t at, int block);

void mca_coll_symm_nests_free(struct symm_nests *nests);

#endif /* MCA_COLL_SYMM_DATA_NESTS_H */
