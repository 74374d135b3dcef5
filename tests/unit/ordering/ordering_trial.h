/*
 * ordering_trial.h - one recording, perhaps broken on purpose, and what the model finds in it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ORDERING_TRIAL_H
#define SYMM_TESTS_ORDERING_TRIAL_H

#include "tests/unit/ordering/ordering_recorder.h"

/* Of a class of words, but HALF_STAGES. */
enum breakage {
    WHOLE,
    RELAXED_STORE, /* the word is written without release */
    RELAXED_LOAD,  /* it is read without acquire */
    EARLY_STORE,   /* it is written before the plain accesses that it closes */
    LATE_LOAD,     /* it is read after the plain accesses that it opens */
    NO_LOAD,       /* nobody waits for it */
    NO_RESET,      /* rank 0 does not write it where it is others' */
    SAME_VALUES,   /* it has the same value whenever it is written */
    HALF_STAGES,   /* there are half as many staging buffers */
};

extern const char *const ordering_breakage_names[];
extern const char *const ordering_class_names[];
extern const char *const ordering_verdict_names[];

void ordering_break(struct recording *recording, enum breakage how, enum word_class class);

/*
 * Leave out the plain accesses to headers of blocks, and what rank 0 reads of the newest calls,
 * because these notice most faults before others do.
 */
void ordering_drop_headers(struct recording *recording);

/*
 * Messages hand on nothing, and serial numbers are waited for: as if Open MPI's messages could
 * overtake what has been written before.
 */
void ordering_relax_messages(struct recording *recording);

/* What the model finds; the recording is over with that. */
struct model_result ordering_explore(struct recording *recording, int ranks,
                                     enum model_search search);

bool ordering_is_noticed(enum model_verdict verdict);

/* So far. */
extern uint64_t ordering_recordings, ordering_states;

#endif /* SYMM_TESTS_ORDERING_TRIAL_H */
