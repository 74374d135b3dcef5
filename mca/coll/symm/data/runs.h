/*
 * data/runs.h - the runs of bytes without gaps that elements consist of, collected for a driver
 * that copies many equal runs at equal distances in one call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_DATA_RUNS_H
#define MCA_COLL_SYMM_DATA_RUNS_H

#include "mca/ompi_compat.h"

/*
 * `rows` runs of `bytes` bytes each.  The first one is at `address`, and the next ones follow at
 * distances of `pitch` bytes.
 */
struct symm_rows {
    uintptr_t address;
    size_t bytes, pitch, rows;
};

typedef void symm_rows_use(void *context, const struct symm_rows *rows);

/*
 * Collects runs into rows, and passes complete ones to `use`.  To begin with, all other members are
 * zero.
 */
struct symm_runs {
    symm_rows_use *use;
    void *context;
    struct symm_rows ready; /* complete runs; none if ready.rows is 0 */
    uintptr_t last;         /* address of the run that may still grow */
    size_t last_bytes;
};

/* Add the bytes of `count` elements at `buffer`.  flush() passes on all that has been added. */
void mca_coll_symm_runs_add(struct symm_runs *runs, const void *buffer, size_t count,
                            struct ompi_datatype_t *dtype);
void mca_coll_symm_runs_flush(struct symm_runs *runs);

/*
 * The first byte of `count` elements at `buffer`, and the number of bytes up to the last one, gaps
 * included.  False: the elements have no bytes.
 */
struct symm_span {
    uintptr_t first;
    size_t bytes;
};
bool mca_coll_symm_span(const void *buffer, size_t count, const struct ompi_datatype_t *dtype,
                        struct symm_span *span);

/* Whether there are no gaps, whose bytes are the program's, between the first byte and the last. */
bool mca_coll_symm_is_solid(struct ompi_datatype_t *dtype, size_t count);

#endif /* MCA_COLL_SYMM_DATA_RUNS_H */
