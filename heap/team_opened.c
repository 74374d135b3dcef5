/*
 * team_opened.c - see team.h: device memory from elsewhere that ranks have open.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "heap/team.h"

void symm_team_note_dropped(struct symm_team *team, int rank, uint32_t dropped)
{
    team->dropped_more |= dropped != team->dropped[rank];
    team->dropped[rank] = dropped;
}

enum symm_status symm_team_open(struct symm_team *team, int rank, struct symm_imports *imports,
                                const struct symm_location *location,
                                const struct symm_ipc_handle *handle, int device)
{
    struct symm_importer **importer = &team->importers[rank];
    if (rank == team->rank) {
        return SYMM_OK;
    }
    if (*importer == NULL) {
        enum symm_status status = symm_imports_get(imports, team->names[rank], importer);
        if (status != SYMM_OK) {
            return status;
        }
        team->imports = imports;
    }
    return symm_importer_open(*importer, location, handle, device);
}

void *symm_team_opened(struct symm_team *team, int rank, const struct symm_location *location,
                       int device)
{
    struct symm_importer *importer = team->importers[rank];
    return importer != NULL ? symm_importer_address(importer, location, device) : NULL;
}

void symm_team_collect_opened(struct symm_team *team)
{
    if (team->imports == NULL) {
        return;
    }
    for (int rank = 0; rank < team->size; rank++) {
        if (team->importers[rank] != NULL) {
            symm_importer_collect(team->importers[rank]);
        }
    }
}

void symm_team_close_opened(struct symm_team *team)
{
    for (int rank = 0; team->importers != NULL && rank < team->size; rank++) {
        if (team->importers[rank] != NULL) {
            symm_imports_put(team->imports, team->importers[rank]);
        }
    }
}
