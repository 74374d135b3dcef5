/*
 * calls.c - see calls.h.
 *
 * A collective that is added to the component is added to the table here.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "info/calls.h"
#include "info/counters.h"
#include "info/gpus.h"

/* Elements of a rank: such as travel in the ranks' lines, and such as do not. */
static const int counts[] = {2, 65536};

enum { COUNTS = sizeof(counts) / sizeof(*counts), COUNT_MOST = 65536 };

struct place {
    const struct mpi_library *mpi;
    MPI_Comm comm;
    int rank, ranks;
    bool gpu;
    float *input, *output; /* from MPI_Alloc_mem: COUNT_MOST elements, and as many of each rank */
    float *host;           /* as large as the output */
};

/* What has been told already, so that calls that go the same way are told once. */
struct told {
    const struct counter *reason;
    bool absent; /* the component is not in the communicator */
};

/* ---- the collectives ------------------------------------------------------------------------- */

static int allreduce_call(const struct place *place, int count)
{
    return place->mpi->MPI_Allreduce(place->input, place->output, count, place->mpi->type_float,
                                     place->mpi->sum, place->comm);
}

static float allreduce_result(const struct place *place, int count, int i)
{
    (void)count;
    (void)i;
    return (float)place->ranks * (float)(place->ranks + 1) / 2;
}

static int allgather_call(const struct place *place, int count)
{
    return place->mpi->MPI_Allgather(place->input, count, place->mpi->type_float, place->output,
                                     count, place->mpi->type_float, place->comm);
}

static float allgather_result(const struct place *place, int count, int i)
{
    (void)place;
    return (float)(i / count + 1);
}

static int barrier_call(const struct place *place, int count)
{
    (void)count;
    return place->mpi->MPI_Barrier(place->comm);
}

static const struct collective {
    const char *name, *mpi_name;
    int (*call)(const struct place *place, int count);
    float (*result)(const struct place *place, int count, int i); /* NULL: it has no data */
    bool gathers;
} collectives[] = {
    {"allreduce", "MPI_Allreduce", allreduce_call, allreduce_result, false},
    {"allgather", "MPI_Allgather", allgather_call, allgather_result, true},
    {"barrier", "MPI_Barrier", barrier_call, NULL, false}, /* the ranks share memory by now */
};

enum { COLLECTIVES = sizeof(collectives) / sizeof(*collectives) };

/* ---- memory ---------------------------------------------------------------------------------- */

static bool place_copy(const struct place *place, void *target, const void *source, size_t bytes,
                       char *text, size_t size)
{
    if (place->gpu) {
        return gpus_copy(target, source, bytes, text, size);
    }
    memcpy(target, source, bytes);
    return true;
}

static bool all_agree(const struct place *place, bool good)
{
    int mine = good, all = 0;
    int code = place->mpi->MPI_Allreduce(&mine, &all, 1, place->mpi->type_int, place->mpi->min,
                                         place->comm);
    return code == MPI_SUCCESS && all != 0;
}

static int memory_allocate(const struct place *place, size_t bytes, float **memory)
{
    const struct mpi_library *mpi = place->mpi;
    MPI_Info info = mpi->info_null;
    void *allocated = NULL;
    if (place->gpu) {
        (void)mpi->MPI_Info_create(&info);
        (void)mpi->MPI_Info_set(info, "mpool_hints", "mpool=symm,kind=cuda");
    }
    int code = mpi->MPI_Alloc_mem((MPI_Aint)bytes, info, &allocated);
    if (place->gpu) {
        (void)mpi->MPI_Info_free(&info);
    }
    *memory = code == MPI_SUCCESS ? allocated : NULL;
    return code;
}

static void error_warn(const struct place *place, const char *what, int code,
                       struct findings *findings)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    (void)place->mpi->MPI_Error_string(code, text, &length);
    finding_add(findings, TOPIC_SERVED, FINDING_PROBLEM, what, "%s in %s memory fails: %s", what,
                place->gpu ? "GPU" : "host", text);
    finding_remedy(findings, "standard error has a message of ompi-symm's, with the reason");
}

/* False: some rank has no memory, and no rank makes calls. */
static bool place_open(struct place *place, struct findings *findings)
{
    char text[256] = "";
    size_t bytes = COUNT_MOST * sizeof(float);
    place->input = place->output = NULL;
    place->host = malloc(bytes * (size_t)place->ranks);
    int code = memory_allocate(place, bytes, &place->input);
    if (code == MPI_SUCCESS) {
        code = memory_allocate(place, bytes * (size_t)place->ranks, &place->output);
    }
    if (code != MPI_SUCCESS) {
        error_warn(place, "MPI_Alloc_mem", code, findings);
    }
    for (int i = 0; place->host != NULL && i < COUNT_MOST; i++) {
        place->host[i] = (float)(place->rank + 1);
    }
    bool good = code == MPI_SUCCESS && place->host != NULL;
    if (good && !place_copy(place, place->input, place->host, bytes, text, sizeof(text))) {
        finding_add(findings, TOPIC_SERVED, FINDING_PROBLEM, "copy",
                    "memory of a GPU cannot be written: %s", text);
        good = false;
    }
    return all_agree(place, good);
}

static void place_close(struct place *place)
{
    if (place->input != NULL) {
        (void)place->mpi->MPI_Free_mem(place->input);
    }
    if (place->output != NULL) {
        (void)place->mpi->MPI_Free_mem(place->output);
    }
    free(place->host);
}

/* ---- a call and what became of it ------------------------------------------------------------ */

static bool result_is_right(const struct place *place, const struct collective *collective,
                            int count)
{
    char text[256];
    int elements = count * (collective->gathers ? place->ranks : 1);
    if (!place_copy(place, place->host, place->output, (size_t)elements * sizeof(float), text,
                    sizeof(text))) {
        return false;
    }
    for (int i = 0; i < elements; i++) {
        float expected = collective->result(place, count, i);
        if (place->host[i] < expected || place->host[i] > expected) {
            return false;
        }
    }
    return true;
}

/* What follows the last colon of a counter's description. */
static const char *reason_of(const struct counter *counter)
{
    const char *colon = strrchr(counter->description, ':');
    return colon != NULL ? colon + 1 + strspn(colon + 1, " ") : counter->name;
}

/* Reasons that say nothing against this machine. */
static bool is_by_choice(const struct counter *counter)
{
    return strstr(counter->name, "_fallback_left") != NULL ||
           strstr(counter->name, "_fallback_early") != NULL;
}

static void absence_warn(struct findings *findings)
{
    finding_add(findings, TOPIC_SERVED, FINDING_PROBLEM, "served",
                "another component than coll/symm makes the collectives of the node's ranks");
    finding_remedy(findings, "see the other problems");
}

static void unserved_warn(const struct place *place, const struct collective *collective,
                          const char *bytes, const struct counter *counter,
                          struct findings *findings)
{
    bool chosen = is_by_choice(counter);
    finding_add(findings, TOPIC_SERVED, chosen ? FINDING_NOTE : FINDING_PROBLEM, collective->name,
                "%s%s in %s memory is not served by coll/symm: %s", collective->mpi_name, bytes,
                place->gpu ? "GPU" : "host", reason_of(counter));
    finding_value(findings, "%s", counter->name);
    if (!chosen) {
        finding_remedy(findings, "see the other problems; docs/troubleshooting.md explains the "
                                 "reasons under \"Rows of the report\"");
    }
}

/* Make a call.  Returns who has served it, or NULL, and findings say why. */
static const char *call_make(const struct place *place, const struct collective *collective,
                             int count, struct counters *counters, struct told *told,
                             struct findings *findings)
{
    char bytes[32] = "", prefix[32];
    if (collective->result != NULL) {
        (void)snprintf(bytes, sizeof(bytes), " of %zu bytes", (size_t)count * sizeof(float));
    }
    (void)snprintf(prefix, sizeof(prefix), "%s_", collective->name);
    counters_mark(counters);
    int code = collective->call(place, count);
    const struct counter *counter = counters_grown(counters, prefix);
    if (code != MPI_SUCCESS) {
        error_warn(place, collective->mpi_name, code, findings);
        return NULL;
    }
    if (collective->result != NULL && !result_is_right(place, collective, count)) {
        finding_add(findings, TOPIC_SERVED, FINDING_PROBLEM, collective->name,
                    "%s%s in %s memory has a wrong result", collective->mpi_name, bytes,
                    place->gpu ? "GPU" : "host");
        finding_remedy(findings, "please report it; --mca coll ^symm tells whose result it is");
        return NULL;
    }
    if (counter == NULL) {
        if (!told->absent) {
            absence_warn(findings);
        }
        told->absent = true;
        return NULL;
    }
    const char *outcome = counter->name + strlen(prefix);
    if (strncmp(outcome, "fallback", 8) == 0 || strncmp(outcome, "failed", 6) == 0 ||
        strncmp(outcome, "host_copy", 9) == 0) {
        if (told->reason != counter) {
            unserved_warn(place, collective, bytes, counter, findings);
        }
        told->reason = counter;
        return NULL;
    }
    return outcome;
}

static void collective_make(const struct place *place, const struct collective *collective,
                            struct counters *counters, struct told *told,
                            struct findings *findings)
{
    char text[256] = "";
    size_t length = 0;
    int calls = collective->result != NULL ? COUNTS : 1;
    for (int i = 0; i < calls; i++) {
        const char *outcome = call_make(place, collective, counts[i], counters, told, findings);
        if (outcome != NULL && length < sizeof(text)) {
            length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s",
                                       length > 0 ? ", " : "", outcome);
        }
        if (outcome != NULL && length < sizeof(text) && collective->result != NULL) {
            length += (size_t)snprintf(text + length, sizeof(text) - length, " (%zu bytes)",
                                       (size_t)counts[i] * sizeof(float));
        }
    }
    if (length > 0) {
        finding_add(findings, TOPIC_SERVED, FINDING_OK, collective->name,
                    "%s in %s memory is served by coll/symm: %s", collective->mpi_name,
                    place->gpu ? "GPU" : "host", text);
        finding_value(findings, "%s", text);
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* What counters say of communicators that are not served. */
static void communicators_warn(struct counters *counters, struct findings *findings)
{
    static const char component[] = "communicators_unserved_component";
    for (int i = 0; i < counters->count; i++) {
        counters->list[i].before = 0;
    }
    const struct counter *counter = counters_grown(counters, component);
    if (counter != NULL) {
        finding_add(findings, TOPIC_SERVED, FINDING_PROBLEM, "communicators",
                    "communicators are not served: %s", reason_of(counter));
        finding_remedy(findings, "the same components and coll_symm_priority on all ranks");
    }
}

static void memory_try(struct place *place, struct counters *counters, struct findings *findings)
{
    struct told told = {.reason = NULL};
    if (place_open(place, findings)) {
        for (int i = 0; i < COLLECTIVES; i++) {
            if (collectives[i].result != NULL || !place->gpu) {
                collective_make(place, &collectives[i], counters, &told, findings);
            }
        }
    }
    place_close(place);
}

void calls_make(const struct mpi_library *mpi, MPI_Comm comm, bool gpu, struct findings *findings)
{
    static struct counters counters;
    struct place place = {.mpi = mpi};
    (void)mpi->MPI_Comm_rank(comm, &place.rank);
    (void)mpi->MPI_Comm_size(comm, &place.ranks);
    if (place.ranks < 2) {
        finding_add(findings, TOPIC_SERVED, FINDING_NOTE, "served",
                    "one rank has nobody to share memory with: mpirun -n 2 or more");
        return;
    }
    counters_open(&counters, mpi);
    /* A variable counts from here on, so this communicator is in those that count communicators. */
    (void)mpi->MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, mpi->info_null, &place.comm);
    bool loaded = counters.count > 0;
    if (!loaded) {
        finding_add(findings, TOPIC_SERVED, FINDING_PROBLEM, "served",
                    "coll/symm is not in this job: Open MPI makes all collectives itself");
        finding_remedy(findings, "see the problems of components and settings");
    }
    if (all_agree(&place, loaded)) {
        memory_try(&place, &counters, findings);
        place.gpu = all_agree(&place, gpu);
        if (place.gpu) {
            memory_try(&place, &counters, findings);
        }
    }
    communicators_warn(&counters, findings);
    (void)mpi->MPI_Comm_free(&place.comm);
    counters_close(&counters);
}
