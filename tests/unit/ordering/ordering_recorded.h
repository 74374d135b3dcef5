/*
 * ordering_recorded.h - functions of heap/team/control.h that stand in the header, compiled for
 * recording.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ORDERING_RECORDED_H
#define SYMM_TESTS_ORDERING_RECORDED_H

#include "heap/team/control.h"

/* symm_control_leave() and symm_control_enter() */
void ordering_control_leave(const struct symm_control *control, int rank);
bool ordering_control_enter(const struct symm_control *control, uint64_t sequence, int rank);

#endif /* SYMM_TESTS_ORDERING_RECORDED_H */
