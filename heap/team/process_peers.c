/*
 * process_peers.c - what a process has of others: their heaps and chunks, memory from elsewhere;
 * see process.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "heap/gpu/cuda_device.h"
#include "heap/team/process_state.h"

/* ---- memory from elsewhere ------------------------------------------------------------------ */

enum symm_status symm_process_exports(struct symm_process *process, struct symm_exports **exports)
{
    enum symm_status status = SYMM_OK;
    *exports = atomic_load_explicit(&process->exports, memory_order_acquire);
    if (*exports != NULL) {
        return SYMM_OK;
    }
    (void)pthread_mutex_lock(&process->heaps_mutex);
    *exports = atomic_load_explicit(&process->exports, memory_order_relaxed);
    if (*exports == NULL) {
        status = symm_exports_create(process->server, exports);
        if (status == SYMM_OK) {
            atomic_store_explicit(&process->exports, *exports, memory_order_release);
        }
    }
    (void)pthread_mutex_unlock(&process->heaps_mutex);
    return status;
}

void symm_process_review_exports(struct symm_process *process, unsigned count)
{
    struct symm_exports *exports = atomic_load_explicit(&process->exports, memory_order_acquire);
    if (exports != NULL) {
        symm_exports_review(exports, count);
    }
}

enum symm_status symm_process_imports(struct symm_process *process, size_t most,
                                      struct symm_imports **imports)
{
    enum symm_status status = SYMM_OK;
    *imports = atomic_load_explicit(&process->imports, memory_order_acquire);
    if (*imports != NULL) {
        return SYMM_OK;
    }
    (void)pthread_mutex_lock(&process->heaps_mutex);
    *imports = atomic_load_explicit(&process->imports, memory_order_relaxed);
    if (*imports == NULL) {
        status = symm_imports_create(most, imports);
        if (status == SYMM_OK) {
            atomic_store_explicit(&process->imports, *imports, memory_order_release);
        }
    }
    (void)pthread_mutex_unlock(&process->heaps_mutex);
    return status;
}

/* ---- peers --------------------------------------------------------------------------------- */

/*
 * What a peer's heap is mapped with.  Its device need not be visible here; a device of ours maps
 * the memory, and gives all devices access that this process uses.
 */
static enum symm_status peer_kind_get(struct symm_process *process, uint32_t heap,
                                      const struct symm_kind **kind)
{
    int device;
    if (heap == 0) {
        *kind = &symm_kind_host;
        return SYMM_OK;
    }
    const struct symm_heap *ours = symm_process_heap_at(process, 1);
    enum symm_status status = SYMM_OK;
    if (ours != NULL) {
        device = symm_heap_device(ours);
    } else {
        status = symm_cuda_device_current(&device);
    }
    return status == SYMM_OK ? symm_kind_of_device(device, kind) : status;
}

enum symm_status symm_process_get_peer(struct symm_process *process, const char *name,
                                       uint32_t heap, struct symm_peer **peer)
{
    const struct symm_kind *kind;
    if (heap >= SYMM_HEAPS_MAX) {
        return SYMM_ERR_ARGUMENT;
    }
    if (symm_peers_get_known(&process->peers, name, heap, peer)) {
        return SYMM_OK; /* nothing is asked of the driver, whatever device is current by now */
    }
    enum symm_status status = peer_kind_get(process, heap, &kind);
    if (status != SYMM_OK) {
        return status;
    }
    symm_recall_note(process->recall, name, 0);
    const char *own_name = symm_server_name_to_tell(process->server);
    return symm_peers_get(&process->peers, kind, own_name, name, heap, peer);
}

void symm_process_put_peer(struct symm_process *process, struct symm_peer *peer)
{
    symm_peers_put(&process->peers, peer);
}

/* ---- arenas -------------------------------------------------------------------------------- */

struct symm_arena *symm_process_arena(struct symm_process *process)
{
    return process->arena;
}

struct symm_arena_peers *symm_process_arena_peers(struct symm_process *process)
{
    return &process->arena_peers;
}
