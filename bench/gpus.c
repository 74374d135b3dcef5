/*
 * gpus.c - which GPU each rank has: the ranks of a node take its GPUs in turn.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "gpus.h"

#include "clock.h"
#include "failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UP_US = 100000 };

struct card {
    char name[DEVICE_NAME];
    unsigned char identity[DEVICE_IDENTITY];
};

static int local_rank(MPI_Comm control)
{
    MPI_Comm node;
    int rank;
    MPI_Comm_split_type(control, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_free(&node);
    return rank;
}

/* All ranks' cards, on every rank; to be freed. */
static struct card *cards_gather(const struct device *device, MPI_Comm control, int *ranks)
{
    struct card mine;
    memset(&mine, 0, sizeof(mine));
    device_name(device, mine.name);
    device_identity(device, mine.identity);
    MPI_Comm_size(control, ranks);
    struct card *cards = malloc((size_t)*ranks * sizeof(*cards));
    if (cards == NULL) {
        failure_stop("out of memory");
    }
    MPI_Allgather(&mine, sizeof(mine), MPI_CHAR, cards, sizeof(mine), MPI_CHAR, control);
    return cards;
}

static bool cards_are_shared(const struct card *cards, int ranks)
{
    for (int rank = 1; rank < ranks; rank++) {
        for (int other = 0; other < rank; other++) {
            if (memcmp(cards[rank].identity, cards[other].identity, DEVICE_IDENTITY) == 0) {
                return true;
            }
        }
    }
    return false;
}

bool gpus_open(struct gpus *gpus, MPI_Comm control)
{
    char text[FAILURE_LENGTH] = "";
    int ranks;
    bool mine = device_open(&gpus->device, local_rank(control), text);
    if (!failure_agree(mine, text, control)) {
        if (mine) {
            device_close(gpus->device);
        }
        return false;
    }
    struct card *cards = cards_gather(gpus->device, control, &ranks);
    gpus->shared = cards_are_shared(cards, ranks);
    free(cards);
    return true;
}

void gpus_close(struct gpus *gpus)
{
    device_close(gpus->device);
}

double gpus_warm_up(const struct gpus *gpus)
{
    enum { SAMPLES = 101 };
    double samples[SAMPLES];
    char text[FAILURE_LENGTH];
    void *memory;
    double start = clock_us();
    if (!device_allocate(gpus->device, 1 << 20, &memory, text)) {
        failure_stop("%s", text);
    }
    while (clock_us() - start < WARM_UP_US) {
        device_fill(gpus->device, memory, 0, 1 << 20);
    }
    for (int i = 0; i < SAMPLES; i++) {
        start = clock_us();
        device_fill(gpus->device, memory, 0, 4);
        samples[i] = clock_us() - start;
    }
    device_free(gpus->device, memory);
    return clock_median(samples, SAMPLES);
}

static void card_print(const struct card *card, int rank)
{
    printf("# GPU of rank %d: %s, GPU-", rank, card->name);
    for (int i = 0; i < DEVICE_IDENTITY; i++) {
        printf("%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", card->identity[i]);
    }
    printf("\n");
}

void gpus_print(const struct gpus *gpus, MPI_Comm control)
{
    int rank, ranks;
    struct card *cards = cards_gather(gpus->device, control, &ranks);
    int version = device_driver_version(gpus->device);
    double fill_us = gpus_warm_up(gpus);
    MPI_Comm_rank(control, &rank);
    for (int i = 0; rank == 0 && i < ranks; i++) {
        card_print(&cards[i], i);
    }
    if (rank == 0) {
        printf("# CUDA %d.%d in the driver, 4 bytes filled and waited for in %.2f us%s\n",
               version / 1000, version % 1000 / 10, fill_us,
               gpus->shared ? "; ranks share a GPU" : "");
    }
    free(cards);
}
