/*
 * check_faults.c - pairs of ranks, each of which runs a script on device memory while a function of
 * the driver fails; faults.tap starts it and judges what it prints.
 *
 *   check_faults FOLDER SCRIPT CASE...
 *
 * Ranks 2 i and 2 i + 1 work on the i-th case, in a communicator of their own: one start of mpirun
 * serves many cases, and each has fresh processes.  Scripts that begin with "rooted" or "three-"
 * have three ranks.  A case is "none", or FUNCTION:USE, with @RANK behind it if only that one of
 * the ranks meets the fault.  What rank 0 prints goes to FOLDER/CASE.0, and so on; the last line
 * from the program itself has the number of calls that have failed, as they may.
 *
 * Runs on the stand-in driver named by SYMM_STANDIN_DRIVER, which must be the one that the
 * component was given.  What this program itself asks of the driver is never made to fail, so
 * whatever goes wrong is the component's.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L

#include "tests/device/faults/check_faults.h"

#include "tests/harness/harness.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct faults_driver faults_driver;
MPI_Comm faults_pair;
int faults_rank;
MPI_Info faults_info;

static unsigned long errors;
static int output;

/* ---- the driver ------------------------------------------------------------------------------ */

static bool find(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    return test_check(address != NULL, name);
}

static bool driver_open(void)
{
    const char *path = getenv("SYMM_STANDIN_DRIVER");
    void *library = path == NULL ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    struct faults_driver *driver = &faults_driver;
    return test_check(library != NULL, "SYMM_STANDIN_DRIVER names the stand-in driver") &&
           find(library, "symm_standin_watch", &driver->watch) &&
           find(library, "symm_standin_fail", &driver->fail) &&
           find(library, "symm_standin_uses", &driver->uses) &&
           find(library, "cuInit", &driver->init) &&
           find(library, "cuDevicePrimaryCtxRetain", &driver->retain) &&
           find(library, "cuDevicePrimaryCtxRelease_v2", &driver->release) &&
           find(library, "cuCtxSetCurrent", &driver->set_current) &&
           find(library, "cuCtxGetCurrent", &driver->get_current) &&
           find(library, "cuCtxSynchronize", &driver->synchronize) &&
           find(library, "cuPointerGetAttribute", &driver->attribute) &&
           find(library, "cuMemAlloc_v2", &driver->allocate) &&
           find(library, "cuMemFree_v2", &driver->free) &&
           find(library, "cuMemcpyHtoD_v2", &driver->to_device) &&
           find(library, "cuMemcpyDtoH_v2", &driver->to_host);
}

bool faults_ok(CUresult result, const char *call)
{
    if (result != CUDA_SUCCESS) {
        test_fail("%s gives %d", call, (int)result);
    }
    return result == CUDA_SUCCESS;
}

/* ---- what is printed ------------------------------------------------------------------------- */

/* One descriptor for both streams, so that lines stay in order. */
static void output_open(const char *folder, const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s.%d", folder, name, faults_rank);
    output = open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (output < 0 || dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0) {
        fprintf(stderr, "check_faults: cannot write to %s\n", path);
        exit(2);
    }
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
}

const char *faults_said(void)
{
    static char text[4096];
    static off_t from;
    off_t end = lseek(output, 0, SEEK_END);
    off_t first = end - from < (off_t)sizeof text ? from : end - (off_t)sizeof text + 1;
    ssize_t length = pread(output, text, sizeof text - 1, first);
    text[length > 0 ? length : 0] = '\0';
    from = end;
    return text;
}

void faults_note_error(const char *call)
{
    printf("check_faults: rank %d: %s was refused\n", faults_rank, call);
    errors++;
}

unsigned long faults_errors(void)
{
    return errors;
}

/* ---- a case ---------------------------------------------------------------------------------- */

/* The stand-in driver reads it when it is first used. */
static void fault_set(const char *name)
{
    char text[256];
    size_t length = strcspn(name, "@");
    bool is_mine = name[length] == '\0' || atoi(name + length + 1) == faults_rank;
    if (is_mine && strcmp(name, "none") != 0) {
        (void)snprintf(text, sizeof text, "%.*s", (int)length, name);
        (void)setenv("SYMM_STANDIN_FAIL", text, 1);
    }
}

static int ranks_of(const char *script)
{
    return strncmp(script, "rooted", 6) == 0 || strncmp(script, "three-", 6) == 0 ? 3 : 2;
}

static void pair_make(int first, int count)
{
    MPI_Group all, two;
    int ranks[3] = {first, first + 1, first + 2};
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, count, ranks, &two);
    MPI_Comm_create_group(MPI_COMM_WORLD, two, first, &faults_pair);
    MPI_Group_free(&two);
    MPI_Group_free(&all);
    MPI_Comm_set_errhandler(faults_pair, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

static void script_run(const char *name)
{
    const char *script = strncmp(name, "three-", 6) == 0 ? name + 6 : name;
    CUcontext context = NULL;
    int device = faults_rank % 2;
    faults_driver.watch(0);
    faults_ok(faults_driver.init(0), "cuInit");
    faults_ok(faults_driver.retain(&context, device), "cuDevicePrimaryCtxRetain");
    faults_ok(faults_driver.set_current(context), "cuCtxSetCurrent");
    faults_driver.watch(1);
    bool elsewhere = strstr(script, "_elsewhere") != NULL;
    size_t length = strcspn(script, "_");
    if (strcmp(script, "memory") == 0) {
        faults_memory();
    } else if (strcmp(script, "streams") == 0) {
        faults_streams();
    } else if (strncmp(script, "calls", length) == 0) {
        faults_calls(elsewhere);
    } else if (strncmp(script, "rooted", length) == 0) {
        faults_rooted(elsewhere);
    } else if (strncmp(script, "rooted-again", length) == 0) {
        faults_rooted_again(elsewhere);
    } else if (strcmp(script, "exchanges") == 0 || strcmp(script, "gaps") == 0) {
        faults_exchanges(script[0] == 'g');
    } else if (strncmp(script, "exchanges-again", length) == 0 ||
               strncmp(script, "gaps-again", length) == 0) {
        faults_exchanges_again(script[0] == 'g', elsewhere);
    } else {
        test_check(strncmp(script, "again", length) == 0, "a script of that name");
        faults_again(elsewhere);
    }
    faults_driver.watch(0);
    faults_ok(faults_driver.release(device), "cuDevicePrimaryCtxRelease");
    faults_driver.watch(1);
}

int main(int argc, char **argv)
{
    const char *text = getenv("OMPI_COMM_WORLD_RANK");
    int rank = text == NULL ? 0 : atoi(text);
    int ranks = argc > 2 ? ranks_of(argv[2]) : 2;
    if (argc < 4 + rank / ranks) {
        fprintf(stderr, "check_faults: run it as: "
                        "mpirun -n (2 or 3 x cases) check_faults FOLDER SCRIPT CASE...\n");
        return 2;
    }
    const char *name = argv[3 + rank / ranks];
    faults_rank = rank % ranks;
    output_open(argv[1], name);
    fault_set(name);
    /* A thread makes calls of streams that the host makes. */
    test_begin(1, argv, "check_faults",
               getenv("SYMM_STREAM_PATH") != NULL ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
    test_case("%s", name);
    pair_make(rank - faults_rank, ranks);
    MPI_Info_create(&faults_info);
    MPI_Info_set(faults_info, "mpool_hints", "mpool=symm,kind=cuda");
    if (driver_open()) {
        script_run(argv[2]);
    }
    MPI_Info_free(&faults_info);
    MPI_Comm_free(&faults_pair);
    printf("check_faults: %s has ended with %lu errors and %lu failures\n", name, errors,
           test_failures());
    return test_end();
}
