/*
 * faults_memory.c - the script "memory" of check_faults: device memory from MPI_Alloc_mem, used as
 * a program uses it. Blocks of several sizes are filled and read on the device, and freed in
 * another order.
 *
 * Memory that cannot be had is no failure here: it must have been said, and the ranks go on.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/device/faults/check_faults.h"

#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 6, ROUNDS = 2, MIB = 1 << 20, RUN = 4096 };

static const size_t sizes[BLOCKS] = {100, 5 * MIB, 4096, 3 * MIB, 1, MIB + 4};

struct block {
    unsigned char *memory; /* on the device; NULL: was refused */
    size_t size;
    uint64_t stream;
};

/* The current context is not the program's affair, so it must not change. */
static void block_make(struct block *block, size_t size, uint64_t stream)
{
    CUcontext before = NULL;
    CUcontext after = NULL;
    unsigned type = 0;
    *block = (struct block){.size = size, .stream = stream};
    faults_driver.watch(0);
    faults_ok(faults_driver.get_current(&before), "cuCtxGetCurrent");
    faults_driver.watch(1);
    int error = MPI_Alloc_mem((MPI_Aint)size, faults_info, &block->memory);
    faults_driver.watch(0);
    faults_ok(faults_driver.get_current(&after), "cuCtxGetCurrent");
    test_check(before == after, "the current context is left as it was found");
    if (error != MPI_SUCCESS || block->memory == NULL) {
        faults_note_error("MPI_Alloc_mem");
        block->memory = NULL;
    } else if (!faults_ok(faults_driver.attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                  (CUdeviceptr)(uintptr_t)block->memory),
                          "cuPointerGetAttribute") ||
               !test_check(type == CU_MEMORYTYPE_DEVICE, "the memory is on a device")) {
        block->memory = NULL;
    }
    faults_driver.watch(1);
}

/* What the block is to hold, from byte `first` on. */
static void run_fill(const struct block *block, size_t first, unsigned char run[RUN])
{
    uint64_t start = test_random(block->stream, first / RUN);
    for (size_t i = 0; i < RUN; i++) {
        run[i] = (unsigned char)(start + i);
    }
}

static void block_fill(const struct block *block)
{
    unsigned char run[RUN], *here = block->memory == NULL ? NULL : malloc(block->size + RUN);
    if (here != NULL) {
        for (size_t first = 0; first < block->size; first += RUN) {
            run_fill(block, first, run);
            memcpy(here + first, run, RUN);
        }
        faults_ok(faults_driver.to_device((CUdeviceptr)(uintptr_t)block->memory, here, block->size),
                  "cuMemcpyHtoD");
        faults_ok(faults_driver.synchronize(), "cuCtxSynchronize");
        free(here);
    }
}

static void block_check(const struct block *block)
{
    unsigned char run[RUN], *here = block->memory == NULL ? NULL : malloc(block->size);
    if (here != NULL &&
        faults_ok(faults_driver.to_host(here, (CUdeviceptr)(uintptr_t)block->memory, block->size),
                  "cuMemcpyDtoH")) {
        for (size_t first = 0; first < block->size; first += RUN) {
            size_t left = block->size - first;
            run_fill(block, first, run);
            if (memcmp(here + first, run, left < RUN ? left : RUN) != 0) {
                test_fail("something in the block of %zu bytes is wrong", block->size);
                break;
            }
        }
    }
    free(here);
}

static void block_end(struct block *block)
{
    if (block->memory != NULL) {
        test_check(MPI_Free_mem(block->memory) == MPI_SUCCESS, "MPI_Free_mem");
        block->memory = NULL;
    }
}

/* The second round finds the heap as the first one left it. */
static void run_round(int number)
{
    struct block blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        block_make(&blocks[i], sizes[i],
                   test_stream((uint64_t)number, (uint64_t)test_rank, (uint64_t)i));
        faults_driver.watch(0);
        block_fill(&blocks[i]);
        faults_driver.watch(1);
    }
    faults_driver.watch(0);
    for (int i = 0; i < BLOCKS; i++) {
        block_check(&blocks[i]);
    }
    faults_driver.watch(1);
    for (int i = 0; i < BLOCKS; i++) {
        block_end(&blocks[(i * 5 + 2) % BLOCKS]);
    }
}

void faults_memory(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        run_round(i);
    }
}
