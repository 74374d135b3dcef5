/*
 * data/runs.c - see data/runs.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/data/runs.h"

#include "mca/coll/symm/data/pack.h"

/* ---- spans ----------------------------------------------------------------------------------- */

bool mca_coll_symm_span(const void *buffer, size_t count, const struct ompi_datatype_t *dtype,
                        struct symm_span *span)
{
    ptrdiff_t lower, extent, start, true_extent;
    if (mca_coll_symm_bytes(dtype, count) == 0) {
        return false;
    }
    ompi_datatype_get_extent(dtype, &lower, &extent);
    ompi_datatype_get_true_extent(dtype, &start, &true_extent);
    ptrdiff_t way = extent * (ptrdiff_t)(count - 1); /* from the first element to the last */
    span->first = (uintptr_t)buffer + (uintptr_t)(start + (way < 0 ? way : 0));
    span->bytes = (size_t)(true_extent + (way < 0 ? -way : way));
    return true;
}

bool mca_coll_symm_is_solid(struct ompi_datatype_t *dtype, size_t count)
{
    struct symm_layout layout;
    mca_coll_symm_layout_describe(&layout, dtype, count);
    return layout.dense;
}

/* ---- collecting ------------------------------------------------------------------------------ */

static void ready_use(struct symm_runs *runs)
{
    if (runs->ready.rows > 0) {
        runs->use(runs->context, &runs->ready);
        runs->ready.rows = 0;
    }
}

/*
 * The last run is complete: add it to the rows if it is one more of them, otherwise begin new rows.
 */
static void last_complete(struct symm_runs *runs)
{
    struct symm_rows *ready = &runs->ready;
    if (runs->last_bytes == 0) {
        return;
    }
    size_t pitch = runs->last - ready->address; /* wraps round if the last run lies before */
    if (ready->rows == 1 && runs->last_bytes == ready->bytes && runs->last > ready->address &&
        pitch >= ready->bytes) {
        ready->pitch = pitch;
        ready->rows = 2;
    } else if (ready->rows > 1 && runs->last_bytes == ready->bytes &&
               runs->last == ready->address + ready->rows * ready->pitch) {
        ready->rows++;
    } else {
        ready_use(runs);
        *ready = (struct symm_rows){runs->last, runs->last_bytes, runs->last_bytes, 1};
    }
    runs->last_bytes = 0;
}

static void run_add(struct symm_runs *runs, uintptr_t address, size_t bytes)
{
    if (bytes == 0) {
        return;
    }
    if (runs->last_bytes > 0 && address == runs->last + runs->last_bytes) {
        runs->last_bytes += bytes;
        return;
    }
    last_complete(runs);
    runs->last = address;
    runs->last_bytes = bytes;
}

void mca_coll_symm_runs_flush(struct symm_runs *runs)
{
    last_complete(runs);
    ready_use(runs);
}

/* ---- elements with gaps ---------------------------------------------------------------------- */

typedef void run_visit(void *context, uintptr_t address, size_t bytes);

/* Visit the runs of one element.  Some of them may be neighbours. */
static void element_visit(struct ompi_datatype_t *dtype, const void *element, run_visit *visit,
                          void *context)
{
    enum { ROOM = 64 };
    opal_convertor_t convertor;
    struct iovec runs[ROOM];
    uint32_t count;
    int done;
    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    (void)opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor, &dtype->super, 1,
                                                   element, 0, &convertor);
    do {
        size_t bytes = SIZE_MAX;
        count = ROOM;
        done = opal_convertor_raw(&convertor, runs, &count, &bytes);
        for (uint32_t i = 0; i < count; i++) {
            visit(context, (uintptr_t)runs[i].iov_base, runs[i].iov_len);
        }
    } while (done == 0 && count > 0);
    OBJ_DESTRUCT(&convertor);
}

struct survey {
    size_t runs, longest;
};

static void run_survey(void *context, uintptr_t address, size_t bytes)
{
    struct survey *survey = context;
    (void)address;
    survey->runs++;
    survey->longest = bytes > survey->longest ? bytes : survey->longest;
}

static void run_collect(void *context, uintptr_t address, size_t bytes)
{
    run_add(context, address, bytes);
}

/* The same run in all elements, as rows. */
struct column {
    struct symm_runs *runs;
    size_t extent, count;
};

static void column_use(void *context, uintptr_t address, size_t bytes)
{
    const struct column *column = context;
    struct symm_rows rows = {address, bytes, column->extent, column->count};
    if (bytes == column->extent) { /* columns of a matrix, side by side */
        rows = (struct symm_rows){address, bytes * column->count, bytes * column->count, 1};
    }
    column->runs->use(column->runs->context, &rows);
}

/*
 * Visit element by element or, if there are more elements than runs in one, run by run in all
 * elements.
 */
static void elements_visit(struct symm_runs *runs, const unsigned char *first, size_t count,
                           struct ompi_datatype_t *dtype)
{
    ptrdiff_t lower, extent;
    struct survey survey = {0, 0};
    ompi_datatype_get_extent(dtype, &lower, &extent);
    element_visit(dtype, first, run_survey, &survey);
    if (count > survey.runs && extent > 0 && survey.longest <= (size_t)extent) {
        struct column column = {runs, (size_t)extent, count};
        mca_coll_symm_runs_flush(runs);
        element_visit(dtype, first, column_use, &column);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        element_visit(dtype, first + (ptrdiff_t)i * extent, run_collect, runs);
    }
}

void mca_coll_symm_runs_add(struct symm_runs *runs, const void *buffer, size_t count,
                            struct ompi_datatype_t *dtype)
{
    struct symm_span span;
    if (!mca_coll_symm_span(buffer, count, dtype, &span)) {
        return;
    }
    if (mca_coll_symm_is_solid(dtype, count)) {
        run_add(runs, span.first, span.bytes);
    } else {
        elements_visit(runs, buffer, count, dtype);
    }
}
