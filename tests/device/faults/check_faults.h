/*
 * check_faults.h - what the scripts of check_faults share: the driver beside the component, and the
 * pair of ranks that works on a case.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_CHECK_FAULTS_H
#define SYMM_TESTS_CHECK_FAULTS_H

#include <cuda.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/standin/kernels.h"

/*
 * What the program asks of the driver itself; never made to fail where watch(0) stands before it.
 */
struct faults_driver {
    symm_standin_watch_function *watch;
    symm_standin_fail_function *fail;
    symm_standin_uses_function *uses;
    __typeof__(cuInit) *init;
    __typeof__(cuDevicePrimaryCtxRetain) *retain;
    __typeof__(cuDevicePrimaryCtxRelease) *release;
    __typeof__(cuCtxSetCurrent) *set_current;
    __typeof__(cuCtxGetCurrent) *get_current;
    __typeof__(cuCtxSynchronize) *synchronize;
    __typeof__(cuPointerGetAttribute) *attribute;
    __typeof__(cuMemAlloc) *allocate;
    __typeof__(cuMemFree) *free;
    __typeof__(cuMemcpyHtoD) *to_device;
    __typeof__(cuMemcpyDtoH) *to_host;
};

extern struct faults_driver faults_driver;

/* Reports a failure unless the call has gone well. */
bool faults_ok(CUresult result, const char *call);

extern MPI_Comm faults_pair; /* the two ranks, or three; errors are returned */
extern int faults_rank;      /* in it */
extern MPI_Info faults_info; /* for MPI_Alloc_mem: memory of a device */

/* A call has failed, as it may; such lines are counted, and must have been explained. */
void faults_note_error(const char *call);
unsigned long faults_errors(void);

/*
 * What this rank has printed since the last call of this function, or its last part; until the
 * next.
 */
const char *faults_said(void);

/*
 * What the other rank of the pair says; of three ranks rank 1 hears rank 0, and the others rank 1.
 */
int faults_other_says(int mine);

/*
 * Checks that all ranks have got the same error, or none, which the others are asked about.  With
 * SYMM_TEST_ALONE set in the environment a rank may be alone with its error.
 */
void faults_check_same(int error);

/*
 * Whether a function has been named since faults_said().  After some have failed it may be a later
 * call of the driver that finds things in its way.
 */
bool faults_is_named(const char *function);

/*
 * Work that fails later breaks its context, which cannot be used again: that is for fresh
 * processes.
 */
bool faults_is_later(const char *name);

/*
 * The first, second and last use of each function that rank 1 has used since faults_driver.fail().
 */
typedef bool faults_wanted_function(const char *function);
typedef void faults_run_function(const void *kind, const char *function, unsigned long use);
void faults_each_use(const char *call, faults_wanted_function *is_wanted,
                     faults_run_function *fault_run, const void *kind);

/* Element i of what a rank contributes to a call. */
unsigned faults_value(uint64_t call, int rank, int i);

/*
 * Work on the device has failed in an earlier call: its context is of no use any more.  The
 * functions below find that out.
 */
extern bool faults_device_is_lost;

/* To the beginning of a block and from there; false if that has failed, or the device is lost. */
void faults_upload(void *block, const unsigned *from, size_t count);
bool faults_download(unsigned *to, const void *block, size_t count);

/* Device memory for `count` unsigned: of MPI_Alloc_mem, or of cuMemAlloc() if `elsewhere`. */
void *faults_block_get(size_t count, bool elsewhere);
void faults_block_give(void *block, bool elsewhere);

/* Completes a request.  Gives its error, or that of the call that has made it. */
int faults_wait(MPI_Request *request, int error);

void faults_memory(void);

/* `elsewhere`: on memory of cuMemAlloc(), otherwise from MPI_Alloc_mem. */
void faults_calls(bool elsewhere);
void faults_again(bool elsewhere);

/* Small calls with a root, rank 1 on a device. */
void faults_rooted(bool elsewhere);
void faults_rooted_again(bool elsewhere);

/*
 * So many elements in one, whose type names the second half first.  Where all ranks do that, data
 * lie where they would lie without it.
 */
void faults_gaps_put(int *count, MPI_Datatype *type);

/* Exchanges, and the other collectives on devices, of two ranks or three. */
void faults_exchanges(bool has_gaps);
void faults_exchanges_again(bool has_gaps, bool elsewhere);

/* Collectives on CUDA streams. */
void faults_streams(void);

#endif /* SYMM_TESTS_CHECK_FAULTS_H */
