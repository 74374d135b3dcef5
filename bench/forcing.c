/*
 * forcing.c - the parameter coll_symm_..._algorithm and the counters coll_symm_..._calls, by MPI_T.
 * It is entered once, as that takes tens of milliseconds, and left again: Open MPI 4.1.4 crashes in
 * MPI_Finalize if it is still in use.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forcing.h"

#include "failure.h"
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 128 };

static const char below_word[] = "below";

/* ---- the parameter --------------------------------------------------------------------------- */

/* What it can be. */
struct values {
    int count;
    int value[FORCING_MOST + 1];
    char word[FORCING_MOST + 1][FORCING_WORD];
};

static int parameter_index(enum collective collective)
{
    char name[NAME];
    int index;
    snprintf(name, sizeof(name), "coll_%s_%s_algorithm", machine_component,
             options_collective_name(collective));
    return MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS ? index : -1;
}

static bool values_list(MPI_T_enum enumeration, struct values *values)
{
    char name[NAME];
    int length = sizeof(name);
    int count;
    if (enumeration == MPI_T_ENUM_NULL ||
        MPI_T_enum_get_info(enumeration, &count, name, &length) != MPI_SUCCESS ||
        count > FORCING_MOST + 1) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        length = FORCING_WORD;
        if (MPI_T_enum_get_item(enumeration, i, &values->value[i], values->word[i], &length) !=
            MPI_SUCCESS) {
            return false;
        }
    }
    values->count = count;
    return true;
}

static bool values_get(enum collective collective, struct values *values)
{
    char name[NAME], description[4096];
    int name_length = sizeof(name), length = sizeof(description);
    int verbosity, bind, scope;
    MPI_Datatype datatype;
    MPI_T_enum enumeration;
    int index = parameter_index(collective);
    return index >= 0 &&
           MPI_T_cvar_get_info(index, name, &name_length, &verbosity, &datatype, &enumeration,
                               description, &length, &bind, &scope) == MPI_SUCCESS &&
           values_list(enumeration, values);
}

/* Gives it a value; *before is the one that it had. */
static bool parameter_write(enum collective collective, int value, int *before)
{
    MPI_T_cvar_handle handle;
    int count;
    bool written = false;
    int index = parameter_index(collective);
    if (index >= 0 && MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS) {
        written = MPI_T_cvar_read(handle, before) == MPI_SUCCESS &&
                  MPI_T_cvar_write(handle, &value) == MPI_SUCCESS;
        MPI_T_cvar_handle_free(&handle);
    }
    return written;
}

/* ---- communicators --------------------------------------------------------------------------- */

/* Its first call, in which it takes the parameter's value. */
static void first_call(enum collective collective, MPI_Comm comm)
{
    struct buffers buffers = {.memory = MEMORY_MALLOC};
    struct call call = {.collective = collective, .buffers = &buffers};
    MPI_Comm_rank(comm, &call.rank);
    MPI_Comm_size(comm, &call.ranks);
    call.bytes = call_round(collective, sizeof(float), call.ranks);
    buffers_open(&buffers, MEMORY_MALLOC, NULL, call_send_bytes(&call),
                 call_receive_bytes(&call));
    call_run(&call, comm);
    buffers_close(&buffers);
}

/*
 * True if all ranks have given the parameter this value; the communicator is used in either case.
 */
static bool candidate_add(struct forcing *forcing, const char *word, int value)
{
    struct candidate *candidate = &forcing->candidate[forcing->count++];
    char text[FAILURE_LENGTH];
    int before = 0, ignored;
    bool written = parameter_write(forcing->collective, value, &before);
    snprintf(candidate->word, sizeof(candidate->word), "%s", word);
    candidate->value = value;
    snprintf(text, sizeof(text), "this coll/%s cannot change coll_%s_%s_algorithm while it runs",
             machine_component, machine_component, options_collective_name(forcing->collective));
    bool all = failure_agree(written, text, forcing->control);
    MPI_Comm_dup(MPI_COMM_WORLD, &candidate->comm);
    first_call(forcing->collective, candidate->comm);
    if (written) {
        parameter_write(forcing->collective, before, &ignored);
    }
    return all;
}

void forcing_hold(struct forcing *forcing, const struct candidate *candidate)
{
    if (!parameter_write(forcing->collective, candidate->value, &forcing->before)) {
        failure_stop("coll_%s_%s_algorithm cannot be changed any more", machine_component,
                     options_collective_name(forcing->collective));
    }
}

void forcing_release(struct forcing *forcing)
{
    int held;
    parameter_write(forcing->collective, forcing->before, &held);
}

/* ---- what has served ------------------------------------------------------------------------- */

/* coll_symm_reduce_scatter_block_..., if the collective is reduce_scatter. */
static bool is_of_another(const char *name, enum collective collective)
{
    const char *mine = options_collective_name(collective);
    for (int i = 0; i < COLLECTIVE_COUNT; i++) {
        const char *other = options_collective_name((enum collective)i);
        char prefix[NAME];
        int length = snprintf(prefix, sizeof(prefix), "coll_%s_%s_", machine_component, other);
        if (strlen(other) > strlen(mine) && strncmp(name, prefix, (size_t)length) == 0) {
            return true;
        }
    }
    return false;
}

/* The algorithm whose calls a variable counts, if it does: coll_symm_allreduce_cuda_push_calls. */
static bool counter_word(const char *name, enum collective collective, char word[FORCING_WORD])
{
    char prefix[NAME];
    size_t length = strlen(name), end = strlen("_calls");
    snprintf(prefix, sizeof(prefix), "coll_%s_%s_", machine_component,
             options_collective_name(collective));
    if (strncmp(name, prefix, strlen(prefix)) != 0 || length < end ||
        strcmp(name + length - end, "_calls") != 0 || is_of_another(name, collective)) {
        return false;
    }
    name += strlen(prefix);
    if (strncmp(name, "fallback", 8) == 0 || strncmp(name, "failed", 6) == 0 ||
        strncmp(name, "host_copy", 9) == 0 || strncmp(name, "init_", 5) == 0) {
        return false;
    }
    name += strncmp(name, "cuda_", 5) == 0 ? 5 : 0;
    snprintf(word, FORCING_WORD, "%.*s", (int)(strlen(name) - end), name);
    return true;
}

static bool is_value(const struct values *values, const char *word)
{
    int i = 0;
    while (i < values->count && strcmp(values->word[i], word) != 0) {
        i++;
    }
    return i < values->count;
}

/* Of the parameter's values: a variable may have an old name as well. */
static void counters_open(struct forcing *forcing, const struct values *values)
{
    int variables = 0;
    MPI_T_pvar_session_create(&forcing->session);
    MPI_T_pvar_get_num(&variables);
    for (int i = 0; i < variables && forcing->counters < FORCING_COUNTERS; i++) {
        char name[NAME], description[1024];
        int name_length = sizeof(name), length = sizeof(description);
        int verbosity, class, bind, readonly, continuous, atomic, elements;
        MPI_Datatype datatype;
        MPI_T_enum enumeration;
        if (MPI_T_pvar_get_info(i, name, &name_length, &verbosity, &class, &datatype,
                                &enumeration, description, &length, &bind, &readonly, &continuous,
                                &atomic) == MPI_SUCCESS &&
            counter_word(name, forcing->collective, forcing->counter_word[forcing->counters]) &&
            is_value(values, forcing->counter_word[forcing->counters]) &&
            MPI_T_pvar_handle_alloc(forcing->session, i, NULL,
                                    &forcing->counter[forcing->counters],
                                    &elements) == MPI_SUCCESS) {
            forcing->counters++;
        }
    }
}

static void counters_close(struct forcing *forcing)
{
    for (int i = 0; i < forcing->counters; i++) {
        MPI_T_pvar_handle_free(forcing->session, &forcing->counter[i]);
    }
    MPI_T_pvar_session_free(&forcing->session);
}

static unsigned long long counter_read(const struct forcing *forcing, int counter)
{
    unsigned long long calls = 0;
    MPI_T_pvar_read(forcing->session, forcing->counter[counter], &calls);
    return calls;
}

void forcing_probe(const struct forcing *forcing, const struct call *call, MPI_Comm comm,
                   char word[FORCING_WORD])
{
    unsigned long long before[FORCING_COUNTERS] = {0};
    for (int i = 0; i < forcing->counters; i++) {
        before[i] = counter_read(forcing, i);
    }
    call_run(call, comm);
    snprintf(word, FORCING_WORD, "%s", below_word);
    for (int i = 0; i < forcing->counters; i++) {
        if (counter_read(forcing, i) > before[i]) {
            snprintf(word, FORCING_WORD, "%s", forcing->counter_word[i]);
        }
    }
    MPI_Bcast(word, FORCING_WORD, MPI_CHAR, 0, forcing->control);
}

/* ---- opening and closing --------------------------------------------------------------------- */

static bool takes_part(const char *word, enum forcing_extra extra)
{
    bool by_multicast = strncmp(word, "multimem", 8) == 0;
    return strcmp(word, "auto") != 0 && (extra == FORCING_MULTICAST || !by_multicast);
}

static bool candidates_open(struct forcing *forcing, const struct values *values,
                            enum forcing_extra extra)
{
    for (int i = 0; i < values->count && forcing->count < FORCING_MOST - 1; i++) {
        if (takes_part(values->word[i], extra) &&
            !candidate_add(forcing, values->word[i], values->value[i])) {
            return false;
        }
    }
    if (extra == FORCING_BELOW) {
        struct candidate *candidate = &forcing->candidate[forcing->count++];
        snprintf(candidate->word, sizeof(candidate->word), "%s", below_word);
        candidate->comm = machine_dup_without(MPI_COMM_WORLD);
    }
    return true;
}

bool forcing_open(struct forcing *forcing, enum collective collective, enum forcing_extra extra,
                  MPI_Comm control)
{
    struct values values = {.count = 0};
    char text[FAILURE_LENGTH];
    int provided;
    *forcing = (struct forcing){.collective = collective, .control = control};
    bool tools = MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS;
    snprintf(text, sizeof(text), "there is no parameter coll_%s_%s_algorithm with values",
             machine_component, options_collective_name(collective));
    if (!failure_agree(tools && values_get(collective, &values), text, control)) {
        if (tools) {
            MPI_T_finalize();
        }
        return false;
    }
    counters_open(forcing, &values);
    if (!candidates_open(forcing, &values, extra)) {
        forcing_close(forcing);
        return false;
    }
    return true;
}

void forcing_close(struct forcing *forcing)
{
    for (int i = 0; i < forcing->count; i++) {
        MPI_Comm_free(&forcing->candidate[i].comm);
    }
    counters_close(forcing);
    MPI_T_finalize();
}
