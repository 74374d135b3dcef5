/*
 * faults_kinds.h - the calls of the scripts in faults_exchanges.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_FAULTS_KINDS_H
#define SYMM_TESTS_FAULTS_KINDS_H

#include <stdbool.h>

/* A long block goes through scratch of 1 MiB in two pieces. */
enum { SHORT = 6007, LONG = 140001, RANKS = 3, PLACES = RANKS * LONG };

/* From ALLTOALL to BCAST, ranks have blocks for each other; then come reductions. */
enum collective {
    ALLTOALL,
    ALLTOALLV,
    ALLTOALLW,
    ALLGATHERV,
    GATHERV,
    SCATTERV,
    BCAST,
    REDUCE_SCATTER,
    SCAN
};

enum form { BLOCKING, NONBLOCKING, PERSISTENT_FORM };

struct kind {
    const char *name;
    enum collective collective;
    int count; /* the most elements of a block */
    int root;
    bool in_place;
    enum form form;
};

static const struct kind kinds_of_two[] = {
    {"all-to-all", ALLTOALL, SHORT, 0, false, BLOCKING},
    {"all-to-all in place", ALLTOALL, LONG, 0, true, BLOCKING},
    {"all-to-all-v", ALLTOALLV, SHORT, 0, false, BLOCKING},
    {"all-gather-v", ALLGATHERV, LONG, 0, false, BLOCKING},
    {"gather-v to rank 0", GATHERV, SHORT, 0, false, BLOCKING},
    {"gather-v to rank 1", GATHERV, SHORT, 1, false, BLOCKING},
    {"scatter-v from rank 0", SCATTERV, SHORT, 0, false, BLOCKING},
    {"scatter-v from rank 1", SCATTERV, SHORT, 1, false, BLOCKING},
    {"broadcast from rank 0", BCAST, SHORT, 0, true, BLOCKING},
    {"broadcast from rank 1", BCAST, SHORT, 1, true, BLOCKING},
    {"reduce-scatter", REDUCE_SCATTER, SHORT, 0, false, BLOCKING},
    {"scan", SCAN, SHORT, 0, false, BLOCKING},
    {"nonblocking all-to-all-v", ALLTOALLV, SHORT, 0, false, NONBLOCKING},
    {"nonblocking broadcast", BCAST, SHORT, 1, true, NONBLOCKING},
};

static const struct kind kinds_of_three[] = {
    {"all-to-all in place", ALLTOALL, LONG, 0, true, BLOCKING},
    {"all-to-all-w", ALLTOALLW, SHORT, 0, false, BLOCKING},
    {"gather-v to rank 2", GATHERV, SHORT, 2, false, BLOCKING},
    {"scatter-v from rank 2", SCATTERV, SHORT, 2, false, BLOCKING},
    {"persistent all-to-all", ALLTOALL, SHORT, 0, false, PERSISTENT_FORM},
    {"persistent all-to-all-v", ALLTOALLV, SHORT, 0, false, PERSISTENT_FORM},
    {"persistent all-to-all-w", ALLTOALLW, SHORT, 0, false, PERSISTENT_FORM},
    {"persistent all-gather-v", ALLGATHERV, LONG, 0, false, PERSISTENT_FORM},
    {"persistent gather-v", GATHERV, SHORT, 0, false, PERSISTENT_FORM},
    {"persistent scatter-v", SCATTERV, SHORT, 1, false, PERSISTENT_FORM},
    {"persistent broadcast", BCAST, SHORT, 1, true, PERSISTENT_FORM},
    {"persistent reduce-scatter", REDUCE_SCATTER, SHORT, 0, false, PERSISTENT_FORM},
    {"persistent scan", SCAN, SHORT, 0, false, PERSISTENT_FORM},
};

static const struct kind kinds_with_gaps[] = {
    {"all-to-all-w with gaps", ALLTOALLW, SHORT, 0, false, BLOCKING},
    {"broadcast with gaps", BCAST, SHORT, 1, true, BLOCKING},
    {"nonblocking broadcast with gaps", BCAST, SHORT, 0, true, NONBLOCKING},
    {"persistent all-to-all-w with gaps", ALLTOALLW, SHORT, 0, false, PERSISTENT_FORM},
};

#endif /* SYMM_TESTS_FAULTS_KINDS_H */
