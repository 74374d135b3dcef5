/*
 * user.h - whose processes may share memory with this one: those of the same user.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_SERVER_USER_H
#define SYMM_HEAP_SERVER_USER_H

#include "heap/private.h"
#include "heap/symm.h"

/*
 * Whether user ids tell this process's user from others.  In a user namespace without a map, as
 * `unshare -U` makes one, all users appear under the kernel's overflow id (65534), the process's
 * own user as well.  Where the namespace maps that id it is a user's: Debian's `nobody`.
 * Errors: NO_USER.
 */
enum symm_status symm_user_check_own(void);

/*
 * Whether the other end of a socket has our effective user id (SO_PEERCRED: the kernel noted it
 * when the other end connected or listened).  Errors: PERMISSION, SYSTEM.
 */
SYMM_PRIVATE enum symm_status symm_user_check_peer(int descriptor);

#endif /* SYMM_HEAP_SERVER_USER_H */
