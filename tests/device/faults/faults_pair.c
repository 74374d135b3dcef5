/*
 * faults_pair.c - what the ranks of a case tell each other, the data and the device memory of their
 * calls, and the faults that calls meet in processes that go on: see check_faults.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/device/faults/check_faults.h"

#include "tests/harness/harness.h"
#include "tests/harness/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 17, FUNCTIONS = 40, NAME_MAX = 64 };

bool faults_device_is_lost;

/* ---- what the ranks tell each other ---------------------------------------------------------- */

/* Rank 1 speaks with each of the others; the last one that it hears is rank 0. */
int faults_other_says(int mine)
{
    int theirs = 0, size;
    MPI_Comm_size(faults_pair, &size);
    for (int other = faults_rank == 1 ? size - 1 : 1; other >= 0; other--) {
        if ((faults_rank == 1) != (other == 1)) {
            MPI_Sendrecv(&mine, 1, MPI_INT, other, TAG, &theirs, 1, MPI_INT, other, TAG,
                         faults_pair, MPI_STATUS_IGNORE);
        }
    }
    return theirs;
}

void faults_check_same(int error)
{
    int other = faults_other_says(error);
    test_check(error == other || getenv("SYMM_TEST_ALONE") != NULL,
               "all ranks get the same error, or none");
}

bool faults_is_named(const char *function)
{
    bool gives_back = strcmp(function, "cuCtxPopCurrent") == 0 ||
                      strcmp(function, "cuThreadExchangeStreamCaptureMode") == 0;
    return strstr(faults_said(), gives_back ? ": CUDA_ERROR_" : function) != NULL;
}

bool faults_is_later(const char *name)
{
    return strcmp(name, "kernel") == 0 || strcmp(name, "copy") == 0;
}

/* ---- data and memory of calls ---------------------------------------------------------------- */

unsigned faults_value(uint64_t call, int rank, int i)
{
    return (unsigned)test_random(test_stream(call, (uint64_t)rank, 0), (uint64_t)i);
}

/* A device may only be lost once a call has failed. */
static bool device_ok(CUresult result, const char *call)
{
    faults_device_is_lost |= result == CUDA_ERROR_LAUNCH_FAILED && faults_errors() > 0;
    return !faults_device_is_lost && faults_ok(result, call);
}

void faults_upload(void *block, const unsigned *from, size_t count)
{
    CUdeviceptr address = (CUdeviceptr)(uintptr_t)block;
    if (device_ok(faults_driver.to_device(address, from, count * sizeof *from), "cuMemcpyHtoD")) {
        device_ok(faults_driver.synchronize(), "cuCtxSynchronize");
    }
}

bool faults_download(unsigned *to, const void *block, size_t count)
{
    CUdeviceptr address = (CUdeviceptr)(uintptr_t)block;
    return device_ok(faults_driver.to_host(to, address, count * sizeof *to), "cuMemcpyDtoH");
}

void *faults_block_get(size_t count, bool elsewhere)
{
    void *block = NULL;
    CUdeviceptr address = 0;
    if (elsewhere) {
        faults_ok(faults_driver.allocate(&address, count * sizeof(unsigned)), "cuMemAlloc");
        return (void *)(uintptr_t)address;
    }
    return MPI_Alloc_mem((MPI_Aint)(count * sizeof(unsigned)), faults_info, &block) == MPI_SUCCESS
               ? block : NULL;
}

void faults_block_give(void *block, bool elsewhere)
{
    if (block != NULL && elsewhere) {
        device_ok(faults_driver.free((CUdeviceptr)(uintptr_t)block), "cuMemFree");
    } else if (block != NULL) {
        MPI_Free_mem(block);
    }
}

int faults_wait(MPI_Request *request, int error)
{
    MPI_Status status = {.MPI_ERROR = MPI_SUCCESS};
    int waited = MPI_Waitall(1, request, &status);
    if (waited == MPI_ERR_IN_STATUS) {
        test_check(status.MPI_ERROR != MPI_SUCCESS, "the status has an error");
        return status.MPI_ERROR;
    }
    if (waited != MPI_SUCCESS) {
        test_fail("MPI_Waitall gives %d", waited);
    }
    return error;
}

/* ---- faults in processes that go on ---------------------------------------------------------- */

/* Of all functions that rank 1 has used, the i-th and how often; false behind the last one. */
static bool function_get(size_t i, char *name, size_t size, unsigned long *uses)
{
    int ranks;
    MPI_Comm_size(faults_pair, &ranks);
    memset(name, 0, size);
    if (faults_rank == 1) {
        const char *own = faults_driver.uses(i, uses);
        (void)snprintf(name, size, "%s", own != NULL ? own : "");
        for (int other = 0; other < ranks; other += 2) {
            MPI_Send(name, (int)size, MPI_CHAR, other, TAG, faults_pair);
            MPI_Send(uses, 1, MPI_UNSIGNED_LONG, other, TAG, faults_pair);
        }
    } else {
        MPI_Recv(name, (int)size, MPI_CHAR, 1, TAG, faults_pair, MPI_STATUS_IGNORE);
        MPI_Recv(uses, 1, MPI_UNSIGNED_LONG, 1, TAG, faults_pair, MPI_STATUS_IGNORE);
    }
    return name[0] != '\0';
}

void faults_each_use(const char *call, faults_wanted_function *is_wanted,
                     faults_run_function *fault_run, const void *kind)
{
    char names[FUNCTIONS][NAME_MAX];
    static unsigned number; /* the default run takes one of three uses, another of each function */
    unsigned long uses[FUNCTIONS], faults = 0;
    size_t count = 0;
    while (count < FUNCTIONS && function_get(count, names[count], sizeof *names, &uses[count])) {
        count++;
    }
    for (size_t i = 0; i < count; i++) {
        unsigned long chosen[] = {1, 2, uses[i]};
        unsigned tried = uses[i] < 3 ? (unsigned)uses[i] : 3;
        if (is_wanted(names[i]) && tried > 0) {
            printf("check_faults: %s: faults of %s\n", call, names[i]);
            for (unsigned j = 0; j < tried; j++) {
                if (test_whole || j == number % tried) {
                    fault_run(kind, names[i], chosen[j]);
                    faults++;
                }
            }
            number++;
        }
    }
    printf("check_faults: %s: %lu faults\n", call, faults);
}

void faults_gaps_put(int *count, MPI_Datatype *type)
{
    int first = *count / 2, lengths[2] = {*count - first, first}, places[2] = {first, 0};
    MPI_Type_indexed(2, lengths, places, MPI_UNSIGNED, type);
    MPI_Type_commit(type);
    *count = 1;
}
