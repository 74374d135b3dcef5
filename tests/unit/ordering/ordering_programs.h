/*
 * ordering_programs.h - from a recording (ordering_recorder.h) to programs for the model
 * (ordering_model.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ORDERING_PROGRAMS_H
#define SYMM_TESTS_ORDERING_PROGRAMS_H

#include "tests/unit/ordering/ordering_recorder.h"

/*
 * The programs of a recording, perhaps a changed one.  Bytes that are always accessed together
 * become one cell.  Fails the test if there is an atomic access to something else than a word, or a
 * plain one to a word.
 */
void recording_compile(const struct recording *recording, int ranks,
                       struct model_programs *programs);
void programs_free(struct model_programs *programs);

#endif /* SYMM_TESTS_ORDERING_PROGRAMS_H */
