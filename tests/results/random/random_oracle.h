/*
 * Whether results of random calls are right: compared with the previous component's answer to the
 * same call, or with what was sent if it is an exchange, and in all bits between the ranks.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Results are kept for a while and compared later, so that calls can follow each other without
 * anything of ours that would synchronise the ranks.
 */
#ifndef SYMM_TESTS_RANDOM_ORACLE_H
#define SYMM_TESTS_RANDOM_ORACLE_H

#include "tests/results/random/random_call.h"

/* `whole` has ranks compare whole results instead of digests of them, which is slower and says
 * which element differs. */
void random_oracle_create(bool whole);
void random_oracle_free(void);

/* Keeps a call's input and result, both from malloc and the oracle's from now on. */
void random_oracle_keep(const struct random_call *call, unsigned char *input,
                        unsigned char *result);

/* This rank has no part in the call. */
void random_oracle_pass(uint64_t index);

/* Compares what has been kept with the previous component's answers. All ranks of the world call
 * it at the same places. */
void random_oracle_settle(void);

enum { RANDOM_BATCH = 64 };

/* Compares digests of the last RANDOM_BATCH calls or less between the ranks, on rank 0, which adds
 * them to the digest of the run. All ranks call it, and get rank 0's word whether to go on: the
 * others' argument does not matter. `ask` is the same on all ranks; without it nobody waits. */
bool random_oracle_exchange(bool ask, bool go_on);

#endif
