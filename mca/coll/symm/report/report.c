/*
 * report/report.c - see report/report.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/report/report.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "heap/memfd.h"
#include "heap/server/request.h"
#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/report/counters.h"
#include "mca/coll/symm/report/json.h"
#include "mca/coll/symm/report/lines.h"
#include "mca/coll/symm/report/rows.h"
#include "mca/coll/symm/report/words.h"

static struct symm_counters *all_counters; /* of the node's processes; NULL: not shared */
static size_t process_count;
static char *file_name; /* NULL: no file */

/* ---- shared counters ------------------------------------------------------------------------- */

/*
 * Attaching starts with the first communicator, in whose creation nothing may wait.
 * opal_progress() carries it on until the counters have come.
 */
static struct {
    atomic_flag started;
    atomic_flag stepping; /* by some thread; stays set when all is done */
    struct symm_request request;
    time_t deadline;
} attaching = {ATOMIC_FLAG_INIT, ATOMIC_FLAG_INIT, {.descriptor = -1}, 0};

static size_t shared_size(void)
{
    return process_count * sizeof(struct symm_counters);
}

/* Take over the shared array; what has been counted so far moves along. */
static void counters_map(int descriptor)
{
    void *address;
    if (symm_memfd_map(descriptor, shared_size(), &address) == SYMM_OK) {
        all_counters = address;
        struct symm_counters *own = &all_counters[opal_process_info.my_local_rank];
        mca_coll_symm_counters_move(own);
        atomic_store_explicit(&own->shared, true, memory_order_release);
    }
}

void mca_coll_symm_report_open(void)
{
    struct symm_process *process = mca_coll_symm_component.process;
    const char *file = mca_coll_symm_component.report_file;
    bool has_file = file != NULL && *file != '\0' && strcmp(file, "none") != 0;
    if (!(mca_coll_symm_component.report || has_file) || process == NULL) {
        return;
    }
    /*
     * The peers ask for the counters before any collective, so the server has to answer from now
     * on.
     */
    if (symm_process_serve(process) != SYMM_OK) {
        return;
    }
    process_count = (size_t)opal_process_info.num_local_peers + 1;
    if (opal_process_info.my_local_rank != 0) {
        return;
    }
    file_name = has_file ? strdup(file) : NULL; /* Open MPI frees its own before the report */
    (void)atomic_flag_test_and_set(&attaching.started); /* there is nothing to ask for */
    struct symm_object_id id = {.what = SYMM_OBJECT_REPORT};
    struct symm_object object = {.size = shared_size()};
    if (symm_memfd_create("symm-report", object.size, &object.descriptor) == SYMM_OK) {
        counters_map(object.descriptor);
    } else {
        object.descriptor = -1; /* tell the processes that ask that it will never come */
    }
    (void)symm_server_export(symm_process_server(process), &id, &object);
    if (object.descriptor >= 0) {
        (void)close(object.descriptor);
    }
}

/*
 * The name of the server of the job's first process on this node.  Open MPI knows all processes of
 * the node from the start.  There may be no world, as a session may have initialised MPI.
 */
static const char *first_process_name(symm_server_name_get *name_get)
{
    size_t count = 0;
    ompi_proc_t **procs = ompi_proc_get_allocated(&count);
    const ompi_proc_t *first = NULL;
    for (size_t i = 0; procs != NULL && i < count; i++) {
        if (OPAL_PROC_ON_LOCAL_NODE(procs[i]->super.proc_flags) &&
            (first == NULL || procs[i]->super.proc_name.vpid < first->super.proc_name.vpid)) {
            first = procs[i];
        }
    }
    free(procs);
    const char *name = NULL;
    if (first != NULL) {
        (void)name_get(first, &name);
    }
    return name;
}

/* Go on with attaching, without waiting.  This is a callback of opal_progress(). */
static int attach_step(void)
{
    struct symm_object object;
    if (atomic_flag_test_and_set(&attaching.stepping)) {
        return 0;
    }
    enum symm_status status = symm_request_test(&attaching.request, &object);
    if (status == SYMM_PENDING && time(NULL) < attaching.deadline) {
        atomic_flag_clear(&attaching.stepping);
        return 0;
    }
    (void)opal_progress_unregister(attach_step);
    symm_request_cancel(&attaching.request);
    if (status == SYMM_OK) {
        if (object.size == shared_size() &&
            symm_memfd_check(object.descriptor, shared_size()) == SYMM_OK) {
            counters_map(object.descriptor);
        }
        (void)close(object.descriptor);
    }
    return 0;
}

void mca_coll_symm_report_attach(symm_server_name_get *name_get)
{
    enum { PATIENCE_SECONDS = 60 };
    if (process_count == 0 || atomic_flag_test_and_set(&attaching.started)) {
        return;
    }
    const char *name = first_process_name(name_get);
    if (name != NULL) {
        struct symm_object_id id = {.what = SYMM_OBJECT_REPORT};
        symm_request_begin(&attaching.request, name, &id);
        attaching.deadline = time(NULL) + PATIENCE_SECONDS;
        (void)opal_progress_register_lp(attach_step);
        (void)attach_step(); /* this asks; by the time that somebody waits, the answer is there */
    }
}

/*
 * In MPI_Finalize() processes wait for each other for so long at most: a program may be over before
 * the answer has come, or before the first process has seen that it came.
 */
enum { CLOSING_MS = 1000 };

static void millisecond_wait(void)
{
    const struct timespec pause = {.tv_nsec = 1000 * 1000};
    (void)nanosleep(&pause, NULL);
}

/* MPI may be initialised again. */
static void attach_end(void)
{
    for (int ms = 0; ms < CLOSING_MS && attaching.request.under_way; ms++) {
        millisecond_wait();
        (void)attach_step();
    }
    if (atomic_flag_test_and_set(&attaching.started)) {
        (void)opal_progress_unregister(attach_step);
        symm_request_cancel(&attaching.request);
    }
    atomic_flag_clear(&attaching.stepping);
    atomic_flag_clear(&attaching.started);
}

/* ---- the table ------------------------------------------------------------------------------- */

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

static void row_print(void *context, const char *collective, const char *outcome,
                      const char *detail, uint64_t calls, uint64_t bytes)
{
    FILE *table = context;
    char how[64], size[32];
    (void)snprintf(how, sizeof(how), "%s: %s", outcome, detail);
    size_format(bytes, size, sizeof(size));
    (void)fprintf(table, "  %-25s %-53s %7llu %10s\n", collective, how, (unsigned long long)calls,
                  size);
}

/* What can be done about the reasons in the table. */
static void remedies_print(const struct symm_tally *sum, FILE *table)
{
    for (int reason = 0; reason < SYMM_REASON_COUNT; reason++) {
        const char *remedy = mca_coll_symm_reason_remedy((enum symm_reason)reason);
        uint64_t calls = 0;
        for (int i = 0; i < SYMM_COLLECTIVE_COUNT * SYMM_CALL_FORM_COUNT; i++) {
            calls += sum->outcomes[i % SYMM_CALL_FORM_COUNT]
                         .fallback[i / SYMM_CALL_FORM_COUNT][reason].calls;
        }
        if (remedy != NULL && calls > 0) {
            (void)fprintf(table, "  %s: %s\n", mca_coll_symm_reason_text((enum symm_reason)reason),
                          remedy);
        }
    }
}

static void report_print(const struct symm_report *report, FILE *table)
{
    (void)fprintf(table, "ompi-symm report: node %s, calls and bytes of %zu processes together\n",
                  report->node, report->processes);
    if (report->missing > 0) {
        (void)fprintf(table, "  without those of %zu more, which could not reach the counters\n",
                      report->missing);
    }
    (void)fprintf(table, "  %-25s %-53s %7s %10s\n", "collective", "outcome", "calls", "bytes");
    mca_coll_symm_report_rows(report, row_print, table);
    for (int i = 0; i < SYMM_UNSERVED_COUNT; i++) {
        if (report->sum.unserved[i] > 0) {
            (void)fprintf(table, "  communicators not served: %s: %llu\n",
                          mca_coll_symm_unserved_text((enum symm_unserved)i),
                          (unsigned long long)report->sum.unserved[i]);
        }
    }
    remedies_print(&report->sum, table);
}

static void table_print(const struct symm_report *report)
{
    char *text = NULL;
    size_t length = 0;
    FILE *table = open_memstream(&text, &length);
    if (table == NULL) {
        report_print(report, stderr);
        return;
    }
    report_print(report, table);
    if (fclose(table) == 0) {
        mca_coll_symm_lines_write(text, length);
    }
    free(text);
}

/* ---- the end of the job ---------------------------------------------------------------------- */

/* The nodes of a job may share a folder, so that each has a file of its own. */
static void file_write(const struct symm_report *report)
{
    char *with_node = NULL;
    if ((size_t)ompi_proc_world_size() > process_count &&
        asprintf(&with_node, "%s.%s", file_name, report->node) < 0) {
        with_node = NULL;
    }
    mca_coll_symm_report_json(report, with_node != NULL ? with_node : file_name);
    free(with_node);
}

/* How many processes share their counters. */
static size_t processes_shared(void)
{
    size_t shared = 0;
    for (size_t process = 0; process < process_count; process++) {
        shared += atomic_load_explicit(&all_counters[process].shared, memory_order_acquire);
    }
    return shared;
}

static void report_give(void)
{
    struct symm_report report;
    memset(&report, 0, sizeof(report));
    report.node = opal_process_info.nodename;
    report.processes = processes_shared();
    for (int ms = 0; ms < CLOSING_MS && report.processes < process_count; ms++) {
        millisecond_wait();
        report.processes = processes_shared();
    }
    report.missing = process_count - report.processes;
    for (size_t process = 0; process < process_count; process++) {
        mca_coll_symm_counters_add(&report.sum, &all_counters[process]);
    }
    if (mca_coll_symm_component.report) {
        table_print(&report);
    }
    if (file_name != NULL) {
        file_write(&report);
    }
}

void mca_coll_symm_report_close(void)
{
    attach_end();
    if (all_counters != NULL) {
        if (opal_process_info.my_local_rank == 0) {
            report_give();
        }
        mca_coll_symm_counters_move(NULL);
        (void)munmap(all_counters, shared_size());
        all_counters = NULL;
    }
    free(file_name);
    file_name = NULL;
}
