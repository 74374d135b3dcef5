/*
 * The loop over the options by getopt_long(), and values that more than one example takes.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "arguments.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool arguments_complain(const struct complaint *complaint, const char *value, const char *remedy)
{
    snprintf(complaint->error, complaint->error_size, "--%s '%s' is not %s", complaint->option,
             value, remedy);
    return false;
}

bool arguments_integer(const struct complaint *complaint, const char *text, int least, int *value)
{
    char remedy[64];
    char *end;
    long parsed;

    errno = 0;
    parsed = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || parsed < least || parsed > INT_MAX) {
        snprintf(remedy, sizeof remedy, "an integer from %d to %d", least, INT_MAX);
        return arguments_complain(complaint, text, remedy);
    }
    *value = (int)parsed;
    return true;
}

bool arguments_memory(const struct complaint *complaint, const char *text, enum memory_kind *memory)
{
    static const struct {
        const char *name;
        enum memory_kind kind;
    } kinds[] = {
        {"alloc", MEMORY_ALLOC_MEM},
        {"malloc", MEMORY_MALLOC},
        {"cuda", MEMORY_CUDA},
        {"staged", MEMORY_STAGED},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(text, kinds[i].name) == 0) {
            *memory = kinds[i].kind;
            return true;
        }
    }
    return arguments_complain(complaint, text, "'alloc', 'malloc', 'cuda' or 'staged'");
}

/* One option, already read by getopt_long(); `word` is it as the user typed it. */
static enum arguments_outcome take_option(const struct complaint *complaint, int letter,
                                          const char *word, arguments_take *take, void *options)
{
    switch (letter) {
    case 'h':
        return ARGUMENTS_HELP;
    case ':':
        snprintf(complaint->error, complaint->error_size, "'%s' needs a value; see --help", word);
        return ARGUMENTS_BAD;
    case '?':
        snprintf(complaint->error, complaint->error_size, "unknown option '%s'; see --help", word);
        return ARGUMENTS_BAD;
    default:
        return take(complaint, letter, optarg, options) ? ARGUMENTS_GOOD : ARGUMENTS_BAD;
    }
}

enum arguments_outcome arguments_parse(int argc, char **argv, const struct option *long_options,
                                       arguments_take *take, void *options, char *error,
                                       size_t error_size)
{
    struct complaint complaint = {"", error, error_size};
    enum arguments_outcome outcome = ARGUMENTS_GOOD;

    opterr = 0; /* every rank parses, one rank prints */
    while (outcome == ARGUMENTS_GOOD) {
        const char *word = argv[optind];
        int index = 0;
        /* "+": words keep their places, so that argv[optind] is the one that is read next */
        int letter = getopt_long(argc, argv, "+:", long_options, &index);

        if (letter == -1) {
            break;
        }
        complaint.option = long_options[index].name;
        outcome = take_option(&complaint, letter, word, take, options);
    }
    if (outcome == ARGUMENTS_GOOD && optind < argc) {
        snprintf(error, error_size, "'%s' is not an option; see --help", argv[optind]);
        outcome = ARGUMENTS_BAD;
    }
    return outcome;
}
