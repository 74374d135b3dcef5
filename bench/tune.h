/*
 * tune.h - --tune-to: a file of choices for coll_symm_table, from times of all algorithms, out of
 * place and in place. Rows are as ompi-symm(7) has them; neighbouring sizes with the same winner
 * are one row.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_TUNE_H
#define BENCH_TUNE_H

#include "choice.h"

enum { TUNE_SIZES = 32 };

/* What was measured for one collective. */
struct tune_part {
    bool there;
    struct forcing forcing; /* only its words, later */
    int sizes;
    struct choice_times times[2][TUNE_SIZES]; /* out of place, in place */
};

struct tune {
    const char *path;
    struct tune_part part[COLLECTIVE_COUNT];
};

/* Collective over `control`: whether the file may be written; if not, rank 0 says why. */
bool tune_open(struct tune *tune, const char *path, MPI_Comm control);

/* Collective: measures one collective. False if a result was wrong. */
bool tune_measure(struct tune *tune, const struct choice_origin *origin,
                  const struct forcing *forcing);

/*
 * Collective: writes the file. `device` names the GPU; NULL: host memory. False, after a message,
 * if it could not be written.
 */
bool tune_write(const struct tune *tune, const struct choice_origin *origin, const char *device,
                int argc, char **argv);

#endif
