/*
 * tune.c - measures all algorithms and writes a file of choices.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include "tune.h"

#include "failure.h"
#include "tune_rows.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

/* A file that begins so may be written over. */
static const char mark[] = "# Written by symm_bench --tune-to";

/* ---- the file that is there ------------------------------------------------------------------ */

/* NULL if the file may be written; otherwise why not. */
static const char *obstacle(const char *path)
{
    char line[sizeof(mark)] = "";
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return ENOENT == errno ? NULL : strerror(errno);
    }
    bool ours = fgets(line, sizeof(line), file) != NULL && strcmp(line, mark) == 0;
    fclose(file);
    return ours ? NULL : "it is there and was not written by symm_bench --tune-to: name another "
                         "file, or remove it";
}

bool tune_open(struct tune *tune, const char *path, MPI_Comm control)
{
    char text[FAILURE_LENGTH] = "";
    int rank;
    memset(tune, 0, sizeof(*tune));
    tune->path = path;
    MPI_Comm_rank(control, &rank);
    const char *why = rank == 0 ? obstacle(path) : NULL;
    if (why != NULL) {
        snprintf(text, sizeof(text), "cannot write '%s': %s", path, why);
    }
    return failure_agree(why == NULL, text, control);
}

/* ---- measuring ------------------------------------------------------------------------------- */

bool tune_measure(struct tune *tune, const struct choice_origin *origin,
                  const struct forcing *forcing)
{
    const struct options *options = origin->options;
    struct tune_part *part = &tune->part[forcing->collective];
    size_t least = call_round(forcing->collective, options->min_bytes > 0 ? options->min_bytes : 1,
                              origin->ranks);
    size_t most = call_round(forcing->collective, options->max_bytes, origin->ranks);
    bool right = true;
    part->there = true;
    part->forcing = *forcing;
    for (size_t bytes = least; bytes <= most && part->sizes < TUNE_SIZES; bytes *= 2) {
        for (int in_place = 0; in_place < 2; in_place++) {
            right &= choice_time(origin, forcing, bytes, in_place != 0, false,
                                 &part->times[in_place][part->sizes]);
        }
        part->sizes++;
        if (origin->rank == 0) {
            printf("# %s: %zu bytes timed\n", call_name(forcing->collective), bytes);
            fflush(stdout);
        }
    }
    return right;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void head_write(FILE *file, const struct choice_origin *origin, const char *device, int argc,
                       char **argv)
{
    char date[32] = "";
    struct utsname system;
    time_t now = time(NULL);
    strftime(date, sizeof(date), "%Y-%m-%d", gmtime(&now));
    if (uname(&system) != 0) {
        snprintf(system.machine, sizeof(system.machine), "unknown");
    }
    fprintf(file, "%s, %s: choices for coll_symm_table\n# mpirun -n %d", mark, date, origin->ranks);
    for (int i = 0; i < argc; i++) {
        fprintf(file, " %s", argv[i]);
    }
    fprintf(file, "\n# %d ranks, %s, %s; reductions of %s\n", origin->ranks, system.machine,
            device != NULL ? device : "host memory",
            options_element_name(origin->options->element));
    fprintf(file,
            "#\n"
            "# Rows: collective, memory, ranks, place (out, in, any), possible by "
            "multicast (yes, no,\n"
            "# any), bytes of a rank's result, or of a reduce-scatter's or scatter's "
            "vector, or what a rank\n"
            "# sends on average in a gatherv or scatterv (64K: from there on, 64K-1M: "
            "below 1M), algorithm.\n"
            "# The first row counts that applies and whose algorithm is possible; then "
            "the built-in ones.\n"
            "# Below: microseconds of all algorithms by bytes of a message, out of "
            "place and in place.\n");
}

static bool file_write(const struct tune *tune, const struct choice_origin *origin,
                       const char *device, int argc, char **argv)
{
    FILE *file = fopen(tune->path, "w");
    if (file == NULL) {
        return false;
    }
    head_write(file, origin, device, argc, argv);
    for (int i = 0; i < COLLECTIVE_COUNT; i++) {
        if (tune->part[i].there) {
            tune_rows_write(file, &tune->part[i], origin->ranks, device != NULL);
        }
    }
    bool good = !ferror(file);
    return fclose(file) == 0 && good;
}

bool tune_write(const struct tune *tune, const struct choice_origin *origin, const char *device,
                int argc, char **argv)
{
    char text[FAILURE_LENGTH] = "";
    bool written = origin->rank != 0 || file_write(tune, origin, device, argc, argv);
    if (!written) {
        snprintf(text, sizeof(text), "cannot write '%s': %s", tune->path, strerror(errno));
    }
    if (origin->rank == 0 && written) {
        printf("# %s is written: mpirun --mca coll_symm_table %s ...\n", tune->path, tune->path);
    }
    return failure_agree(written, text, origin->control);
}
