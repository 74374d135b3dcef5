/*
 * cuda_ipc.h - device memory that is not of our heaps (cudaMalloc(), and what pools cut from it), mapped in
 * other processes by CUDA IPC.
 *
 * The owner registers the allocations that it meets: each gets a place in a table and a serial number, so
 * the rest of the library names a buffer in it as one in a heap, by a struct symm_location: heap number
 * SYMM_HEAP_IPC, the place as the index, and the offset in the allocation.  The driver says for sure
 * which allocation an address belongs to (base and buffer id; an id is never used again): memory that has been freed and
 * allocated anew at the same address is another allocation and gets another serial number.
 *
 * The table of serial numbers is shared, as the segment directory of a heap is (directory.h), and has its
 * form.  Nothing tells the owner that memory has been freed: it asks about some of its
 * allocations in each call and retires those that are gone.  A peer looks whether the count of
 * retired ones has changed and closes what is not in the table any more.
 *
 * Peers open an allocation once for each of their devices that needs it.  Opening takes milliseconds, so
 * it stays open, up to a number of bytes; then those are closed that have not been used for longest.  What is
 * closed while its owner still has it, the ranks of a team believe to be open: symm_imports_enter() returns
 * a count of such events for them to tell each other.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_CUDA_IPC_H
#define SYMM_HEAP_CUDA_IPC_H

#include "heap/cuda_device.h"
#include "heap/server.h"

enum {
    SYMM_HEAP_IPC = SYMM_HEAPS_MAX, /* the number of the heap that these allocations seem to be in */
    SYMM_IPC_HANDLE_SIZE = 64,
};

/* What a peer needs to open an allocation, beside its name. */
struct symm_ipc_handle {
    uint64_t size; /* bytes of the whole allocation */
    unsigned char bytes[SYMM_IPC_HANDLE_SIZE];
};

/* ---- the owner's side ------------------------------------------------------------------------ */

struct symm_exports;

/* An empty table, offered to peers.  Errors: NO_MEMORY, SYSTEM. */
SYMM_API enum symm_status symm_exports_create(struct symm_server *server,
                                              struct symm_exports **exports);
SYMM_API void symm_exports_destroy(struct symm_exports *exports);

/*
 * Name [address, address + size), which the driver has described as `memory`; *sightings: how many calls
 * have asked that for its allocation, this one included.  `again`: the same call has done so before.
 * Errors: FOREIGN (CUDA IPC cannot export it, or it is more than one allocation), NO_MEMORY (the table is full).
 */
SYMM_API enum symm_status symm_exports_locate(struct symm_exports *exports,
                                              const struct symm_memory *memory, const void *address,
                                              size_t size, bool again,
                                              struct symm_location *location, unsigned *sightings);

/*
 * The handle of an allocation that has been named.  The driver is asked once; what it refuses, it is
 * not asked for again.
 * Errors: FOREIGN (no such allocation, or one of a context of the program's own), NO_MEMORY, SYSTEM.
 */
SYMM_API enum symm_status symm_exports_handle(struct symm_exports *exports,
                                              const struct symm_location *location,
                                              struct symm_ipc_handle *handle);

/*
 * Ask the driver about allocations, in turn, and retire those that have been freed, until so many are
 * found to be there still.
 */
SYMM_API void symm_exports_review(struct symm_exports *exports, unsigned count);

/* ---- the peers' side ------------------------------------------------------------------------- */

struct symm_imports;
struct symm_importer; /* what is open of one other process */

/* `most`: bytes that may be open at a time.  Errors: NO_MEMORY. */
SYMM_API enum symm_status symm_imports_create(size_t most, struct symm_imports **imports);

/* Close everything; all importers have been given back. */
SYMM_API void symm_imports_destroy(struct symm_imports *imports);

/*
 * A call begins that may use imports, and ends.  While others are under way, nothing is closed that they may
 * use.  Returns how often something has been closed so far that its owner still has.
 */
SYMM_API uint32_t symm_imports_enter(struct symm_imports *imports);
SYMM_API void symm_imports_leave(struct symm_imports *imports);

/* The process with this server's name; shared by all who ask for it.  Errors: NO_MEMORY. */
SYMM_API enum symm_status symm_imports_get(struct symm_imports *imports, const char *name,
                                           struct symm_importer **importer);
SYMM_API void symm_imports_put(struct symm_imports *imports, struct symm_importer *importer);

/*
 * Open an allocation for a device of ours, within a call; nothing to do if that has been done.  All others
 * that the call needs and that are open have been asked for by symm_importer_address() before, as
 * some may have to go.
 * Errors: PENDING (call again), NO_MEMORY (also: more bytes than may be open), SYSTEM, PROTOCOL, and
 * those of symm_request_test().
 */
SYMM_API enum symm_status symm_importer_open(struct symm_importer *importer,
                                             const struct symm_location *location,
                                             const struct symm_ipc_handle *handle, int device);

/* Where that location is here; NULL: it is not open, which counts as a failure. */
SYMM_API void *symm_importer_address(struct symm_importer *importer,
                                     const struct symm_location *location, int device);

/* Close what its owner has retired. */
SYMM_API void symm_importer_collect(struct symm_importer *importer);

#endif /* SYMM_HEAP_CUDA_IPC_H */
