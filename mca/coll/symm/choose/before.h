/*
 * choose/before.h - what a rank decides before it has read the lines of others: whether its data
 * travel in the slot, what scratch or pad it offers, and whether it leaves the call below.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_CHOOSE_BEFORE_H
#define MCA_COLL_SYMM_CHOOSE_BEFORE_H

#include "mca/coll/symm/choose/choose.h"

/*
 * Whether payloads of so many bytes a rank travel in the slot.  Needs no agreement.  The second
 * function is what the table says, if they fit there.  Ranks decide this before they know anything
 * of each other, so a row counts whatever its place and multicast.
 */
bool mca_coll_symm_choose_inline(enum symm_collective collective, const struct symm_team *team,
                               size_t bytes);
bool mca_coll_symm_table_inline(const struct symm_table *table, enum symm_collective collective,
                              int ranks, size_t bytes);

/*
 * Bytes of scratch on the device that are of use to a call.  The first function is for moving the
 * slices of a large all-reduce or the blocks of a reduce-scatter.  The second is for relaying,
 * where some rank's buffers cannot be reached.  Neither needs agreement: a rank offers what it has.
 * `multicast`: the call is likely to be made by multicast, if that is preferred.  `in_reach`: peers
 * reach this rank's input, as far as it can tell.
 */
size_t mca_coll_symm_choose_scratch(const struct symm_call *call, const struct symm_team *team,
                                    bool multicast, bool in_reach);
size_t mca_coll_symm_choose_relay_scratch(const struct symm_call *call,
                                           const struct symm_team *team);

/* Whether a call is likely to go by packets, if all ranks offer pads for them. */
bool mca_coll_symm_choose_pads(const struct symm_call *call, const struct symm_team *team);

/* Whether the parameters force relaying on a collective. */
bool mca_coll_symm_choose_relay_forced(enum symm_collective collective,
                                        const struct symm_team *team);

/* What to do with a call that the table leaves to the component below before the ranks have met. */
enum symm_left {
    SYMM_LEFT_NOT,  /* the table does not leave it below */
    SYMM_LEFT_VETO, /* the rank says so in its line: a peer's buffers may be on a device */
    SYMM_LEFT_MUTE, /* all ranks find the same, so no line is posted */
};

/*
 * What to do with a call that does not travel in the slot.  The answer is a function of what all
 * ranks have alike: collective, bytes, and the team's table and size.  Only whether this rank's
 * line is needed depends on its buffers.
 */
enum symm_left mca_coll_symm_choose_left(const struct symm_call *call,
                                           const struct symm_team *team);

/*
 * Whether the table leaves a call in host memory below that has a rank whose memory does not meet
 * these needs (SYMM_NEEDS_INPUTS, SYMM_NEEDS_OUTPUTS).  Such a rank need not wait for the lines of
 * others.  Where only two ranks know the bytes of a block, what this rank sends and receives stands
 * for what ranks send on average.  With a root only the root can tell that.
 */
bool mca_coll_symm_choose_left_without(const struct symm_call *call, const struct symm_team *team,
                                       unsigned unmet);

#endif /* MCA_COLL_SYMM_CHOOSE_BEFORE_H */
