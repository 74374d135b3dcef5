/*
 * choose/model.h - how long an algorithm on devices takes, for what nobody has measured.
 *
 * The model is one line: a call takes at least a floor, and otherwise a start and its bytes over a
 * rate.  Floor and start have a part for each rank, which has to be met and whose buffer has to be
 * addressed.  The bytes are those that cross a GPU's link in its busier direction.  The constants
 * stand in the algorithms' rows (kernels/algorithm.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_CHOOSE_MODEL_H
#define MCA_COLL_SYMM_CHOOSE_MODEL_H

#include "mca/coll/symm/choose/table.h"

enum { SYMM_MODEL_ROWS = 40 };

/*
 * Microseconds for a result of so many bytes, on a rank whose input is its output or not.  A
 * negative number: the model does not know the algorithm.
 */
double mca_coll_symm_model_time(enum symm_algorithm algorithm, int ranks, uint64_t bytes,
                                bool in_place);

/*
 * The rows that the model has for a collective in device memory.  They are for calls with multicast
 * and, unless rows from measurements stand behind them, for calls without.  Limits are powers of
 * two.  Returns their number.
 */
size_t mca_coll_symm_model_rows(enum symm_collective collective, int ranks, bool measured,
                                struct symm_row rows[SYMM_MODEL_ROWS]);

#endif /* MCA_COLL_SYMM_CHOOSE_MODEL_H */
