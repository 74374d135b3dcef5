/*
 * machine.h - all that one process can find out without MPI_Init.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef INFO_MACHINE_H
#define INFO_MACHINE_H

#include <stdbool.h>

#include "info/finding.h"

struct machine {
    bool has_ompi; /* its library can be loaded */
    bool loads;    /* so can our components */
    int gpus;      /* whose memory can be shared */
};

/* For so many ranks on this node. */
void machine_look(struct machine *machine, int ranks, struct findings *findings);

#endif /* INFO_MACHINE_H */
