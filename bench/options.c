/*
 * options.c - the command line of symm_bench. Letters are those of the OSU micro-benchmarks where
 * both have the option. The text of --help is in help.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include "options.h"

#include "options_check.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEFAULT_MAX_BYTES = 1 << 20,
    DEFAULT_BLOCKS = 20,
    MAX_BLOCKS = 10000,
    MAX_TESTS = 1000000,
    SMALL_BYTES = 8 << 10, /* up to here the counts for small messages hold */
    LARGE_BYTES = 1 << 20  /* beyond here those for large ones */
};

/* Options that have no letter. */
enum {
    OPTION_FORM = 256,
    OPTION_MEMORY,
    OPTION_BESIDE,
    OPTION_ACCESS,
    OPTION_IN_PLACE,
    OPTION_COMPARE,
    OPTION_RIVAL,
    OPTION_SEED,
    OPTION_CHOSEN,
    OPTION_TUNE,
    OPTION_CSV
};

static const struct option long_options[] = {
    {"message-size", required_argument, NULL, 'm'},
    {"iterations", required_argument, NULL, 'i'},
    {"warmup", required_argument, NULL, 'x'},
    {"blocks", required_argument, NULL, 'b'},
    {"full", no_argument, NULL, 'f'},
    {"validate", no_argument, NULL, 'c'},
    {"validation", no_argument, NULL, 'c'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'v'},
    {"type", required_argument, NULL, 'T'},
    {"form", required_argument, NULL, OPTION_FORM},
    {"tests", required_argument, NULL, 't'},
    {"memory", required_argument, NULL, OPTION_MEMORY},
    {"beside", required_argument, NULL, OPTION_BESIDE},
    {"access", required_argument, NULL, OPTION_ACCESS},
    {"in-place", no_argument, NULL, OPTION_IN_PLACE},
    {"compare", no_argument, NULL, OPTION_COMPARE},
    {"rival", required_argument, NULL, OPTION_RIVAL},
    {"seed", required_argument, NULL, OPTION_SEED},
    /* mpirun 4.1 takes --tune for itself, even behind the program's name. */
    {"chosen", no_argument, NULL, OPTION_CHOSEN},
    {"tune-to", required_argument, NULL, OPTION_TUNE},
    {"csv", no_argument, NULL, OPTION_CSV},
    {NULL, 0, NULL, 0}
};

struct parser {
    struct options *options;
    char *message;
    size_t length;
};

static bool refuse(const struct parser *parser, const char *what, const char *value,
                   const char *remedy)
{
    snprintf(parser->message, parser->length, "%s '%s': %s", what, value, remedy);
    return false;
}

/* A decimal number without sign, at most `limit`; *end is left behind its last digit. */
static bool number_parse(const char *text, uint64_t limit, uint64_t *value, const char **end)
{
    char *stop;
    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    errno = 0;
    unsigned long long number = strtoull(text, &stop, 10);
    if (errno != 0 || number > limit) {
        return false;
    }
    *value = number;
    *end = stop;
    return true;
}

static int suffix_shift(char letter)
{
    switch (letter) {
    case 'k': case 'K': return 10;
    case 'm': case 'M': return 20;
    case 'g': case 'G': return 30;
    default: return 0;
    }
}

/* Bytes with an optional suffix K, M or G (powers of 1024). Counts of MPI are int: so is this. */
static bool bytes_parse(const char *text, const char **end, size_t *bytes)
{
    uint64_t number;
    if (!number_parse(text, INT_MAX, &number, end)) {
        return false;
    }
    int shift = suffix_shift(**end);
    if (shift > 0) {
        (*end)++;
    }
    if (number > ((uint64_t)INT_MAX >> shift)) {
        return false;
    }
    *bytes = (size_t)(number << shift);
    return *bytes > 0;
}

/* [MIN:]MAX, MIN: or :MAX */
static bool range_parse(const struct parser *parser, const char *text)
{
    static const char remedy[] =
        "give MIN:MAX, MIN: or MAX, from 1 to 2147483647 bytes; K, M, G allowed";
    struct options *options = parser->options;
    const char *colon = strchr(text, ':');
    const char *end = text;
    if (colon != NULL && colon != text) {
        if (!bytes_parse(text, &end, &options->min_bytes) || end != colon) {
            return refuse(parser, "message size", text, remedy);
        }
    }
    const char *upper = colon != NULL ? colon + 1 : text;
    if (*upper == '\0' && colon != text && colon != NULL) {
        options->max_bytes = options->min_bytes > DEFAULT_MAX_BYTES ? options->min_bytes
                                                                   : DEFAULT_MAX_BYTES;
        return true;
    }
    if (!bytes_parse(upper, &end, &options->max_bytes) || *end != '\0') {
        return refuse(parser, "message size", text, remedy);
    }
    if (options->min_bytes > options->max_bytes) {
        return refuse(parser, "message size", text, "MIN must not be larger than MAX");
    }
    return true;
}

static bool count_parse(const struct parser *parser, const char *what, const char *text,
                        int least, int most, int *count)
{
    uint64_t number;
    const char *end;
    char remedy[64];
    if (number_parse(text, (uint64_t)most, &number, &end) && *end == '\0' &&
        number >= (uint64_t)least) {
        *count = (int)number;
        return true;
    }
    snprintf(remedy, sizeof(remedy), "give a whole number from %d to %d", least, most);
    return refuse(parser, what, text, remedy);
}

static bool form_parse(const struct parser *parser, const char *text)
{
    static const char *const names[] = {
        [FORM_BLOCKING] = "blocking", [FORM_NONBLOCKING] = "nonblocking",
        [FORM_PERSISTENT] = "persistent"
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (strcmp(text, names[i]) == 0) {
            parser->options->form = (enum form)i;
            return true;
        }
    }
    return refuse(parser, "form", text, "choose blocking, nonblocking or persistent");
}

static bool memory_parse(const struct parser *parser, const char *text, enum memory *memory)
{
    for (int i = 0; i < MEMORY_COUNT; i++) {
        if (strcmp(text, memory_word((enum memory)i)) == 0) {
            *memory = (enum memory)i;
            return true;
        }
    }
    return refuse(parser, "memory", text, "choose alloc (MPI_Alloc_mem), malloc, cuda "
                                          "(MPI_Alloc_mem on the GPU), cudamalloc or "
                                          "cudamalloc-odd");
}

/* With or without the prefix that the OSU micro-benchmarks want. */
static bool element_parse(const struct parser *parser, const char *text)
{
    const char *name = strncmp(text, "mpi_", 4) == 0 ? text + 4 : text;
    if (strcmp(name, "float") == 0) {
        parser->options->element = ELEMENT_FLOAT;
    } else if (strcmp(name, "int") == 0) {
        parser->options->element = ELEMENT_INT;
    } else {
        return refuse(parser, "type", text, "choose float or int");
    }
    return true;
}

/* nccl or nccl=FILE */
static bool rival_parse(const struct parser *parser, const char *text)
{
    static const char name[] = "nccl";
    size_t length = sizeof(name) - 1;
    if (strncmp(text, name, length) != 0 || (text[length] != '\0' && text[length] != '=')) {
        return refuse(parser, "rival", text, "choose nccl, or nccl=FILE to name its library");
    }
    parser->options->rival = true;
    parser->options->rival_file = NULL;
    if (text[length] == '=' && text[length + 1] != '\0') {
        parser->options->rival_file = text + length + 1;
    }
    return true;
}

static bool access_parse(const struct parser *parser, const char *text)
{
    if (strcmp(text, "app") == 0) {
        parser->options->access = ACCESS_APP;
    } else if (strcmp(text, "osu") == 0) {
        parser->options->access = ACCESS_OSU;
    } else {
        return refuse(parser, "access", text, "choose app or osu");
    }
    return true;
}

static bool seed_parse(const struct parser *parser, const char *text)
{
    const char *end;
    if (number_parse(text, UINT64_MAX, &parser->options->seed, &end) && *end == '\0') {
        parser->options->seed_given = true;
        return true;
    }
    return refuse(parser, "seed", text, "give a whole number, as a failed run printed it");
}

static bool collective_parse(const struct parser *parser, const char *text)
{
    for (int i = 0; i < COLLECTIVE_COUNT; i++) {
        if (strcmp(text, options_collective_name((enum collective)i)) == 0) {
            parser->options->chosen[i] = true;
            return true;
        }
    }
    return refuse(parser, "collective", text, "choose from allreduce, allgather, allgatherv, "
                                              "alltoall, alltoallv, alltoallw, reduce_scatter, "
                                              "reduce_scatter_block, scan, exscan, bcast, reduce, "
                                              "gather, gatherv, scatter, scatterv and "
                                              "barrier");
}

/* One option that takes effect; false if its value was refused. */
static bool option_apply(const struct parser *parser, int option)
{
    struct options *options = parser->options;
    switch (option) {
    case 'm':
        return range_parse(parser, optarg);
    case 'i':
        return count_parse(parser, "iterations", optarg, 1, INT_MAX / 2, &options->iterations);
    case 'x':
        return count_parse(parser, "warm-up", optarg, 0, INT_MAX / 2, &options->warmup);
    case 'b':
        return count_parse(parser, "blocks", optarg, 1, MAX_BLOCKS, &options->blocks);
    case 't':
        return count_parse(parser, "tests", optarg, 0, MAX_TESTS, &options->tests);
    case OPTION_FORM:
        return form_parse(parser, optarg);
    case 'T':
        return element_parse(parser, optarg);
    case OPTION_MEMORY:
        return memory_parse(parser, optarg, &options->memory);
    case OPTION_BESIDE:
        options->has_beside = true;
        return memory_parse(parser, optarg, &options->beside);
    case OPTION_ACCESS:
        return access_parse(parser, optarg);
    case OPTION_RIVAL:
        return rival_parse(parser, optarg);
    case OPTION_SEED:
        return seed_parse(parser, optarg);
    case 'f':
        options->full = true;
        return true;
    case 'c':
        options->validate = true;
        return true;
    case OPTION_IN_PLACE:
        options->in_place = true;
        return true;
    case OPTION_COMPARE:
        options->compare = true;
        return true;
    case OPTION_CHOSEN:
        options->show_choice = true;
        return true;
    case OPTION_TUNE:
        options->tune_file = optarg;
        return true;
    default:
        options->csv = true;
        return true;
    }
}

/* getopt has met an unknown option or a missing value. */
static void complain(const struct parser *parser, int option, char **argv)
{
    char letter[3] = {'-', (char)optopt, '\0'};
    bool is_letter = optopt > 0 && optopt < OPTION_FORM && argv[optind - 1][1] != '-';
    const char *name = is_letter ? letter : argv[optind - 1];
    refuse(parser, "option", name,
           option == ':' ? "it needs a value; see --help" : "there is no such option; see --help");
}

static void options_default(struct options *options)
{
    memset(options, 0, sizeof(*options));
    options->max_bytes = DEFAULT_MAX_BYTES;
    options->warmup = -1;
    options->blocks = DEFAULT_BLOCKS;
    options->memory = MEMORY_ALLOC;
    options->access = ACCESS_DEFAULT;
}

const char *options_element_name(enum element element)
{
    return element == ELEMENT_INT ? "int32" : "float32";
}

/* Sets the options that follow from others. */
static void options_complete(struct options *options)
{
    bool named = false;
    for (int i = 0; i < COLLECTIVE_COUNT; i++) {
        named |= options->chosen[i];
    }
    if (!named) {
        options->chosen[COLLECTIVE_ALLREDUCE] = true;
        options->chosen[COLLECTIVE_ALLGATHER] = true;
    }
    if (options->access == ACCESS_DEFAULT) {
        bool compared = options->compare || options->rival || options->has_beside ||
                        options->show_choice || options->tune_file != NULL;
        options->access = compared ? ACCESS_APP : ACCESS_OSU;
    }
}

enum options_outcome options_parse(int argc, char **argv, struct options *options,
                                   char *message, size_t length)
{
    struct parser parser = {options, message, length};
    int option;
    options_default(options);
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":m:i:x:b:t:T:fchv", long_options, NULL)) != -1) {
        if (option == 'h') {
            return OPTIONS_HELP;
        }
        if (option == 'v') {
            return OPTIONS_VERSION;
        }
        if (option == '?' || option == ':') {
            complain(&parser, option, argv);
            return OPTIONS_BAD;
        }
        if (!option_apply(&parser, option)) {
            return OPTIONS_BAD;
        }
    }
    for (int i = optind; i < argc; i++) {
        if (!collective_parse(&parser, argv[i])) {
            return OPTIONS_BAD;
        }
    }
    options_complete(options);
    return options_check(options, message, length) ? OPTIONS_RUN : OPTIONS_BAD;
}

int options_iterations(const struct options *options, size_t bytes)
{
    if (options->iterations > 0) {
        return options->iterations;
    }
    return bytes <= SMALL_BYTES ? 1000 : bytes <= LARGE_BYTES ? 200 : 40;
}

int options_warmup(const struct options *options, size_t bytes)
{
    if (options->warmup >= 0) {
        return options->warmup;
    }
    return bytes <= SMALL_BYTES ? 100 : bytes <= LARGE_BYTES ? 10 : 2;
}
