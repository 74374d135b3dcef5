/*
 * data/runs.h - where the bytes of elements lie: runs of bytes without gaps, in as few copies as a
 * driver that can copy rows at a distance needs.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_DATA_RUNS_H
#define MCA_COLL_SYMM_DATA_RUNS_H

#include "mca/ompi_compat.h"

/* `rows` runs of `bytes` from `address` on, `pitch` bytes from one to the next. */
struct symm_rows {
    uintptr_t address;
    size_t bytes, pitch, rows;
};

typedef void symm_rows_use(void *context, const struct symm_rows *rows);

/* Collects runs that belong together.  All zero but for use and context: nothing yet. */
struct symm_runs {
    symm_rows_use *use;
    void *context;
    struct symm_rows ready; /* complete runs; rows: 0: none */
    uintptr_t last;         /* the run that may still grow */
    size_t last_bytes;
};

/* Add the bytes of `count` elements at `buffer`, or hand on what has been added. */
void mca_coll_symm_runs_add(struct symm_runs *runs, const void *buffer, size_t count,
                            struct ompi_datatype_t *dtype);
void mca_coll_symm_runs_flush(struct symm_runs *runs);

/*
 * The first byte that the elements touch and how many there are up to the last, gaps included, where an
 * address is that of MPI.  False: none.
 */
struct symm_span {
    uintptr_t first;
    size_t bytes;
};
bool mca_coll_symm_span(const void *buffer, size_t count, const struct ompi_datatype_t *dtype,
                        struct symm_span *span);

/* Whether between the first byte and the last there are none of the program's. */
bool mca_coll_symm_is_solid(struct ompi_datatype_t *dtype, size_t count);

#endif /* MCA_COLL_SYMM_DATA_RUNS_H */
