/*
 * ordering_ranks.h - ranks that make collective calls by turns in one thread, for the recorder.
 *
 * It drives mca_coll_symm_operation_step(), which never waits, with control memory that is real,
 * and with stand-ins for what has no part in the ordering: heaps, votes, reports.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ORDERING_RANKS_H
#define SYMM_TESTS_ORDERING_RANKS_H

#include "tests/unit/ordering/ordering_recorder.h"

enum { PIECES_MAX = 8 };

/* What all ranks do in one call. */
struct planned_call {
    char algorithm; /* one of the letters below */
    int vetoer;     /* the rank that cannot be served; -1: none */
    int pieces;     /* of the staged algorithms: at most PIECES_MAX */
};

enum {
    CALL_SLOT_REDUCE = 'r',
    CALL_SLOT_GATHER = 'g',
    CALL_STAGED_REDUCE = 'R',
    CALL_STAGED_ONE_SHOT = 'S',
    CALL_STAGED_GATHER = 'G',
    CALL_PACKED_GATHER = 'P', /* staged; one piece */
    CALL_TWO_SHOT = '2',
    CALL_TWO_SHOT_IN_PLACE = 'i',
    CALL_ONE_SHOT = '1',
    CALL_PULL = 'l',
    CALL_PUSH = 'p',
    CALL_MULTIMEM = 'm', /* by multicast */
    CALL_MULTIMEM_IN_PLACE = 'n',
    CALL_MULTIMEM_GATHER = 'M',
    CALL_SLOT_BCAST = 'c', /* from rank 0 */
    CALL_STAGED_BCAST = 'C',
    CALL_PULL_BCAST = 'd',
    CALL_SLOT_ROOT = 'h', /* gathers to rank 1 */
    CALL_SLOT_BLOCKS = 'v', /* a gatherv to rank 1 */
    CALL_UNEVEN = 'V', /* the same, with blocks of ranks 2, 3, ... that fit no line */
    CALL_STAGED_ROOT = 'H',
    CALL_STAGED_FOLD = 'F', /* reduces to rank 1 */
    CALL_PUSH_ROOT = 'q',
    CALL_PULL_ROOT = 'k',
    CALL_SLOT_SCAN = 's',
    CALL_BELOW = 'b', /* all agree that it is not served */
};

/*
 * Calls in short: a letter of those above each; a digit after `R`, `S`, `G`, `C`, `H`, `F` or `V`
 * is the number of pieces, and "!n" says that rank n vetoes the call.  Returns how many calls there
 * are.
 */
int ordering_calls_parse(const char *text, struct planned_call *calls, int most);

/* Record `ranks` ranks that make these calls, each as far ahead of the others as it may get. */
void ordering_record(struct recording *recording, int ranks, const struct planned_call *calls,
                     int count, struct unit_random random);

/*
 * From now on rings have so many slots after so many calls (heap/team/control.h); at first they
 * have 8.
 */
void ordering_ring_set(unsigned slots, unsigned calls);

/* So many calls have been made without an operation, so far. */
unsigned long ordering_fast_calls(void);

/* Change the recording into one of ranks that have half as many staging buffers. */
void ordering_merge_stages(struct recording *recording);

#endif /* SYMM_TESTS_ORDERING_RANKS_H */
