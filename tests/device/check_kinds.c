/*
 * mpi_assert_memory_alloc_kinds: where a communicator is promised host memory, calls on it do not
 * ask the driver about their buffers.  The stand-in driver counts its uses.
 *
 * SYMM_TEST_CUDA_LIBRARY is the stand-in driver.  With SYMM_TEST_GROUPS: communicators of
 * MPI_Comm_create_from_group, and values that follow others, also in jobs that name kinds.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/cuda_memory.h"
#include "tests/harness/harness.h"

#include "tests/standin/kernels.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 300, PAGE = 4096 };

static const char key[] = "mpi_assert_memory_alloc_kinds";
static symm_standin_fail_function *reset;
static symm_standin_uses_function *uses;

static void find(void *library, const char *name, void *function)
{
    void *address = library == NULL ? NULL : dlsym(library, name);
    memcpy(function, &address, sizeof(address));
    if (address == NULL) {
        fprintf(stderr, "check_kinds: no %s in SYMM_TEST_CUDA_LIBRARY\n", name);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

/* How often the driver has been asked about an address. */
static unsigned long looks(void)
{
    const char *name;
    unsigned long number, sum = 0;
    for (size_t i = 0; (name = uses(i, &number)) != NULL; i++) {
        sum += strncmp(name, "cuPointerGetAttribute", 21) == 0 ? number : 0;
    }
    return sum;
}

/* One page each that nobody has seen: the component remembers pages. */
static int *page_get(void)
{
    static unsigned char *pages;
    static size_t next;
    enum { PAGES = 4096 };
    if (pages == NULL) {
        pages = aligned_alloc(PAGE, PAGES * (size_t)PAGE);
    }
    return (int *)(void *)(pages + next++ % PAGES * PAGE);
}

static void result_check(const int *values, int expected, const char *what)
{
    for (int i = 0; i < COUNT; i++) {
        if (values[i] != expected) {
            test_fail("%s: %d instead of %d", what, values[i], expected);
            return;
        }
    }
}

static int *filled(int value)
{
    int *values = page_get();
    for (int i = 0; i < COUNT; i++) {
        values[i] = value;
    }
    return values;
}

/* A call that is served, and two that go below, all on host memory.  Returns the looks at it. */
static unsigned long host_calls(MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int *sent = filled(rank + 1), *sum = filled(0), *root = filled(rank == 0 ? 7 : 0);
    int *reduced = filled(0);
    reset("");
    MPI_Allreduce(sent, sum, COUNT, MPI_INT, MPI_SUM, comm);
    MPI_Bcast(root, COUNT, MPI_INT, 0, comm);
    MPI_Scan(sent, reduced, COUNT, MPI_INT, MPI_MIN, comm);
    unsigned long number = looks();
    result_check(sum, size * (size + 1) / 2, "MPI_Allreduce");
    result_check(root, 7, "MPI_Bcast");
    result_check(reduced, 1, "MPI_Scan");
    return number;
}

/* The same on memory of the device. */
static void device_calls(MPI_Comm comm, enum cuda_memory kind)
{
    int rank, size, values[COUNT];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    void *memory = cuda_memory_get(kind, sizeof(values));
    cuda_memory_write(memory, filled(rank + 1), sizeof(values));
    MPI_Allreduce(MPI_IN_PLACE, memory, COUNT, MPI_INT, MPI_SUM, comm);
    cuda_memory_read(values, memory, sizeof(values));
    result_check(values, size * (size + 1) / 2, "MPI_Allreduce on a device");
    cuda_memory_write(memory, filled(rank == 0 ? 7 : 0), sizeof(values));
    MPI_Bcast(memory, COUNT, MPI_INT, 0, comm);
    cuda_memory_read(values, memory, sizeof(values));
    result_check(values, 7, "MPI_Bcast on a device");
    cuda_memory_put(kind, memory);
}

enum { SYSTEM = 1, GIVEN = 2 }; /* no looks; memory of MPI_Alloc_mem may be on a device, too */

static const struct {
    const char *value;
    int expected;
} values[] = {
    {"system", SYSTEM},
    {"system,system", SYSTEM},
    {"mpi", SYSTEM | GIVEN},
    {"system,mpi", SYSTEM | GIVEN},
    {"mpi:alloc_mem,system", SYSTEM | GIVEN},
    {"cuda:device", 0},
    {"system,cuda", 0},
    {"system,mpi,cuda:host", 0},
    {"systematic", 0},
    {"system,,mpi", 0},
    {"no such kind", 0},
};

static MPI_Info info_new(const char *value)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    return info;
}

static void looks_check(MPI_Comm comm, int expected)
{
    unsigned long number = host_calls(comm);
    if ((expected & SYSTEM) != 0) {
        test_check(number == 0, "the driver is not asked about host memory");
    } else {
        test_check(number > 0, "the driver is asked about host memory");
    }
}

/* An info key of a communicator; "" without. */
static void info_read(MPI_Comm comm, const char *name, char text[100])
{
    MPI_Info info;
    int is_set = 0, length = 100;
    MPI_Comm_get_info(comm, &info);
#if MPI_VERSION >= 4
    MPI_Info_get_string(info, name, &length, text, &is_set);
#else
    MPI_Info_get(info, name, length - 1, text, &is_set);
#endif
    text[is_set ? 99 : 0] = '\0';
    MPI_Info_free(&info);
}

/* What the communicator says of itself; Open MPI may leave out values that it does not support. */
static void hint_check(MPI_Comm comm, const char *value, int expected)
{
    char text[100];
    info_read(comm, key, text);
    test_check((expected & SYSTEM) == 0 || strcmp(text, value) == 0,
               "the communicator's info has the key");
}

static void memory_check(MPI_Comm comm, int expected)
{
    if ((expected & GIVEN) != 0 || expected == 0) {
        device_calls(comm, CUDA_MEMORY_MPI);
    }
    if (expected == 0) {
        device_calls(comm, CUDA_MEMORY_ALLOC);
    }
}

/* A communicator that is made with the key. */
static void made_check(const char *value, int expected, MPI_Comm parent)
{
    MPI_Comm comm;
    MPI_Info info = info_new(value);
    test_case("%s, from the start, %s", value, parent == MPI_COMM_SELF ? "one rank" : "all ranks");
    MPI_Comm_dup_with_info(parent, info, &comm);
    MPI_Info_free(&info);
    hint_check(comm, value, expected);
    looks_check(comm, expected);
    memory_check(comm, expected);
    MPI_Comm child;
    MPI_Comm_dup(comm, &child);
    looks_check(child, 0); /* MPI_Comm_dup() does not hand hints on */
    MPI_Comm_free(&child);
    MPI_Comm_free(&comm);
}

static void set(MPI_Comm comm, const char *value)
{
    MPI_Info info = info_new(value);
    MPI_Comm_set_info(comm, info);
    MPI_Info_free(&info);
}

/* A communicator that gets the key later, and others after it. */
static void set_check(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    test_case("without the key");
    looks_check(comm, 0);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        test_case("%s, set", values[i].value);
        set(comm, values[i].value);
        hint_check(comm, values[i].value, values[i].expected);
        looks_check(comm, values[i].expected);
        memory_check(comm, values[i].expected);
    }
    MPI_Comm_free(&comm);
}

#if MPI_VERSION >= 4 || defined(MPI_SESSION_NULL) /* 5.0 has it, but calls itself MPI-3.1 */

/*
 * A communicator that is made from a group with the key.  Open MPI loses the key, or reads it if
 * the job names kinds.  Then it puts the job's in the place of values that it does not support, so
 * a value that is the job's does not count.
 */
static void group_check(const char *value, int expected, const char *job)
{
    MPI_Group group;
    MPI_Comm comm;
    MPI_Info info = info_new(value);
    char text[100];
    test_case("%s, from a group", value);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Comm_create_from_group(group, value, info, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Info_free(&info);
    info_read(comm, key, text);
    bool is_kept = strcmp(text, value) == 0 && strcmp(text, job) != 0;
    looks_check(comm, is_kept ? expected : 0);
    memory_check(comm, expected);
    if (text[0] == '\0') {
        set(comm, value);
        looks_check(comm, expected);
        memory_check(comm, expected);
    }
    MPI_Comm_free(&comm);
}

/* A communicator that is made with a value and gets others, which 6.0 does not hand on if `job`. */
static void changed_check(const char *job)
{
    MPI_Comm comm;
    MPI_Info info = info_new("system");
    test_case("changed");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    looks_check(comm, SYSTEM);
    set(comm, "cuda:device");
    looks_check(comm, 0);
    memory_check(comm, 0);
    set(comm, "system,mpi");
    looks_check(comm, job[0] == '\0' ? SYSTEM | GIVEN : 0);
    memory_check(comm, SYSTEM | GIVEN);
    MPI_Comm_free(&comm);
}

static void groups_check(void)
{
    char job[100];
    info_read(MPI_COMM_WORLD, "mpi_memory_alloc_kinds", job);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        group_check(values[i].value, values[i].expected, job);
        group_check(values[i].value, values[i].expected, job);
    }
    if (job[0] != '\0') {
        group_check(job, SYSTEM | GIVEN, job);
    }
    changed_check(job);
}
#else
static void groups_check(void)
{
}
#endif

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_kinds", MPI_THREAD_SINGLE);
    const char *path = getenv("SYMM_TEST_CUDA_LIBRARY");
    void *library = path == NULL ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    find(library, "symm_standin_fail", &reset);
    find(library, "symm_standin_uses", &uses);
    cuda_memory_open(test_rank);
    if (getenv("SYMM_TEST_GROUPS") != NULL) {
        groups_check();
        return test_end();
    }
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        made_check(values[i].value, values[i].expected, MPI_COMM_WORLD);
    }
    made_check("system", SYSTEM, MPI_COMM_SELF);
    made_check("cuda:device", 0, MPI_COMM_SELF);
    set_check();
    return test_end();
}
