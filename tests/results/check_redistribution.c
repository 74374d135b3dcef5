/*
 * An array that is distributed along one axis and then along another, by types that programs make
 * of vectors of vectors; where an axis is shorter than there are ranks, some get nothing, and have
 * no buffer.
 *
 *     check_redistribution host|cuda
 *
 * Then each rank in turn has nothing, in types without data, beside ranks that have something.
 * (Not in gathers and scatters: there Open MPI 4.1 sends a message for nothing that its root does
 * not receive.) Device memory is that of the driver which SYMM_TEST_CUDA_LIBRARY names.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/blocking_calls.h"
#include "tests/harness/empty_types.h"
#include "tests/harness/harness.h"
#include "tests/harness/placed_buffers.h"

#include <string.h>

enum { AXES = 3, RANKS_MAX = BLOCKING_RANKS_MAX };

static const int shape[AXES] = {2, 3, 5};
static const struct placed_buffer nowhere = {.place = PLACE_NONE};

/* ---- an array -------------------------------------------------------------------------------- */

/* The part of the array that a rank has: all of it along two axes, some along the third. */
struct part {
    int begin[AXES], count[AXES];
};

static struct part part_of(int rank, int axis)
{
    struct part part = {{0, 0, 0}, {shape[0], shape[1], shape[2]}};
    int least = shape[axis] / test_size, more = shape[axis] % test_size;
    part.begin[axis] = rank * least + (rank < more ? rank : more);
    part.count[axis] = least + (rank < more);
    return part;
}

static size_t elements(const struct part *part)
{
    return (size_t)(part->count[0] * part->count[1] * part->count[2]);
}

static float value_at(int i, int j, int k)
{
    return (float)(100 * i + 10 * j + k + 1);
}

static void part_fill(const struct part *part, unsigned char *memory)
{
    for (int i = 0; i < part->count[0]; i++) {
        for (int j = 0; j < part->count[1]; j++) {
            for (int k = 0; k < part->count[2]; k++) {
                float value = value_at(part->begin[0] + i, part->begin[1] + j, part->begin[2] + k);
                memcpy(memory, &value, sizeof(value));
                memory += sizeof(value);
            }
        }
    }
}

static MPI_Datatype vector_of(int count, int stride, MPI_Aint extent, MPI_Datatype inner)
{
    MPI_Datatype vector, type;
    MPI_Type_vector(count, 1, stride, inner, &vector);
    MPI_Type_create_resized(vector, 0, extent, &type);
    MPI_Type_free(&vector);
    return type;
}

/* What is in both parts, in the memory of `own`; *displacement: from where on. */
static MPI_Datatype common_type(const struct part *own, const struct part *other, int axis,
                                int *displacement)
{
    const MPI_Aint unit = sizeof(float), row = own->count[2] * unit;
    const MPI_Aint steps[AXES] = {own->count[1] * row, row, unit};
    int count[AXES];
    for (int i = 0; i < AXES; i++) {
        count[i] = own->count[i] < other->count[i] ? own->count[i] : other->count[i];
    }
    MPI_Datatype line = vector_of(count[2], 1, row, MPI_FLOAT);
    MPI_Datatype plane = vector_of(count[1], 1, row, line), type;
    MPI_Type_vector(count[0], 1, own->count[1], plane, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&line);
    MPI_Type_free(&plane);
    *displacement = (int)(steps[axis] * other->begin[axis]);
    return type;
}

struct exchange {
    int counts[RANKS_MAX], displacements[RANKS_MAX];
    MPI_Datatype types[RANKS_MAX];
};

/* One element of a type for each rank, also where there is nothing for it. */
static void exchange_make(struct exchange *exchange, const struct part *own, int others_axis)
{
    for (int rank = 0; rank < test_size; rank++) {
        struct part other = part_of(rank, others_axis);
        exchange->counts[rank] = 1;
        exchange->types[rank] = common_type(own, &other, others_axis,
                                            &exchange->displacements[rank]);
    }
}

static void exchange_free(struct exchange *exchange)
{
    for (int rank = 0; rank < test_size; rank++) {
        MPI_Type_free(&exchange->types[rank]);
    }
}

/* Parts without elements have no memory. */
static void part_open(struct placed_buffer *buffer, const struct part *part, int place, int role)
{
    *buffer = nowhere;
    if (elements(part) > 0) {
        placed_open(buffer, place, role);
    }
}

static void array_check(int place, int from, int to)
{
    static struct placed_buffer send, receive;
    struct part before = part_of(test_rank, from), after = part_of(test_rank, to);
    struct exchange out, in;
    test_case("an array in %s, from axis %d to axis %d", placed_name(place), from, to);
    part_open(&send, &before, place, 0);
    part_open(&receive, &after, place, 1);
    part_fill(&before, send.expected + BLOCKING_MIDDLE);
    part_fill(&after, receive.expected + BLOCKING_MIDDLE);
    placed_write(&send);
    exchange_make(&out, &before, to);
    exchange_make(&in, &after, from);
    int rc = MPI_Alltoallw(send.address, out.counts, out.displacements, out.types, receive.address,
                           in.counts, in.displacements, in.types, MPI_COMM_WORLD);
    test_check(rc == MPI_SUCCESS, "the call succeeds");
    placed_check(&send, "send");
    placed_check(&receive, "receive");
    exchange_free(&out);
    exchange_free(&in);
}

/* ---- one rank has nothing -------------------------------------------------------------------- */

static MPI_Datatype types[EMPTY_TYPES];

/*
 * What a rank sends to each other one: a number, or from the idle rank no elements of nothing.  (An
 * element of nothing would meet a count of 0: Open MPI 4.1.6 posts a message for the one and none
 * for the other.)
 */
struct pieces {
    int counts[RANKS_MAX], displacements[RANKS_MAX];
    MPI_Datatype type;
};

static struct pieces pieces_make(int idle, int type)
{
    struct pieces pieces = {.type = test_rank == idle ? types[type] : MPI_INT};
    for (int rank = 0; rank < test_size; rank++) {
        pieces.counts[rank] = test_rank != idle && rank != idle;
        pieces.displacements[rank] = 3 * rank;
    }
    return pieces;
}

static void number_expect(struct placed_buffer *buffer, int place, int number)
{
    memcpy(buffer->expected + BLOCKING_MIDDLE + place * (int)sizeof(int), &number, sizeof(number));
}

static void buffers_open(struct placed_buffer *send, struct placed_buffer *receive, int place,
                         bool is_idle)
{
    *send = *receive = nowhere;
    placed_open(send, is_idle ? PLACE_NONE : place, 0);
    placed_open(receive, is_idle ? PLACE_NONE : place, 1);
}

static void alltoallv_check(int place, int idle, int type)
{
    static struct placed_buffer send, receive;
    struct pieces pieces = pieces_make(idle, type);
    test_case("alltoallv, %s, %s, rank %d has nothing", empty_type_names[type], placed_name(place),
              idle);
    buffers_open(&send, &receive, place, test_rank == idle);
    for (int rank = 0; rank < test_size; rank++) {
        if (rank != idle) {
            number_expect(&send, 3 * rank, 10 * test_rank + rank);
            number_expect(&receive, 3 * rank, 10 * rank + test_rank);
        }
    }
    placed_write(&send);
    int rc = MPI_Alltoallv(send.address, pieces.counts, pieces.displacements, pieces.type,
                           receive.address, pieces.counts, pieces.displacements, pieces.type,
                           MPI_COMM_WORLD);
    test_check(rc == MPI_SUCCESS, "the call succeeds");
    placed_check(&send, "send");
    placed_check(&receive, "receive");
}

/* In a ring; nothing goes one way round, in types that differ from rank to rank. */
static void neighbors_check(MPI_Comm ring, int place, int type)
{
    static struct placed_buffer send, receive;
    const int counts[2] = {1, 1};
    const MPI_Aint displacements[2] = {64, -64};
    MPI_Datatype ways[2] = {MPI_INT, types[(type + test_rank) % EMPTY_TYPES]};
    test_case("neighbor_alltoallw, %s, %s", empty_type_names[type], placed_name(place));
    buffers_open(&send, &receive, place, false);
    number_expect(&send, 16, test_rank);
    number_expect(&receive, 16, (test_rank + test_size - 1) % test_size);
    placed_write(&send);
    int rc = MPI_Neighbor_alltoallw(send.address, counts, displacements, ways, receive.address,
                                    counts, displacements, ways, ring);
    test_check(rc == MPI_SUCCESS, "the call succeeds");
    placed_check(&send, "send");
    placed_check(&receive, "receive");
}

static void idle_ranks_check(int place)
{
    MPI_Comm ring;
    int before = (test_rank + test_size - 1) % test_size, after = (test_rank + 1) % test_size;
    int sources[2] = {before, after}, targets[2] = {after, before}, weights[2] = {1, 1};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, weights, 2, targets, weights,
                                   MPI_INFO_NULL, 0, &ring);
    for (int type = 0; type < EMPTY_TYPES; type++) {
        for (int idle = 0; idle < test_size; idle++) {
            alltoallv_check(place, idle, type);
        }
        neighbors_check(ring, place, type);
    }
    MPI_Comm_free(&ring);
}

int main(int argc, char **argv)
{
    bool on_devices = argc > 1 && strcmp(argv[1], "cuda") == 0;
    test_begin(1, argv, "check_redistribution", MPI_THREAD_SINGLE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    placed_begin(on_devices);
    empty_types_make(types);
    for (int place = PLACE_HOST; place < placed_places; place++) {
        array_check(place, 2, 1);
        array_check(place, 1, 2);
        array_check(place, 1, 0);
        array_check(place, 0, 2);
        idle_ranks_check(place);
    }
    empty_types_free(types);
    placed_end();
    return test_end();
}
