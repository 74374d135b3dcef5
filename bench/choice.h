/*
 * choice.h - the automatic choice of algorithms: every algorithm that is possible is forced and
 * timed, in turn.
 *   --chosen  shows what was chosen beside the best
 *   --tune-to    writes the best into a file for coll_symm_table
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_CHOICE_H
#define BENCH_CHOICE_H

#include "forcing.h"
#include "measure.h"

/* What it is done with; everything is borrowed. */
struct choice_origin {
    const struct options *options;
    MPI_Comm with;    /* where nothing is forced */
    MPI_Comm control;
    struct cacheline *cacheline;
    const struct buffers *buffers;
    int rank, ranks;
};

/* Times of one size. */
struct choice_times {
    size_t bytes;                    /* of the call */
    bool possible;                   /* some candidate is */
    bool measured;                   /* else nothing below is set */
    double automatic_us;             /* negative: not timed */
    char automatic[FORCING_WORD];    /* what it has chosen */
    double us[FORCING_MOST];         /* by candidate; negative: not possible */
};

/*
 * Collective: times a size, with the automatic choice or without. False if a result was wrong; it
 * is checked if the options say so. Times are valid on rank 0.
 */
bool choice_time(const struct choice_origin *origin, const struct forcing *forcing, size_t bytes,
                 bool in_place, bool with_automatic, struct choice_times *times);

/* Collective: the table of --chosen for one collective. False if a result was wrong. */
bool choice_show(const struct choice_origin *origin, const struct forcing *forcing);

#endif
