/*
 * failure.c - failures that end a run. A line is put together first and written at once, so that
 * lines of several ranks do not mix.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *failure_program = "symm_bench";

static void line_print(int rank, const char *text)
{
    char line[FAILURE_LENGTH + 64];
    snprintf(line, sizeof(line), "%s: rank %d: %s\n", failure_program, rank, text);
    fflush(stdout);
    fputs(line, stderr);
}

void failure_stop(const char *format, ...)
{
    char text[FAILURE_LENGTH];
    va_list arguments;
    int rank;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    line_print(rank, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

bool failure_agree(bool managed, const char *text, MPI_Comm control)
{
    enum { TAG = 1 };
    char heard[FAILURE_LENGTH];
    int rank, ranks, mine, first;
    MPI_Comm_rank(control, &rank);
    MPI_Comm_size(control, &ranks);
    mine = managed ? ranks : rank;
    MPI_Reduce(&mine, &first, 1, MPI_INT, MPI_MIN, 0, control);
    MPI_Bcast(&first, 1, MPI_INT, 0, control);
    if (first == ranks) {
        return true;
    }
    if (rank == first && rank != 0) {
        MPI_Send(text, (int)strlen(text) + 1, MPI_CHAR, 0, TAG, control);
    }
    if (rank == 0) {
        if (first != 0) {
            MPI_Recv(heard, sizeof(heard), MPI_CHAR, first, TAG, control, MPI_STATUS_IGNORE);
            text = heard;
        }
        line_print(first, text);
    }
    return false;
}
