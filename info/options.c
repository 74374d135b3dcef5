/*
 * options.c - see options.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <getopt.h>
#include <stdio.h>

#include "info/options.h"

static const char help_text[] =
    "Usage: symm_info [OPTION]...\n"
    "       mpirun -n RANKS symm_info [OPTION]...\n"
    "Say whether ompi-symm works, and if not why.\n"
    "\n"
    "Alone it looks at this machine: Open MPI, our components, settings that are in the\n"
    "way, the kernel and its limits, GPUs and the links between them. Under mpirun it\n"
    "compares the ranks of each node as well, makes some small collectives, and says who\n"
    "served them.\n"
    "\n"
    "  -j, --json     one object for programs; man symm_info describes it\n"
    "  -h, --help\n"
    "  -v, --version\n"
    "\n"
    "Exit status: 0 all is well, 1 there are problems, 2 an option was wrong.\n";

bool options_read(struct options *options, int argc, char **argv)
{
    static const struct option names[] = {
        {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},
        {NULL, 0, NULL, 0},
    };
    *options = (struct options){.json = false};
    for (int letter; (letter = getopt_long(argc, argv, "jhv", names, NULL)) != -1;) {
        switch (letter) {
        case 'j':
            options->json = true;
            break;
        case 'h':
            options->help = true;
            break;
        case 'v':
            options->version = true;
            break;
        default: /* getopt has named the option */
            (void)fputs("symm_info --help lists the options\n", stderr);
            return false;
        }
    }
    if (optind < argc) {
        (void)fprintf(stderr, "symm_info: unexpected argument '%s'\n", argv[optind]);
        return false;
    }
    return true;
}

void options_help(void)
{
    (void)fputs(help_text, stdout);
}
