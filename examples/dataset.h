/*
 * Handwritten digits: reading and checking the data file, and splitting it into training and
 * test samples. Knows nothing of MPI and nothing of the model.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef EXAMPLES_DATASET_H
#define EXAMPLES_DATASET_H

#include <stdbool.h>
#include <stddef.h>

enum {
    DIGITS_PIXELS = 64,                /* 8 x 8 pixels an image */
    DIGITS_PIXEL_MAX = 16,             /* pixels are 0 (white) to 16 (black) */
    DIGITS_CLASSES = 10,               /* labels are 0 to 9 */
    DIGITS_COLUMNS = DIGITS_PIXELS + 1 /* a row of the file: the pixels, then the label */
};

/* The file as it stands: count x DIGITS_COLUMNS bytes, row after row, one contiguous block. */
struct digits {
    int count;
    unsigned char *rows;
};

/* Samples for the model. `pixels` is count x DIGITS_PIXELS, scaled to 0 .. 1. */
struct samples {
    int count;
    double *pixels;
    unsigned char *labels;
};

/*
 * Reads `path`: lines of 65 integers separated by commas. Every value is checked, and unless
 * `expected_rows` is 0 the number of lines too. On success the caller owns *digits and gives it
 * back with digits_free. On failure returns false, *digits is empty and `error` holds one line that
 * names the file and, where there is one, the line in it.
 */
bool digits_read(const char *path, int expected_rows, struct digits *digits, char *error,
                 size_t error_size);

/* Memory for `count` rows, not filled. False if there is none. */
bool digits_allocate(struct digits *digits, int count);

void digits_free(struct digits *digits);

/*
 * Every fifth sample of each class becomes a test sample, the others are for training; both keep
 * the order of the file. The split depends on nothing but the data. The caller owns both results
 * and gives them back with samples_free. False if memory runs out; then both are empty.
 */
bool digits_split(const struct digits *digits, struct samples *train, struct samples *test);

void samples_free(struct samples *samples);

#endif
