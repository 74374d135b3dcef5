/*
 * model.h - a collective over several nodes as a row of stages, by a plan.
 *
 * The plan is the component's own decision (nodes/plan.h). The stages follow the files of
 * mca/coll/symm/nodes. A flat call and a step along a rail are collectives by messages, for which
 * the quickest of a few algorithms counts.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_MODEL_MODEL_H
#define BENCH_MODEL_MODEL_H

#include "bench/model/machine.h"
#include "mca/coll/symm/nodes/plan.h"

/* A call. All nodes have as many ranks, which are node by node. */
struct call {
    const struct machine *machine;
    const struct collective_model *model;
    int nodes, ranks; /* ranks of a node */
    double bytes;     /* of the result of a reduction or broadcast, of all blocks, or of a pair */
};

struct modelled {
    double us;
    const char *stage; /* that takes most of it, and the link on which it does */
    const char *link;
};

/* The collective of a name, NULL: there is none; and its name. */
const struct collective_model *model_find(const char *name);
const char *model_name(const struct collective_model *model);

/* The plan that the component takes. False: there is no memory. */
bool model_plan(const struct call *call, enum symm_nodes_plan *plan);

/* The time by a plan. False: the collective has no such plan. */
bool model_time(const struct call *call, enum symm_nodes_plan plan, struct modelled *modelled);

/*
 * What no plan is below: the least bytes of each link, all links at the same time; for little data
 * a call of the node and a message.
 */
double model_limit_us(const struct call *call);

/* Bytes that a rank has to receive, as nccl-tests count them for bus bandwidth. */
double model_bus_bytes(const struct call *call);

#endif
