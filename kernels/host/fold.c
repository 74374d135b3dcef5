/*
 * fold.c - reduction of several arrays in a fixed order.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "heap/scratch.h"
#include "kernels/run_steps.h"

static const void *at(const void *base, size_t offset)
{
    return (const unsigned char *)base + offset;
}

/* ---- fetching ahead -------------------------------------------------------------------------- */

/*
 * Inputs are reduced in parts, and the next part of all ranks is fetched before this one is
 * reduced; both together fit the cache of the second level.  Ranks that reduce at the same time
 * fetch from different ranks at any moment: if all read the input of rank 0 first, then that of
 * rank 1, they wait for one cache at a time.  Reduce-scatters of 16 and 32 ranks then take up to
 * twice as long in the heap, and 1.4 times in other memory
 * (bench/results/gpu-host-fold-turns.txt).
 */
enum { FETCHED_MOST = 32 << 10 };

/* Of two ranks each reads the other's input, and nobody else does. */
static bool fetches(const struct symm_team *team)
{
    return team->size > 2;
}

/* Bytes of a part: whole elements, and whole cache lines where they fit. */
static size_t part_size(const struct symm_team *team, size_t extent, size_t bytes)
{
    size_t size = FETCHED_MOST / (size_t)team->size, unit = symm_slice_unit(extent) * extent;
    if (!fetches(team) || bytes <= size || size < extent) {
        return bytes;
    }
    return size < unit ? size / extent * extent : size / unit * unit;
}

/* Fetch a part of the others' inputs, or its beginning if it is one of long elements. */
static void others_fetch(const struct symm_team *team, const void *const *inputs, size_t offset,
                         size_t part)
{
    size_t bytes = symm_least(part, FETCHED_MOST / (size_t)team->size);
    for (int rank = team->rank + 1; rank < team->size; rank++) {
        symm_prefetch_for_reading(at(inputs[rank], offset), bytes);
    }
    for (int rank = 0; rank < team->rank; rank++) {
        symm_prefetch_for_reading(at(inputs[rank], offset), bytes);
    }
}

/* ---- reduction ------------------------------------------------------------------------------- */

/* From the last rank to the first. */
static void backwards_reduce(const struct symm_reduction *reduction, int ranks,
                             const void *const *inputs, size_t offset, void *target, size_t count)
{
    memcpy(target, at(inputs[ranks - 1], offset),
           symm_result_bytes(reduction, count * reduction->extent));
    for (int rank = ranks - 2; rank >= 0; rank--) {
        reduction->reduce(reduction->context, at(inputs[rank], offset), target, count);
    }
}

/* From the first rank to the last. */
static void forwards_reduce(const struct symm_reduction *reduction, int ranks,
                            const void *const *inputs, size_t offset, void *target, size_t count)
{
    void *context = reduction->context;
    reduction->combine(context, at(inputs[0], offset), at(inputs[1], offset), target, count);
    for (int rank = 2; rank < ranks; rank++) {
        reduction->reduce(context, at(inputs[rank], offset), target, count);
    }
}

void symm_fold(const struct symm_reduction *reduction, const struct symm_team *team,
               const void *const *inputs, size_t offset, void *target, size_t count)
{
    size_t extent = reduction->extent, bytes = count * extent;
    size_t part = part_size(team, extent, bytes);
    if (fetches(team)) {
        others_fetch(team, inputs, offset, part);
    }
    if (reduction->ordered || reduction->combine == NULL || team->size == 1) {
        /* In one piece: users' functions may be slow to call. */
        backwards_reduce(reduction, team->size, inputs, offset, target, count);
        return;
    }
    for (size_t done = 0; done < bytes; done += part) {
        size_t now = symm_least(part, bytes - done), behind = done + now;
        if (fetches(team) && behind < bytes) {
            others_fetch(team, inputs, offset + behind, symm_least(part, bytes - behind));
        }
        forwards_reduce(reduction, team->size, inputs, offset + done,
                        (unsigned char *)target + done, now / extent);
    }
}

void symm_fold_into(const struct symm_reduction *reduction, const struct symm_team *team,
                    const void *const *inputs, void *output, size_t bytes, bool in_place)
{
    size_t extent = reduction->extent;
    if (bytes == 0) {
        return; /* the output may be anything */
    }
    if (!in_place) {
        symm_fold(reduction, team, inputs, 0, output, bytes / extent);
        return;
    }
    void *scratch = symm_scratch_take();
    for (size_t done = 0; done < bytes;) {
        size_t block = symm_least(bytes - done, symm_block_bytes(extent));
        symm_fold(reduction, team, inputs, done, scratch, block / extent);
        memcpy((unsigned char *)output + done, scratch, symm_result_bytes(reduction, block));
        done += block;
    }
    symm_scratch_give(scratch);
}
