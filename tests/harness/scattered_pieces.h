/*
 * MPI_Alltoallw whose pieces of one buffer are partly on a device and partly in host memory.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_SCATTERED_PIECES_H
#define SYMM_TESTS_SCATTERED_PIECES_H

enum { SCATTERED_RANKS = 16 };

void scattered_pieces_check(void);

#endif
