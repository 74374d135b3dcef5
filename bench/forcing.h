/*
 * forcing.h - communicators on which coll/symm is told which algorithm to use. A communicator takes
 * the parameter's value when it is first used, and the value can be changed by MPI_T: so all
 * algorithms are there in one run, on the same buffers and in turn, and a machine that becomes
 * slower does so for all. Jobs of their own would be compared across such changes, and a program in
 * a job cannot start others everywhere.
 *
 * An algorithm that is not possible gives way to the automatic choice: which one has served a call,
 * the component's counters tell.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_FORCING_H
#define BENCH_FORCING_H

#include "call.h"

enum {
    FORCING_WORD = 32,
    FORCING_MOST = 14 /* algorithms of a collective */
};

/* One way to make a call. */
struct candidate {
    char word[FORCING_WORD]; /* the parameter's value, or "below": without the component */
    int value;               /* the same as a number; none of "below" */
    MPI_Comm comm;
};

/* Counters of calls, by the words of struct candidate. */
enum { FORCING_COUNTERS = 32 };

struct forcing {
    enum collective collective;
    MPI_Comm control;
    int before; /* the parameter's value while none is held */
    int count;
    struct candidate candidate[FORCING_MOST];
    MPI_T_pvar_session session;
    int counters;
    MPI_T_pvar_handle counter[FORCING_COUNTERS];
    char counter_word[FORCING_COUNTERS][FORCING_WORD];
};

/* What takes part beside all other algorithms. */
enum forcing_extra {
    FORCING_NONE,
    FORCING_BELOW,    /* the component below, for memory of the host */
    FORCING_MULTICAST /* algorithms by multicast; in memory of the host they are there for tests */
};

/*
 * Collective over `control`. False on all ranks, after a message: this coll/symm cannot be told
 * while it runs.
 */
bool forcing_open(struct forcing *forcing, enum collective collective, enum forcing_extra extra,
                  MPI_Comm control);
void forcing_close(struct forcing *forcing);

/*
 * From here to forcing_release() the parameter has this candidate's value. Calls that are not
 * blocking need that, as each of a communicator's lanes takes the value when it is first used.
 */
void forcing_hold(struct forcing *forcing, const struct candidate *candidate);
void forcing_release(struct forcing *forcing);

/* Collective: makes the call once, and says what has served it on rank 0, in the words of struct
 * candidate. */
void forcing_probe(const struct forcing *forcing, const struct call *call, MPI_Comm comm,
                   char word[FORCING_WORD]);

#endif
