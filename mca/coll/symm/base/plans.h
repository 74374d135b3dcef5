/*
 * base/plans.h - the collectives that have plans over several nodes (nodes/plan.h), and the plans,
 * as the report counts them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_BASE_PLANS_H
#define MCA_COLL_SYMM_BASE_PLANS_H

/* Collectives with plans: number in the list of collectives, and name. */
#define SYMM_NODES_COLLECTIVES(F)     \
    F(ALLGATHER, allgather)           \
    F(ALLGATHERV, allgatherv)         \
    F(ALLREDUCE, allreduce)           \
    F(ALLTOALL, alltoall)             \
    F(BARRIER, barrier)               \
    F(BCAST, bcast)                   \
    F(REDUCE, reduce)                 \
    F(REDUCE_SCATTER, reduce_scatter) \
    F(REDUCE_SCATTER_BLOCK, reduce_scatter_block)

enum symm_nodes_plan {
    SYMM_NODES_FLAT,
    SYMM_NODES_LEADERS,
    SYMM_NODES_RAILS,
    SYMM_NODES_PLAN_COUNT
};

#endif /* MCA_COLL_SYMM_BASE_PLANS_H */
