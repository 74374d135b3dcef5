/*
 * scale.c - bench/scale, which models collectives over several nodes: a table of times by the plans
 * of the component, for numbers of nodes that nobody here has. It is no MPI program.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/clock.h"
#include "bench/model/model.h"

static const char usage[] =
    "Usage: bench/scale [OPTION]... [COLLECTIVE]...\n"
    "Model allreduce (default), reduce, bcast, allgather, reduce_scatter, alltoall or\n"
    "barrier over several nodes, by the plans of coll/symm. docs/design/scale.md\n"
    "explains the model.\n"
    "\n"
    "  -M, --nodes N        nodes (default 8)\n"
    "  -G, --ranks N        ranks of a node (8)\n"
    "  -m [MIN:]MAX         sizes, doubling; K, M and G allowed (8:1G): of the result of a\n"
    "                       reduction or broadcast, of all blocks, or of a pair of ranks\n"
    "      --all-plans      each plan, not only the one that the component takes\n"
    "      --csv            values separated by commas\n"
    "      --check FILE     beside measured rows: NODES RANKS COLLECTIVE BYTES OURS_US\n"
    "                       FLAT_US; constants may stand before them. Exit status 1: the\n"
    "                       median error is above 30 %, or in less than 80 % of the rows\n"
    "                       the same is faster\n"
    "\n"
    "Constants: alpha in us, rate in GB/s of a rank (1e9 bytes); rate 0: bytes are free\n"
    "      --node ALPHA,RATE     a collective of a node, where the data are\n"
    "      --host ALPHA,RATE     the same in host memory\n"
    "      --near ALPHA,RATE     a message between ranks of a node\n"
    "      --network ALPHA,RATE[,RENDEZVOUS]\n"
    "                            a message between nodes; the rate is a NIC's\n"
    "      --copy ALPHA,RATE     a copy between device and host; 0,0: data are in host\n"
    "                            memory\n"
    "      --sum ALPHA,RATE      a reduction by one rank\n"
    "      --nics N              NICs of a node (0: one for each rank)\n"
    "      --cores N             cores that all ranks share (0: one for each rank)\n"
    "      --constants FILE      lines NAME VALUE, with these names\n"
    "  -h, --help\n";

enum { EXIT_OFF = 1, EXIT_USAGE = 2 };

static void fail(const char *what, const char *value, const char *remedy)
{
    fflush(stdout);
    fprintf(stderr, "scale: %s '%s': %s\n", what, value, remedy);
    exit(EXIT_USAGE);
}

static double bytes_parse(const char *text, char **end)
{
    static const char units[] = "KMG";
    double bytes = strtod(text, end);
    const char *unit = **end != '\0' ? strchr(units, **end) : NULL;
    for (int i = 0; unit != NULL && i <= unit - units; i++) {
        bytes *= 1024;
    }
    *end += unit != NULL;
    return bytes;
}

static int count_parse(const char *what, const char *text, int least)
{
    char *end;
    long count = strtol(text, &end, 10);
    if (*end != '\0' || count < least || count > 1000000) {
        fail(what, text, "give a whole number of two or more nodes and one or more ranks");
    }
    return (int)count;
}

static enum symm_nodes_plan plan_of(const struct call *call)
{
    enum symm_nodes_plan plan;
    if (!model_plan(call, &plan)) {
        fail("topology", model_name(call->model), "there is no memory for so many ranks");
    }
    return plan;
}

static const char *const plans[SYMM_NODES_PLAN_COUNT] = {
    [SYMM_NODES_FLAT] = "flat", [SYMM_NODES_LEADERS] = "leaders", [SYMM_NODES_RAILS] = "rails"};

/* ---- the table ------------------------------------------------------------------------------- */

static void row_print(const struct call *call, enum symm_nodes_plan plan, bool is_taken, bool csv)
{
    struct modelled modelled;
    double limit = model_limit_us(call), bus_bytes = model_bus_bytes(call);
    if (model_time(call, plan, &modelled)) {
        printf(csv ? "%.0f,%d,%d,%s,%s,%s,%.2f,%.4g,%.2f,%.4g,%.3f,%s: %s\n"
                   : "%-12.0f %5d %5d %-14s %-7s %5s %10.2f %9.4g %10.2f %11.4g %7.3f  %s: %s\n",
               call->bytes, call->nodes, call->ranks, model_name(call->model), plans[plan],
               is_taken ? "yes" : "no", modelled.us, bus_bytes / modelled.us / 1e3, limit,
               bus_bytes / limit / 1e3, limit / modelled.us, modelled.stage, modelled.link);
    }
}

static void table_print(struct call *call, double least, double most, bool all_plans, bool csv)
{
    puts(csv ? "Size,nodes,ranks,collective,plan,taken,time(us),bus(GB/s),limit(us),limit(GB/s),"
               "share,bottleneck"
             : "# Size       nodes ranks collective     plan    taken   time(us) bus(GB/s)  "
               "limit(us) limit(GB/s)   share  bottleneck");
    for (call->bytes = least; call->bytes <= most; call->bytes *= 2) {
        enum symm_nodes_plan taken = plan_of(call);
        for (int plan = 0; plan < SYMM_NODES_PLAN_COUNT; plan++) {
            if (all_plans || plan == (int)taken) {
                row_print(call, plan, plan == (int)taken, csv);
            }
        }
        if (call->bytes == 0) { /* a barrier */
            break;
        }
    }
}

/* ---- measured rows --------------------------------------------------------------------------- */

enum { ROWS = 1000 };

struct check {
    double ours[ROWS], flat[ROWS]; /* errors, % */
    int count, winners;
};

static double error_of(double modelled, double measured)
{
    return 100 * fabs(modelled / measured - 1);
}

/* False: the line is no row. */
static bool row_check(struct check *check, const struct machine *machine, const char *line)
{
    struct call call = {.machine = machine};
    struct modelled ours, flat;
    char name[32];
    double ours_us, flat_us;
    if (sscanf(line, "%d %d %31s %lf %lf %lf", &call.nodes, &call.ranks, name, &call.bytes,
               &ours_us, &flat_us) != 6 || call.nodes < 2 || call.ranks < 1 ||
        !(ours_us > 0) || !(flat_us > 0) || check->count == ROWS) {
        return false;
    }
    call.model = model_find(name);
    if (call.model == NULL) {
        return false;
    }
    enum symm_nodes_plan plan = plan_of(&call);
    (void)model_time(&call, plan, &ours);
    (void)model_time(&call, SYMM_NODES_FLAT, &flat);
    bool same = (ours.us < flat.us) == (ours_us < flat_us);
    check->ours[check->count] = error_of(ours.us, ours_us);
    check->flat[check->count] = error_of(flat.us, flat_us);
    printf("%dx%d %-14s %10.0f %-7s %10.1f %10.1f %4.0f %% %10.1f %10.1f %4.0f %%  %s\n",
           call.nodes, call.ranks, name, call.bytes, plans[plan], ours_us, ours.us,
           check->ours[check->count], flat_us, flat.us, check->flat[check->count],
           same ? "same" : "OTHER");
    check->winners += same;
    check->count++;
    return true;
}

/* Lines are comments, constants, and rows where `check` is given. */
static void file_read(struct machine *machine, const char *path, struct check *check)
{
    FILE *file = fopen(path, "r");
    char line[256], name[32], value[64];
    if (file == NULL) {
        fail("file", path, strerror(errno));
    }
    while (fgets(line, sizeof(line), file) != NULL) {
        bool is_empty = line[0] == '#' || line[strspn(line, " \t\n")] == '\0';
        bool is_constant = sscanf(line, "%31s %63s", name, value) == 2 &&
                           machine_set(machine, name, value);
        if (!is_empty && !is_constant && (check == NULL || !row_check(check, machine, line))) {
            line[strcspn(line, "\n")] = '\0';
            fail("line", line, "it is neither a constant nor a measured row");
        }
    }
    fclose(file);
}

static int measured_check(struct machine *machine, const char *path)
{
    enum { ERROR_MOST = 30, WINNERS_LEAST = 80 };
    static struct check check;
    printf("# nodes x ranks, collective, bytes, plan, with coll/symm: measured(us), model(us), "
           "error; flat: the same; which is faster\n");
    file_read(machine, path, &check);
    if (check.count == 0) {
        fail("file", path, "it has no measured rows");
    }
    double ours = clock_median(check.ours, check.count);
    double winners = 100.0 * check.winners / check.count;
    printf("# %d rows: median error %.1f %% (at most %d), flat %.1f %%; the same is faster in "
           "%.0f %% (at least %d)\n", check.count, ours, ERROR_MOST,
           clock_median(check.flat, check.count), winners, WINNERS_LEAST);
    return ours > ERROR_MOST || winners < WINNERS_LEAST ? EXIT_OFF : 0;
}

/* ---- options --------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    enum { CONSTANT = 256, CONSTANTS, CHECK, ALL_PLANS, CSV };
    static const struct option options[] = {
        {"nodes", required_argument, NULL, 'M'}, {"ranks", required_argument, NULL, 'G'},
        {"node", required_argument, NULL, CONSTANT}, {"host", required_argument, NULL, CONSTANT},
        {"near", required_argument, NULL, CONSTANT}, {"copy", required_argument, NULL, CONSTANT},
        {"network", required_argument, NULL, CONSTANT}, {"sum", required_argument, NULL, CONSTANT},
        {"nics", required_argument, NULL, CONSTANT}, {"cores", required_argument, NULL, CONSTANT},
        {"constants", required_argument, NULL, CONSTANTS},
        {"check", required_argument, NULL, CHECK}, {"all-plans", no_argument, NULL, ALL_PLANS},
        {"csv", no_argument, NULL, CSV}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    struct machine machine = machine_default;
    struct call call = {.machine = &machine, .nodes = 8, .ranks = 8};
    double least = 8, most = 1 << 30;
    bool all_plans = false, csv = false;
    const char *measured = NULL;
    char *end;
    int option, row;
    while ((option = getopt_long(argc, argv, "M:G:m:h", options, &row)) != -1) {
        switch (option) {
        case 'M':
            call.nodes = count_parse("nodes", optarg, 2);
            break;
        case 'G':
            call.ranks = count_parse("ranks", optarg, 1);
            break;
        case 'm':
            most = bytes_parse(optarg, &end);
            if (*end == ':') {
                least = most;
                most = bytes_parse(end + 1, &end);
            }
            if (*end != '\0' || end == optarg || !(least >= 1 && most >= least && most < 1e15)) {
                fail("sizes", optarg, "give [MIN:]MAX, such as 8:1G");
            }
            break;
        case CONSTANT:
            if (!machine_set(&machine, options[row].name, optarg)) {
                fail(options[row].name, optarg, "give numbers, as --help says");
            }
            break;
        case CONSTANTS:
            file_read(&machine, optarg, NULL);
            break;
        case CHECK:
            measured = optarg;
            break;
        case ALL_PLANS:
            all_plans = true;
            break;
        case CSV:
            csv = true;
            break;
        default:
            fputs(usage, option == 'h' ? stdout : stderr);
            return option == 'h' ? 0 : EXIT_USAGE;
        }
    }
    if (measured != NULL) {
        return measured_check(&machine, measured);
    }
    machine_print(&machine);
    for (int i = optind; i < argc || i == optind; i++) {
        const char *name = i < argc ? argv[i] : "allreduce";
        bool has_bytes = strcmp(name, "barrier") != 0;
        call.model = model_find(name);
        if (call.model == NULL) {
            fail("collective", name, "--help has the list");
        }
        table_print(&call, has_bytes ? least : 0, has_bytes ? most : 0, all_plans, csv);
    }
    return 0;
}
