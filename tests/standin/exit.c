/*
 * exit.c - what is looked at when the process ends.
 *
 * SYMM_STANDIN_STRICT=1: everything must have been given back; otherwise the process says what has
 * not, and ends with status 86.  SYMM_STANDIN_KEPT=NAME[:N],... names sorts of things that may be
 * left, N of them at most.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/kernels.h"
#include "tests/standin/standin.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_LEFT = 86 };

/* How many things of a sort may be left. */
static size_t kept(const char *name)
{
    const char *list = getenv("SYMM_STANDIN_KEPT");
    while (list != NULL && *list != '\0') {
        size_t length = strcspn(list, ",:");
        const char *rest = list + length;
        char *end;
        size_t count = *rest == ':' ? strtoul(rest + 1, &end, 10) : SIZE_MAX;
        if (length == strlen(name) && strncmp(list, name, length) == 0) {
            return count;
        }
        rest += strcspn(rest, ",");
        list = rest + (*rest == ',');
    }
    return 0;
}

static size_t note(const char *name, size_t count)
{
    if (count <= kept(name)) {
        return 0;
    }
    standin_say("at exit %zu of these are left: %s", count, name);
    return count;
}

static size_t contexts_left(void)
{
    size_t count = standin_contexts_made();
    for (int i = 0; i < standin_device_count; i++) {
        CUcontext context = standin_devices[i].primary;
        count += context != NULL && context->alive;
    }
    return count;
}

static size_t contexts_broken(void)
{
    size_t count = 0;
    for (int i = 0; i < standin_device_count; i++) {
        CUcontext context = standin_devices[i].primary;
        count += context != NULL && context->broken != CUDA_SUCCESS;
    }
    return count;
}

static size_t work_left(void)
{
    size_t count = 0;
    for (const struct standin_object *object = standin_streams.first; object;
         object = object->next) {
        const struct CUstream_st *stream = (const struct CUstream_st *)object;
        count += stream->queued - stream->finished;
    }
    return count;
}

static size_t handles_left(void)
{
    size_t count = 0;
    for (const struct standin_allocation *allocation = standin_allocations; allocation;
         allocation = allocation->next) {
        count += allocation->references;
    }
    return count;
}

/* Mappings of VMM, those of cuMemAlloc(), and those of cuIpcOpenMemHandle(). */
static size_t mappings_left(bool internal, bool opened)
{
    size_t count = 0;
    for (const struct standin_mapping *mapping = standin_mappings; mapping;
         mapping = mapping->next) {
        count += mapping->reservation->internal == internal &&
                 (mapping->reservation->opener != NULL) == opened;
    }
    return count;
}

static size_t reservations_left(void)
{
    size_t count = 0;
    for (const struct standin_reservation *reservation = standin_reservations; reservation;
         reservation = reservation->next) {
        count += !reservation->internal && reservation->opener == NULL;
    }
    return count;
}

static size_t vmm_mappings_left(void)
{
    return mappings_left(false, false);
}

static size_t allocations_left(void)
{
    return mappings_left(true, false);
}

static size_t ipc_left(void)
{
    return mappings_left(false, true);
}

/* Each context has a stream of its own, which is nobody's to destroy. */
static size_t streams_left(void)
{
    return standin_object_count(&standin_streams) - contexts_left();
}

static size_t events_left(void)
{
    return standin_object_count(&standin_events);
}

static size_t modules_left(void)
{
    return standin_object_count(&standin_modules);
}

static const struct {
    const char *name;
    size_t (*left)(void);
} sorts[] = {
    {"handle", handles_left},
    {"mapping", vmm_mappings_left},
    {"reservation", reservations_left},
    {"allocation", allocations_left},
    {"ipc", ipc_left},
    {"pinned", standin_pinned_count},
    {"stream", streams_left},
    {"event", events_left},
    {"module", modules_left},
    {"graph", standin_graphs_left},
    {"object", standin_user_objects_left},
    {"work", work_left},
    {"binding", standin_multicast_left},
    {"context", contexts_left},
};

static size_t check(void)
{
    size_t left = 0;
    for (size_t i = 0; i < sizeof sorts / sizeof sorts[0]; i++) {
        left += note(sorts[i].name, sorts[i].left());
    }
    return left;
}

__attribute__((visibility("default"))) size_t symm_standin_left(const char *name)
{
    size_t left = SIZE_MAX;
    standin_lock();
    for (size_t i = 0; i < sizeof sorts / sizeof sorts[0]; i++) {
        left = strcmp(sorts[i].name, name) == 0 ? sorts[i].left() : left;
    }
    standin_unlock();
    return left;
}

/* A broken context can give nothing back, so there nothing is asked for. */
__attribute__((destructor)) static void end(void)
{
    if (standin_is_forked()) {
        return;
    }
    standin_lock();
    standin_fault_dump();
    bool strict = standin_setting("SYMM_STANDIN_STRICT", 0) != 0;
    size_t left = strict && contexts_broken() == 0 ? check() : 0;
    standin_unlock();
    if (left > 0) {
        _exit(STATUS_LEFT);
    }
}
