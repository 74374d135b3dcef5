/*
 * Bytes that leave each node's network device in calls over several nodes, as the kernel counts
 * them, headers included: no more than 3 % above what has to leave it. Nodes are network
 * namespaces, and the device is eth0.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/harness.h"

enum { CALLS = 20, MOST = 4 << 20 };
static const double allowed = 1.03, spare = 3000; /* of packets, and bytes a call */

static char *input, *output;
static MPI_Comm node;
static int nodes, ranks; /* of them; of this one */

/* What this node has sent so far; of its other ranks 0. */
static double sent(void)
{
    char line[512];
    double bytes = 0;
    int rank;
    MPI_Comm_rank(node, &rank);
    FILE *file = fopen("/proc/self/net/dev", "r");
    while (rank == 0 && file != NULL && fgets(line, sizeof(line), file) != NULL) {
        char *at = strstr(line, "eth0:");
        double fields[9] = {0};
        for (int i = 0; at != NULL && i < 9; i++) {
            fields[i] = strtod(i == 0 ? at + 5 : at, &at);
        }
        bytes += fields[8];
    }
    if (file != NULL) {
        fclose(file);
    }
    return bytes;
}

typedef void call_t(int bytes);

static void allreduce(int bytes)
{
    MPI_Allreduce(input, output, bytes / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void allgather(int bytes)
{
    MPI_Allgather(input, bytes, MPI_BYTE, output, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void bcast(int bytes)
{
    MPI_Bcast(input, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* `least` has to leave all nodes together. */
static void count(const char *name, call_t *call, int bytes, double least)
{
    double mine, all = 0;
    test_case("%s of %d bytes", name, bytes);
    call(bytes); /* connections, and the component's communicators */
    MPI_Barrier(MPI_COMM_WORLD);
    mine = -sent();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < CALLS; i++) {
        call(bytes);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    mine += sent();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (test_rank == 0) {
        printf("# %s of %d bytes: %.3f times what has to leave the nodes\n", name, bytes,
               all / CALLS / least);
    }
    if (all < least * CALLS || all > (least * allowed + spare * nodes) * CALLS) {
        test_fail("%.0f bytes a call have left the nodes, of which %.0f have to", all / CALLS,
                  least);
    }
}

int main(int argc, char **argv)
{
    int lead;
    test_begin(argc, argv, "check_wire", MPI_THREAD_SINGLE);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &ranks);
    MPI_Comm_rank(node, &lead);
    lead = lead == 0;
    MPI_Allreduce(&lead, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    input = calloc(1, MOST);
    output = calloc(1, MOST);
    for (int bytes = 64 << 10; bytes <= 1 << 20; bytes *= 4) {
        count("all-reduce", allreduce, bytes, 2.0 * (nodes - 1) * bytes);
        count("broadcast", bcast, bytes, (double)(nodes - 1) * bytes);
        count("all-gather", allgather, bytes / 4, (double)(nodes - 1) * test_size * (bytes / 4));
    }
    free(input);
    free(output);
    MPI_Comm_free(&node);
    return test_end();
}
