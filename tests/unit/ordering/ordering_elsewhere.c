/*
 * ordering_elsewhere.c - in the place of what concerns device memory from elsewhere: in
 * test_ordering there is none.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "heap/team/team.h"
#include "mca/coll/symm/device/device.h"
#include "mca/coll/symm/device/reach.h"

#include <stdlib.h>

void mca_coll_symm_device_run_refuse(struct symm_operation *operation)
{
    (void)operation;
    abort();
}

enum symm_status mca_coll_symm_device_opened(const struct symm_operation *operation, int rank,
                                             enum symm_status opened, bool *is_told)
{
    (void)operation, (void)rank, (void)opened, (void)is_told;
    abort();
}

void symm_team_note_dropped(struct symm_team *team, int rank, uint32_t dropped)
{
    (void)team, (void)rank, (void)dropped;
    abort();
}

void symm_team_dropped_done(struct symm_team *team)
{
    (void)team;
}

enum symm_status symm_team_open(struct symm_team *team, int rank, struct symm_imports *imports,
                                const struct symm_location *location,
                                const struct symm_ipc_handle *handle, int device)
{
    (void)team, (void)rank, (void)imports, (void)location, (void)handle, (void)device;
    abort();
}

void *symm_team_opened(struct symm_team *team, int rank, const struct symm_location *location,
                       int device)
{
    (void)team, (void)rank, (void)location, (void)device;
    abort();
}
