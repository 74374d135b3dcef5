/*
 * machine.c - see machine.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "bench/model/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nodes of H200 GPUs, with an NDR InfiniBand NIC for each: docs/design/scale.md has the sources. */
const struct machine machine_default = {
    .link = {[LINK_NODE] = {"node", 11, 360}, [LINK_HOST] = {"host", 0.7, 10},
             [LINK_NEAR] = {"near", 0.6, 10}, [LINK_NETWORK] = {"network", 1.6, 47},
             [LINK_COPY] = {"copy", 6.2, 50}, [LINK_SUM] = {"sum", 0, 10}},
    .rendezvous = 64 << 10};

/* Numbers with commas between them. Returns how many; 0: they are wrong, or more. */
static int numbers_parse(const char *text, double *numbers, int most)
{
    char *end;
    for (int count = 0; count < most; text = end + 1) {
        numbers[count] = strtod(text, &end);
        if (end == text || !(numbers[count++] >= 0) || (*end != ',' && *end != '\0')) {
            return 0;
        }
        if (*end == '\0') {
            return count;
        }
    }
    return 0;
}

bool machine_set(struct machine *machine, const char *name, const char *value)
{
    double numbers[3] = {0, 0, machine->rendezvous};
    int count = numbers_parse(value, numbers, 3);
    if (count == 1 && (strcmp(name, "nics") == 0 || strcmp(name, "cores") == 0)) {
        *(name[0] == 'n' ? &machine->nics : &machine->cores) = (int)numbers[0];
        return true;
    }
    for (int i = 0; i < LINK_COUNT; i++) {
        bool is_it = strcmp(name, machine->link[i].name) == 0;
        if (is_it && (count == 2 || (count == 3 && i == LINK_NETWORK))) {
            machine->link[i].alpha = numbers[0];
            machine->link[i].rate = numbers[1];
            machine->rendezvous = numbers[2];
            return true;
        }
    }
    return false;
}

void machine_print(const struct machine *machine)
{
    printf("#");
    for (int i = 0; i < LINK_COUNT; i++) {
        printf(" %s %g,%g", machine->link[i].name, machine->link[i].alpha, machine->link[i].rate);
        if (i == LINK_NETWORK) {
            printf(",%g", machine->rendezvous);
        }
    }
    printf(" (us, GB/s) nics %d cores %d\n", machine->nics, machine->cores);
}
