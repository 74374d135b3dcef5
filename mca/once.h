/*
 * once.h - messages that one process of a job is to give, whichever comes first.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_MCA_ONCE_H
#define SYMM_MCA_ONCE_H

#include "mca/ompi_compat.h"

/*
 * Whether this is the first time that a process of this job asks about `topic` on this node, as long as
 * the process that was told so lives.  Never waits.
 */
bool symm_once(const char *topic);

#endif /* SYMM_MCA_ONCE_H */
