/*
 * report/lines.h - text for users that mpirun passes on by whole lines.
 *
 * mpirun takes what a process writes in blocks of 4096 bytes at most, and passes on what other
 * processes write, or this one on its other stream, between two blocks.  So a line that lies in two
 * blocks may be torn.  Here a line of blanks before it makes it begin with a block.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_REPORT_LINES_H
#define MCA_COLL_SYMM_REPORT_LINES_H

#include <stddef.h>

enum { SYMM_LINES_BLOCK = 4096 }; /* ORTE_IOF_BASE_MSG_MAX, PRTE_IOF_BASE_MSG_MAX */

/*
 * Copy a text of whole lines, with the blanks, to `laid`, which has room for twice as many bytes.
 * Returns how many bytes there are.  Lines longer than a block stay as they are.
 */
size_t mca_coll_symm_lines_lay(const char *text, size_t length, char *laid);

/* Write a text of whole lines to the standard error stream, laid out so if there is memory. */
void mca_coll_symm_lines_write(const char *text, size_t length);

#endif /* MCA_COLL_SYMM_REPORT_LINES_H */
