/*
 * copies.c - copies and fills, queued in streams.
 *
 * When a function returns is what programs get wrong, so it is as the real driver has it:
 *   to pageable memory      when the copy is done, also from the Async functions
 *   from pageable memory    when the source has been read; the destination may be written later
 *   pinned memory           Async functions at once, the others when the copy is done
 *   within device memory    at once, also from functions without Async (as cuMemsetD8 does), unless
 *                           CU_POINTER_ATTRIBUTE_SYNC_MEMOPS or CU_CTX_SYNC_MEMOPS is set
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/trace.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PIECES = 4, PIECE_LEAST = 1024, PAGE = 4096, PUNCH_LEAST = 1 << 20 };

struct copy {
    unsigned char *target;
    const unsigned char *source; /* NULL: the bytes that follow */
    size_t size;
};

/* In pieces with pauses, so that whoever looks too early sees half a copy. */
static CUresult run_copy(void *payload, CUstream stream)
{
    const struct copy *copy = payload;
    const unsigned char *source =
        copy->source == NULL ? (const unsigned char *)(copy + 1) : copy->source;
    CUresult result = standin_fault_later("copy");
    size_t piece = copy->size / PIECES < PIECE_LEAST ? copy->size : copy->size / PIECES;
    for (size_t at = 0; at < copy->size && result == CUDA_SUCCESS; at += piece) {
        size_t left = copy->size - at;
        memmove(copy->target + at, source + at, left < piece ? left : piece);
        standin_stream_dawdle(stream);
    }
    return result;
}

struct fill {
    unsigned char *target;
    size_t size;
    unsigned char value;
};

/* Zeroes in plenty: the pages are taken out of the file, so that a large heap costs nothing. */
static CUresult run_fill(void *payload, CUstream stream)
{
    const struct fill *fill = payload;
    unsigned char *from = fill->target + (PAGE - (uintptr_t)fill->target % PAGE) % PAGE;
    (void)stream;
    if (fill->value == 0 && fill->size >= PUNCH_LEAST) {
        size_t head = (size_t)(from - fill->target);
        size_t pages = (fill->size - head) / PAGE * PAGE;
        if (madvise(from, pages, MADV_REMOVE) == 0) {
            memset(fill->target, 0, head);
            memset(from + pages, 0, fill->size - head - pages);
            return CUDA_SUCCESS;
        }
    }
    memset(fill->target, fill->value, fill->size);
    return CUDA_SUCCESS;
}

/* ---- copies ---------------------------------------------------------------------------------- */

enum sides { ANY, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE };

static bool sides_fit(enum sides sides, enum standin_place target, enum standin_place source)
{
    switch (sides) {
    case HOST_TO_DEVICE: return target != STANDIN_PAGEABLE && source != STANDIN_ON_DEVICE;
    case DEVICE_TO_HOST: return target != STANDIN_ON_DEVICE && source != STANDIN_PAGEABLE;
    case DEVICE_TO_DEVICE: return target != STANDIN_PAGEABLE && source != STANDIN_PAGEABLE;
    default: return true;
    }
}

static CUresult add_copy(CUstream stream, struct copy *copy, bool staged)
{
    if (!staged) {
        return standin_stream_add(stream, run_copy, copy, sizeof *copy);
    }
    unsigned char *payload = malloc(sizeof *copy + copy->size);
    if (payload == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(payload + sizeof *copy, copy->source, copy->size);
    copy->source = NULL;
    memcpy(payload, copy, sizeof *copy);
    CUresult result = standin_stream_add(stream, run_copy, payload, sizeof *copy + copy->size);
    free(payload);
    return result;
}

struct transfer {
    uint64_t target, source;
    size_t size;
    enum sides sides;
    bool async;
};

static CUresult transfer(const struct transfer *wanted, CUstream handle, CUcontext context)
{
    CUstream stream;
    enum standin_place target;
    enum standin_place source;
    struct copy copy = {.size = wanted->size};
    void *from;
    void *to;
    CUresult result = standin_stream_find(handle, context, &stream);
    if (result != CUDA_SUCCESS || wanted->size == 0) {
        return result;
    }
    result = standin_address_resolve(wanted->target, wanted->size, context->device, true, &target,
                                     &to);
    if (result == CUDA_SUCCESS) {
        result = standin_address_resolve(wanted->source, wanted->size, context->device, false,
                                         &source, &from);
    }
    if (result != CUDA_SUCCESS || !sides_fit(wanted->sides, target, source)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    copy.target = to;
    copy.source = from;
    bool staged = source == STANDIN_PAGEABLE && target != STANDIN_PAGEABLE;
    if (staged && !wanted->async) {
        result = standin_stream_wait(stream, stream->queued);
    }
    if (result == CUDA_SUCCESS) {
        standin_trace_copy(target, source, copy.size, 1, stream);
        result = add_copy(stream, &copy, staged);
    }
    bool on_device = target == STANDIN_ON_DEVICE && source == STANDIN_ON_DEVICE;
    bool waits = target == STANDIN_PAGEABLE || (!wanted->async && !on_device && !staged) ||
                 (!wanted->async && (standin_address_syncs(wanted->target, context) ||
                                     standin_address_syncs(wanted->source, context)));
    if (result == CUDA_SUCCESS && waits) {
        result = standin_stream_wait(stream, stream->queued);
    }
    return result;
}

static CUresult do_transfer(const char *function, struct transfer wanted, CUstream stream)
{
    CUcontext context;
    CUresult result = standin_begin_in_context(function, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_end(transfer(&wanted, stream, context));
    }
    return result;
}

#define TRANSFER(target, source, size, sides, async) \
    (struct transfer){(target), (source), (size), (sides), (async)}

CUresult cuMemcpy(CUdeviceptr target, CUdeviceptr source, size_t size)
{
    return do_transfer(__func__, TRANSFER(target, source, size, ANY, false), NULL);
}

CUresult cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source, size_t size, CUstream stream)
{
    return do_transfer(__func__, TRANSFER(target, source, size, ANY, true), stream);
}

#if CUDA_VERSION >= 13000
/* Only copies within device memory, in the order of the stream, are known here. */
CUresult cuMemcpyBatchAsync(CUdeviceptr *targets, CUdeviceptr *sources, size_t *sizes, size_t count,
                            CUmemcpyAttributes *attributes, size_t *firsts, size_t kinds,
                            CUstream stream)
{
    CUcontext context;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS &&
        (count == 0 || kinds != 1 || firsts[0] != 0 || stream == NULL ||
         attributes->srcAccessOrder != CU_MEMCPY_SRC_ACCESS_ORDER_STREAM)) {
        result = CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++) {
        const struct transfer wanted = {targets[i], sources[i], sizes[i], DEVICE_TO_DEVICE, true};
        result = transfer(&wanted, stream, context);
    }
    return standin_end(result);
}
#endif

CUresult cuMemcpyHtoD(CUdeviceptr target, const void *source, size_t size)
{
    return do_transfer(__func__,
                       TRANSFER(target, (uintptr_t)source, size, HOST_TO_DEVICE, false), NULL);
}

CUresult cuMemcpyDtoH(void *target, CUdeviceptr source, size_t size)
{
    return do_transfer(__func__,
                       TRANSFER((uintptr_t)target, source, size, DEVICE_TO_HOST, false), NULL);
}

CUresult cuMemcpyDtoD(CUdeviceptr target, CUdeviceptr source, size_t size)
{
    return do_transfer(__func__, TRANSFER(target, source, size, DEVICE_TO_DEVICE, false), NULL);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr target, const void *source, size_t size, CUstream stream)
{
    return do_transfer(__func__,
                       TRANSFER(target, (uintptr_t)source, size, HOST_TO_DEVICE, true), stream);
}

CUresult cuMemcpyDtoHAsync(void *target, CUdeviceptr source, size_t size, CUstream stream)
{
    return do_transfer(__func__,
                       TRANSFER((uintptr_t)target, source, size, DEVICE_TO_HOST, true), stream);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr target, CUdeviceptr source, size_t size, CUstream stream)
{
    return do_transfer(__func__, TRANSFER(target, source, size, DEVICE_TO_DEVICE, true), stream);
}

/* ---- rows ------------------------------------------------------------------------------------ */

struct rows {
    unsigned char *target;
    const unsigned char *source;
    size_t bytes, count, target_pitch, source_pitch;
};

static CUresult run_rows(void *payload, CUstream stream)
{
    const struct rows *rows = payload;
    for (size_t row = 0; row < rows->count; row++) {
        memmove(rows->target + row * rows->target_pitch, rows->source + row * rows->source_pitch,
                rows->bytes);
    }
    standin_stream_dawdle(stream);
    return standin_fault_later("copy");
}

static CUresult transfer_rows(const CUDA_MEMCPY2D *wanted, CUstream handle, CUcontext context)
{
    CUstream stream;
    enum standin_place target, source;
    void *from, *to;
    struct rows rows = {.bytes = wanted->WidthInBytes, .count = wanted->Height,
                        .target_pitch = wanted->dstPitch, .source_pitch = wanted->srcPitch};
    CUresult result = standin_stream_find(handle, context, &stream);
    if (result != CUDA_SUCCESS || rows.bytes == 0 || rows.count == 0) {
        return result;
    }
    result = standin_address_resolve(wanted->dstDevice,
                                     (rows.count - 1) * rows.target_pitch + rows.bytes,
                                     context->device, true, &target, &to);
    if (result == CUDA_SUCCESS) {
        result = standin_address_resolve(wanted->srcDevice,
                                         (rows.count - 1) * rows.source_pitch + rows.bytes,
                                         context->device, false, &source, &from);
    }
    if (result == CUDA_SUCCESS) {
        rows.target = to;
        rows.source = from;
        standin_trace_copy(target, source, rows.bytes, rows.count, stream);
        result = standin_stream_add(stream, run_rows, &rows, sizeof rows);
    }
    if (result == CUDA_SUCCESS && (target == STANDIN_PAGEABLE || source == STANDIN_PAGEABLE)) {
        result = standin_stream_wait(stream, stream->queued);
    }
    return result;
}

/* Only for addresses that the driver finds out about, from their first bytes on. */
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *rows, CUstream stream)
{
    CUcontext context;
    if (rows == NULL || rows->srcMemoryType != CU_MEMORYTYPE_UNIFIED ||
        rows->dstMemoryType != CU_MEMORYTYPE_UNIFIED || rows->srcXInBytes != 0 || rows->srcY != 0 ||
        rows->dstXInBytes != 0 || rows->dstY != 0 || rows->srcPitch < rows->WidthInBytes ||
        rows->dstPitch < rows->WidthInBytes || rows->srcPitch > INT32_MAX ||
        rows->dstPitch > INT32_MAX) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_end(transfer_rows(rows, stream, context));
    }
    return result;
}

/* ---- fills ----------------------------------------------------------------------------------- */

static CUresult fill(CUdeviceptr target, unsigned char value, size_t size, CUstream handle,
                     CUcontext context)
{
    CUstream stream;
    enum standin_place place;
    void *real;
    CUresult result = standin_stream_find(handle, context, &stream);
    if (result != CUDA_SUCCESS || size == 0) {
        return result;
    }
    result = standin_address_resolve(target, size, context->device, true, &place, &real);
    if (result != CUDA_SUCCESS || place == STANDIN_PAGEABLE) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct fill wanted = {.target = real, .value = value, .size = size};
    standin_trace_fill(value, size, stream);
    return standin_stream_add(stream, run_fill, &wanted, sizeof wanted);
}

CUresult cuMemsetD8Async(CUdeviceptr target, unsigned char value, size_t size, CUstream stream)
{
    CUcontext context;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_end(fill(target, value, size, stream, context));
    }
    return result;
}

CUresult cuMemsetD8(CUdeviceptr target, unsigned char value, size_t size)
{
    CUcontext context;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = fill(target, value, size, NULL, context);
        if (result == CUDA_SUCCESS && standin_address_syncs(target, context)) {
            result = standin_stream_wait(context->legacy, context->legacy->queued);
        }
        (void)standin_end(result);
    }
    return result;
}
