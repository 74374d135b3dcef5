/*
 * Setting the parameters of algorithms while the job runs, by MPI_T.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L

#include "tests/harness/sweep.h"

#include "tests/harness/harness.h"
#include "tests/harness/variables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 32, FORCED_MOST = 32, SPEC_MOST = 2048, VARIABLES_MOST = 4096 };

MPI_Comm test_comm = MPI_COMM_WORLD;

static struct forced {
    char collective[WORD];
    char algorithm[WORD];
} forced[FORCED_MOST];
static int forced_count;
static int place_now;

static void stop(const char *collective, const char *algorithm)
{
    fprintf(stderr, "SYMM_TEST_SWEEP: coll_symm_%s_algorithm cannot be set to '%s'\n", collective,
            algorithm);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

/* The value behind a word of the parameter's. */
static bool value_find(MPI_T_enum words, const char *algorithm, int *value)
{
    char name[128], word[128];
    int count = 0, length = sizeof name;
    if (MPI_T_enum_get_info(words, &count, name, &length) != MPI_SUCCESS) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        length = sizeof word;
        if (MPI_T_enum_get_item(words, i, value, word, &length) == MPI_SUCCESS &&
            strcmp(word, algorithm) == 0) {
            return true;
        }
    }
    return false;
}

static bool parameter_set(const char *collective, const char *algorithm)
{
    char name[128], text[4096];
    int index, value, count, name_length = sizeof name, length = sizeof text;
    int verbosity, bind, scope;
    MPI_Datatype type;
    MPI_T_enum words = MPI_T_ENUM_NULL;
    MPI_T_cvar_handle handle;
    snprintf(name, sizeof name, "coll_symm_%s_algorithm", collective);
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
        MPI_T_cvar_get_info(index, name, &name_length, &verbosity, &type, &words, text, &length,
                            &bind, &scope) != MPI_SUCCESS ||
        words == MPI_T_ENUM_NULL || !value_find(words, algorithm, &value) ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) {
        return false;
    }
    bool written = MPI_T_cvar_write(handle, &value) == MPI_SUCCESS;
    MPI_T_cvar_handle_free(&handle);
    return written;
}

static void force(const char *collective, const char *algorithm)
{
    if (forced_count == FORCED_MOST || !parameter_set(collective, algorithm)) {
        stop(collective, algorithm);
    }
    struct forced *one = &forced[forced_count++];
    snprintf(one->collective, sizeof one->collective, "%s", collective);
    snprintf(one->algorithm, sizeof one->algorithm, "%s", algorithm);
}

/* The word at a place of a list, or NULL beyond its end. */
static const char *word_at(char *list, int place)
{
    char *rest, *word = strtok_r(list, ",", &rest);
    while (word != NULL && place-- > 0) {
        word = strtok_r(NULL, ",", &rest);
    }
    return word;
}

/* Forces what the lists have at a place; false beyond the end of any. */
static bool place_force(const char *spec, int place)
{
    char copy[SPEC_MOST], *lists, *names;
    snprintf(copy, sizeof copy, "%s", spec);
    forced_count = 0;
    for (char *list = strtok_r(copy, " ", &lists); list != NULL;
         list = strtok_r(NULL, " ", &lists)) {
        char *equals = strchr(list, '=');
        if (equals == NULL) {
            stop(list, "");
            return false;
        }
        *equals = '\0';
        const char *word = word_at(equals + 1, place);
        if (word == NULL) {
            return false;
        }
        for (char *name = strtok_r(list, "+", &names); name != NULL;
             name = strtok_r(NULL, "+", &names)) {
            force(name, word);
        }
    }
    return true;
}

static void place_tell(void)
{
    for (int i = 0; i < forced_count && test_rank == 0; i++) {
        printf("%s%s by %s%s", i == 0 ? "sweep: " : ", ", forced[i].collective,
               forced[i].algorithm, i + 1 < forced_count ? "" : "\n");
    }
    (void)fflush(stdout);
}

/* Whether a variable counts calls of the collective that something else than the algorithm had. */
static bool is_of_others(const char *name, const struct forced *one)
{
    char prefix[64], own[2][128];
    size_t length = strlen(name);
    snprintf(prefix, sizeof prefix, "coll_symm_%.31s_", one->collective);
    snprintf(own[0], sizeof own[0], "%s%s_calls", prefix, one->algorithm);
    snprintf(own[1], sizeof own[1], "%scuda_%s_calls", prefix, one->algorithm);
    return strncmp(name, prefix, strlen(prefix)) == 0 && length > 6 &&
           strcmp(name + length - 6, "_calls") == 0 && strcmp(name, own[0]) != 0 &&
           strcmp(name, own[1]) != 0;
}

/* Runs the body; the variables tell who has had its calls. */
static void body_watch(void (*body)(void))
{
    static unsigned long long before[VARIABLES_MOST];
    variables_open();
    for (int i = 0; i < variables_count(); i++) {
        before[i] = variables_read(i);
    }
    body();
    test_case("who has had the calls");
    for (int i = 0; i < variables_count(); i++) {
        for (int k = 0; k < forced_count; k++) {
            if (!variables_is_old(i) && is_of_others(variables_name(i), &forced[k]) &&
                variables_read(i) != before[i]) {
                test_fail("%s has grown while all calls were forced to %s", variables_name(i),
                          forced[k].algorithm);
            }
        }
    }
    variables_close();
}

void test_sweep(void (*body)(void))
{
    const char *spec = getenv("SYMM_TEST_SWEEP");
    bool is_watched = getenv("SYMM_TEST_ONLY") != NULL;
    uint64_t first = 0;
    int provided;
    if (spec == NULL || *spec == '\0') {
        body();
        return;
    }
    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
    for (int place = 0; place_force(spec, place); place++) {
        place_now = place;
        place_tell();
        MPI_Comm_dup(MPI_COMM_WORLD, &test_comm);
        if (is_watched) {
            body_watch(body);
        } else {
            body();
        }
        MPI_Comm_free(&test_comm);
        uint64_t digest = test_digest_take();
        first = place == 0 ? digest : first;
        if (getenv("SYMM_TEST_DIGEST") != NULL && digest != first) {
            test_fail("the results have other bits than by the first algorithm of the sweep");
        }
    }
    test_comm = MPI_COMM_WORLD;
    MPI_T_finalize();
}

bool test_sweep_repeats(void)
{
    return place_now > 0 && getenv("SYMM_TEST_CUDA_LIBRARY") != NULL;
}

bool test_leaves_out(uint64_t number)
{
    static uint64_t share;
    if (share == 0) {
        const char *text = getenv("SYMM_TEST_SHARE");
        share = text == NULL ? 1 : test_number("SYMM_TEST_SHARE", text);
        share = share == 0 ? 1 : share;
    }
    /* Digests are of the same calls at each place. */
    uint64_t place = getenv("SYMM_TEST_DIGEST") == NULL ? (uint64_t)place_now : 0;
    return test_mix(number * FORCED_MOST + place) % share != 0;
}

const char *test_algorithm(const char *collective)
{
    char name[128];
    for (int i = 0; i < forced_count; i++) {
        if (strcmp(forced[i].collective, collective) == 0) {
            return strcmp(forced[i].algorithm, "auto") == 0 ? NULL : forced[i].algorithm;
        }
    }
    snprintf(name, sizeof name, "OMPI_MCA_coll_symm_%s_algorithm", collective);
    return getenv(name);
}
