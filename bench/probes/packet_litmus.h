/*
 * packet_litmus.h - what packet_litmus.c and its kernel tell each other.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_PROBES_PACKET_LITMUS_H
#define BENCH_PROBES_PACKET_LITMUS_H

#include <stdint.h>

enum { LITMUS_PACKETS = 4 }; /* of a thread, in a round */

/* What is done wrong, to see it noticed. */
enum litmus_fault {
    LITMUS_RIGHT,
    LITMUS_UNMET, /* a rank sends although its peer may still read the round before */
    LITMUS_APART, /* data and flag are stored one after the other, to different lines */
};

/* Addresses are those of one rank's device. */
struct litmus_arguments {
    uint64_t pad, peers_pad;
    uint64_t line, peers_line; /* 32 bits each: the round that the other one has begun */
    uint64_t outcome;
    uint64_t seed, patience; /* ns */
    uint32_t rounds, rank, fault;
};

struct litmus_outcome {
    uint64_t packets; /* that have come, and are right or wrong */
    uint64_t halves;  /* times that one half of a packet was seen before the other */
    uint64_t wrong, lost;
    uint64_t round, thread, expected, found; /* of one that is wrong or lost */
};

#endif
