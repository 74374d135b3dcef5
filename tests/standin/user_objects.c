/*
 * user_objects.c - what a program has graphs keep, and destroys once none does.
 *
 * As with the real driver, that is done by a thread of the driver's own, some time after the last
 * graph has gone and the last launch of it is done.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/graphs.h"

#include <stdlib.h>
#include <string.h>

struct CUuserObject_st {
    struct standin_object object;
    unsigned references;
    CUhostFn destroy;
    void *data;
};

struct standin_reference {
    struct standin_reference *next;
    CUuserObject object;
    unsigned count;
};

static struct standin_objects objects;

size_t standin_user_objects_left(void)
{
    return standin_object_count(&objects);
}

static void *destroy(void *argument)
{
    CUuserObject object = argument;
    object->destroy(object->data);
    return NULL;
}

static void object_release(CUuserObject object, unsigned count)
{
    pthread_t thread;
    object->references -= count;
    if (object->references > 0) {
        return;
    }
    standin_object_bury(&objects, &object->object);
    if (pthread_create(&thread, NULL, destroy, object) != 0) {
        standin_say("a user object is not destroyed: there is no thread for it");
        return;
    }
    (void)pthread_detach(thread);
}

static CUresult reference_add(struct standin_references *references, CUuserObject object,
                              unsigned count)
{
    struct standin_reference *reference = malloc(sizeof *reference);
    if (reference == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *reference = (struct standin_reference){references->first, object, count};
    references->first = reference;
    return CUDA_SUCCESS;
}

CUresult standin_references_add(struct standin_references *references, CUuserObject object,
                                unsigned count, bool moves)
{
    if (!standin_object_is(&objects, object) || count == 0 ||
        (moves && count > object->references)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUresult result = reference_add(references, object, count);
    if (result == CUDA_SUCCESS && !moves) {
        object->references += count;
    }
    return result;
}

CUresult standin_references_copy(struct standin_references *to,
                                 const struct standin_references *from)
{
    CUresult result = CUDA_SUCCESS;
    for (const struct standin_reference *reference = from->first;
         reference != NULL && result == CUDA_SUCCESS; reference = reference->next) {
        result = reference_add(to, reference->object, reference->count);
        if (result == CUDA_SUCCESS) {
            reference->object->references += reference->count;
        }
    }
    return result;
}

void standin_references_drop(struct standin_references *references)
{
    struct standin_reference *next;
    for (struct standin_reference *reference = references->first; reference; reference = next) {
        next = reference->next;
        object_release(reference->object, reference->count);
        free(reference);
    }
    references->first = NULL;
}

static CUresult run_drop(void *payload, CUstream stream)
{
    (void)stream;
    standin_lock();
    standin_references_drop(payload);
    standin_unlock();
    return CUDA_SUCCESS;
}

CUresult standin_references_hold(const struct standin_references *references, CUstream stream)
{
    struct standin_references held = {.first = NULL};
    if (stream->capture != NULL) {
        return standin_references_copy(&stream->capture->graph->references, references);
    }
    CUresult result = standin_references_copy(&held, references);
    if (result == CUDA_SUCCESS && held.first != NULL) {
        result = standin_stream_add(stream, run_drop, &held, sizeof held);
    }
    if (result != CUDA_SUCCESS) {
        standin_references_drop(&held);
    }
    return result;
}

/* ---- the driver's functions ------------------------------------------------------------------ */

CUresult cuUserObjectCreate(CUuserObject *object, void *data, CUhostFn function, unsigned count,
                            unsigned flags)
{
    CUresult result = object == NULL || function == NULL || count == 0 ||
                              flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC
                          ? CUDA_ERROR_INVALID_VALUE
                          : standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        *object = calloc(1, sizeof **object);
        if (*object != NULL) {
            (*object)->references = count;
            (*object)->destroy = function;
            (*object)->data = data;
            standin_object_add(&objects, &(*object)->object);
        }
        result = standin_end(*object != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
    }
    return result;
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned count)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        bool can = standin_object_is(&objects, object) && count > 0 && count <= object->references;
        if (can) {
            object_release(object, count);
        }
        result = standin_end(can ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
    }
    return result;
}
