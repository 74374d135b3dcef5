/*
 * options.h - the command line of symm_bench: what the user asked for, as a plain structure. Knows
 * nothing of MPI, so that it can be parsed the same way on every rank.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "memory_kind.h"

enum collective {
    COLLECTIVE_ALLREDUCE,
    COLLECTIVE_ALLGATHER,
    COLLECTIVE_BARRIER,        /* no data */
    COLLECTIVE_REDUCE_SCATTER, /* with equal counts */
    COLLECTIVE_REDUCE_SCATTER_BLOCK,
    COLLECTIVE_SCAN,
    COLLECTIVE_EXSCAN,
    COLLECTIVE_ALLTOALL,
    COLLECTIVE_ALLTOALLV,  /* these with equal counts, and blocks in a row */
    COLLECTIVE_ALLTOALLW,
    COLLECTIVE_ALLGATHERV,
    COLLECTIVE_BCAST,
    COLLECTIVE_REDUCE,
    COLLECTIVE_GATHER,
    COLLECTIVE_SCATTER,
    COLLECTIVE_GATHERV,    /* these with equal counts, and blocks in a row, as well */
    COLLECTIVE_SCATTERV,
    COLLECTIVE_COUNT
};

/* How a call is made. What is not blocking is started, and waited for. */
enum form {
    FORM_BLOCKING,
    FORM_NONBLOCKING,
    FORM_PERSISTENT
};

/* What reductions sum; an all-gather moves bytes. Both types are four bytes wide. */
enum element {
    ELEMENT_FLOAT,
    ELEMENT_INT
};

enum { ELEMENT_BYTES = 4 };

enum access {
    ACCESS_DEFAULT, /* only while parsing */
    ACCESS_APP,     /* between calls, untimed: read the result, rewrite the input */
    ACCESS_OSU      /* buffers are filled once and never looked at */
};

struct options {
    bool chosen[COLLECTIVE_COUNT];
    size_t min_bytes; /* 0: the smallest message of the collective */
    size_t max_bytes;
    int iterations;   /* calls a size and side; 0: depends on the size */
    int warmup;       /* untimed calls a size and side; -1: depends on the size */
    int blocks;
    enum form form;
    int tests;        /* calls of MPI_Test in the computation beside a call that is not blocking */
    enum memory memory;
    enum element element;
    enum access access;
    bool full;
    bool in_place;
    bool validate;
    bool compare;
    bool has_beside;         /* the same calls in other memory, in the same run */
    enum memory beside;
    bool rival;              /* NCCL, in the same run */
    const char *rival_file;  /* its library; NULL: where the loader finds it */
    bool show_choice;        /* the automatic choice beside the best */
    const char *tune_file;   /* to write choices to; NULL: none */
    bool csv;
    bool seed_given;
    uint64_t seed;
};

enum options_outcome {
    OPTIONS_RUN,
    OPTIONS_HELP,
    OPTIONS_VERSION,
    OPTIONS_BAD /* the message says what was wrong and what would be right */
};

/* Fills *options. On OPTIONS_BAD a message of at most `length` characters is left in `message`. */
enum options_outcome options_parse(int argc, char **argv, struct options *options,
                                   char *message, size_t length);

/* "reduce_scatter": on the command line, in names of parameters and in tables of choices. */
static inline const char *options_collective_name(enum collective collective)
{
    static const char *const names[COLLECTIVE_COUNT] = {
        [COLLECTIVE_ALLREDUCE] = "allreduce",
        [COLLECTIVE_ALLGATHER] = "allgather",
        [COLLECTIVE_BARRIER] = "barrier",
        [COLLECTIVE_REDUCE_SCATTER] = "reduce_scatter",
        [COLLECTIVE_REDUCE_SCATTER_BLOCK] = "reduce_scatter_block",
        [COLLECTIVE_SCAN] = "scan",
        [COLLECTIVE_EXSCAN] = "exscan",
        [COLLECTIVE_ALLTOALL] = "alltoall",
        [COLLECTIVE_ALLTOALLV] = "alltoallv",
        [COLLECTIVE_ALLTOALLW] = "alltoallw",
        [COLLECTIVE_ALLGATHERV] = "allgatherv",
        [COLLECTIVE_BCAST] = "bcast",
        [COLLECTIVE_REDUCE] = "reduce",
        [COLLECTIVE_GATHER] = "gather",
        [COLLECTIVE_SCATTER] = "scatter",
        [COLLECTIVE_GATHERV] = "gatherv",
        [COLLECTIVE_SCATTERV] = "scatterv",
    };
    return names[collective];
}

/* "float32", "int32" */
const char *options_element_name(enum element element);

/* Calls to time and to leave untimed for messages of this many bytes. */
int options_iterations(const struct options *options, size_t bytes);
int options_warmup(const struct options *options, size_t bytes);

#endif
