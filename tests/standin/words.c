/*
 * words.c - what streams do to single words of memory, and functions of the program that they call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/standin.h"

#include <sched.h>
#include <stdatomic.h>

/* ---- words ----------------------------------------------------------------------------------- */

/* As the stream's thread sees it. */
struct word {
    void *at;
    size_t size; /* 4 or 8 bytes */
    uint64_t value;
    unsigned flags;
};

static CUresult run_write(void *payload, CUstream stream)
{
    const struct word *word = payload;
    (void)stream;
    if (word->size == sizeof(uint64_t)) {
        atomic_store((_Atomic uint64_t *)word->at, word->value);
    } else {
        atomic_store((_Atomic uint32_t *)word->at, (uint32_t)word->value);
    }
    return CUDA_SUCCESS;
}

static CUresult run_wait(void *payload, CUstream stream)
{
    const struct word *word = payload;
    const uint32_t wanted = (uint32_t)word->value;
    bool waits = true;
    while (waits) {
        uint32_t now = atomic_load((_Atomic uint32_t *)word->at);
        switch (word->flags & 3) {
        case CU_STREAM_WAIT_VALUE_GEQ: waits = (int32_t)(now - wanted) < 0; break;
        case CU_STREAM_WAIT_VALUE_EQ: waits = now != wanted; break;
        case CU_STREAM_WAIT_VALUE_AND: waits = (now & wanted) == 0; break;
        default: waits = (~(now | wanted)) == 0; break;
        }
        (void)sched_yield();
        standin_stream_dawdle(stream);
    }
    return CUDA_SUCCESS;
}

static CUresult add(const struct word *wanted, CUdeviceptr address, CUstream handle,
                    standin_run *run, CUcontext context)
{
    CUstream stream;
    enum standin_place place;
    struct word word = *wanted;
    CUresult result = standin_stream_find(handle, context, &stream);
    if (result != CUDA_SUCCESS) {
        return result;
    }
    result = standin_address_resolve(address, word.size, context->device, run == run_write, &place,
                                     &word.at);
    if (result != CUDA_SUCCESS || place == STANDIN_PAGEABLE || address % word.size != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return standin_stream_add(stream, run, &word, sizeof word);
}

static CUresult use(const char *function, struct word word, CUdeviceptr address, CUstream stream,
                    standin_run *run)
{
    CUcontext context;
    CUresult result = standin_begin_in_context(function, &context);
    return result == CUDA_SUCCESS ? standin_end(add(&word, address, stream, run, context)) : result;
}

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value,
                              unsigned flags)
{
    return use(__func__, (struct word){NULL, sizeof value, value, flags}, address, stream,
               run_write);
}

CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr address, cuuint64_t value,
                              unsigned flags)
{
    return use(__func__, (struct word){NULL, sizeof value, value, flags}, address, stream,
               run_write);
}

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags)
{
    return use(__func__, (struct word){NULL, sizeof value, value, flags}, address, stream,
               run_wait);
}

/* ---- host functions -------------------------------------------------------------------------- */

struct call {
    CUhostFn function;
    void *data;
};

static CUresult run_call(void *payload, CUstream stream)
{
    const struct call *call = payload;
    (void)stream;
    call->function(call->data);
    return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void *data)
{
    CUcontext context;
    CUresult result = function == NULL ? CUDA_ERROR_INVALID_VALUE
                                       : standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        CUstream stream;
        struct call call = {.function = function, .data = data};
        result = standin_stream_find(handle, context, &stream);
        if (result == CUDA_SUCCESS) {
            result = standin_stream_add(stream, run_call, &call, sizeof call);
        }
        (void)standin_end(result);
    }
    return result;
}
