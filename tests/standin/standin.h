/*
 * standin.h - what the files of the stand-in driver share.
 *
 * standin_driver.so is a TEST DOUBLE of libcuda on host memory.  It is never installed and proves
 * logic only: not speed, not memory ordering, not aliasing.  It is stricter than the real driver
 * where the manual leaves room, so that what passes here has a chance there.
 *
 * How device memory is kept from the program: an address that the program gets is always mapped
 * without any right, so that touching it crashes.  Each device has a view of its own of every
 * reservation (`views`), where memory appears when cuMemSetAccess() grants it to that device.
 * Copies and kernels work there: addresses are translated when work is queued.
 *
 * Settings, all of them environment variables, are explained where they are read:
 *   machine.c  SYMM_STANDIN_NO_PEER, SYMM_STANDIN_NO_VMM, SYMM_STANDIN_NO_EXPORT, SYMM_STANDIN_MIG,
 *              SYMM_STANDIN_FABRIC
 *   devices.c  SYMM_STANDIN_DEVICES, SYMM_STANDIN_MEMORY, SYMM_STANDIN_CAPABILITY,
 *              SYMM_STANDIN_MULTIPROCESSORS, SYMM_STANDIN_PCIE, CUDA_VISIBLE_DEVICES
 *   faults.c   SYMM_STANDIN_FAIL, SYMM_STANDIN_COUNT, SYMM_STANDIN_CAPTURING
 *   streams.c  SYMM_STANDIN_DELAY, SYMM_STANDIN_SEED
 *   exit.c     SYMM_STANDIN_STRICT, SYMM_STANDIN_KEPT
 *   functions.c  SYMM_STANDIN_VERSION
 *   multicast.c  SYMM_STANDIN_MULTICAST, SYMM_STANDIN_MULTICAST_LEAST,
 *                SYMM_STANDIN_MULTICAST_RECOMMENDED
 *   multicast_launch.c  SYMM_STANDIN_MULTICAST_ANY
 *   modules.c  SYMM_STANDIN_PATIENCE
 *   trace.c    SYMM_STANDIN_TRACE
 *
 * Every driver function has the form `begin, static function that does it, end`: begin counts the
 * use, lets it fail if the test wants that, and takes the one lock of the library.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_STANDIN_H
#define SYMM_TESTS_STANDIN_H

/* Everything else is hidden; the driver's functions are what is exported. */
#pragma GCC visibility push(default)
#include <cuda.h>

/*
 * The form of CUDA 3.2, which headers no longer declare: later ones take structs that older headers
 * lack.
 */
CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);
#pragma GCC visibility pop

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    STANDIN_DEVICES_MAX = 16,
    STANDIN_GRANULARITY = 2 << 20,
    STANDIN_CONTEXT_DEPTH = 32,
};

/* ---- settings: environment variables, read once ---------------------------------------------- */

/* NAME as a number, or `otherwise`. */
long long standin_setting(const char *name, long long otherwise);

/* The rank that mpirun has given this process, or -1. */
int standin_rank(void);

/* Messages to whoever reads the test's output; the first words say who speaks. */
void standin_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- functions: counted, made to fail (standin_functions.c, standin_faults.c) ---------------- */

struct standin_function {
    const char *name; /* without _v2 */
    void *address;
    int since; /* the driver's version that brought this prototype */
    unsigned flags;
};

enum {
    STANDIN_ALLOCATES = 1, /* fails with CUDA_ERROR_OUT_OF_MEMORY unless told otherwise */
    STANDIN_CAPTURE_SAFE = 2, /* allowed while a stream is being captured */
};

extern const struct standin_function standin_functions[];
extern const size_t standin_function_count;

int standin_driver_version(void);

/* One more use of a function, by index; CUDA_SUCCESS unless it is to fail.  Under the lock. */
CUresult standin_fault_use(size_t function);

/* The same for what streams do later: "kernel" and "copy". */
CUresult standin_fault_later(const char *what);

void standin_fault_dump(void);

/*
 * Whether what the calling thread does is counted; streams do as the thread did that gave the work.
 */
bool standin_fault_is_watched(void);

/* The calling thread's capture mode is not CU_STREAM_CAPTURE_MODE_RELAXED. */
bool standin_capture_is_strict(void);

/*
 * First and last thing in every function of the driver.  standin_begin() leaves the lock taken if
 * it returns CUDA_SUCCESS; standin_end() releases it and returns its argument.
 */
CUresult standin_begin(const char *function);
CUresult standin_end(CUresult result);

/* For functions that may be called before cuInit(). */
CUresult standin_begin_anytime(const char *function);

/* For functions that work in the current context: fails if there is none or if it is broken. */
CUresult standin_begin_in_context(const char *function, CUcontext *context);

extern bool standin_initialised;

/* This process was forked from one that had called the driver. */
bool standin_is_forked(void);

/* Waits for some work to be done, or for a condition; the lock is released meanwhile. */
void standin_wait_change(void);
void standin_announce_change(void);
void standin_wait_for(pthread_cond_t *condition);
void standin_lock(void);
void standin_unlock(void);

/* The n-th error by name, for faults; false if there is none of that name. */
bool standin_error_find(const char *name, size_t length, CUresult *error);
const char *standin_error_name(CUresult error);

/* ---- objects behind handles ------------------------------------------------------------------ */

/* Handles are never used again, so that a stale one is always found out. */
struct standin_object {
    struct standin_object *next;
    bool alive;
};

struct standin_objects {
    struct standin_object *first;
    struct standin_object *buried; /* so that leak checkers see them */
};

void standin_object_add(struct standin_objects *objects, struct standin_object *object);
bool standin_object_is(const struct standin_objects *objects, const void *handle);
void standin_object_bury(struct standin_objects *objects, struct standin_object *object);
size_t standin_object_count(const struct standin_objects *objects);

/* ---- devices and contexts -------------------------------------------------------------------- */

struct standin_device {
    int physical;
    CUuuid uuid;
    size_t used; /* bytes of memory that this process has created here */
    CUcontext primary;
};

extern struct standin_device standin_devices[STANDIN_DEVICES_MAX];
extern int standin_device_count; /* visible ones */

CUresult standin_devices_start(void); /* by cuInit() */
bool standin_device_is(int device);
int standin_device_of_uuid(const CUuuid *uuid); /* -1: not visible here */
int standin_physical_of_uuid(const CUuuid *uuid); /* -1: no device of this machine */

/* Take `size` bytes of the device's memory. */
CUresult standin_device_charge(int device, size_t size);
void standin_device_refund(int device, size_t size);

/*
 * What is wrong with devices, by the numbers that they have without CUDA_VISIBLE_DEVICES
 * (machine.c).
 */
bool standin_machine_is_sliced(void);
bool standin_machine_has_vmm(int physical);
bool standin_machine_can_export(int physical);
bool standin_machine_has_fabric(void);
bool standin_machine_has_multicast(void);

/* Whether memory and multicast objects can be made to be exported in these ways. */
CUresult standin_machine_grants(unsigned long long handle_types);
bool standin_machine_are_linked(int one, int other);

struct CUctx_st {
    struct CUctx_st *next; /* of those that programs have made */
    int device;
    bool alive;            /* a primary one that has been reset is retained, and not alive */
    unsigned retained;
    unsigned flags;
    unsigned long long id; /* of this generation */
    CUresult broken; /* a sticky error: nothing works any more */
    CUstream legacy; /* the stream 0 */
};

CUcontext standin_context_current(void);
bool standin_context_is(CUcontext context);
size_t standin_contexts_made(void); /* by programs, and not destroyed */

/* Begin and end a life of a context, with all that was made in it. */
CUresult standin_context_begin(CUcontext context);
void standin_context_end(CUcontext context);
void standin_context_set_flags(CUcontext context, unsigned flags);

/* ---- memory ---------------------------------------------------------------------------------- */

struct standin_reservation {
    struct standin_reservation *next;
    uint64_t base;
    size_t size;
    size_t asked; /* of cuMemAlloc(), which may be less than its pages have; else 0 */
    unsigned char *views[STANDIN_DEVICES_MAX]; /* NULL until the device has access to something */
    bool internal; /* made by cuMemAlloc() */
    bool pooled; /* by cuMemAllocAsync() */
    CUcontext owner; /* in which that was done; NULL: from a pool */
    CUcontext opener; /* in which cuIpcOpenMemHandle() has made it; NULL: that has not */
};

struct standin_multicast;

/* Memory, or a multicast object, which has handles and mappings as well (multicast.h). */
struct standin_allocation {
    struct standin_allocation *next;
    CUmemGenericAllocationHandle handle;
    unsigned references; /* handles given out and not released */
    unsigned mappings;
    int descriptor;
    size_t size;
    int device; /* -1: of another process, on a device that this one does not see */
    int physical;
    bool imported;
    bool exportable;
    unsigned long long id;
    uint64_t serial; /* the same in all processes, and no other memory's */
    struct standin_multicast *multicast; /* NULL: memory */
    unsigned long long handle_types;     /* as asked for; of imported ones: a descriptor */
};

struct standin_mapping {
    struct standin_mapping *next;
    uint64_t address;
    size_t size;
    struct standin_allocation *allocation;
    struct standin_reservation *reservation;
    unsigned char access[STANDIN_DEVICES_MAX]; /* CUmemAccess_flags */
    bool sync_memops;
};

extern struct standin_reservation *standin_reservations;
extern struct standin_allocation *standin_allocations;
extern struct standin_mapping *standin_mappings;

struct standin_reservation *standin_reservation_at(uint64_t address);
struct standin_mapping *standin_mapping_at(uint64_t address);

/* The parts that cuMemAlloc() is made of. */
CUresult standin_memory_reserve(size_t size, size_t alignment, uint64_t *base);
CUresult standin_memory_free(uint64_t base, size_t size);
CUresult standin_memory_create(size_t size, int device, bool exportable,
                               struct standin_allocation **allocation);
CUresult standin_memory_map(uint64_t address, size_t size, struct standin_allocation *allocation);
CUresult standin_memory_unmap(uint64_t address, size_t size);

/* A reservation with all that is mapped in it. */
CUresult standin_reservation_free(const struct standin_reservation *reservation);
CUresult standin_memory_grant(uint64_t address, size_t size, int device, unsigned access);
void standin_memory_drop(struct standin_allocation *allocation);
CUresult standin_memory_hold(const struct standin_allocation *allocation); /* of an imported one */
void standin_memory_sweep(void); /* what importers have let go of is not charged any more */

/* Another process's memory; the descriptor stays the caller's. */
CUresult standin_memory_import(int descriptor, struct standin_allocation **imported);

/* Handles of memory and of multicast objects. */
void standin_handle_give(struct standin_allocation *allocation,
                         CUmemGenericAllocationHandle *handle);
struct standin_allocation *standin_handle_find(CUmemGenericAllocationHandle handle); /* or NULL */

/* ---- multicast objects ----------------------------------------------------------------------- */

bool standin_multicast_is(int descriptor);
CUresult standin_multicast_import(int descriptor, struct standin_allocation **imported);

/* Whether all devices have been added; otherwise it is said of `who` that it would wait. */
bool standin_multicast_is_complete(const struct standin_allocation *object, const char *who);
bool standin_multicast_has(const struct standin_allocation *object, int physical);

/* The last handle or mapping of an object, or of memory, has gone. */
void standin_multicast_drop(const struct standin_allocation *allocation);

/* What is still bound, and what went while it was. */
size_t standin_multicast_left(void);

/* Of any kernel, with the argument as the program gave it. */
CUresult standin_multicast_check_launch(const char *kernel, const void *argument, int device);

/* Memory files say behind the memory what they are (memfile.c). */
struct standin_label {
    char magic[16];
    uint64_t size;
    uint64_t serial;
    CUuuid uuid; /* of the device */
};

CUresult standin_memfile_create(size_t size, const CUuuid *uuid, uint64_t *serial, int *descriptor);
CUresult standin_memfile_read(int descriptor, struct standin_label *label);

/* ---- addresses ------------------------------------------------------------------------------- */

enum standin_place { STANDIN_PAGEABLE, STANDIN_PINNED, STANDIN_ON_DEVICE };

/*
 * Where [address, address + size) is, and at which address work on `device` reaches it.
 * CUDA_ERROR_INVALID_VALUE: on a device, but not all of it is mapped with the rights.
 */
CUresult standin_address_resolve(uint64_t address, size_t size, int device, bool write,
                                 enum standin_place *place, void **real);

/* A word of a kernel's arguments: the address in the view of `device` if it is a device address. */
uint64_t standin_address_translate(uint64_t word, int device);

bool standin_address_is_pinned(uint64_t address, size_t size);
bool standin_address_is_managed(uint64_t address);
bool standin_managed_free(uint64_t address); /* false: it is not the first byte of such memory */

/* What has been made in a context, or registered there, goes with it. */
void standin_pinned_destroy(CUcontext context);
void standin_memory_destroy(CUcontext context);

/* Whether the process has memory at all pages of the range. */
bool standin_address_is_mapped(uint64_t address, size_t size);

bool standin_address_syncs(uint64_t address, CUcontext context);
size_t standin_pinned_count(void);

/* ---- streams --------------------------------------------------------------------------------- */

struct standin_work;
struct standin_capture; /* graphs.h */

/* Done by the stream's thread, without the lock; what is returned becomes the context's error. */
typedef CUresult standin_run(void *payload, CUstream stream);

struct CUstream_st {
    struct standin_object object;
    CUcontext context;
    unsigned flags;
    uint64_t queued;   /* number of the last work given */
    uint64_t finished; /* number of the last work done */
    struct standin_work *first, *last;
    pthread_cond_t given; /* work, or the end */
    bool has_thread;
    uint64_t random;
    unsigned long long id;
    struct standin_capture *capture; /* NULL: work is done */
    uint64_t captured;               /* works of this stream that the capture has */
    uint64_t joined;                 /* that many of them another stream of it waits for */
};

extern struct standin_objects standin_streams;

CUstream standin_stream_create(CUcontext context, unsigned flags); /* NULL: no memory */
void standin_stream_destroy(CUstream stream);
void standin_streams_destroy(CUcontext context);

/*
 * A handle in the current context; NULL and the legacy names mean the context's stream 0.  While
 * one of its blocking streams is captured, that may not be used: this says so, and spoils the
 * capture.
 */
CUresult standin_stream_find(CUstream handle, CUcontext context, CUstream *stream);

/* Queue work; a copy of the payload is kept until it is done. */
CUresult standin_stream_add(CUstream stream, standin_run *run, const void *payload, size_t size);

/* Let the stream wait for another one's work. */
CUresult standin_stream_add_wait(CUstream stream, CUstream other, uint64_t number);

/* Wait until work is done; then the context's error, if it has one. */
CUresult standin_stream_wait(CUstream stream, uint64_t number);

/* Wait until everything that is queued now is done, in all contexts (or in one). */
void standin_streams_drain(CUcontext context);

uint32_t standin_stream_random(CUstream stream, uint32_t below);

/* Sleep for a random time, as long as the settings allow. */
void standin_stream_dawdle(CUstream stream);

/* ---- graphs and captures; more of them in graphs.h ------------------------------------------- */

size_t standin_graphs_left(void);
size_t standin_user_objects_left(void);
void standin_graphs_destroy(CUcontext context); /* what can be launched there */

/* The capture of a blocking stream of the context, which forbids stream 0; NULL: there is none. */
CUstream standin_capture_of_blocking(CUcontext context);

/* End the captures of all blocking streams of a context, by a use of its stream 0. */
void standin_capture_spoil(CUcontext context);

/* Whether a capture forbids unsafe functions in this thread; then it is spoilt. */
bool standin_capture_forbids(void);

/* The calling thread's capture mode, by cuThreadExchangeStreamCaptureMode(). */
CUstreamCaptureMode standin_capture_thread_mode(void);

/* ---- others that the check at exit counts, and what ends with a context ---------------------- */

extern struct standin_objects standin_events;
extern struct standin_objects standin_modules;

void standin_events_destroy(CUcontext context);
void standin_modules_destroy(CUcontext context);

#endif /* SYMM_TESTS_STANDIN_H */
