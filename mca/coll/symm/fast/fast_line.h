/*
 * fast/fast_line.h - what calls that are made at once (fast/fast.h) have in common: when they may
 * be, and their lines; for fast.c, fast_blocks.c and fast_reductions.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_FAST_FAST_LINE_H
#define MCA_COLL_SYMM_FAST_FAST_LINE_H

#include "mca/coll/symm/base/line.h"
#include "mca/coll/symm/base/signature.h"
#include "mca/coll/symm/data/recognise.h"
#include "mca/coll/symm/fast/fast.h"
#include "mca/coll/symm/report/counters.h"
#include "mca/coll/symm/report/verbose.h"
#include "mca/coll/symm/serve/end.h"
#include "mca/coll/symm/serve/slot.h"

struct fast_call {
    mca_coll_symm_module_t *module;
    struct symm_team *team;
    enum symm_collective collective;
    int root;
    uint64_t signature, count; /* as lines have them */
    uint32_t flags;
};

static inline struct fast_call fast_of(mca_coll_symm_module_t *module,
                                      enum symm_collective collective, int root, size_t count)
{
    bool has_tables = symm_collective_get(collective)->has_tables;
    return (struct fast_call){
        .module = module, .team = module->blocking.team, .collective = collective, .root = root,
        .signature = symm_signature_rooted(collective, root), .count = count,
        .flags = LINE_LOOSE | (has_tables ? LINE_ALONG : 0)};
}

/* The ranks share memory, and this rank's next line may be written. */
static inline bool fast_is_ready(const mca_coll_symm_module_t *module)
{
    const struct mca_coll_symm_lane *lane = &module->blocking;
    return lane->state == MCA_COLL_SYMM_READY &&
           !mca_coll_symm_is_verbose(SYMM_VERBOSE_ALGORITHMS) &&
           mca_coll_symm_slot_is_free(lane->team, lane->team->sequence + 1);
}

static inline bool fast_is_root(const struct fast_call *fast)
{
    return fast->team->rank == fast->root;
}

static inline bool fast_is_on_host(const struct fast_call *fast, const void *address)
{
    return mca_coll_symm_device_of(address, fast->module->super.kinds) < 0;
}

static inline struct symm_line *fast_line(const struct fast_call *fast, int rank)
{
    return symm_control_line(&fast->team->control, fast->team->sequence + 1, rank);
}

/* A rank's line of the same call, with the data; NULL: it is not there. */
static inline const struct symm_line *fast_line_from(const struct fast_call *fast, int rank)
{
    struct symm_line *line = fast_line(fast, rank);
    const uint32_t kinds = LINE_ALONG | LINE_LOOSE | LINE_VETO | LINE_DEVICE;
    bool is_there = symm_line_is_posted(line, fast->team->sequence + 1) &&
                    !line_differs(line, fast->signature, fast->count) &&
                    (line->flags & kinds) == fast->flags;
    if (!is_there) {
        return NULL;
    }
    symm_line_fetch_ahead(&fast->team->control, fast->team->sequence + 1, rank);
    return line;
}

/* Post this rank's line, whose payload has been written. */
static inline void fast_line_post(const struct fast_call *fast)
{
    struct symm_line *line = fast_line(fast, fast->team->rank);
    line->signature = fast->signature;
    line->count = fast->count;
    line->finished = (uint32_t)fast->team->finished;
    line->flags = fast->flags;
    symm_line_post(line, ++fast->team->sequence);
}

/*
 * This rank reads nothing more of this call, which counts so many bytes.  Programs repeat calls:
 * its next line may be as long as this one, which had `written` bytes.
 */
static inline void fast_end(const struct fast_call *fast, size_t bytes, size_t written)
{
    struct symm_team *team = fast->team;
    mca_coll_symm_module_t *module = fast->module;
    enum symm_algorithm algorithm =
        (enum symm_algorithm)symm_collective_get(fast->collective)->inline_algorithm;
    mca_coll_symm_finished_warn(team, team->sequence);
    module->blocking.last_algorithm = algorithm;
    module->call.payload_bytes = bytes;
    mca_coll_symm_count_served(&module->call, algorithm);
    symm_line_prefetch(&team->control, team->sequence + 1, team->rank, written);
}

/*
 * Whether the lines of the ranks before rank `end` are there, this rank's aside.  Those of all tell
 * how far the ranks have got.
 */
static inline bool fast_have_given(const struct fast_call *fast, int end)
{
    struct symm_team *team = fast->team;
    uint64_t sequence = team->sequence + 1;
    uint32_t least = (uint32_t)team->finished;
    for (int rank = 0; rank < end; rank++) {
        if (rank == team->rank) {
            continue;
        }
        const struct symm_line *line = fast_line_from(fast, rank);
        if (line == NULL) {
            return false;
        }
        least = line_finished_least(line, (uint32_t)sequence, least);
    }
    if (end == team->size || (end == team->rank && end == team->size - 1)) {
        line_finished_known(team, sequence, least);
    }
    return true;
}

#endif /* MCA_COLL_SYMM_FAST_FAST_LINE_H */
