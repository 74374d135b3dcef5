/*
 * symm.h - public interface of libsymm: symmetric heaps on one node.
 *
 * A symmetric heap is one reserved address window of a process, filled with segments (one physical
 * allocation each) and sub-allocated in blocks.  Other processes of the same user map the segments
 * and reach any block by "their window for that process + the block's offset".  NVSHMEM and
 * PyTorch call this symmetric memory, with one difference: allocation is local, so no process waits
 * for another (MPI-4.1 section 10.2 asks that of MPI_Alloc_mem).
 *
 * All functions are thread-safe unless they say otherwise.  None of them writes to stdout or
 * stderr.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_H
#define SYMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The release of this header, for the preprocessor:
 *     #if SYMM_VERSION >= SYMM_VERSION_NUMBER(0, 3, 0)
 * symm_version() is that of the library that the program runs with.
 */
#define SYMM_VERSION_MAJOR 0
#define SYMM_VERSION_MINOR 3
#define SYMM_VERSION_PATCH 0
#define SYMM_VERSION_NUMBER(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define SYMM_VERSION \
    SYMM_VERSION_NUMBER(SYMM_VERSION_MAJOR, SYMM_VERSION_MINOR, SYMM_VERSION_PATCH)

/* The interface.  heap/symm.map.in lists the functions, with the release in which each came. */
#define SYMM_API __attribute__((visibility("default")))

/* What every fallible function of libsymm returns. */
enum symm_status {
    SYMM_OK = 0,
    SYMM_PENDING,         /* not finished: call again, nothing has gone wrong */
    SYMM_ERR_ARGUMENT,    /* an argument is outside its documented range */
    SYMM_ERR_NO_MEMORY,   /* the window is full, or the system refused memory */
    SYMM_ERR_FOREIGN,     /* the pointer was never part of this heap */
    SYMM_ERR_FREED,       /* the pointer lies in this heap, but in no allocated block */
    SYMM_ERR_INTERIOR,    /* the pointer lies inside an allocated block, not at its start */
    SYMM_ERR_UNREACHABLE, /* nobody listens at the peer's socket: it is gone, or in another
                             network namespace */
    SYMM_ERR_PEER_LOST,   /* the peer closed the connection before it answered */
    SYMM_ERR_PERMISSION,  /* the process at the other end belongs to another user, or does not know
                             the job's secrets */
    SYMM_ERR_NOT_FOUND,   /* the peer does not have, or refuses, what was asked for */
    SYMM_ERR_PROTOCOL,    /* the peer speaks another version of this library, or sends memory that
                             cannot be used safely */
    SYMM_ERR_SYSTEM,      /* a system call failed, and errno tells why; or a device's driver */
    SYMM_ERR_NO_USER,     /* user ids do not tell this process's user from others (unshare -U) */
};

/* A sentence for `status`, in static memory, without a full stop. */
SYMM_API const char *symm_status_string(enum symm_status status);

/* The version of the library, "major.minor.patch". */
SYMM_API const char *symm_version(void);

struct symm_heap;
struct symm_peer;
struct symm_process;

/*
 * Heaps of one process: number 0 is host memory; device heaps follow in the order of their first
 * use, which differs from process to process.
 */
enum { SYMM_HEAPS_MAX = 16 };

/* ---- the heaps of this process --------------------------------------------------------------- */

struct symm_heap_config {
    size_t window_size;  /* bytes of address space to reserve; 0: 256 GiB.  Halved, down to 1 GiB,
                            while the system refuses */
    size_t segment_size; /* bytes of a segment unless a block needs more; 0: 64 MiB */
};

struct symm_heap_stats {
    size_t window_size;    /* bytes reserved */
    size_t segments;       /* segments that exist now */
    size_t segment_bytes;  /* their sizes added up; host pages are committed at first touch only */
    size_t blocks;         /* allocated blocks */
    size_t block_bytes;    /* their sizes added up, rounded up to the alignment unit */
    uint64_t segments_retired; /* segments given back since the heap was made */
};

/* Where an address lies in a heap, in terms that other processes understand. */
struct symm_location {
    uint64_t offset;    /* bytes from the start of the owner's window */
    uint32_t serial;    /* the segment's serial number: never 0, never reused in its heap */
    uint32_t index;     /* the segment's place in the owner's segment directory */
    uint32_t heap;      /* the number of the owner's heap */
};

/*
 * Allocate a block of `size` bytes (> 0) whose address is a multiple of `alignment` (a power of
 * two, or 0).  Alignment is at least 256 bytes, and a page for blocks of 16 KiB or more.  New
 * memory reads as zero, reused memory as whatever stood there.  Local: never waits for another
 * process.  The block belongs to the caller until symm_heap_free().  Errors: ARGUMENT, NO_MEMORY.
 */
SYMM_API enum symm_status symm_heap_alloc(struct symm_heap *heap, size_t size, size_t alignment,
                                          void **block);

/*
 * Give a block back.  Memory of a segment that becomes empty may return to the system; other
 * processes unmap it when they next meet this one in a collective; device memory, when they are
 * told.  Errors: FOREIGN, FREED (a double free, mostly), INTERIOR.  The heap is unchanged by an
 * error.
 */
SYMM_API enum symm_status symm_heap_free(struct symm_heap *heap, void *block);

/*
 * Write zeros over `size` bytes of a block, and return when they are there.  Local.  Errors: those
 * of the memory's kind.
 */
SYMM_API enum symm_status symm_heap_clear(struct symm_heap *heap, void *memory, size_t size);

/*
 * Tell whether the `size` bytes at `address` lie within one segment of this heap, and where.
 * Costs tens of nanoseconds; one compare for an address outside the window.
 * Errors: FOREIGN.
 */
SYMM_API enum symm_status symm_heap_locate(struct symm_heap *heap, const void *address, size_t size,
                                           struct symm_location *location);

SYMM_API void symm_heap_get_stats(struct symm_heap *heap, struct symm_heap_stats *stats);

/* The driver's number of the device whose memory it is; -1: host memory. */
SYMM_API int symm_heap_device(const struct symm_heap *heap);

/* How many segments have been given back so far; quoted to peers with every use of the heap. */
SYMM_API uint32_t symm_heap_retired(struct symm_heap *heap);

/*
 * What a process has once: a heap of host memory, heaps of device memory as they are asked for, and
 * a socket at which it hands their segments to its peers.  All users in the process share it.
 * `config` (may be NULL) is for all heaps, and counts for the first caller only.  Errors: ARGUMENT,
 * NO_MEMORY, SYSTEM, NO_USER, with nothing left behind.
 */
SYMM_API enum symm_status symm_process_acquire(const struct symm_heap_config *config,
                                               struct symm_process **process);

/*
 * Let go of it.  The last one out closes the socket; the heap's memory stays mapped until the
 * process exits, because the program may still hold pointers into it.
 */
SYMM_API void symm_process_release(struct symm_process *process);

/* Heap 0: host memory. */
SYMM_API struct symm_heap *symm_process_heap(struct symm_process *process);

/*
 * The heap of a device's memory, made at first use; `device` is the CUDA driver's number of it in
 * this process.  It lives with `process`.  Errors: NOT_FOUND (no driver, or one that lacks what it
 * takes), ARGUMENT (no such device), NO_MEMORY (SYMM_HEAPS_MAX heaps exist, or as
 * symm_heap_alloc()), SYSTEM.
 */
SYMM_API enum symm_status symm_process_device_heap(struct symm_process *process, int device,
                                                   struct symm_heap **heap);

/*
 * Blocks that are only there to be quick can do without when a device is full: `spare` frees what
 * of that kind is not in use on a device, and tells whether there was any.  NULL: there are no such
 * blocks.
 */
SYMM_API void symm_process_on_shortage(struct symm_process *process, bool (*spare)(int device));

/*
 * As symm_heap_alloc() on a device's heap, but spares such blocks if that is what it takes; and
 * when the device is full, has other processes unmap what they have mapped of memory that has been
 * freed.  Then it may wait for their servers' threads, for two seconds at the most each time.
 */
SYMM_API enum symm_status symm_process_device_alloc(struct symm_process *process, int device,
                                                    size_t size, size_t alignment, void **block);

/* The heap of this number; NULL if there is none. */
SYMM_API struct symm_heap *symm_process_heap_at(struct symm_process *process, uint32_t number);

/*
 * Tell whether the `size` bytes at `address` lie within one segment of any heap, and where.  One
 * compare for each heap that they do not lie in; makes no call of a device's driver.  Errors:
 * FOREIGN.
 */
SYMM_API enum symm_status symm_process_locate(struct symm_process *process, const void *address,
                                              size_t size, struct symm_location *location);

/*
 * The name by which peers reach this process; the caller brings it to them.  A process that
 * knows it can map this process's memory, so it is a secret of the job: do not print it, and send
 * it by ways that other users cannot read.  Lives with `process`.
 */
SYMM_API const char *symm_process_name(const struct symm_process *process);

/*
 * Start to answer peers, in a thread that sleeps otherwise.  Idempotent; requests that came earlier
 * have waited.  Errors: NO_MEMORY, SYSTEM.
 */
SYMM_API enum symm_status symm_process_serve(struct symm_process *process);

/* How many requests for memory of this process have been refused because a stranger made them. */
SYMM_API uint64_t symm_process_refused(const struct symm_process *process);

/* ---- the heaps of other processes ------------------------------------------------------------ */

/*
 * Heap number `heap` of the peer of this name; one object for each, however many ask.  Nothing is
 * asked of the peer yet.  Pair with symm_process_put_peer(), which unmaps it when the last user has
 * gone.  Errors: NO_MEMORY, ARGUMENT; for device memory those of symm_process_device_heap() too.
 */
SYMM_API enum symm_status symm_process_get_peer(struct symm_process *process, const char *name,
                                                uint32_t heap, struct symm_peer **peer);
SYMM_API void symm_process_put_peer(struct symm_process *process, struct symm_peer *peer);

/*
 * Map the segment in which `location` of the peer's heap lies, readable and writable, if that has
 * not happened yet.  Never waits: call until the answer is not SYMM_PENDING.  Errors: UNREACHABLE,
 * PEER_LOST, PERMISSION, NOT_FOUND, PROTOCOL, NO_MEMORY, SYSTEM.
 */
SYMM_API enum symm_status symm_peer_map(struct symm_peer *peer,
                                        const struct symm_location *location);

/*
 * Name the device that the heap's memory is on, as its process calls it.  `text` stays as it is for
 * host memory, and as long as nothing is known of the heap.
 */
SYMM_API void symm_peer_describe_device(struct symm_peer *peer, char *text, size_t size);

/* The address of byte `offset` of the peer's window; its segment must be mapped. */
SYMM_API void *symm_peer_address(struct symm_peer *peer, uint64_t offset);

/*
 * Unmap what the peer has given back, if `retired` (the symm_heap_retired() of its heap, brought
 * here by the caller) is news.  Nobody may be using such memory, which follows from the peer having
 * freed it.
 */
SYMM_API void symm_peer_collect(struct symm_peer *peer, uint32_t retired);

/* ---- 16-bit floats for MPI ------------------------------------------------------------------- */

/*
 * MPI has neither IEEE 754 binary16 ("half") nor bfloat16.  Their elements are sent as any type of
 * two bytes without gaps, MPI_UINT16_T for instance, and reduced by operations made from these
 * functions:
 *     MPI_Op_create(SYMM_MPI_FUNCTION(symm_half_sum), 1, &op);
 *     MPI_Allreduce(send, receive, count, MPI_UINT16_T, op, comm);
 * They are what MPI_Op_create() wants: inout[i] = in[i] op inout[i] for *count elements of host
 * memory, computed in float and rounded to nearest.  The minimum or maximum with a NaN is a NaN.
 * The components know the functions by their addresses and reduce such data by themselves where
 * they can.  The last argument, an MPI_Datatype *, is not looked at.  Kernels on devices add up in
 * float and round once at the end, which is closer to the exact result than what the functions can
 * do two at a time; so here, and only here, results of device and host memory may differ in the
 * last bit.  All ranks get the same bits in either case.
 */
struct ompi_datatype_t;
#define SYMM_MPI_FUNCTION(function) ((MPI_User_function *)(void (*)(void))(function))

SYMM_API void symm_half_sum(void *in, void *inout, int *count, struct ompi_datatype_t **datatype);
SYMM_API void symm_half_prod(void *in, void *inout, int *count, struct ompi_datatype_t **datatype);
SYMM_API void symm_half_min(void *in, void *inout, int *count, struct ompi_datatype_t **datatype);
SYMM_API void symm_half_max(void *in, void *inout, int *count, struct ompi_datatype_t **datatype);
SYMM_API void symm_bfloat16_sum(void *in, void *inout, int *count,
                                struct ompi_datatype_t **datatype);
SYMM_API void symm_bfloat16_prod(void *in, void *inout, int *count,
                                 struct ompi_datatype_t **datatype);
SYMM_API void symm_bfloat16_min(void *in, void *inout, int *count,
                                struct ompi_datatype_t **datatype);
SYMM_API void symm_bfloat16_max(void *in, void *inout, int *count,
                                struct ompi_datatype_t **datatype);

#ifdef __cplusplus
}
#endif

#endif /* SYMM_H */
