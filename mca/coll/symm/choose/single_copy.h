/*
 * choose/single_copy.h - whether the kernel copies messages between processes in one step, and
 * whether that is quicker.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_CHOOSE_SINGLE_COPY_H
#define MCA_COLL_SYMM_CHOOSE_SINGLE_COPY_H

#include <stdbool.h>

/*
 * Whether the components below may read other processes' memory (process_vm_readv(2), known as
 * CMA), as far as this process can tell: the system call works, the kernel's setting lets unrelated
 * processes use it, and Open MPI has not been told to do without.
 */
bool mca_coll_symm_single_copy(void);

/*
 * Whether that one copy takes less time than two through memory that cores share, in calls of few
 * ranks that move much.  All processes of a node find the same.
 */
bool mca_coll_symm_single_copy_is_quicker(void);

#endif /* MCA_COLL_SYMM_CHOOSE_SINGLE_COPY_H */
