/*
 * coll_symm_report.c - see coll_symm_report.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/coll_symm_report.h"

#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "heap/memfd.h"
#include "heap/request.h"
#include "mca/coll/symm/coll_symm.h"
#include "mca/coll/symm/coll_symm_names.h"

struct count {
    uint64_t calls, bytes;
};

/* Of one process, alone in its cache lines. */
struct counters {
    _Alignas(128) struct count served[SYMM_ALGORITHM_COUNT];
    struct count fallback[SYMM_COLLECTIVE_COUNT][SYMM_REASON_COUNT];
    struct count mismatch[SYMM_COLLECTIVE_COUNT];
    uint64_t unserved[SYMM_UNSERVED_COUNT];
};

static struct counters own_counters;
static struct counters *counters = &own_counters; /* where this process counts */
static struct counters *all_counters;             /* of the node's processes; NULL: not shared */
static size_t process_count;

static const char *const collective_names[SYMM_COLLECTIVE_COUNT] = {
    [SYMM_ALLREDUCE] = "allreduce",
    [SYMM_ALLGATHER] = "allgather",
};

static const char *const reason_texts[SYMM_REASON_COUNT] = {
    [SYMM_REASON_NONE] = "",
    [SYMM_REASON_GAPS] = "datatype with gaps",
    [SYMM_REASON_ELEMENT] = "elements of more than 64 KiB",
    [SYMM_REASON_PEER] = "another rank's part cannot be served",
    [SYMM_REASON_SLOWER] = "large, and not from MPI_Alloc_mem",
    [SYMM_REASON_DISABLED] = "ranks cannot share memory",
};

static const char *const unserved_texts[SYMM_UNSERVED_COUNT] = {
    [SYMM_UNSERVED_NODES] = "ranks on several nodes",
    [SYMM_UNSERVED_INTER] = "inter-communicators",
    [SYMM_UNSERVED_COMPONENT] = "some processes run without the component",
};

/* ---- shared counters ----------------------------------------------------------------------------- */

static size_t shared_size(void)
{
    return process_count * sizeof(struct counters);
}

/* Take over the shared array; what has been counted so far moves along. */
static void counters_map(int descriptor)
{
    void *address;
    if (symm_memfd_map(descriptor, shared_size(), &address) == SYMM_OK) {
        all_counters = address;
        counters = &all_counters[opal_process_info.my_local_rank];
        *counters = own_counters;
    }
}

void mca_coll_symm_report_open(void)
{
    struct symm_process *process = mca_coll_symm_component.process;
    if (!mca_coll_symm_component.report || process == NULL) {
        return;
    }
    /* The others ask for the counters before any collective: the server has to answer from now on. */
    if (symm_process_serve(process) != SYMM_OK) {
        return;
    }
    process_count = (size_t)opal_process_info.num_local_peers + 1;
    if (opal_process_info.my_local_rank != 0) {
        return;
    }
    struct symm_object_id id = {.what = SYMM_OBJECT_REPORT};
    struct symm_object object = {.size = shared_size()};
    if (symm_memfd_create("symm-report", object.size, &object.descriptor) == SYMM_OK) {
        counters_map(object.descriptor);
        (void)symm_server_export(symm_process_server(process), &id, &object);
        (void)close(object.descriptor);
    }
}

/* The name of the server of the job's first process on this node. */
static const char *first_process_name(void)
{
    const ompi_group_t *world = ompi_mpi_comm_world.comm.c_local_group;
    for (int rank = 0; rank < world->grp_proc_count; rank++) {
        const ompi_proc_t *proc = ompi_group_peer_lookup((ompi_group_t *)(uintptr_t)world, rank);
        if (OPAL_PROC_ON_LOCAL_NODE(proc->super.proc_flags)) {
            const char *name = NULL;
            (void)mca_coll_symm_server_name(proc, &name);
            return name;
        }
    }
    return NULL;
}

void mca_coll_symm_report_attach(void)
{
    enum { PATIENCE_SECONDS = 5 };
    static bool tried;
    if (tried || process_count == 0 || all_counters != NULL) {
        return;
    }
    tried = true;
    const char *name = first_process_name();
    if (name == NULL) {
        return;
    }
    struct symm_object_id id = {.what = SYMM_OBJECT_REPORT};
    struct symm_object object;
    struct symm_request request;
    symm_request_begin(&request, name, &id);
    time_t deadline = time(NULL) + PATIENCE_SECONDS;
    enum symm_status status = symm_request_test(&request, &object);
    while (status == SYMM_PENDING && time(NULL) < deadline) {
        (void)poll(NULL, 0, 1); /* a nap of 1 ms */
        status = symm_request_test(&request, &object);
    }
    symm_request_cancel(&request);
    if (status == SYMM_OK) {
        if (object.size == shared_size() &&
            symm_memfd_check(object.descriptor, shared_size()) == SYMM_OK) {
            counters_map(object.descriptor);
        }
        (void)close(object.descriptor);
    }
}

/* ---- counting -------------------------------------------------------------------------------------- */

void mca_coll_symm_report_count(const struct symm_operation *operation)
{
    const struct symm_call *call = &operation->call;
    struct count *count = NULL;
    switch (operation->outcome) {
    case SYMM_OUTCOME_SERVED:
        count = &counters->served[operation->run.algorithm];
        break;
    case SYMM_OUTCOME_FALLBACK:
        count = &counters->fallback[call->collective][operation->reason];
        break;
    case SYMM_OUTCOME_ERROR:
        count = &counters->mismatch[call->collective];
        break;
    }
    count->calls++;
    count->bytes += call->count * call->extent;
}

void mca_coll_symm_report_count_unserved(enum symm_unserved why)
{
    counters->unserved[why]++;
}

/* ---- the table ------------------------------------------------------------------------------------- */

static void add(struct count *sum, const struct count *count)
{
    sum->calls += count->calls;
    sum->bytes += count->bytes;
}

static void counters_sum(struct counters *sum)
{
    *sum = (struct counters){.served = {{0, 0}}};
    for (size_t process = 0; process < process_count; process++) {
        const struct counters *from = &all_counters[process];
        for (int i = 0; i < SYMM_ALGORITHM_COUNT; i++) {
            add(&sum->served[i], &from->served[i]);
        }
        for (int i = 0; i < SYMM_COLLECTIVE_COUNT; i++) {
            for (int reason = 0; reason < SYMM_REASON_COUNT; reason++) {
                add(&sum->fallback[i][reason], &from->fallback[i][reason]);
            }
            add(&sum->mismatch[i], &from->mismatch[i]);
        }
        for (int i = 0; i < SYMM_UNSERVED_COUNT; i++) {
            sum->unserved[i] += from->unserved[i];
        }
    }
}

static void size_format(uint64_t bytes, char *text, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1024 && unit < sizeof(units) / sizeof(*units) - 1) {
        value /= 1024;
        unit++;
    }
    (void)snprintf(text, size, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
}

static void row_print(const char *collective, const char *how, const struct count *count)
{
    char bytes[32];
    if (count->calls > 0) {
        size_format(count->bytes, bytes, sizeof(bytes));
        (void)fprintf(stderr, "  %-10s %-47s %12llu %12s\n", collective, how,
                      (unsigned long long)count->calls, bytes);
    }
}

static void collective_print(const struct counters *sum, enum symm_collective collective,
                             int first_algorithm, int end_algorithm)
{
    const char *name = collective_names[collective];
    char how[64];
    for (int i = first_algorithm; i < end_algorithm; i++) {
        (void)snprintf(how, sizeof(how), "served: %s",
                       symm_algorithm_name((enum symm_algorithm)i));
        row_print(name, how, &sum->served[i]);
    }
    for (int reason = 0; reason < SYMM_REASON_COUNT; reason++) {
        (void)snprintf(how, sizeof(how), "fell back: %s", reason_texts[reason]);
        row_print(name, how, &sum->fallback[collective][reason]);
    }
    row_print(name, "failed: ranks made different calls", &sum->mismatch[collective]);
}

static void table_print(void)
{
    struct counters sum;
    counters_sum(&sum);
    (void)fprintf(stderr, "ompi-symm report: node %s, calls and bytes of %zu processes together\n",
                  opal_process_info.nodename, process_count);
    (void)fprintf(stderr, "  %-10s %-47s %12s %12s\n", "collective", "outcome", "calls", "bytes");
    collective_print(&sum, SYMM_ALLREDUCE, SYMM_ALLREDUCE_SLOT, SYMM_ALLGATHER_SLOT);
    collective_print(&sum, SYMM_ALLGATHER, SYMM_ALLGATHER_SLOT, SYMM_ALGORITHM_COUNT);
    for (int i = 0; i < SYMM_UNSERVED_COUNT; i++) {
        if (sum.unserved[i] > 0) {
            (void)fprintf(stderr, "  communicators not served: %s: %llu\n", unserved_texts[i],
                          (unsigned long long)sum.unserved[i]);
        }
    }
    (void)fflush(stderr);
}

void mca_coll_symm_report_close(void)
{
    if (all_counters == NULL) {
        return;
    }
    if (opal_process_info.my_local_rank == 0) {
        table_print();
    }
    counters = &own_counters;
    (void)munmap(all_counters, shared_size());
    all_counters = NULL;
}
