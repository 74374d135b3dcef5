/*
 * overlap_options.c - see overlap_options.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include "overlap_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

const char overlap_help[] =
    "Usage: mpirun -n RANKS bench/overlap [OPTION]... [allgather] [allreduce] [bcast]\n"
    "Nonblocking and persistent collectives on GPU memory beside a matrix product. If none is\n"
    "named, allgather and allreduce are measured. The root of broadcasts is rank 0.\n"
    "\n"
    "  -m, --message-size BYTES[,BYTES]...  of a result; K, M and G allowed (default 64M,1G)\n"
    "  -n, --order N          the product of two matrices of N x N bfloat16 numbers (8192)\n"
    "  -r, --repetitions N    timed ones of a case (default 41)\n"
    "  -x, --warmup N         untimed ones before (default 4)\n"
    "      --in-place         pass MPI_IN_PLACE\n"
    "      --side NAME[,NAME]...  some of the sides: MPI (nonblocking calls), persistent; with\n"
    "                         --rival NCCL, window (its registered memory), CE (copy engines)\n"
    "      --algorithms       each algorithm of coll/symm by itself, nonblocking, too\n"
    "      --timeline         when all of it began and ended in one run of each case\n"
    "      --cublas FILE      libcublas.so, by default where the loader finds one\n"
    "      --rival nccl[=FILE]  NCCL on a stream beside the product, in the same run\n"
    "  -h, --help\n"
    "\n"
    "Memory is from MPI_Alloc_mem (mpool=symm,kind=cuda); NCCL has memory of its own. The product\n"
    "is repeated until it takes 1.5 times as long as the collective. Each repetition has four\n"
    "runs, which begin with a barrier; the time of a run is the slowest rank's:\n"
    "  product     the products alone\n"
    "  alone       the collective alone: start and MPI_Test until it is done. A persistent one is\n"
    "              made before all runs\n"
    "  in turn     the products, then the collective\n"
    "  overlapped  the collective is started, then the products; MPI_Test until both are done,\n"
    "              as nothing moves on without calls. NCCL: its stream is asked.\n"
    "The medians are printed. Differences are those within a repetition:\n"
    "  hidden = 1 - median of (overlapped - product) / alone, the share of the collective that\n"
    "           costs no time\n"
    "  slowed = median of (the products' end when overlapped / product) - 1\n"
    "Inputs change with each run; parts of all results are checked after each overlapped run.\n"
    "SYMM_BENCH_CUDA_LIBRARY in the environment names another library than libcuda.so.1.\n";

const char *const overlap_way_names[OVERLAP_WAYS] = {
    [WAY_MPI] = "MPI", [WAY_PERSISTENT] = "persistent",
    [WAY_NCCL] = "NCCL", [WAY_WINDOW] = "window", [WAY_CE] = "CE"
};

const enum collective overlap_collectives[OVERLAP_COLLECTIVES] = {
    COLLECTIVE_ALLGATHER, COLLECTIVE_ALLREDUCE, COLLECTIVE_BCAST
};

enum {
    OPTION_IN_PLACE = 256,
    OPTION_SIDE,
    OPTION_ALGORITHMS,
    OPTION_TIMELINE,
    OPTION_CUBLAS,
    OPTION_RIVAL
};

static const struct option long_options[] = {
    {"message-size", required_argument, NULL, 'm'},
    {"order", required_argument, NULL, 'n'},
    {"repetitions", required_argument, NULL, 'r'},
    {"warmup", required_argument, NULL, 'x'},
    {"help", no_argument, NULL, 'h'},
    {"in-place", no_argument, NULL, OPTION_IN_PLACE},
    {"side", required_argument, NULL, OPTION_SIDE},
    {"algorithms", no_argument, NULL, OPTION_ALGORITHMS},
    {"timeline", no_argument, NULL, OPTION_TIMELINE},
    {"cublas", required_argument, NULL, OPTION_CUBLAS},
    {"rival", required_argument, NULL, OPTION_RIVAL},
    {NULL, 0, NULL, 0}
};

/* A number without sign of `least` to `most`; *end is left behind its last digit. */
static bool number_parse(const char *text, unsigned long long least, unsigned long long most,
                         unsigned long long *value, char **end)
{
    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    errno = 0;
    *value = strtoull(text, end, 10);
    return errno == 0 && *value >= least && *value <= most;
}

static bool count_parse(const char *text, int least, int *count)
{
    unsigned long long value;
    char *end;
    if (!number_parse(text, (unsigned long long)least, 1 << 20, &value, &end) || *end != '\0') {
        return false;
    }
    *count = (int)value;
    return true;
}

static unsigned suffix_shift(const char **text)
{
    static const char letters[] = "KMGkmg";
    const char *found = **text != '\0' ? strchr(letters, **text) : NULL;
    *text += found != NULL;
    return found != NULL ? (unsigned)((found - letters) % 3 + 1) * 10 : 0;
}

static bool sizes_parse(const char *text, struct overlap_options *options)
{
    const unsigned long long most = 1ull << 32;
    options->sizes = 0;
    do {
        unsigned long long value;
        char *end;
        if (options->sizes == OVERLAP_SIZES || !number_parse(text, 1, most, &value, &end)) {
            return false;
        }
        text = end;
        value <<= suffix_shift(&text);
        if (value > most) {
            return false;
        }
        options->bytes[options->sizes++] = (size_t)value;
    } while (*text++ == ',');
    return text[-1] == '\0';
}

/* One name, up to a comma or the end; where it ends, or NULL if it is no side's. */
static const char *side_parse(const char *text, struct overlap_options *options)
{
    size_t length = strcspn(text, ",");
    for (int way = 0; way < OVERLAP_WAYS; way++) {
        if (strlen(overlap_way_names[way]) == length &&
            strncmp(text, overlap_way_names[way], length) == 0) {
            options->way[way] = true;
            return text + length;
        }
    }
    return NULL;
}

static bool sides_parse(const char *text, struct overlap_options *options)
{
    memset(options->way, 0, sizeof(options->way));
    while ((text = side_parse(text, options)) != NULL && *text == ',') {
        text++;
    }
    return text != NULL;
}

static bool rival_parse(const char *text, struct overlap_options *options)
{
    options->rival = true;
    options->rival_file = strncmp(text, "nccl=", 5) == 0 ? text + 5 : NULL;
    return strcmp(text, "nccl") == 0 || options->rival_file != NULL;
}

static bool option_parse(int option, struct overlap_options *options)
{
    switch (option) {
    case 'm': return sizes_parse(optarg, options);
    case 'n': return count_parse(optarg, 8, &options->order);
    case 'r': return count_parse(optarg, 1, &options->repetitions);
    case 'x': return count_parse(optarg, 0, &options->warmup);
    case OPTION_IN_PLACE: options->in_place = true; return true;
    case OPTION_SIDE: return sides_parse(optarg, options);
    case OPTION_ALGORITHMS: options->algorithms = true; return true;
    case OPTION_TIMELINE: options->timeline = true; return true;
    case OPTION_CUBLAS: options->cublas_file = optarg; return true;
    default: return rival_parse(optarg, options);
    }
}

static bool collective_parse(const char *text, struct overlap_options *options)
{
    for (size_t i = 0; i < OVERLAP_COLLECTIVES; i++) {
        if (strcmp(text, options_collective_name(overlap_collectives[i])) == 0) {
            options->chosen[overlap_collectives[i]] = true;
            return true;
        }
    }
    return false;
}

enum options_outcome overlap_options_parse(int argc, char **argv, struct overlap_options *options,
                                           char *message, size_t length)
{
    int option;
    *options = (struct overlap_options){
        .bytes = {64 << 20, 1 << 30}, .sizes = 2, .order = 8192, .repetitions = 41, .warmup = 4,
        .way = {true, true, true, true, true},
    };
    opterr = 0;
    while ((option = getopt_long(argc, argv, "m:n:r:x:h", long_options, NULL)) != -1) {
        if (option == 'h') {
            return OPTIONS_HELP;
        }
        if (option == '?') {
            snprintf(message, length, "option '%s': see --help", argv[optind - 1]);
            return OPTIONS_BAD;
        }
        if (!option_parse(option, options)) {
            snprintf(message, length, "value '%s': see --help", optarg);
            return OPTIONS_BAD;
        }
    }
    options->chosen[COLLECTIVE_ALLGATHER] = options->chosen[COLLECTIVE_ALLREDUCE] = optind == argc;
    for (; optind < argc; optind++) {
        if (!collective_parse(argv[optind], options)) {
            snprintf(message, length, "collective '%s': choose allgather, allreduce or bcast",
                     argv[optind]);
            return OPTIONS_BAD;
        }
    }
    return OPTIONS_RUN;
}
