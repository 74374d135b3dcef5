/*
 * multicast_setup.h - setting up the groups of a team, in steps that the ranks vote on
 * (multicast.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_TEAM_MULTICAST_SETUP_H
#define SYMM_HEAP_TEAM_MULTICAST_SETUP_H

#include "heap/private.h"
#include "heap/team/multicast_groups.h"

/*
 * Begin to set up the group of these locations, which fit and whose state is unknown.  The group
 * that has gone unused for longest is given up if there is no room.  One set-up at a time.
 */
SYMM_PRIVATE void symm_team_multicast_begin(struct symm_team *team,
                                            const struct symm_location *locations);

/*
 * The steps.  Each is called until the answer is not SYMM_PENDING; a failure is this rank's own,
 * and the ranks have to agree on what follows.  create: rank 0 makes the object and offers it;
 * nothing to do for the others.  join: the others get it; all add their device.  bind: each binds
 * its own segment and maps the object.  Errors: NO_MEMORY (SYMM_MULTICAST_OBJECTS_MAX too),
 * NOT_FOUND, SYSTEM, and those of symm_request_test().
 */
SYMM_PRIVATE enum symm_status symm_team_multicast_create(struct symm_team *team);
SYMM_PRIVATE enum symm_status symm_team_multicast_join(struct symm_team *team);
SYMM_PRIVATE enum symm_status symm_team_multicast_bind(struct symm_team *team);

/*
 * The ranks have agreed: after the last step, or the first in which one has failed.  `ready`: the
 * group is.  Otherwise everything is undone here, and the group is refused until
 * symm_team_forget_refusals().
 */
SYMM_PRIVATE void symm_team_multicast_settle(struct symm_team *team, bool ready);

#endif /* SYMM_HEAP_TEAM_MULTICAST_SETUP_H */
