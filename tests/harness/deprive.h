/*
 * Taking something from the calling process for real: descriptors, address space, mappings, its
 * network or its user.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_DEPRIVE_H
#define SYMM_TESTS_DEPRIVE_H

#include <stdbool.h>

/*
 * What can be taken:
 *   nothing
 *   network      the calling thread gets a network namespace of its own
 *   user         the process acts as another user
 *   descriptors  no file can be opened any more
 *   space        no address space is left but for some MiB
 *   file-size    files, and so memory files, may not be larger than a page
 *   mappings     no memory can be mapped any more (vm.max_map_count)
 *   most-mappings  likewise, but for some hundred mappings
 * Returns false, having said why, if the process may not do that.
 */
bool test_deprive(const char *what);

/* Give back what a program needs to end in peace. */
void test_deprive_end(void);

/* Open descriptors of the process, counted without opening one. */
int test_open_descriptors(void);

#endif
