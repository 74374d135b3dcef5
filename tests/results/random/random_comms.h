/*
 * The communicators of the randomised test: some stay, some live for a while, some are created and
 * freed on the fly. Which one stands in which place is a function of the seed and the number of
 * the call, so that a run can begin anywhere.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each has a sibling with the same ranks that coll/symm stays away from, by the info key
 * ompi_comm_coll_preference: the previous component's answers come from there.
 */
#ifndef SYMM_TESTS_RANDOM_COMMS_H
#define SYMM_TESTS_RANDOM_COMMS_H

#include <mpi.h>

#include <stdbool.h>
#include <stdint.h>

struct random_comm {
    MPI_Comm comm; /* MPI_COMM_NULL if this rank is not in it */
    MPI_Comm reference;
    const char *shape;
    int color; /* ranks of different colours do different things at the same time */
    int rank;
    int size;
    uint64_t generation;
};

enum { RANDOM_COMMS = 7 };

void random_comms_create(uint64_t index);
void random_comms_free(void);

/* Whether some communicator of the call before is not that of this call any more. */
bool random_comms_change(uint64_t index);

/* Frees those that end before this call and creates their successors; all ranks call it. */
void random_comms_renew(uint64_t index);

const struct random_comm *random_comms_get(int place);

#endif
