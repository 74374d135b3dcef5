/*
 * counters.c - see counters.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "info/counters.h"

/* The name without what all have in common; false: it is no counter of ours. */
static bool name_read(const char *variable, char *name, size_t size)
{
    static const char start[] = "coll_symm_", end[] = "_calls";
    size_t length = strlen(variable), first = sizeof(start) - 1, last = sizeof(end) - 1;
    if (strncmp(variable, start, first) != 0) {
        return false;
    }
    bool calls = length > first + last && strcmp(variable + length - last, end) == 0;
    if (!calls && strstr(variable, "communicators_unserved_") == NULL) {
        return false;
    }
    (void)snprintf(name, size, "%.*s", (int)(length - first - (calls ? last : 0)),
                   variable + first);
    return true;
}

static void counter_open(struct counters *counters, int index)
{
    const struct mpi_library *mpi = counters->mpi;
    struct counter *counter = &counters->list[counters->count];
    char name[128], description[1024];
    int name_length = sizeof(name), length = sizeof(description);
    int verbosity, class, bind, readonly, continuous, atomic, values;
    MPI_Datatype type;
    MPI_T_enum enumeration;
    if (mpi->MPI_T_pvar_get_info(index, name, &name_length, &verbosity, &class, &type,
                                 &enumeration, description, &length, &bind, &readonly,
                                 &continuous, &atomic) == MPI_SUCCESS &&
        name_read(name, counter->name, sizeof(counter->name)) &&
        strncmp(description, "Old name", strlen("Old name")) != 0 && /* mca/old_words.h */
        mpi->MPI_T_pvar_handle_alloc(counters->session, index, NULL, &counter->handle, &values) ==
            MPI_SUCCESS) {
        (void)snprintf(counter->description, sizeof(counter->description), "%.191s", description);
        counter->before = 0;
        counters->count++;
    }
}

void counters_open(struct counters *counters, const struct mpi_library *mpi)
{
    int provided, variables = 0;
    *counters = (struct counters){.mpi = mpi};
    if (mpi->MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) {
        return;
    }
    counters->is_open = true;
    (void)mpi->MPI_T_pvar_session_create(&counters->session);
    (void)mpi->MPI_T_pvar_get_num(&variables);
    counters->list = calloc((size_t)variables, sizeof(*counters->list));
    for (int i = 0; i < variables && counters->list != NULL; i++) {
        counter_open(counters, i);
    }
}

void counters_close(struct counters *counters)
{
    if (!counters->is_open) {
        return;
    }
    for (int i = 0; i < counters->count; i++) {
        (void)counters->mpi->MPI_T_pvar_handle_free(counters->session, &counters->list[i].handle);
    }
    (void)counters->mpi->MPI_T_pvar_session_free(&counters->session);
    (void)counters->mpi->MPI_T_finalize();
    free(counters->list);
    counters->list = NULL;
}

static unsigned long long counter_read(const struct counters *counters, int i)
{
    unsigned long long value = 0;
    (void)counters->mpi->MPI_T_pvar_read(counters->session, counters->list[i].handle, &value);
    return value;
}

void counters_mark(struct counters *counters)
{
    for (int i = 0; i < counters->count; i++) {
        counters->list[i].before = counter_read(counters, i);
    }
}

const struct counter *counters_grown(const struct counters *counters, const char *beginning)
{
    const struct counter *grown = NULL;
    for (int i = 0; i < counters->count; i++) {
        const struct counter *counter = &counters->list[i];
        bool copied = strstr(counter->name, "_host_copy") != NULL;
        if (strncmp(counter->name, beginning, strlen(beginning)) == 0 &&
            (grown == NULL || !copied) && counter_read(counters, i) > counter->before) {
            grown = counter;
        }
    }
    return grown;
}
