/*
 * Reads the data file of the example with every value checked, and splits it into training and
 * test samples. Values are parsed by hand because strtol() would let signs, blanks and hexadecimal
 * pass, which in this file can only be damage.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "dataset.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_MAX_BYTES = 512, /* 65 values of two digits, commas and the line end take 196 */
    FIRST_CAPACITY = 2048,
    TEST_EVERY = 5
};

/* Where the reader stands, for the error messages. */
struct position {
    const char *path;
    int line;
    char *error;
    size_t error_size;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads an unsigned integer of at most three digits at *text and moves *text behind it. */
static bool parse_value(const char **text, int *value)
{
    const char *at = *text;
    int digits = 0;

    *value = 0;
    while (is_digit(*at) && digits < 3) {
        *value = *value * 10 + (*at - '0');
        at++;
        digits++;
    }
    *text = at;
    return digits > 0 && !is_digit(*at);
}

static bool fail_value(const struct position *where, int column, const char *start)
{
    int length = (int)strcspn(start, ",\r\n");

    snprintf(where->error, where->error_size,
             "%s:%d: value %d is '%.*s', expected an integer from 0 to %d (%s)", where->path,
             where->line, column + 1, length < 20 ? length : 20, start,
             column < DIGITS_PIXELS ? DIGITS_PIXEL_MAX : DIGITS_CLASSES - 1,
             column < DIGITS_PIXELS ? "a pixel" : "the label");
    return false;
}

static bool fail_count(const struct position *where, const char *how)
{
    snprintf(where->error, where->error_size,
             "%s:%d: %s than %d values, expected %d pixels and a label", where->path, where->line,
             how, DIGITS_COLUMNS, DIGITS_PIXELS);
    return false;
}

static bool is_line_end(const char *text)
{
    return strcmp(text, "\n") == 0 || strcmp(text, "\r\n") == 0 || *text == '\0';
}

static bool parse_line(const struct position *where, const char *text, unsigned char *row)
{
    const char *start = text;

    for (int column = 0; column < DIGITS_COLUMNS; column++) {
        int largest = column < DIGITS_PIXELS ? DIGITS_PIXEL_MAX : DIGITS_CLASSES - 1;
        int value;

        start = text;
        if (is_line_end(text)) {
            return fail_count(where, "fewer");
        }
        if (!parse_value(&text, &value) || value > largest) {
            return fail_value(where, column, start);
        }
        row[column] = (unsigned char)value;
        if (column + 1 < DIGITS_COLUMNS) {
            if (is_line_end(text)) {
                return fail_count(where, "fewer");
            }
            if (*text != ',') {
                return fail_value(where, column, start);
            }
            text++;
        }
    }
    if (*text == ',') {
        return fail_count(where, "more");
    }
    return is_line_end(text) || fail_value(where, DIGITS_PIXELS, start);
}

/* Makes room for one row more than digits->count. */
static bool grow(struct digits *digits, int *capacity)
{
    unsigned char *rows;

    if (digits->count < *capacity) {
        return true;
    }
    if (*capacity > INT_MAX / DIGITS_COLUMNS / 2) {
        return false; /* the rows are broadcast in one call, whose count is an int */
    }
    *capacity = *capacity == 0 ? FIRST_CAPACITY : *capacity * 2;
    rows = realloc(digits->rows, (size_t)*capacity * DIGITS_COLUMNS);
    if (rows == NULL) {
        return false;
    }
    digits->rows = rows;
    return true;
}

static bool read_rows(FILE *file, struct position *where, struct digits *digits)
{
    char text[LINE_MAX_BYTES];
    int capacity = 0;

    while (fgets(text, sizeof text, file) != NULL) {
        where->line++;
        if (strchr(text, '\n') == NULL && !feof(file)) {
            snprintf(where->error, where->error_size,
                     "%s:%d: longer than %d characters, or with a null character", where->path,
                     where->line, LINE_MAX_BYTES - 2);
            return false;
        }
        if (!grow(digits, &capacity)) {
            snprintf(where->error, where->error_size, "%s:%d: no memory for that many rows",
                     where->path, where->line);
            return false;
        }
        if (!parse_line(where, text, digits->rows + (size_t)digits->count * DIGITS_COLUMNS)) {
            return false;
        }
        digits->count++;
    }
    if (ferror(file)) {
        snprintf(where->error, where->error_size, "%s: cannot be read: %s", where->path,
                 strerror(errno));
        return false;
    }
    return true;
}

static bool check_count(const struct position *where, int expected, const struct digits *digits)
{
    if (expected != 0 && digits->count != expected) {
        snprintf(where->error, where->error_size,
                 "%s:%d: the file ends after %d rows, expected %d (--rows tells another number)",
                 where->path, where->line, digits->count, expected);
        return false;
    }
    if (digits->count < TEST_EVERY * DIGITS_CLASSES) {
        snprintf(where->error, where->error_size, "%s:%d: %d rows are too few, at least %d needed",
                 where->path, where->line, digits->count, TEST_EVERY * DIGITS_CLASSES);
        return false;
    }
    return true;
}

bool digits_read(const char *path, int expected_rows, struct digits *digits, char *error,
                 size_t error_size)
{
    struct position where = {path, 0, error, error_size};
    FILE *file = fopen(path, "r");
    bool good;

    *digits = (struct digits){0, NULL};
    if (file == NULL) {
        snprintf(error, error_size, "%s: cannot be opened: %s (--data names the file)", path,
                 strerror(errno));
        return false;
    }
    good = read_rows(file, &where, digits) && check_count(&where, expected_rows, digits);
    fclose(file);
    if (!good) {
        digits_free(digits);
    }
    return good;
}

bool digits_allocate(struct digits *digits, int count)
{
    digits->rows = malloc((size_t)count * DIGITS_COLUMNS);
    digits->count = digits->rows != NULL ? count : 0;
    return digits->rows != NULL;
}

void digits_free(struct digits *digits)
{
    free(digits->rows);
    *digits = (struct digits){0, NULL};
}

static bool samples_allocate(struct samples *samples, int most)
{
    samples->count = 0;
    samples->pixels = malloc((size_t)most * DIGITS_PIXELS * sizeof *samples->pixels);
    samples->labels = malloc((size_t)most);
    return samples->pixels != NULL && samples->labels != NULL;
}

void samples_free(struct samples *samples)
{
    free(samples->pixels);
    free(samples->labels);
    *samples = (struct samples){0, NULL, NULL};
}

static void samples_append(struct samples *samples, const unsigned char *row)
{
    double *pixels = samples->pixels + (size_t)samples->count * DIGITS_PIXELS;

    for (int i = 0; i < DIGITS_PIXELS; i++) {
        pixels[i] = (double)row[i] / DIGITS_PIXEL_MAX;
    }
    samples->labels[samples->count] = row[DIGITS_PIXELS];
    samples->count++;
}

bool digits_split(const struct digits *digits, struct samples *train, struct samples *test)
{
    /*
     * Counted by class and not by row: the digits were written in runs of 0 to 9, so every fifth
     * row would mostly be a 3, 7 or 8.
     */
    int seen[DIGITS_CLASSES] = {0};
    bool have_train = samples_allocate(train, digits->count);
    bool have_test = samples_allocate(test, digits->count);

    if (!have_train || !have_test) {
        samples_free(train);
        samples_free(test);
        return false;
    }
    for (int i = 0; i < digits->count; i++) {
        const unsigned char *row = digits->rows + (size_t)i * DIGITS_COLUMNS;
        int nth = ++seen[row[DIGITS_PIXELS]];

        samples_append(nth % TEST_EVERY == 0 ? test : train, row);
    }
    return true;
}
