/*
 * later_call.h - calls of random collectives, blocking, nonblocking or persistent: what they are,
 * their buffers, and what has to be in these at the end.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_LATER_CALL_H
#define SYMM_TESTS_LATER_CALL_H

#include "tests/harness/calls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Elements.  The operations are the program's from LATER_OWN_INTS on. */
enum later_elements {
    LATER_INTS,
    LATER_DOUBLES,
    LATER_OWN_INTS,
    LATER_PAIRS, /* the operation does not commute */
    LATER_GAPS,
    LATER_WIDE,   /* larger than what is reduced at a time */
    LATER_BEHIND, /* data begin behind the address of the buffer: the lower bound is positive */
    LATER_BEFORE, /* in front of it: negative */
    LATER_ELEMENTS
};

enum later_memory {
    LATER_HEAP,
    LATER_MALLOC,
    LATER_DEVICE,     /* the next ones: only with a driver */
    LATER_DEVICE_MPI,
    LATER_MEMORIES
};

enum { LATER_RANKS_MAX = 64 };

struct later_comm {
    MPI_Comm comm; /* MPI_COMM_NULL: of others */
    int rank, size;
};

/* The memory of one call at a time: a buffer to send from and one to receive in, of each kind. */
struct later_buffers {
    unsigned char *send[LATER_MEMORIES], *receive[LATER_MEMORIES];
};

/* A buffer of an exchange: a block for each rank, one, or none on a rank that is not the root. */
struct later_side {
    int blocks;
    enum later_elements elements[LATER_RANKS_MAX];
    size_t number[LATER_RANKS_MAX]; /* of elements */
    ptrdiff_t at[LATER_RANKS_MAX];  /* bytes from the address of the buffer to that of the block */
    int counts[LATER_RANKS_MAX], displacements[LATER_RANKS_MAX]; /* as MPI has them */
    MPI_Datatype types[LATER_RANKS_MAX];
};

struct later_call {
    /* The same on all ranks. */
    enum test_collective collective;
    enum test_call_form form;
    enum later_elements elements;
    unsigned operation; /* of those that the elements have */
    size_t count;       /* all-gather and all-to-all: for each rank; exchange: at most */
    int counts[LATER_RANKS_MAX]; /* reduce-scatter: for each rank */
    bool in_place;
    bool bytes; /* all-gather: what is sent is described as bytes */
    bool keeps; /* the root of a scatter: it receives nothing, in place */
    int root;
    uint64_t number; /* from which the data follow */
    /* Of this rank. */
    struct later_comm comm;
    enum later_memory send_memory, receive_memory;
    struct later_side sending, receiving; /* exchange */
    size_t offset; /* of the buffers, in what has been allocated */
    struct later_buffers *buffers;
    unsigned char *image; /* what is to be in `receive`, surroundings included */
    MPI_Request request;
};

MPI_Datatype later_type(enum later_elements elements);

/* Types and operations, and the driver if SYMM_TEST_CUDA_LIBRARY names one. */
void later_open(void);
void later_close(void);

struct later_buffers later_buffers_get(void);
void later_buffers_put(struct later_buffers *buffers);

/* The calling thread works on the rank's device. */
void later_use_device(void);

/* Draw a call: what is alike from `common`, what is not from `own`. */
void later_draw(struct later_call *call, uint64_t common, uint64_t own);

/* Put data into the buffers, and expectations into the image. */
void later_fill(struct later_call *call, uint64_t number);

/* Make the call, or make the persistent request. */
void later_make(struct later_call *call);

/* It is over: compare. */
void later_check(struct later_call *call);

void later_describe(const struct later_call *call, char *text, size_t size);

#endif
