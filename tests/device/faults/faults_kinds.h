/*
 * faults_kinds.h - the calls of the scripts in faults_exchanges.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_FAULTS_KINDS_H
#define SYMM_TESTS_FAULTS_KINDS_H

#include "tests/harness/calls.h"

#include <stdbool.h>

/* A long block goes through scratch of 1 MiB in two pieces. */
enum { SHORT = 6007, LONG = 140001, RANKS = 3, PLACES = RANKS * LONG };

struct kind {
    const char *name;
    enum test_collective collective;
    int count; /* the most elements of a block */
    int root;
    bool in_place;
    enum test_call_form form;
};

static const struct kind kinds_of_two[] = {
    {"all-to-all", TEST_ALLTOALL, SHORT, 0, false, TEST_BLOCKING},
    {"all-to-all in place", TEST_ALLTOALL, LONG, 0, true, TEST_BLOCKING},
    {"all-to-all-v", TEST_ALLTOALLV, SHORT, 0, false, TEST_BLOCKING},
    {"all-gather-v", TEST_ALLGATHERV, LONG, 0, false, TEST_BLOCKING},
    {"gather-v to rank 0", TEST_GATHERV, SHORT, 0, false, TEST_BLOCKING},
    {"gather-v to rank 1", TEST_GATHERV, SHORT, 1, false, TEST_BLOCKING},
    {"scatter-v from rank 0", TEST_SCATTERV, SHORT, 0, false, TEST_BLOCKING},
    {"scatter-v from rank 1", TEST_SCATTERV, SHORT, 1, false, TEST_BLOCKING},
    {"broadcast from rank 0", TEST_BCAST, SHORT, 0, true, TEST_BLOCKING},
    {"broadcast from rank 1", TEST_BCAST, SHORT, 1, true, TEST_BLOCKING},
    {"reduce-scatter", TEST_REDUCE_SCATTER_BLOCK, SHORT, 0, false, TEST_BLOCKING},
    {"scan", TEST_SCAN, SHORT, 0, false, TEST_BLOCKING},
    {"nonblocking all-to-all-v", TEST_ALLTOALLV, SHORT, 0, false, TEST_NONBLOCKING},
    {"nonblocking broadcast", TEST_BCAST, SHORT, 1, true, TEST_NONBLOCKING},
};

static const struct kind kinds_of_three[] = {
    {"all-to-all in place", TEST_ALLTOALL, LONG, 0, true, TEST_BLOCKING},
    {"all-to-all-w", TEST_ALLTOALLW, SHORT, 0, false, TEST_BLOCKING},
    {"gather-v to rank 2", TEST_GATHERV, SHORT, 2, false, TEST_BLOCKING},
    {"scatter-v from rank 2", TEST_SCATTERV, SHORT, 2, false, TEST_BLOCKING},
    {"persistent all-to-all", TEST_ALLTOALL, SHORT, 0, false, TEST_PERSISTENT},
    {"persistent all-to-all-v", TEST_ALLTOALLV, SHORT, 0, false, TEST_PERSISTENT},
    {"persistent all-to-all-w", TEST_ALLTOALLW, SHORT, 0, false, TEST_PERSISTENT},
    {"persistent all-gather-v", TEST_ALLGATHERV, LONG, 0, false, TEST_PERSISTENT},
    {"persistent gather-v", TEST_GATHERV, SHORT, 0, false, TEST_PERSISTENT},
    {"persistent scatter-v", TEST_SCATTERV, SHORT, 1, false, TEST_PERSISTENT},
    {"persistent broadcast", TEST_BCAST, SHORT, 1, true, TEST_PERSISTENT},
    {"persistent reduce-scatter", TEST_REDUCE_SCATTER_BLOCK, SHORT, 0, false, TEST_PERSISTENT},
    {"persistent scan", TEST_SCAN, SHORT, 0, false, TEST_PERSISTENT},
};

static const struct kind kinds_with_gaps[] = {
    {"all-to-all-w with gaps", TEST_ALLTOALLW, SHORT, 0, false, TEST_BLOCKING},
    {"broadcast with gaps", TEST_BCAST, SHORT, 1, true, TEST_BLOCKING},
    {"nonblocking broadcast with gaps", TEST_BCAST, SHORT, 0, true, TEST_NONBLOCKING},
    {"persistent all-to-all-w with gaps", TEST_ALLTOALLW, SHORT, 0, false, TEST_PERSISTENT},
};

#endif /* SYMM_TESTS_FAULTS_KINDS_H */
