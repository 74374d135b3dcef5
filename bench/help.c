/*
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The text of symm_bench --help.
 */
#include "options.h"

static const char help_text[] =
    "Usage: mpirun -n RANKS symm_bench [OPTION]... [allreduce] [allgather]\n"
    "Time MPI_Allreduce (float32 sum) and MPI_Allgather; both in turn if none is named.\n"
    "\n"
    "What to run\n"
    "  -m, --message-size [MIN:]MAX  sizes, doubling; K, M and G allowed (default up to 1M).\n"
    "                                All-reduce: the vector. All-gather: the block of one rank.\n"
    "      --memory alloc|malloc     buffers from MPI_Alloc_mem (default) or malloc\n"
    "      --in-place                pass MPI_IN_PLACE\n"
    "      --access app|osu          app: between calls, untimed, read the result and rewrite the\n"
    "                                input, as a program does. osu: never, as the OSU loop does.\n"
    "                                Default: app with --compare, else osu.\n"
    "\n"
    "How long\n"
    "  -i, --iterations N            timed calls a size (default 1000; 200 above 8K, 40 above 1M)\n"
    "  -x, --warmup N                untimed calls before (default 100; 10 above 8K, 2 above 1M)\n"
    "  -b, --blocks N                blocks that the calls are divided into (default 20)\n"
    "\n"
    "What to print\n"
    "  -f, --full                    quickest and slowest rank, and number of calls, as well\n"
    "  -c, --validate                check results first; exit status 1 if one is wrong\n"
    "      --seed N                  random data for --validate, as an earlier run printed it\n"
    "      --compare                 every size with and without coll/symm in this one run\n"
    "      --csv                     values separated by commas\n"
    "  -h, --help\n"
    "  -v, --version                 versions, machine, ranks and cores\n"
    "\n"
    "Time is taken as in the OSU micro-benchmarks: a barrier, then one call between two readings\n"
    "of the clock (which is not deducted); the mean over a block of calls. Each rank takes the\n"
    "median over its blocks; Avg, Min and Max are over the ranks, and --compare prints the\n"
    "slowest rank's. A call that opens each block is not timed. Barriers run on a communicator\n"
    "without coll/symm.\n"
    "\n"
    "--compare alternates block by block between two duplicates of MPI_COMM_WORLD, the second\n"
    "one with the info ompi_comm_coll_preference=^symm. Both sides use the same buffers, so that\n"
    "only the component differs. ratio = with / without, speed-up = without / with.\n"
    "\n"
    "state, trip: before and after each block the round trip of a cache line between ranks 0 and\n"
    "1 is timed: near below 250 ns, else far; shared from 1500 ns: the two had one core. A block\n"
    "in which the state changed, by more than a quarter of the time, is discarded and another\n"
    "one measured, up to twice the number asked for. Each state with at least 3 blocks a side\n"
    "has its row.\n"
    "\n"
    "private, distance: the same bytes moved in private memory, by all ranks at once, each rank\n"
    "its part of the work. With N ranks and messages of B bytes a rank\n"
    "  all-reduce: reads N slices of B/N, adds them, writes the sum to N places\n"
    "  all-gather: reads B once and writes it to N places (N-1 in place)\n"
    "private = bytes read and written / rate at which this was done in this run (the better of\n"
    "memcpy and non-temporal stores; at most 256 MiB are touched, and beyond that the rate is\n"
    "kept). distance = the slowest rank's time / private; with --compare the time with\n"
    "coll/symm. Waiting for others is not in it: small messages cannot come near, as they cost a\n"
    "cache line's trip.\n";

void options_print_help(FILE *stream)
{
    fputs(help_text, stream);
}
