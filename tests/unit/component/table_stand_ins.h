/*
 * table_stand_ins.h - what the tests of tables share: a table, calls, and what mca/coll/symm/choose
 * asks of the rest of the component.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_TABLE_STAND_INS_H
#define SYMM_TESTS_TABLE_STAND_INS_H

#include "mca/coll/symm/choose/choose.h"

extern struct symm_table table;

/* Everything is possible, but by multicast; out of place. */
struct symm_facts facts_of(enum symm_collective collective, bool device, int ranks, size_t bytes);

#endif /* SYMM_TESTS_TABLE_STAND_INS_H */
