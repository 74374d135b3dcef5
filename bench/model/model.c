/*
 * model.c - see model.h.
 *
 * A stage takes rounds on links, one after the other, and has bytes to move on them: in turn, or,
 * where its links move them at the same time, as long as the slowest takes.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "bench/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct stage {
    const char *name;
    double rounds[LINK_COUNT], bytes[LINK_COUNT];
    bool at_once;
    int active; /* ranks of a node that take part */
};

static double link_us(const struct stage *stage, const struct call *call, enum link link)
{
    double rate = call->machine->link[link].rate * 1e3;
    return rate > 0 ? stage->bytes[link] / rate : 0;
}

/* Whoever has received data reduces them then. Ranks that share cores take turns. */
static double stage_us(const struct stage *stage, const struct call *call, enum link *slowest)
{
    double begun = 0, in_turn = 0, most = 0, most_link = -1;
    double ranks = (double)call->nodes * stage->active, cores = call->machine->cores;
    for (int i = 0; i < LINK_COUNT; i++) {
        double rounds = stage->rounds[i] * call->machine->link[i].alpha;
        double bytes = link_us(stage, call, i);
        begun += rounds + (i == LINK_SUM ? bytes : 0);
        in_turn += i == LINK_SUM ? 0 : bytes;
        most = i != LINK_SUM && bytes > most ? bytes : most;
        if (rounds + bytes > most_link) {
            most_link = rounds + bytes;
            *slowest = i;
        }
    }
    return (begun + (stage->at_once ? most : in_turn)) *
           (cores > 0 && ranks > cores ? ranks / cores : 1);
}

/* ---- collectives by messages ----------------------------------------------------------------- */

enum movement {
    NONE, REDUCE_ALL, REDUCE_ONE, SEND_ALL, GATHER_ALL, REDUCE_PARTS, EXCHANGE,
    EXCHANGE_COUNTS, /* with a count for each pair, for which Open MPI has fewer algorithms */
    MEET
};

/* Messages as many as a logarithm, or as there are ranks. */
enum family {
    DOUBLING,  /* of all bytes; binomial trees too */
    RECURSIVE, /* likewise; ranks beyond a power of two give and get before and after */
    HALVING,   /* of half as many in each round, or twice as many */
    RING,      /* of a part for each rank */
    COLLECTED, /* of blocks of half of the ranks: Bruck's exchange */
    PAIRS      /* of a block, from each to each */
};

static const struct algorithm {
    enum movement movement;
    int parts;
    struct {
        enum family family;
        bool sums;
    } part[2];
} algorithms[] = {
    {REDUCE_ALL, 1, {{RECURSIVE, true}}},
    {REDUCE_ALL, 2, {{HALVING, true}, {HALVING, false}}},
    {REDUCE_ALL, 2, {{RING, true}, {RING, false}}},
    {REDUCE_ONE, 1, {{DOUBLING, true}}},
    {REDUCE_ONE, 2, {{HALVING, true}, {HALVING, false}}},
    {SEND_ALL, 1, {{DOUBLING, false}}},
    {SEND_ALL, 2, {{HALVING, false}, {HALVING, false}}},
    {GATHER_ALL, 1, {{HALVING, false}}},
    {GATHER_ALL, 1, {{RING, false}}},
    {REDUCE_PARTS, 1, {{HALVING, true}}},
    {REDUCE_PARTS, 1, {{RING, true}}},
    {EXCHANGE, 1, {{COLLECTED, false}}},
    {EXCHANGE, 1, {{PAIRS, false}}},
    {EXCHANGE_COUNTS, 1, {{PAIRS, false}}},
    {MEET, 1, {{DOUBLING, false}}},
};

static double logarithm(int ranks)
{
    return ceil(log2(ranks));
}

/* `group` ranks of each node take part, and so many communicators do the same at the same time. */
static void family_add(struct stage *stage, const struct call *call, int group, int beside,
                       enum family family, bool sums, double bytes)
{
    double far = logarithm(call->nodes), near = logarithm(group), ranks = call->nodes * group;
    if (family == RECURSIVE && (call->nodes & (call->nodes - 1)) != 0) {
        *(group > 1 ? &near : &far) += 1; /* the logarithm, rounded up, has one of the two */
    }
    double summed =
        bytes * (family == DOUBLING || family == RECURSIVE ? far + near : 1 - 1 / ranks);
    double longest = bytes, sent_far, sent_near;
    double nics = call->machine->nics > 0 ? call->machine->nics : call->ranks;
    double senders = beside * (family == RING ? 1 : group); /* to other nodes */
    switch (family) {
    case HALVING:
        longest = bytes / 2;
        sent_far = bytes * (1 - 1.0 / call->nodes);
        sent_near = bytes / call->nodes * (1 - 1.0 / group);
        break;
    case RING: /* in each round all wait for the slowest message */
        far = ranks - 1;
        near = 0;
        longest = bytes / ranks;
        sent_far = bytes * (1 - 1 / ranks);
        sent_near = group > 1 ? sent_far : 0;
        stage->at_once = true;
        break;
    case PAIRS:
        far = ranks - group;
        near = group - 1;
        sent_far = bytes * far;
        sent_near = bytes * near;
        break;
    default:
        longest = family == COLLECTED ? bytes * ranks / 2 : bytes;
        sent_far = longest * far;
        sent_near = longest * near;
        break;
    }
    double asked = longest > call->machine->rendezvous ? 3 : 1;
    stage->rounds[LINK_NETWORK] += far * asked;
    stage->rounds[LINK_NEAR] += near * asked;
    stage->bytes[LINK_NETWORK] += sent_far * (senders > nics ? senders / nics : 1);
    stage->bytes[LINK_NEAR] += sent_near;
    stage->bytes[LINK_SUM] += sums ? summed : 0;
}

static struct stage messages(const struct call *call, int group, int beside,
                             enum movement movement, double bytes)
{
    struct stage quickest = {.active = 0};
    enum link link;
    for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++) {
        const struct algorithm *a = &algorithms[i];
        struct stage stage = {.active = group * beside};
        for (int part = 0; a->movement == movement && part < a->parts; part++) {
            family_add(&stage, call, group, beside, a->part[part].family, a->part[part].sums,
                       bytes);
        }
        if (a->movement == movement &&
            (quickest.active == 0 ||
             stage_us(&stage, call, &link) < stage_us(&quickest, call, &link))) {
            quickest = stage;
        }
    }
    return quickest;
}

/* ---- plans ----------------------------------------------------------------------------------- */

enum place { END, ALL_RANKS, NODE, LEADERS, RAILS, COPY, SUM };

/* Of the bytes: a node's, a rank's of its node's, of all, what it gets from its rail's others. */
enum unit { ALL, OWN, SLICE, PART, OTHERS, OWN_OF_OTHERS, EACH_PART };

struct step {
    enum place place;
    enum unit unit;
    const char *name;
    enum movement movement;
};

/* Bytes of a piece, of which a plan makes one after the other (nodes/slices.c). */
static double slices_piece(const struct call *call)
{
    enum { LEAST = 512 << 10, MOST = 2 << 20, MESSAGE = 64 << 10 };
    double slice = (double)MESSAGE * call->nodes;
    slice = slice < LEAST ? LEAST : slice > MOST ? MOST : slice;
    return slice * call->ranks;
}

/* Of each block; there is room for that of each node (nodes/reduce_scatter.c). */
static double blocks_piece(const struct call *call)
{
    enum { HALF = ((4 << 20) + (128 << 10)) / 2, PIECE = 256 << 10 };
    double piece = (double)HALF / call->nodes;
    return (piece < PIECE ? piece : PIECE) * call->nodes * call->ranks;
}

static const struct collective_model {
    const char *name;
    enum symm_collective collective;
    bool has_small_input, has_small_output; /* a block of all */
    enum symm_nodes_plan anywhere;          /* the plan that takes much data where they are */
    double (*piece)(const struct call *call);
    struct step plan[SYMM_NODES_PLAN_COUNT][8];
} models[] = {
    {"allreduce", SYMM_ALLREDUCE, .anywhere = SYMM_NODES_RAILS, .piece = slices_piece,
     .plan = {[SYMM_NODES_FLAT] = {{ALL_RANKS, ALL, "flat", REDUCE_ALL}},
              [SYMM_NODES_LEADERS] = {{NODE, ALL, "node reduce"},
                                      {LEADERS, ALL, "leaders' all-reduce", REDUCE_ALL},
                                      {NODE, ALL, "node broadcast"}},
              [SYMM_NODES_RAILS] = {{NODE, ALL, "node reduce-scatter"},
                                    {COPY, SLICE, "slice to host"},
                                    {RAILS, PART, "rail all-to-all", EXCHANGE_COUNTS},
                                    {SUM, OTHERS, "sum"},
                                    {RAILS, SLICE, "rail all-gather", GATHER_ALL},
                                    {COPY, SLICE, "slice to device"},
                                    {NODE, ALL, "node all-gather"}}}},
    {"reduce", SYMM_REDUCE, .anywhere = SYMM_NODES_RAILS, .piece = slices_piece,
     .plan = {[SYMM_NODES_FLAT] = {{ALL_RANKS, ALL, "flat", REDUCE_ONE}},
              [SYMM_NODES_LEADERS] = {{NODE, ALL, "node reduce"},
                                      {LEADERS, ALL, "rail reduce", REDUCE_ONE}},
              [SYMM_NODES_RAILS] = {{NODE, ALL, "node reduce-scatter"},
                                    {COPY, SLICE, "slice to host"},
                                    {RAILS, SLICE, "rail reduce", REDUCE_ONE},
                                    {COPY, SLICE, "slice to device"},
                                    {NODE, ALL, "node gather"}}}},
    {"bcast", SYMM_BCAST, .anywhere = SYMM_NODES_LEADERS,
     .plan = {[SYMM_NODES_FLAT] = {{ALL_RANKS, ALL, "flat", SEND_ALL}},
              [SYMM_NODES_LEADERS] = {{COPY, ALL, "root to host"},
                                      {LEADERS, ALL, "rail broadcast", SEND_ALL},
                                      {COPY, ALL, "leader to device"},
                                      {NODE, ALL, "node broadcast"}}}},
    {"allgather", SYMM_ALLGATHER, .has_small_input = true, .anywhere = SYMM_NODES_RAILS,
     .plan = {[SYMM_NODES_FLAT] = {{ALL_RANKS, ALL, "flat", GATHER_ALL}},
              [SYMM_NODES_LEADERS] = {{NODE, OWN, "node gather"},
                                      {LEADERS, ALL, "leaders' all-gather", GATHER_ALL},
                                      {NODE, ALL, "node broadcast"}},
              [SYMM_NODES_RAILS] = {{NODE, OWN, "node all-gather"},
                                    {COPY, PART, "block to host"},
                                    {RAILS, SLICE, "rail all-gather", GATHER_ALL},
                                    {COPY, SLICE, "blocks to device"},
                                    {NODE, OWN_OF_OTHERS, "node all-gathers"}}}},
    {"reduce_scatter", SYMM_REDUCE_SCATTER, .has_small_output = true, .piece = blocks_piece,
     .plan = {[SYMM_NODES_FLAT] = {{ALL_RANKS, ALL, "flat", REDUCE_PARTS}},
              [SYMM_NODES_LEADERS] = {{NODE, ALL, "node reduce"},
                                      {LEADERS, ALL, "leaders' all-reduce", REDUCE_ALL},
                                      {NODE, OWN, "node scatter"}},
              [SYMM_NODES_RAILS] = {{NODE, EACH_PART, "node reduces"},
                                    {RAILS, PART, "rail all-to-all", EXCHANGE_COUNTS},
                                    {SUM, OTHERS, "sum"}}}},
    {"alltoall", SYMM_ALLTOALL,
     .plan = {[SYMM_NODES_FLAT] = {{ALL_RANKS, PART, "flat", EXCHANGE}},
              [SYMM_NODES_RAILS] = {{NODE, ALL, "node all-to-all"},
                                    {RAILS, OWN, "rail all-to-all", EXCHANGE}}}},
    {"barrier", SYMM_BARRIER,
     .plan = {[SYMM_NODES_FLAT] = {{ALL_RANKS, ALL, "flat", MEET}},
              [SYMM_NODES_LEADERS] = {{NODE, ALL, "node reduce"},
                                      {LEADERS, ALL, "leaders' barrier", MEET},
                                      {NODE, ALL, "node broadcast"}}}},
};

const struct collective_model *model_find(const char *name)
{
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        if (strcmp(models[i].name, name) == 0) {
            return &models[i];
        }
    }
    return NULL;
}

const char *model_name(const struct collective_model *model)
{
    return model->name;
}

/* Where no node has two ranks, nodes/make.c makes no communicators. */
bool model_plan(const struct call *call, enum symm_nodes_plan *plan)
{
    struct symm_topology topology;
    int size = call->nodes * call->ranks;
    int *lowest = malloc((size_t)size * sizeof(*lowest));
    for (int rank = 0; lowest != NULL && rank < size; rank++) {
        lowest[rank] = rank - rank % call->ranks;
    }
    bool is_made = lowest != NULL && symm_topology_make(&topology, lowest, size, 0);
    if (is_made) {
        const struct symm_nodes_facts facts = {.collective = call->model->collective,
                                               .bytes = (size_t)call->bytes, .commutes = true};
        *plan = topology.most > 1 ? mca_coll_symm_nodes_plan(&topology, &facts) : SYMM_NODES_FLAT;
        symm_topology_end(&topology);
    }
    free(lowest);
    return is_made;
}

/* ---- time ------------------------------------------------------------------------------------ */

static double rank_count(const struct call *call)
{
    return (double)call->nodes * call->ranks;
}

static enum movement movement_of(const struct call *call)
{
    return call->model->plan[SYMM_NODES_FLAT][0].movement;
}

static bool has_devices(const struct call *call)
{
    return call->machine->link[LINK_COPY].rate > 0 && movement_of(call) != MEET;
}

static double all_bytes(const struct call *call)
{
    return call->bytes * (movement_of(call) == EXCHANGE ? rank_count(call) : 1);
}

/* The stage of a step, of so many bytes; `node` is the link of the node's collectives. */
static struct stage step_stage(const struct call *call, const struct step *step, double bytes,
                               enum link node)
{
    const double nodes = call->nodes, ranks = call->ranks;
    const double part[] = {[ALL] = 1, [OWN] = 1 / nodes, [SLICE] = 1 / ranks,
                           [PART] = 1 / nodes / ranks, [OTHERS] = (1 - 1 / nodes) / ranks,
                           [OWN_OF_OTHERS] = 1 - 1 / nodes, [EACH_PART] = 1};
    struct stage stage = {.active = call->ranks};
    bytes *= part[step->unit];
    switch (step->place) {
    case ALL_RANKS:
        stage = messages(call, call->ranks, 1, step->movement, bytes);
        break;
    case LEADERS:
    case RAILS:
        stage = messages(call, 1, step->place == RAILS ? call->ranks : 1, step->movement, bytes);
        break;
    case NODE:
        stage.rounds[node] = step->unit == OWN_OF_OTHERS ? nodes - 1
                             : step->unit == EACH_PART   ? nodes * ranks
                                                         : 1;
        stage.bytes[node] = bytes * (1 - 1 / ranks);
        break;
    default:
        stage.rounds[step->place == COPY ? LINK_COPY : LINK_SUM] = 1;
        stage.bytes[step->place == COPY ? LINK_COPY : LINK_SUM] = bytes;
        break;
    }
    stage.name = step->name;
    return stage;
}

/* A stage that is made so many times. */
static void add(struct modelled *modelled, double *most, const struct call *call,
                const struct stage *stage, double times)
{
    enum link link;
    double us = times * stage_us(stage, call, &link);
    modelled->us += us;
    if (us > *most) {
        *most = us;
        modelled->stage = stage->name;
        modelled->link = call->machine->link[link].name;
    }
}

/* Little data on a device are copied once, as nodes/entry.c does; so are all for most plans. */
bool model_time(const struct call *call, enum symm_nodes_plan plan, struct modelled *modelled)
{
    enum { LITTLE = 64 << 10 };
    const struct collective_model *model = call->model;
    double bytes = all_bytes(call), most = 0;
    double pieces = plan == SYMM_NODES_RAILS && model->piece != NULL
                        ? ceil(bytes / model->piece(call)) : 1;
    bool stays = has_devices(call) && plan != SYMM_NODES_FLAT && plan == model->anywhere &&
                 call->bytes > LITTLE;
    *modelled = (struct modelled){.stage = "", .link = ""};
    for (const struct step *step = model->plan[plan]; step->place != END; step++) {
        struct stage stage = step_stage(call, step, bytes / pieces,
                                        stays ? LINK_NODE : LINK_HOST);
        if (step->place != COPY || stays) {
            add(modelled, &most, call, &stage, pieces);
        }
    }
    if (has_devices(call) && !stays) {
        struct stage copies = {.name = "copies", .active = call->ranks};
        double block = bytes / rank_count(call);
        copies.rounds[LINK_COPY] = 2;
        copies.bytes[LINK_COPY] = (model->has_small_input ? block : bytes) +
                                  (model->has_small_output ? block : bytes);
        add(modelled, &most, call, &copies, 1);
    }
    return model->plan[plan][0].place != END;
}

double model_bus_bytes(const struct call *call)
{
    bool is_rooted = movement_of(call) == SEND_ALL || movement_of(call) == REDUCE_ONE;
    double share = is_rooted ? 1 : 1 - 1 / rank_count(call);
    return all_bytes(call) * share * (movement_of(call) == REDUCE_ALL ? 2 : 1);
}

static double later(double us, double bytes, double rate)
{
    return rate > 0 && bytes / rate / 1e3 > us ? bytes / rate / 1e3 : us;
}

double model_limit_us(const struct call *call)
{
    const struct machine *machine = call->machine;
    double nics = machine->nics > 0 ? machine->nics : call->ranks;
    double bytes = all_bytes(call) * (movement_of(call) == REDUCE_ALL ? 2 : 1);
    double near = bytes * (1 - 1.0 / call->ranks), far = bytes * (1 - 1.0 / call->nodes);
    double us = machine->link[LINK_HOST].alpha + machine->link[LINK_NETWORK].alpha;
    if (movement_of(call) == EXCHANGE) { /* each rank's own blocks, within the node and beyond */
        near /= call->nodes;
        far *= call->ranks;
    }
    us = later(us, near, machine->link[has_devices(call) ? LINK_NODE : LINK_HOST].rate);
    return later(us, far / nics, machine->link[LINK_NETWORK].rate);
}
