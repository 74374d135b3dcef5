/*
 * machine.c - see machine.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "info/components.h"
#include "info/gpus.h"
#include "info/machine.h"
#include "info/settings.h"
#include "info/system.h"

void machine_look(struct machine *machine, int ranks, struct findings *findings)
{
    struct ompi ompi;
    struct components components;
    struct settings settings;
    ompi_look(&ompi, findings);
    components_look(&components, &ompi, findings);
    settings_read(&settings, &ompi);
    settings_look(&settings, &ompi, findings);
    system_look(findings);
    limits_look(&ompi, ranks, findings);
    machine->has_ompi = ompi.release != NULL;
    machine->loads = components.loads;
    machine->gpus = gpus_look(&components, &settings, findings);
    settings_free(&settings);
    components_free(&components);
    ompi_free(&ompi);
}
