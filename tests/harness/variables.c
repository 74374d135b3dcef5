/*
 * Enumerating and reading performance variables.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/variables.h"

#include <stdio.h>
#include <string.h>

#include "tests/harness/harness.h"

enum { MOST = 4096, NAME = 128 };

static const char prefix[] = "coll_symm_";

static struct variable {
    char name[NAME];
    int index; /* of MPI_T */
    bool is_old;
    MPI_T_pvar_handle handle;
} variables[MOST];
static int count;
static MPI_T_pvar_session session;

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), of_end = strlen(end);
    return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

/* Counters of calls and communicators, sums of bytes; everything else is alike. */
static void check_properties(int index, const char *name, bool *is_old)
{
    char own_name[NAME], text[1024] = "";
    int name_size = NAME, text_size = sizeof text;
    int verbosity, class, bind, readonly, continuous, atomic;
    MPI_Datatype type;
    MPI_T_enum values;
    MPI_T_pvar_get_info(index, own_name, &name_size, &verbosity, &class, &type, &values, text,
                        &text_size, &bind, &readonly, &continuous, &atomic);
    int expected = ends_with(name, "_bytes") ? MPI_T_PVAR_CLASS_AGGREGATE
                                             : MPI_T_PVAR_CLASS_COUNTER;
    test_case("properties of %s", name);
    test_check(class == expected, "class aggregate of bytes, counter of all else");
    test_check(type == MPI_UNSIGNED_LONG_LONG, "type unsigned long long");
    test_check(bind == MPI_T_BIND_NO_OBJECT, "bound to no object");
    test_check(readonly != 0 && continuous != 0, "read-only and continuous");
    test_check(strlen(text) >= 30, "a description of a sentence");
    *is_old = strncmp(text, "Old name", strlen("Old name")) == 0;
}

static void variable_add(int index, const char *name)
{
    struct variable *variable = &variables[count];
    int values = 0;
    variable->index = index;
    snprintf(variable->name, sizeof variable->name, "%s", name);
    check_properties(index, name, &variable->is_old);
    int rc = MPI_T_pvar_handle_alloc(session, index, NULL, &variable->handle, &values);
    if (test_check(rc == MPI_SUCCESS && values == 1, "a handle of one value")) {
        count++;
    }
}

void variables_open(void)
{
    int provided, total = 0;
    count = 0;
    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_get_num(&total);
    for (int i = 0; i < total && count < MOST; i++) {
        char name[NAME] = "";
        int name_size = NAME, text_size = 0;
        int verbosity, class, bind, readonly, continuous, atomic;
        MPI_Datatype type;
        MPI_T_enum values;
        int rc = MPI_T_pvar_get_info(i, name, &name_size, &verbosity, &class, &type, &values, NULL,
                                     &text_size, &bind, &readonly, &continuous, &atomic);
        if (rc == MPI_SUCCESS && strncmp(name, prefix, sizeof prefix - 1) == 0) {
            variable_add(i, name);
        }
    }
}

void variables_close(void)
{
    for (int i = 0; i < count; i++) {
        MPI_T_pvar_handle_free(session, &variables[i].handle);
    }
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
}

int variables_count(void)
{
    return count;
}

const char *variables_name(int index)
{
    return variables[index].name;
}

bool variables_is_old(int index)
{
    return variables[index].is_old;
}

int variables_find(const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(variables[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

unsigned long long variables_read(int index)
{
    unsigned long long value = 0;
    int rc = MPI_T_pvar_read(session, variables[index].handle, &value);
    if (rc != MPI_SUCCESS) {
        test_fail("%s cannot be read: error %d", variables[index].name, rc);
    }
    return value;
}

void variables_reset(int index)
{
    int rc = MPI_T_pvar_reset(session, variables[index].handle);
    if (rc != MPI_SUCCESS) {
        test_fail("%s cannot be reset: error %d", variables[index].name, rc);
    }
}

void variables_handle(int index)
{
    MPI_T_pvar_handle handle;
    int values = 0;
    int rc = MPI_T_pvar_handle_alloc(session, variables[index].index, NULL, &handle, &values);
    if (rc != MPI_SUCCESS || MPI_T_pvar_handle_free(session, &handle) != MPI_SUCCESS) {
        test_fail("no handle of %s: error %d", variables[index].name, rc);
    }
}

bool variables_can_be_written(int index)
{
    unsigned long long value = 0;
    return MPI_T_pvar_write(session, variables[index].handle, &value) == MPI_SUCCESS;
}
