/*
 * Communicators that come and go by the number of the call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/results/random/random_comms.h"
#include "tests/harness/harness.h"

enum { ROLE_COMM = 4 };
enum shape { WORLD, SELF, DUPLICATE, REVERSED, SPLIT, SUBSET, BRIEF };

static const char *const shape_names[] = {"world",         "self",  "duplicate",
                                          "reversed ranks", "split", "subset"};

/* How many calls a communicator lives; 0 is forever. Primes, so that ends rarely coincide. */
static const uint64_t life[RANDOM_COMMS] = {0, 0, 1009, 499, 211, 307, 53};

static struct random_comm comms[RANDOM_COMMS];

static uint64_t generation_at(int place, uint64_t index)
{
    return life[place] == 0 ? 0 : index / life[place];
}

const struct random_comm *random_comms_get(int place)
{
    return &comms[place];
}

/* The same seed gives a rank's colour to every rank, and its own. */
static uint64_t draw(int place, uint64_t generation, int rank)
{
    return test_random(test_stream((uint64_t)place << 40 | generation, 0, ROLE_COMM),
                       (uint64_t)rank);
}

static MPI_Comm sibling(MPI_Comm comm)
{
    MPI_Info info;
    MPI_Comm other;
    MPI_Info_create(&info);
    MPI_Info_set(info, "ompi_comm_coll_preference", "^symm");
    MPI_Comm_dup_with_info(comm, info, &other);
    MPI_Info_free(&info);
    return other;
}

/* Two groups, ranks in any order; sometimes a rank is in none. */
static void create_split(struct random_comm *created, uint64_t random)
{
    int color = random % 16 == 0 ? MPI_UNDEFINED : (int)(random / 16 % 2);
    MPI_Comm_split(MPI_COMM_WORLD, color, (int)(random / 32 % 64), &created->comm);
    created->color = color == MPI_UNDEFINED ? 0 : color;
}

/* Some ranks, the highest first. `leave_out` is the same on all ranks. */
static void create_subset(struct random_comm *created, int leave_out)
{
    int ranks[64];
    int count = 0;
    MPI_Group world;
    MPI_Group group;
    for (int rank = test_size - 1; rank >= 0 && count < 64; rank--) {
        if (test_size <= 2 || rank != leave_out) {
            ranks[count++] = rank;
        }
    }
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, count, ranks, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &created->comm);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

static void create_shape(struct random_comm *created, enum shape shape, int place)
{
    uint64_t common = draw(place, created->generation, test_size);
    switch (shape) {
    case WORLD:
        created->comm = MPI_COMM_WORLD;
        break;
    case SELF:
        created->comm = MPI_COMM_SELF;
        created->color = test_rank;
        break;
    case DUPLICATE:
        MPI_Comm_dup(MPI_COMM_WORLD, &created->comm);
        break;
    case REVERSED:
        MPI_Comm_split(MPI_COMM_WORLD, 0, -test_rank, &created->comm);
        break;
    case SPLIT:
        create_split(created, draw(place, created->generation, test_rank));
        break;
    default:
        create_subset(created, (int)(common % (uint64_t)test_size));
        break;
    }
    created->shape = shape_names[shape];
}

static void create(int place, uint64_t index)
{
    struct random_comm *created = &comms[place];
    enum shape shape = (enum shape)place;
    *created = (struct random_comm){.generation = generation_at(place, index)};
    if (shape == BRIEF) {
        uint64_t common = draw(place, created->generation, test_size + 1);
        shape = (enum shape)(DUPLICATE + common % 4);
    }
    create_shape(created, shape, place);
    created->reference = MPI_COMM_NULL;
    if (created->comm != MPI_COMM_NULL) {
        created->reference = sibling(created->comm);
        MPI_Comm_rank(created->comm, &created->rank);
        MPI_Comm_size(created->comm, &created->size);
    }
}

static void release(int place)
{
    struct random_comm *old = &comms[place];
    if (old->comm == MPI_COMM_NULL) {
        return;
    }
    MPI_Comm_free(&old->reference);
    if (old->comm != MPI_COMM_WORLD && old->comm != MPI_COMM_SELF) {
        MPI_Comm_free(&old->comm);
    }
}

void random_comms_create(uint64_t index)
{
    for (int place = 0; place < RANDOM_COMMS; place++) {
        create(place, index);
    }
}

void random_comms_free(void)
{
    for (int place = 0; place < RANDOM_COMMS; place++) {
        release(place);
    }
}

bool random_comms_change(uint64_t index)
{
    for (int place = 0; place < RANDOM_COMMS; place++) {
        if (comms[place].generation != generation_at(place, index)) {
            return true;
        }
    }
    return false;
}

void random_comms_renew(uint64_t index)
{
    for (int place = 0; place < RANDOM_COMMS; place++) {
        if (comms[place].generation != generation_at(place, index)) {
            release(place);
            create(place, index);
        }
    }
}
