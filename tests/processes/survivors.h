/*
 * survivors.h - what tests of processes that die and of communicators that are revoked (Open MPI's
 * ULFM) have in common: classes of errors, the communicator of those that are left, the verdict.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_SURVIVORS_H
#define SYMM_TESTS_SURVIVORS_H

#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include <stdbool.h>
#include <stdint.h>

#ifdef OMPI_HAVE_MPI_EXT_FTMPI

enum { PATIENCE = 10 /* seconds that an error may take */ };

extern int world_rank, world_size;

/* MPI_Init; errors are returned.  The name begins the program's messages. */
void survivors_init(const char *program, int *argc, char ***argv);

/* A fault of this rank. */
void wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

void pause_for(long milliseconds);

/* This rank dies after so many milliseconds. */
void die_after(long milliseconds);

/* The same number on all ranks. */
uint64_t random_at(uint64_t seed, uint64_t place);

int class_of(int rc);
const char *class_name(int class);

/* It is a fault if the class is not the one expected, or that has taken more than PATIENCE. */
void expect(int class, int expected, const char *what, double begun);

/* Memory for so many numbers, from MPI_Alloc_mem or from malloc().  Never NULL. */
double *array_make(int count, bool heap);
void array_free(double *array, bool heap);

/* A communicator of all ranks, which returns errors. */
MPI_Comm duplicate(void);

/* Duplicate a communicator that may have lost a rank.  The error's class: failed or revoked. */
int duplicate_class(MPI_Comm comm, MPI_Comm *other);

/* The ranks of a communicator that are left: so many, or, for 0, any number. */
MPI_Comm shrink(MPI_Comm comm, int expected);

/* One line from the first rank of those that are left.  The result is for main(). */
int verdict(MPI_Comm comm);

#endif

/* The same without ULFM: the test is skipped.  The result is for main(). */
int survivors_skip(const char *program, int *argc, char ***argv);

#endif
