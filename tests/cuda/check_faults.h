/*
 * check_faults.h - what the scripts of check_faults share: the driver beside the component, and the pair of
 * ranks that works on a case.
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

#include "tests/cuda/kernels.h"

/* What the program asks of the driver itself; never made to fail where watch(0) stands before it. */
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

/* What this rank has printed since the last call of this function, or its last part; until the next. */
const char *faults_said(void);

/* What the other rank of the pair says; of three ranks rank 1 hears rank 0, and the others rank 1. */
int faults_other_says(int mine);

/*
 * Whether a function has been named since faults_said().  After some have failed it may be a later
 * call of the driver that finds things in its way.
 */
bool faults_is_named(const char *function);

/* Of all functions that rank 1 has used, the i-th and how often; false behind the last one. */
bool faults_function_get(size_t i, char *name, size_t size, unsigned long *uses);

/* Work that fails later breaks its context, which cannot be used again: that is for fresh processes. */
bool faults_is_later(const char *name);

void faults_memory(void);

/* `elsewhere`: on memory of cuMemAlloc(), otherwise from MPI_Alloc_mem. */
void faults_calls(bool elsewhere);
void faults_again(bool elsewhere);

/* Small calls with a root, rank 1 on a device. */
void faults_rooted(bool elsewhere);
void faults_rooted_again(bool elsewhere);

#endif /* SYMM_TESTS_CHECK_FAULTS_H */
