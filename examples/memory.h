/*
 * The memory that the collectives work in: of the host or of a CUDA device, from MPI_Alloc_mem or
 * elsewhere. This is where the examples ask for symmetric memory.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef EXAMPLES_MEMORY_H
#define EXAMPLES_MEMORY_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum memory_kind {
    MEMORY_BEST,      /* MEMORY_CUDA if all ranks can have it, otherwise MEMORY_ALLOC_MEM */
    MEMORY_ALLOC_MEM, /* of the host, from MPI_Alloc_mem */
    MEMORY_MALLOC,
    MEMORY_CUDA,  /* of a device, from MPI_Alloc_mem; MPI gets its address */
    MEMORY_STAGED /* the same, for an MPI that knows no devices: copied to the host for each call */
};

struct memory {
    enum memory_kind kind; /* as opened, never MEMORY_BEST */
    MPI_Comm comm;
    const char *program; /* begins the messages */
};

/* Numbers for a collective. */
struct buffer {
    int count;
    double *host;   /* the program computes with these */
    double *device; /* the same on the device, as of the last copy; NULL without one */
};

/*
 * Chooses the kind, the same on all ranks of `comm`. False on all ranks if what is wanted cannot be
 * had; then ranks that know why have said so, as `program`.
 */
bool memory_open(struct memory *memory, const char *program, enum memory_kind wanted,
                 MPI_Comm comm);

void memory_close(struct memory *memory);

/* "MPI_Alloc_mem", "malloc" and so on, for output. */
const char *memory_name(const struct memory *memory);

/* `count` zeros; ends the job if there is no memory. */
struct buffer memory_allocate(const struct memory *memory, int count);

void memory_free(const struct memory *memory, struct buffer *buffer);

/* `count` numbers of `whole`, from number `begin` on; lives as long as `whole`. */
struct buffer memory_part(const struct buffer *whole, int begin, int count);

/* From the host to the device and back; nothing where there is no device. Errors end the job. */
void memory_upload(const struct memory *memory, const struct buffer *buffer);
void memory_download(const struct memory *memory, const struct buffer *buffer);

/* What MPI gets. */
double *memory_address(const struct memory *memory, const struct buffer *buffer);

/*
 * What MEMORY_STAGED takes before a call that reads `from` and after one that writes `to`; nothing
 * for the other kinds.
 */
void memory_stage_in(const struct memory *memory, const struct buffer *from);
void memory_stage_out(const struct memory *memory, const struct buffer *to);

#endif
