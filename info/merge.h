/*
 * merge.h - the findings of a node's ranks as one list.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef INFO_MERGE_H
#define INFO_MERGE_H

#include "info/finding.h"

/* What one rank has found. */
struct rank_findings {
    int rank; /* in MPI_COMM_WORLD */
    struct findings findings;
};

/*
 * Add what the ranks agree on once, what only some have found with their numbers, and a finding of
 * its own where they differ in what should be alike.  Ranks are in ascending order.
 */
void findings_merge(const struct rank_findings *ranks, int count, struct findings *merged);

#endif /* INFO_MERGE_H */
