/*
 * cuda_ipc.h - device memory that is not of our heaps (cudaMalloc(), and what pools cut from it),
 * mapped in other processes by CUDA IPC.
 *
 * The owner registers the allocations that it meets: each gets a place in a table and a serial
 * number, so the rest of the library names a buffer in it as one in a heap, by a struct
 * symm_location: heap number SYMM_HEAP_IPC, the place as the index, and the offset in the
 * allocation.  The driver says for sure which allocation an address belongs to (base and buffer id;
 * an id is never used again): memory that has been freed and allocated anew at the same address is
 * another allocation and gets another serial number.
 *
 * The table of serial numbers is shared, as the segment directory of a heap is (directory.h), and
 * has its form.  Nothing tells the owner that memory has been freed: it asks about some of its
 * allocations in each call and retires those that are gone.  A peer looks whether the count of
 * retired ones has changed and closes what is not in the table any more.
 *
 * Peers open an allocation once for each of their devices that needs it.  Opening takes
 * milliseconds, so it stays open, up to a number of bytes; then those are closed that have not been
 * used for longest.  The other ranks of a team still believe that an allocation is open which was
 * closed for want of room: symm_imports_enter() returns a count of such events, for ranks to tell
 * each other.
 *
 * cuda_exports.h is the owner's side, cuda_imports.h and cuda_importer.h are the peers'.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_GPU_CUDA_IPC_H
#define SYMM_HEAP_GPU_CUDA_IPC_H

#include "heap/symm.h"

enum {
    SYMM_HEAP_IPC = SYMM_HEAPS_MAX, /* the heap in which these allocations seem to be */
    SYMM_IPC_HANDLE_SIZE = 64,
};

/* What a peer needs to open an allocation, beside its name. */
struct symm_ipc_handle {
    uint64_t size; /* bytes of the whole allocation */
    unsigned char bytes[SYMM_IPC_HANDLE_SIZE];
};

#endif /* SYMM_HEAP_GPU_CUDA_IPC_H */
