/*
 * machine.h - the constants of a machine of several nodes, by which calls are modelled.
 *
 * A link is whatever takes a time to begin and a time for each byte.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_MODEL_MACHINE_H
#define BENCH_MODEL_MACHINE_H

#include <stdbool.h>

enum link {
    LINK_NODE,    /* a collective of one node, where the data are */
    LINK_HOST,    /* the same in host memory */
    LINK_NEAR,    /* a message between two ranks of a node */
    LINK_NETWORK, /* a message between nodes; bytes through one NIC, each way */
    LINK_COPY,    /* between a device and the host */
    LINK_SUM,     /* a reduction by one rank, in host memory */
    LINK_COUNT
};

struct machine {
    struct {
        const char *name;
        double alpha, rate; /* us; GB/s of one rank. No rate: bytes take no time */
    } link[LINK_COUNT];
    double rendezvous; /* messages of more bytes are announced first: two more alphas */
    int nics;          /* of a node; 0: one for each rank */
    int cores;         /* that all ranks of all nodes share; 0: each rank has one */
};

extern const struct machine machine_default;

/* Set what has that name from "ALPHA,RATE[,BYTES]" or "NUMBER". False: there is no such thing. */
bool machine_set(struct machine *machine, const char *name, const char *value);

/* As a comment line, with the names that machine_set() takes. */
void machine_print(const struct machine *machine);

#endif
