/*
 * choose/choose.h - which algorithm serves a call.  This is decided here and nowhere else.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_CHOOSE_H
#define MCA_COLL_SYMM_CHOOSE_H

#include "heap/team/team.h"
#include "kernels/algorithm.h"
#include "mca/coll/symm/base/call.h"
#include "mca/coll/symm/choose/table.h"

/* What the choice depends on; the same on all ranks. */
struct symm_facts {
    const struct symm_table *table; /* the team's */
    enum symm_collective collective;
    int ranks;
    size_t bytes;           /* of the array, or of one rank's block */
    int forced;             /* an algorithm to use where it is eligible, or MCA_COLL_SYMM_AUTO */
    bool unmapped;          /* some segment has yet to be mapped: there is no choice yet */
    bool inputs_reachable;  /* all ranks' inputs lie in segments that all ranks can map */
    bool outputs_reachable; /* all ranks' outputs do */
    bool out_of_place;      /* no rank's input is its output */
    bool extents_differ;    /* all-reduce: the same bytes, but not in the same elements */
    bool gaps;              /* some rank's data has to be packed or unpacked */
    bool shifted;           /* reductions: some rank's elements do not begin at their addresses */
    bool beside;            /* the program goes on meanwhile: not a blocking call */
    bool device;            /* all buffers lie in device memory */
    bool withheld;          /* some rank's buffer is from elsewhere, and not offered */
    bool closed;            /* some rank's buffer is from elsewhere, and a peer could not open it */
    bool asked;             /* all ranks have offered what scratch they have for relayed calls */
    bool small_pages;       /* some rank's output is seen in small pages: engines are slow */
    bool slices;            /* all ranks offer scratch for an all-reduce's slices */
    bool multicast_inputs;  /* all ranks' inputs are, or can be put, behind a multicast address */
    bool multicast_outputs; /* all ranks' outputs are, or can be put, behind one */
    bool multimem;          /* multicast can reduce this type by this operation, or copies */
    bool multimem_one_shot; /* multicast gives all ranks the same bits if each asks for itself */
    size_t packed;          /* bytes of the largest block, where some have to be packed */
    size_t piece_size;      /* of staging buffers: what packed blocks have to fit */
    size_t scratch_size;    /* bytes on devices that all ranks have and can map; 0: not all have */
    size_t pad_size;        /* bytes of the pads that all ranks offer and can map; 0: not all do */
    bool pads;              /* the ranks can send each other this call's data as packets */
    bool shared_devices;    /* then, or with scratch: ranks share a device, as far as is known */
};

/* The preferences of a team, which rank 0 has put together. */
static inline const struct symm_table *mca_coll_symm_choose_table(const struct symm_team *team)
{
    return team->control.extra;
}

/*
 * Whether the ranks should post new lines.  This is so if there is no algorithm for a call, but
 * there may be one if all ranks offer scratch, for which some have seen no need.
 */
bool mca_coll_symm_choose_again(const struct symm_facts *facts);

/* On rank 0: enter in a filled table what this process's parameters say about choices. */
void mca_coll_symm_choose_settle(struct symm_table *table);

/* What rank 0's parameters force for a collective: an algorithm, or MCA_COLL_SYMM_AUTO. */
static inline int mca_coll_symm_choose_forced(enum symm_collective collective,
                                              const struct symm_team *team)
{
    return (int)mca_coll_symm_choose_table(team)->forced[collective] - 1; /* AUTO is -1 */
}

/* What a forced algorithm means in a memory: on devices it may have another name, or none. */
int mca_coll_symm_choose_forced_in(int forced, enum symm_collective collective,
                                   enum symm_algorithm_memory memory);

/*
 * The algorithm for a call that does not travel in the slot.  SYMM_ALGORITHM_COUNT: the component
 * below is quicker, or it alone can serve such a call.
 */
enum symm_algorithm mca_coll_symm_choose(const struct symm_facts *facts);

/*
 * These functions are for explanations.  The first returns what the parameters want where it is for
 * this collective and memory, or MCA_COLL_SYMM_AUTO.  The second returns why an algorithm is not
 * possible, or NULL.  The third returns the rows that apply, in their order: the one behind
 * `after`, or the first.
 */
int mca_coll_symm_choose_wanted(const struct symm_facts *facts);
const char *mca_coll_symm_choose_obstacle(int algorithm, const struct symm_facts *facts);
const struct symm_row *mca_coll_symm_choose_row(const struct symm_facts *facts,
                                                const struct symm_row *after);

/* Why there is no algorithm for a call. */
enum symm_reason mca_coll_symm_choose_not(const struct symm_facts *facts);

#endif /* MCA_COLL_SYMM_CHOOSE_H */
