/*
 * process.c - see process.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "heap/headroom.h"
#include "heap/reclaim.h"
#include "heap/scratch.h"
#include "heap/server/user.h"
#include "heap/team/process_state.h"

static pthread_mutex_t instance_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct symm_process *instance;

/* ---- fork() -------------------------------------------------------------------------------- */

/*
 * A child finds the locks as they are at the fork, and has no thread but the one that forks.  So no
 * other thread may hold a lock then that MPI_Free_mem takes for host memory.  The locks of device
 * heaps are left alone: their holder may be in the driver, which forks on its own.
 */
static _Thread_local struct {
    bool instance, heap, server;
} held; /* by the thread that forks */

static void fork_prepare(void)
{
    held.instance = pthread_mutex_trylock(&instance_mutex) == 0;
    if (held.instance && instance != NULL) {
        held.heap = symm_heap_fork_begin(symm_process_heap(instance));
        held.server = symm_server_fork_begin(instance->server);
    }
}

static void fork_end(bool is_child)
{
    if (held.instance && instance != NULL) {
        if (held.server) {
            symm_server_fork_end(instance->server);
        }
        symm_heap_fork_end(symm_process_heap(instance), held.heap, is_child);
    }
    if (held.instance) {
        (void)pthread_mutex_unlock(&instance_mutex);
    }
}

static void fork_in_parent(void)
{
    fork_end(false);
}

/* Asked at the end of each team, where getpid() would be a tenth of the cost. */
static atomic_bool is_child; /* of fork(), with the parent's instance */

static void fork_in_child(void)
{
    atomic_store_explicit(&is_child, instance != NULL, memory_order_relaxed);
    fork_end(true);
}

static pthread_once_t fork_watched = PTHREAD_ONCE_INIT;

/* It fails for want of memory alone; then a child may find a lock taken. */
static void fork_watch(void)
{
    (void)pthread_atfork(fork_prepare, fork_in_parent, fork_in_child);
}

/* ---- life ---------------------------------------------------------------------------------- */

static void process_destroy(struct symm_process *process)
{
    if (process->server != NULL) {
        symm_server_stop_thread(process->server); /* it looks at the peers */
    }
    symm_peers_end(&process->peers);
    symm_arena_peers_end(&process->arena_peers);
    symm_arena_destroy(process->arena);
    symm_scratch_end();
    for (uint32_t number = 0; number < SYMM_HEAPS_MAX; number++) {
        symm_heap_destroy(symm_process_heap_at(process, number), 1);
    }
    symm_imports_destroy(atomic_load_explicit(&process->imports, memory_order_relaxed));
    symm_exports_destroy(atomic_load_explicit(&process->exports, memory_order_relaxed));
    symm_server_destroy(process->server);
    symm_recall_destroy(process->recall);
    (void)pthread_mutex_destroy(&process->heaps_mutex);
    free(process);
}

/* ---- memory that has been given back ------------------------------------------------------- */

/* How long an allocation waits for the others to unmap what has gone, before it fails. */
static const double recall_seconds = 2;

static void collect(void *data)
{
    struct symm_process *process = data;
    symm_peers_collect(&process->peers);
}

static int earlier(int pause, int other)
{
    return pause < 0 || (other >= 0 && other < pause) ? other : pause;
}

/* The server's thread gives back host memory that nobody uses, and makes its tick. */
static int work(void *data)
{
    struct symm_process *process = data;
    struct symm_heap *heap = symm_process_heap(process);
    int (*tick)(void) = atomic_load_explicit(&process->tick, memory_order_acquire);
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    int pause = heap != NULL ? symm_heap_reclaim(heap, ms) : -1;
    return tick != NULL ? earlier(pause, tick()) : pause;
}

void symm_process_on_tick(struct symm_process *process, int (*tick)(void))
{
    atomic_store_explicit(&process->tick, tick, memory_order_release);
    symm_server_wake(process->server);
}

static bool reclaim_wake(void *data)
{
    const struct symm_process *process = data;
    /* the parent has blocks there that its child does not know */
    if (!symm_process_is_own(process)) {
        return true;
    }
    if (symm_server_start_thread(process->server) != SYMM_OK) {
        return false;
    }
    symm_server_wake(process->server);
    return true;
}

static void note_holder(void *data, const char *requester, uint32_t heap)
{
    const struct symm_process *process = data;
    symm_recall_note(process->recall, requester, heap);
}

static void tell_holders(void *data, uint32_t heap)
{
    const struct symm_process *process = data;
    symm_recall_tell(process->recall, heap);
}

/* ---- life ---------------------------------------------------------------------------------- */

static enum symm_status heap_add(struct symm_process *process, uint32_t number,
                                 const struct symm_kind *kind)
{
    struct symm_heap *heap = NULL;
    enum symm_status status =
        symm_heap_create(kind, number, process->server, &process->config, &heap);
    if (status == SYMM_OK) {
        if (kind->device >= 0) {
            symm_heap_on_retired(heap, tell_holders, process);
        } else {
            symm_heap_defer(heap, reclaim_wake, process);
        }
        atomic_store_explicit(&process->heaps[number], heap, memory_order_release);
    }
    return status;
}

static enum symm_status process_create(const struct symm_heap_config *config,
                                       struct symm_process **process)
{
    enum symm_status status = symm_user_check_own();
    if (status == SYMM_OK) {
        status = symm_headroom_to_begin();
    }
    if (status != SYMM_OK) {
        return status;
    }
    struct symm_process *created = calloc(1, sizeof(*created));
    if (created == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    if (config != NULL) {
        created->config = *config;
    }
    created->pid = getpid();
    (void)pthread_once(&fork_watched, fork_watch);
    symm_peers_begin(&created->peers);
    symm_arena_peers_begin(&created->arena_peers);
    (void)pthread_mutex_init(&created->heaps_mutex, NULL);
    status = symm_server_create(&created->server);
    if (status == SYMM_OK) {
        status = symm_recall_create(&created->recall);
    }
    if (status == SYMM_OK) {
        status = symm_arena_create(created->server, &created->arena);
    }
    if (status == SYMM_OK) {
        const struct symm_server_thread_hook hook = {
            .collect = collect, .handed_out = note_holder, .work = work, .data = created};
        symm_server_set_thread_hook(created->server, &hook);
        status = heap_add(created, 0, &symm_kind_host);
    }
    if (status != SYMM_OK) {
        process_destroy(created);
        return status;
    }
    *process = created;
    return SYMM_OK;
}

enum symm_status symm_process_acquire(const struct symm_heap_config *config,
                                      struct symm_process **process)
{
    enum symm_status status = SYMM_OK;
    (void)pthread_mutex_lock(&instance_mutex);
    if (instance == NULL) {
        status = process_create(config, &instance);
    }
    if (status == SYMM_OK) {
        instance->users++;
        *process = instance;
    }
    (void)pthread_mutex_unlock(&instance_mutex);
    return status;
}

void symm_process_release(struct symm_process *process)
{
    (void)pthread_mutex_lock(&instance_mutex);
    if (--process->users == 0) {
        process_destroy(process);
        instance = NULL;
    }
    (void)pthread_mutex_unlock(&instance_mutex);
}

bool symm_process_is_own(const struct symm_process *process)
{
    return !atomic_load_explicit(&is_child, memory_order_relaxed) || process->pid == getpid();
}

struct symm_server *symm_process_server(struct symm_process *process)
{
    return process->server;
}

const char *symm_process_name(const struct symm_process *process)
{
    return symm_server_name(process->server);
}

uint64_t symm_process_refused(const struct symm_process *process)
{
    return symm_server_refused(process->server);
}

enum symm_status symm_process_serve(struct symm_process *process)
{
    return symm_server_start_thread(process->server);
}

/* ---- heaps --------------------------------------------------------------------------------- */

struct symm_heap *symm_process_heap(struct symm_process *process)
{
    return symm_process_heap_at(process, 0);
}

struct symm_heap *symm_process_heap_at(struct symm_process *process, uint32_t number)
{
    return number < SYMM_HEAPS_MAX
               ? atomic_load_explicit(&process->heaps[number], memory_order_acquire)
               : NULL;
}

static enum symm_status device_heap_add(struct symm_process *process, uint32_t number, int device)
{
    const struct symm_kind *kind;
    enum symm_status status = symm_kind_of_device(device, &kind);
    return status == SYMM_OK ? heap_add(process, number, kind) : status;
}

enum symm_status symm_process_device_heap(struct symm_process *process, int device,
                                          struct symm_heap **heap)
{
    struct symm_heap *found;
    uint32_t number = 1;
    enum symm_status status = SYMM_OK;
    (void)pthread_mutex_lock(&process->heaps_mutex);
    while ((found = symm_process_heap_at(process, number)) != NULL &&
           symm_heap_device(found) != device) {
        number++;
    }
    if (found == NULL) {
        status = number < SYMM_HEAPS_MAX ? device_heap_add(process, number, device)
                                         : SYMM_ERR_NO_MEMORY;
    }
    (void)pthread_mutex_unlock(&process->heaps_mutex);
    if (status == SYMM_OK) {
        *heap = symm_process_heap_at(process, number);
    }
    return status;
}

void symm_process_on_shortage(struct symm_process *process, bool (*spare)(int device))
{
    atomic_store_explicit(&process->spare, spare, memory_order_release);
}

/* Memory that is missing may have been given back, and still be mapped somewhere. */
static enum symm_status device_alloc(struct symm_process *process, struct symm_heap *heap,
                                     size_t size, size_t alignment, void **block)
{
    enum symm_status status = symm_heap_alloc(heap, size, alignment, block);
    if (status == SYMM_ERR_NO_MEMORY) {
        collect(process);
        symm_recall_wait(process->recall, recall_seconds);
        status = symm_heap_alloc(heap, size, alignment, block);
    }
    return status;
}

enum symm_status symm_process_device_alloc(struct symm_process *process, int device, size_t size,
                                           size_t alignment, void **block)
{
    struct symm_heap *heap;
    enum symm_status status = symm_process_device_heap(process, device, &heap);
    if (status != SYMM_OK) {
        return status;
    }
    status = device_alloc(process, heap, size, alignment, block);
    bool (*spare)(int) = atomic_load_explicit(&process->spare, memory_order_acquire);
    if (status == SYMM_ERR_NO_MEMORY && spare != NULL && spare(device)) {
        status = device_alloc(process, heap, size, alignment, block);
    }
    return status;
}

enum symm_status symm_process_locate(struct symm_process *process, const void *address, size_t size,
                                     struct symm_location *location)
{
    enum symm_status status = SYMM_ERR_FOREIGN;
    struct symm_heap *heap;
    for (uint32_t number = 0; status != SYMM_OK; number++) {
        heap = symm_process_heap_at(process, number);
        if (heap == NULL) {
            break;
        }
        status = symm_heap_locate(heap, address, size, location);
    }
    return status;
}
