/*
 * release.h - whether the Open MPI that has loaded a component is the one it was built for.
 *
 * Open MPI's internals have no stable interface.  A component that is loaded into another release,
 * or into the same release built with other options, reads members at wrong places and crashes.
 * This is what a component asks first, before it uses any structure of Open MPI.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_MCA_RELEASE_H
#define SYMM_MCA_RELEASE_H

#include <stdbool.h>

/*
 * False: it is another one, and the component must take no part.  One process of the job on this
 * node has then printed a line with the reason.  May be called before MPI_Init.
 */
bool symm_release_is_ours(void);

#endif /* SYMM_MCA_RELEASE_H */
