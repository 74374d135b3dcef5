/*
 * served.c - see served.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "info/served.h"
#include "kernels/collective.h"

/* "MPI_Allreduce, MPI_Allgather and MPI_Barrier"; with data: those that have buffers. */
static void names_print(bool with_data, char *text, size_t size)
{
    const char *names[SYMM_COLLECTIVE_COUNT];
    int count = 0;
    size_t length = 0;
    for (int i = 0; i < SYMM_COLLECTIVE_COUNT; i++) {
        const struct symm_collective_row *row = symm_collective_get((enum symm_collective)i);
        if (!with_data || row->reads_inputs || row->writes_outputs) {
            names[count++] = row->mpi_name;
        }
    }
    text[0] = '\0';
    for (int i = 0; i < count && length < size; i++) {
        const char *before = i == 0 ? "" : i == count - 1 ? " and " : ", ";
        length += (size_t)snprintf(text + length, size - length, "%s%s", before, names[i]);
    }
}

/* Whether a problem is about what all collectives need. */
static bool is_in_the_way(const struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->list[i];
        if (finding->status == FINDING_PROBLEM &&
            (finding->topic == TOPIC_OMPI || finding->topic == TOPIC_COMPONENTS ||
             (finding->topic == TOPIC_SETTINGS && strcmp(finding->key, "mpool") != 0) ||
             (finding->topic == TOPIC_SYSTEM && strcmp(finding->key, "shm") != 0))) {
            return true;
        }
    }
    return false;
}

void served_look(bool loads, int ranks, int gpus, struct findings *findings)
{
    char names[256];
    if (!loads || is_in_the_way(findings)) {
        finding_add(findings, TOPIC_SERVED, FINDING_NOTE, "served",
                    "nothing would be served before the problems above are gone; everything "
                    "works as without ompi-symm");
        return;
    }
    names_print(false, names, sizeof(names));
    finding_add(findings, TOPIC_SERVED, FINDING_OK, "served.host",
                "host memory: %s would be served on communicators of 2 ranks and more of this "
                "node, which has room for %d",
                names, ranks);
    finding_value(findings, "%d", ranks);
    names_print(true, names, sizeof(names));
    finding_add(findings, TOPIC_SERVED, FINDING_OK, "served.gpu",
                gpus > 0 ? "GPU memory: %s would be served, on %d GPU%s"
                         : "GPU memory: %s would not be served, as there is no GPU for it",
                names, gpus, gpus == 1 ? "" : "s");
    finding_value(findings, "%d", gpus);
    finding_add(findings, TOPIC_SERVED, FINDING_OK, "served.try",
                "to see it: mpirun -n %d symm_info", ranks > 2 ? ranks : 2);
}
