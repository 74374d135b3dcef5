/*
 * packet_litmus.c - a litmus test of packets on GPUs: two kernels, each a rank, send each other
 * random data as small collectives do, for millions of rounds, and compare all that comes.  The
 * hosts' part, that nobody sends before its peer has ended the round before, is made by the kernels
 * as well, which is a thousand times quicker.
 *
 *     bench/probes/packet_litmus [--rounds N] [--threads N] [--seed N] [--fault unmet|apart]
 *                                [DEVICE [DEVICE]]
 *
 * Both kernels run on the first device, at the same time, if no second one is named.  With --fault
 * something is done wrong: "unmet" has to be noticed, "apart" is where a device lets one store
 * overtake another.  Exit status: 0 all data were right; 1 some were wrong or lost, or an error;
 * 2 a bad argument.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "bench/probes/packet_litmus.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/clock.h"
#include "bench/probes/probe.h"

enum { RANKS = 2, THREADS_MOST = 1024, PAD = 128 << 10, LINE = 256 };

static const char *const faults[] = {[LITMUS_UNMET] = "unmet", [LITMUS_APART] = "apart"};

struct litmus {
    uint64_t rounds, threads, seed;
    enum litmus_fault fault;
    int devices[RANKS], device_count;
    struct probe probes[RANKS];
    CUfunction functions[RANKS];
    CUdeviceptr memory[RANKS][RANKS]; /* by owner and who reaches it: pad, line and outcome */
};

/* ---- the command line ------------------------------------------------------------------------ */

static _Noreturn void refuse(const char *what, const char *value, const char *remedy)
{
    (void)fprintf(stderr, "packet_litmus: %s %s: %s\n", what, value, remedy);
    exit(2);
}

static uint64_t number_of(const char *what, const char *value, uint64_t least, uint64_t most)
{
    char remedy[80];
    char *end;
    errno = 0;
    uint64_t number = value == NULL ? 0 : strtoull(value, &end, 10);
    if (value == NULL || *value < '0' || *value > '9' || *end != '\0' || errno != 0 ||
        number < least || number > most) {
        (void)snprintf(remedy, sizeof(remedy), "a number from %" PRIu64 " to %" PRIu64 " is wanted",
                       least, most);
        refuse(what, value == NULL ? "" : value, remedy);
    }
    return number;
}

static enum litmus_fault fault_of(const char *value)
{
    for (int i = LITMUS_UNMET; i <= LITMUS_APART; i++) {
        if (value != NULL && strcmp(value, faults[i]) == 0) {
            return (enum litmus_fault)i;
        }
    }
    refuse("--fault", value == NULL ? "" : value, "unmet or apart is wanted");
}

static void options_read(struct litmus *litmus, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--rounds") == 0) {
            litmus->rounds = number_of(argv[i++], value, 1, UINT32_MAX);
        } else if (strcmp(argv[i], "--threads") == 0) {
            litmus->threads = number_of(argv[i++], value, 1, THREADS_MOST);
        } else if (strcmp(argv[i], "--seed") == 0) {
            litmus->seed = number_of(argv[i++], value, 0, UINT64_MAX);
        } else if (strcmp(argv[i], "--fault") == 0) {
            litmus->fault = fault_of(value);
            i++;
        } else if (litmus->device_count < RANKS) {
            litmus->devices[litmus->device_count++] =
                (int)number_of("device", argv[i], 0, INT32_MAX);
        } else {
            refuse("device", argv[i], "there are two ranks");
        }
    }
    if (litmus->device_count < RANKS) {
        litmus->devices[1] = litmus->devices[0];
    }
}

/* ---- the ranks ------------------------------------------------------------------------------- */

static void rank_start(struct litmus *litmus, int rank)
{
    CUdeviceptr mine = litmus->memory[rank][rank], peers = litmus->memory[1 - rank][rank];
    struct litmus_arguments arguments = {
        .pad = mine, .peers_pad = peers, .line = mine + PAD, .peers_line = peers + PAD,
        .outcome = mine + PAD + LINE, .seed = litmus->seed,
        .patience = litmus->fault == LITMUS_RIGHT ? 20000000000u : 100000000u,
        .rounds = (uint32_t)litmus->rounds, .rank = (uint32_t)rank,
        .fault = (uint32_t)litmus->fault,
    };
    probe_launch(&litmus->probes[rank], litmus->functions[rank], (unsigned)litmus->threads,
                 &arguments);
}

static bool rank_end(struct litmus *litmus, int rank)
{
    struct litmus_outcome outcome;
    uint64_t all = litmus->rounds * litmus->threads * LITMUS_PACKETS;
    probe_fetch(&litmus->probes[rank], &outcome, litmus->memory[rank][rank] + PAD + LINE,
                sizeof(outcome));
    (void)printf("rank %d: %" PRIu64 " of %" PRIu64 " packets, %" PRIu64 " wrong, %" PRIu64
                 " lost; one half before the other %" PRIu64 " times\n",
                 rank, outcome.packets, all, outcome.wrong, outcome.lost, outcome.halves);
    if (outcome.wrong + outcome.lost > 0) {
        (void)printf("rank %d: round %" PRIu64 ", thread %" PRIu64 ": found %#" PRIx64
                     ", expected %#" PRIx64 "\n",
                     rank, outcome.round, outcome.thread, outcome.found, outcome.expected);
    }
    return outcome.packets == all && outcome.wrong == 0;
}

int main(int argc, char **argv)
{
    struct litmus litmus = {.rounds = 1000000, .threads = 256, .seed = 1};
    bool is_right = true;
    options_read(&litmus, argc, argv);
    for (int rank = 0; rank < RANKS; rank++) {
        /* Functions are loaded when they are asked for, which waits for all kernels to end. */
        probe_open(&litmus.probes[rank], litmus.devices[rank], probe_fatbin_packets);
        litmus.functions[rank] = probe_function(&litmus.probes[rank], "packet_litmus");
    }
    for (int rank = 0; rank < RANKS; rank++) {
        probe_memory(litmus.probes, RANKS, rank, PAD + LINE + sizeof(struct litmus_outcome),
                     litmus.memory[rank]);
    }
    (void)printf("packet_litmus: devices %d and %d, %" PRIu64 " rounds, %" PRIu64
                 " threads, seed %" PRIu64 "%s%s\n",
                 litmus.devices[0], litmus.devices[1], litmus.rounds, litmus.threads, litmus.seed,
                 litmus.fault == LITMUS_RIGHT ? "" : ", fault ",
                 litmus.fault == LITMUS_RIGHT ? "" : faults[litmus.fault]);
    double begin = clock_us();
    for (int rank = 0; rank < RANKS; rank++) {
        rank_start(&litmus, rank);
    }
    for (int rank = 0; rank < RANKS; rank++) {
        is_right = rank_end(&litmus, rank) && is_right;
    }
    (void)printf("%.2f us a round\n", (clock_us() - begin) / (double)litmus.rounds);
    for (int rank = 0; rank < RANKS; rank++) {
        probe_close(&litmus.probes[rank]);
    }
    return is_right ? 0 : 1;
}
