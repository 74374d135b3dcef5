/*
 * symm_info.c - says whether ompi-symm works here, and if not why.
 *
 * Files that look at something (ompi.c, components.c, settings.c, system.c, gpus.c) add findings to
 * a list.  Files that know of MPI's calls (job.c, calls.c) are reached under mpirun only.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdio.h>
#include <unistd.h>

#include "info/job.h"
#include "info/machine.h"
#include "info/options.h"
#include "info/print.h"
#include "info/served.h"
#include "info/system.h"

static int alone_run(bool json)
{
    struct node node = {.ranks = 0};
    const struct nodes nodes = {.list = &node, .count = 1};
    struct machine machine;
    int cores = system_cores();
    (void)gethostname(node.name, sizeof(node.name) - 1);
    machine_look(&machine, cores, &node.findings);
    served_look(machine.loads, cores, machine.gpus, &node.findings);
    size_t problems = nodes_print(&nodes, json);
    findings_free(&node.findings);
    return problems > 0;
}

int main(int argc, char **argv)
{
    struct options options;
    if (!options_read(&options, argc, argv)) {
        return 2;
    }
    if (options.help) {
        options_help();
        return 0;
    }
    if (options.version) {
        (void)printf("symm_info " PACKAGE_VERSION "\n");
        return 0;
    }
    return job_is_there() ? job_run(options.json) : alone_run(options.json);
}
