/*
 * merge.c - see merge.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "info/merge.h"

/* ---- which ranks ----------------------------------------------------------------------------- */

/* "0,2-5": the ranks whose place in the list is marked. */
static void ranks_print(const struct rank_findings *ranks, const bool *marked, int count,
                        char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < count && length < size; i++) {
        int last = i;
        if (!marked[i]) {
            continue;
        }
        while (last + 1 < count && marked[last + 1] &&
               ranks[last + 1].rank == ranks[last].rank + 1) {
            last++;
        }
        length += (size_t)snprintf(text + length, size - length, "%s%d", length > 0 ? "," : "",
                                   ranks[i].rank);
        if (last > i && length < size) {
            length += (size_t)snprintf(text + length, size - length, "-%d", ranks[last].rank);
        }
        i = last;
    }
}

/* ---- findings that are alike ----------------------------------------------------------------- */

static bool is_alike(const struct finding *one, const struct finding *other)
{
    return one->topic == other->topic && one->status == other->status &&
           strcmp(one->key, other->key) == 0 && strcmp(one->text, other->text) == 0;
}

static bool has_finding(const struct findings *findings, const struct finding *wanted)
{
    for (size_t i = 0; i < findings->count; i++) {
        if (is_alike(&findings->list[i], wanted)) {
            return true;
        }
    }
    return false;
}

static bool is_known_before(const struct rank_findings *ranks, int rank,
                            const struct finding *finding)
{
    for (int i = 0; i < rank; i++) {
        if (has_finding(&ranks[i].findings, finding)) {
            return true;
        }
    }
    return false;
}

static void finding_merge(const struct rank_findings *ranks, int count, int first,
                          const struct finding *finding, bool *marked, struct findings *merged)
{
    char text[256] = "";
    bool all = true;
    for (int i = 0; i < count; i++) {
        marked[i] = i >= first && has_finding(&ranks[i].findings, finding);
        all = all && marked[i];
    }
    if (!all) {
        ranks_print(ranks, marked, count, text, sizeof(text));
    }
    finding_copy(merged, finding, text);
}

/* ---- what should be alike -------------------------------------------------------------------- */

static const struct agreement {
    const char *key, *what;
    enum finding_status status; /* of a difference */
    const char *remedy;
} agreements[] = {
    {"ompi.release", "Open MPI's release", FINDING_PROBLEM,
     "start all ranks with the same PATH and LD_LIBRARY_PATH (mpirun -x)"},
    {"coll", "what coll/symm, or the parameter coll, is", FINDING_PROBLEM,
     "the same components and parameters for all ranks (mpirun --mca, not one rank's "
     "environment)"},
    {"mpool", "what mpool/symm, or the parameter mpool, is", FINDING_NOTE,
     "the same components and parameters for all ranks"},
    {"library", "how libsymm was built", FINDING_PROBLEM, "one installation for all ranks"},
    {"coll_symm_priority", "coll_symm_priority", FINDING_PROBLEM,
     "the same priority for all ranks (mpirun --mca)"},
    {"namespace", "the network namespace", FINDING_PROBLEM,
     "start all ranks of a node in one container, or with --network=host"},
    {"namespaces", "other namespaces", FINDING_NOTE,
     "start all ranks of a node in one container, or with --ipc=host"},
    {"user", "the user", FINDING_PROBLEM, "start all ranks as one user"},
    {"limits", "limits", FINDING_NOTE, "the same limits (ulimit) for all ranks"},
    {"driver", "the CUDA driver", FINDING_PROBLEM, "give all ranks of the node their GPUs alike"},
    {"visible", "CUDA_VISIBLE_DEVICES", FINDING_NOTE,
     "one value for all ranks lets cudaMalloc memory be shared as well"},
    {"multicast", "who may use NVLink multicast", FINDING_NOTE,
     "the same variables for all ranks (mpirun -x)"},
};

/* The values of all findings with the key, as a text that may be cut. */
static void values_print(const struct findings *findings, const char *key, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < findings->count && length < size; i++) {
        const struct finding *finding = &findings->list[i];
        if (strcmp(finding->key, key) == 0) {
            length += (size_t)snprintf(text + length, size - length, "%s%s",
                                       length > 0 ? " " : "", finding->value);
        }
    }
}

static void agreement_look(const struct agreement *agreement, const struct rank_findings *ranks,
                           int count, struct findings *merged)
{
    char first[512], value[512];
    values_print(&ranks[0].findings, agreement->key, first, sizeof(first));
    for (int i = 1; i < count; i++) {
        values_print(&ranks[i].findings, agreement->key, value, sizeof(value));
        if (strcmp(first, value) != 0) {
            finding_add(merged, TOPIC_RANKS, agreement->status, "differ",
                        "ranks differ in %s: rank %d: %s; rank %d: %s", agreement->what,
                        ranks[0].rank, *first != '\0' ? first : "none", ranks[i].rank,
                        *value != '\0' ? value : "none");
            finding_value(merged, "%s", agreement->key);
            finding_remedy(merged, "%s", agreement->remedy);
            return;
        }
    }
}

void findings_merge(const struct rank_findings *ranks, int count, struct findings *merged)
{
    bool *marked = calloc((size_t)count, sizeof(*marked));
    for (int rank = 0; marked != NULL && rank < count; rank++) {
        const struct findings *findings = &ranks[rank].findings;
        for (size_t i = 0; i < findings->count; i++) {
            if (!is_known_before(ranks, rank, &findings->list[i])) {
                finding_merge(ranks, count, rank, &findings->list[i], marked, merged);
            }
        }
    }
    free(marked);
    size_t before = merged->count;
    for (size_t i = 0; i < sizeof(agreements) / sizeof(*agreements); i++) {
        agreement_look(&agreements[i], ranks, count, merged);
    }
    if (merged->count == before && count > 1) {
        finding_add(merged, TOPIC_RANKS, FINDING_OK, "agree",
                    "the %d ranks agree on Open MPI, components, settings, namespaces, user, "
                    "limits and GPUs",
                    count);
        finding_value(merged, "%d", count);
    }
}
