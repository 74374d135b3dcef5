/*
 * faults_pair.c - what the ranks of a case tell each other: see check_faults.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "check_faults.h"

#include <stdio.h>
#include <string.h>

enum { TAG = 17 };

/* Rank 1 speaks with each of the others; the last one that it hears is rank 0. */
int faults_other_says(int mine)
{
    int theirs = 0, size;
    MPI_Comm_size(faults_pair, &size);
    for (int other = faults_rank == 1 ? size - 1 : 1; other >= 0; other--) {
        if ((faults_rank == 1) != (other == 1)) {
            MPI_Sendrecv(&mine, 1, MPI_INT, other, TAG, &theirs, 1, MPI_INT, other, TAG, faults_pair,
                         MPI_STATUS_IGNORE);
        }
    }
    return theirs;
}

bool faults_is_named(const char *function)
{
    bool gives_back = strcmp(function, "cuCtxPopCurrent") == 0 ||
                      strcmp(function, "cuThreadExchangeStreamCaptureMode") == 0;
    return strstr(faults_said(), gives_back ? ": CUDA_ERROR_" : function) != NULL;
}

bool faults_function_get(size_t i, char *name, size_t size, unsigned long *uses)
{
    int ranks;
    MPI_Comm_size(faults_pair, &ranks);
    memset(name, 0, size);
    if (faults_rank == 1) {
        const char *own = faults_driver.uses(i, uses);
        (void)snprintf(name, size, "%s", own != NULL ? own : "");
        for (int other = 0; other < ranks; other += 2) {
            MPI_Send(name, (int)size, MPI_CHAR, other, TAG, faults_pair);
            MPI_Send(uses, 1, MPI_UNSIGNED_LONG, other, TAG, faults_pair);
        }
    } else {
        MPI_Recv(name, (int)size, MPI_CHAR, 1, TAG, faults_pair, MPI_STATUS_IGNORE);
        MPI_Recv(uses, 1, MPI_UNSIGNED_LONG, 1, TAG, faults_pair, MPI_STATUS_IGNORE);
    }
    return name[0] != '\0';
}

bool faults_is_later(const char *name)
{
    return strcmp(name, "kernel") == 0 || strcmp(name, "copy") == 0;
}
