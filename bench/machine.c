/*
 * machine.c - a description of this machine. A component that is loaded has MPI_T control
 * variables. One that was not loaded or was excluded (--mca coll ^symm) has none.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#if defined(HAVE_CONFIG_H)
#include "config.h"
#else
#define _POSIX_C_SOURCE 200809L
#define PACKAGE_VERSION "(unknown version)"
#endif

#include "machine.h"

#include "clock.h"

#include <stdio.h>
#include <string.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif
#include <sys/utsname.h>
#include <unistd.h>

const char machine_component[] = "symm";

enum { LINE_WIDTH = 100 };

/* The part of MPI's description that fits on a line. */
static void library_print(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, "\n")] = '\0';
    int used = printf("# symm_bench %s, ", PACKAGE_VERSION);
    printf("%.*s\n", used < LINE_WIDTH ? LINE_WIDTH - used : 0, text);
}

/* Linux has a model name for some processors only. */
static bool processor_name(char *name, size_t length)
{
    static const char key[] = "model name";
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    bool found = false;
    while (file != NULL && !found && fgets(line, sizeof(line), file) != NULL) {
        const char *value = strchr(line, ':');
        if (strncmp(line, key, sizeof(key) - 1) == 0 && value != NULL) {
            snprintf(name, length, "%s", value + 1 + strspn(value + 1, " "));
            name[strcspn(name, "\n")] = '\0';
            found = true;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

static int node_count(MPI_Comm control)
{
    MPI_Comm node;
    int rank, first, nodes;
    MPI_Comm_split_type(control, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_free(&node);
    first = rank == 0;
    MPI_Reduce(&first, &nodes, 1, MPI_INT, MPI_SUM, 0, control);
    return nodes;
}

static void machine_line_print(int ranks, int nodes)
{
    struct utsname system;
    char processor[64];
    if (uname(&system) != 0) {
        snprintf(system.nodename, sizeof(system.nodename), "unknown");
        snprintf(system.machine, sizeof(system.machine), "unknown");
    }
    if (!processor_name(processor, sizeof(processor))) {
        snprintf(processor, sizeof(processor), "processor unnamed");
    }
    printf("# %.24s (%s, %.40s)\n", system.nodename, system.machine, processor);
    printf("# ranks: %d, nodes: %d, cores of this node: %ld; a reading of the clock: %.3f us\n",
           ranks, nodes, sysconf(_SC_NPROCESSORS_ONLN), clock_cost_us());
}

void machine_print(MPI_Comm control)
{
    int rank, ranks;
    int nodes = node_count(control);
    MPI_Comm_rank(control, &rank);
    MPI_Comm_size(control, &ranks);
    if (rank == 0) {
        library_print();
        machine_line_print(ranks, nodes);
    }
}

static bool variable_read(const char *name, int *value)
{
    MPI_T_cvar_handle handle;
    int index, count;
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) {
        return false;
    }
    bool found = count == 1 && MPI_T_cvar_read(handle, value) == MPI_SUCCESS;
    MPI_T_cvar_handle_free(&handle);
    return found;
}

/* MPI_T is left again at once: Open MPI 4.1.4 crashes in MPI_Finalize if it is still in use. */
static bool component_loaded(int *priority)
{
    char name[64];
    int provided;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) {
        return false;
    }
    snprintf(name, sizeof(name), "coll_%s_priority", machine_component);
    bool loaded = variable_read(name, priority);
    MPI_T_finalize();
    return loaded;
}

bool machine_component_loaded(MPI_Comm control, int *priority)
{
    int rank;
    int answer[2] = {0, 0};
    MPI_Comm_rank(control, &rank);
    if (rank == 0) {
        answer[0] = component_loaded(&answer[1]);
    }
    MPI_Bcast(answer, 2, MPI_INT, 0, control);
    *priority = answer[1];
    return answer[0] != 0;
}

bool machine_mpi_knows_gpus(void)
{
#if defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support() != 0;
#else
    return false;
#endif
}

MPI_Comm machine_dup_without(MPI_Comm comm)
{
    MPI_Comm without;
    MPI_Info info;
    char value[32];
    snprintf(value, sizeof(value), "^%s", machine_component);
    MPI_Info_create(&info);
    MPI_Info_set(info, "ompi_comm_coll_preference", value);
    MPI_Comm_dup_with_info(comm, info, &without);
    MPI_Info_free(&info);
    return without;
}
