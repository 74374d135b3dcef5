/*
 * Collectives that move data, with datatypes that are drawn at random, against MPI_Pack and
 * MPI_Unpack on the host: types on both sides, on one side, others for each pair of ranks, lists of
 * many blocks; blocking and nonblocking.
 *
 *     check_packing [--quick] [--short]
 *
 * --short: some blocks are shorter than their places.  MPI does not allow that, but calls that
 * devices serve get over it; coll/libnbc waits for ever for a block without elements.
 *
 * The buffers are those of the host.  Where they are to be on devices, ondevice.so moves them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/drawn_types.h"
#include "tests/harness/harness.h"
#include "tests/harness/sweep.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 16, CASES = 60, QUICK_CASES = 12, FEW_BLOCKS = 70, MANY_BLOCKS = 9000 };

/* `count` elements of a type in memory of their own, which begins with their first byte. */
struct data {
    struct drawn_type drawn;
    int count;
    size_t bytes;
    unsigned char *memory, *wanted;
};

static uint64_t number;
static bool is_short;

static unsigned char *address_of(const struct data *data, unsigned char *memory)
{
    return memory - data->drawn.first;
}

static struct data data_new(const struct drawn_type *drawn, int count, int blocks)
{
    struct data data = {.drawn = *drawn, .count = count};
    data.bytes = (size_t)(drawn->extent * (count * blocks - 1) + drawn->end - drawn->first);
    data.memory = malloc(data.bytes);
    data.wanted = malloc(data.bytes);
    return data;
}

static void data_free(struct data *data)
{
    free(data->memory);
    free(data->wanted);
}

/* The whole memory is random, gaps as well, so that each byte that moves tells. */
static void data_fill(const struct data *data, int rank, int role)
{
    uint64_t stream = test_stream(number, (uint64_t)rank, (uint64_t)role);
    for (size_t i = 0; i < data->bytes; i++) {
        data->memory[i] = (unsigned char)test_random(stream, i);
    }
    memcpy(data->wanted, data->memory, data->bytes);
}

static void data_check(const struct data *data, const char *what)
{
    for (size_t i = 0; i < data->bytes; i++) {
        if (data->memory[i] != data->wanted[i]) {
            test_fail("%s: byte %zu of %zu is %d instead of %d", what, i, data->bytes,
                      data->memory[i], data->wanted[i]);
            return;
        }
    }
}

/* Put the packed bytes of `from`, as that rank has them, into block `block` of what is wanted. */
static void data_expect(struct data *to, const struct data *from, int block, MPI_Datatype placed,
                        int placed_count)
{
    int size, packed = 0, at = 0;
    MPI_Pack_size(from->count, from->drawn.type, MPI_COMM_SELF, &size);
    void *room = malloc((size_t)size + 1);
    MPI_Pack(address_of(from, from->wanted), from->count, from->drawn.type, room, size, &packed,
             MPI_COMM_SELF);
    MPI_Unpack(room, packed, &at,
               address_of(to, to->wanted) + (MPI_Aint)block * to->drawn.extent * to->count,
               placed_count, placed, MPI_COMM_SELF);
    free(room);
}

/* What another rank sends: computed here. */
static struct data peers_data(const struct drawn_type *drawn, int count, int rank)
{
    struct data data = data_new(drawn, count, 1);
    data_fill(&data, rank, 0);
    return data;
}

/* So many elements without gaps, as one type describes them. */
static struct drawn_type plain_of(const struct drawn_type *drawn)
{
    struct drawn_type plain = *drawn;
    MPI_Aint lower;
    MPI_Type_contiguous(drawn->elements, drawn->element, &plain.type);
    MPI_Type_commit(&plain.type);
    MPI_Type_get_extent(plain.type, &lower, &plain.extent);
    plain.first = 0;
    plain.end = plain.extent;
    return plain;
}

/* ---- one type for all ------------------------------------------------------------------------ */

enum sides { BOTH, SENT, RECEIVED, SIDES };
static const char *const side_names[SIDES] = {"both", "sent", "received"};

static void allgather_check(const struct drawn_type *drawn, enum sides sides, int count)
{
    struct drawn_type plain = plain_of(drawn);
    const struct drawn_type *out = sides == RECEIVED ? &plain : drawn;
    const struct drawn_type *in = sides == SENT ? &plain : drawn;
    struct data send = data_new(out, count, 1), receive = data_new(in, count, test_size);
    test_case("case %d: all-gather of %d, gaps: %s", (int)number, count, side_names[sides]);
    data_fill(&send, test_rank, 0);
    data_fill(&receive, test_rank, 1);
    for (int rank = 0; rank < test_size; rank++) {
        struct data theirs = peers_data(out, count, rank);
        data_expect(&receive, &theirs, rank, in->type, count);
        data_free(&theirs);
    }
    MPI_Allgather(address_of(&send, send.memory), count, out->type,
                  address_of(&receive, receive.memory), count, in->type, test_comm);
    data_check(&send, "what was sent");
    data_check(&receive, "what was received");
    data_free(&send);
    data_free(&receive);
    drawn_type_free(&plain);
}

/* In place: a rank's own block, gaps and all, is where it was. */
static void in_place_check(const struct drawn_type *drawn, int count)
{
    struct data receive = data_new(drawn, count, test_size);
    int rank_count[RANKS_MAX], rank_at[RANKS_MAX];
    test_case("case %d: all-gatherv of %d in place", (int)number, count);
    data_fill(&receive, test_rank, 1);
    for (int rank = 0; rank < test_size; rank++) {
        rank_count[rank] = count;
        rank_at[rank] = rank * count;
        struct data theirs = data_new(drawn, count, test_size), own;
        data_fill(&theirs, rank, 1);
        own = theirs;
        own.wanted = theirs.wanted + drawn->extent * count * rank;
        data_expect(&receive, &own, rank, drawn->type, count);
        data_free(&theirs);
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, address_of(&receive, receive.memory),
                   rank_count, rank_at, drawn->type, test_comm);
    data_check(&receive, "what was received");
    data_free(&receive);
}

static void bcast_check(const struct drawn_type *drawn, int count, int root, bool waits)
{
    struct data data = data_new(drawn, count, 1), theirs = peers_data(drawn, count, root);
    MPI_Request request;
    test_case("case %d: broadcast of %d from %d", (int)number, count, root);
    data_fill(&data, test_rank, test_rank == root ? 0 : 1);
    data_expect(&data, &theirs, 0, drawn->type, count);
    if (waits) {
        MPI_Ibcast(address_of(&data, data.memory), count, drawn->type, root, test_comm,
                   &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Bcast(address_of(&data, data.memory), count, drawn->type, root, test_comm);
    }
    data_check(&data, "what was broadcast");
    data_free(&theirs);
    data_free(&data);
}

/* ---- a type for each pair -------------------------------------------------------------------- */

/* Blocks of a buffer that follow each other. */
struct row {
    struct drawn_type types[RANKS_MAX];
    int counts[RANKS_MAX], at[RANKS_MAX];
    MPI_Datatype handles[RANKS_MAX];
    size_t begin[RANKS_MAX], bytes;
    unsigned char *memory, *wanted;
};

/* Elements of a pair's block.  Each rank has something: what has nothing is on no device. */
static int count_of(uint64_t pair, bool is_own)
{
    return is_own ? 1 + (int)(test_random(pair, 0) % 3) : (int)(test_random(pair, 0) % 4);
}

/*
 * Each pair of a sender and a receiver has a type of its own.  With --short some blocks are
 * one element shorter than their places, but not of a rank for itself: the binding forbids that.
 */
static void row_open(struct row *row, bool receives)
{
    size_t end = 0;
    for (int rank = 0; rank < test_size; rank++) {
        int from = receives ? rank : test_rank, to = receives ? test_rank : rank;
        uint64_t pair = number * 1000 + (uint64_t)(from * test_size + to);
        int count = count_of(pair, from == to);
        struct drawn_type *type = &row->types[rank];
        *type = drawn_type_make(pair, 0);
        row->counts[rank] =
            count + (receives && from != to && is_short && test_random(pair, 1) % 3 == 0);
        row->handles[rank] = type->type;
        row->begin[rank] = (end + 15) / 16 * 16 + (size_t)(test_random(pair, 2) % 2) * 8;
        row->at[rank] = (int)((MPI_Aint)row->begin[rank] - type->first);
        end = row->begin[rank];
        if (row->counts[rank] > 0) {
            end += (size_t)(type->extent * (row->counts[rank] - 1) + type->end - type->first);
        }
    }
    row->bytes = end;
    row->memory = malloc(end + 1);
    row->wanted = malloc(end + 1);
}

static void row_close(struct row *row)
{
    for (int rank = 0; rank < test_size; rank++) {
        drawn_type_free(&row->types[rank]);
    }
    free(row->memory);
    free(row->wanted);
}

/* The block of a pair as its sender fills it: by the pair's own numbers. */
static void block_fill(unsigned char *memory, size_t bytes, int from, int to)
{
    uint64_t stream = test_stream(number, (uint64_t)(from * test_size + to), 3);
    for (size_t i = 0; i < bytes; i++) {
        memory[i] = (unsigned char)test_random(stream, i);
    }
}

static size_t block_bytes(const struct drawn_type *type, int count)
{
    return count == 0 ? 0 : (size_t)(type->extent * (count - 1) + type->end - type->first);
}

static void pairs_fill(struct row *send, struct row *receive)
{
    memset(send->memory, 0, send->bytes);
    memset(receive->memory, 0xa5, receive->bytes);
    memcpy(receive->wanted, receive->memory, receive->bytes);
    for (int rank = 0; rank < test_size; rank++) {
        const struct drawn_type *in = &receive->types[rank];
        uint64_t pair = number * 1000 + (uint64_t)(rank * test_size + test_rank);
        int sent = count_of(pair, rank == test_rank), size, packed = 0, at = 0;
        block_fill(send->memory + send->begin[rank],
                   block_bytes(&send->types[rank], send->counts[rank]), test_rank, rank);
        if (sent == 0) {
            continue;
        }
        size_t bytes = block_bytes(in, sent);
        unsigned char *theirs = malloc(bytes);
        block_fill(theirs, bytes, rank, test_rank);
        MPI_Pack_size(sent, in->type, MPI_COMM_SELF, &size);
        void *room = malloc((size_t)size + 1);
        MPI_Pack(theirs - in->first, sent, in->type, room, size, &packed, MPI_COMM_SELF);
        MPI_Unpack(room, packed, &at, receive->wanted + receive->at[rank], sent, in->type,
                   MPI_COMM_SELF);
        free(room);
        free(theirs);
    }
}

static void pairs_check(bool waits)
{
    static struct row send, receive;
    MPI_Request request;
    test_case("case %d: a type for each pair%s", (int)number, waits ? ", nonblocking" : "");
    row_open(&send, false);
    row_open(&receive, true);
    pairs_fill(&send, &receive);
    if (waits) {
        MPI_Ialltoallw(send.memory, send.counts, send.at, send.handles, receive.memory,
                       receive.counts, receive.at, receive.handles, test_comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Alltoallw(send.memory, send.counts, send.at, send.handles, receive.memory,
                      receive.counts, receive.at, receive.handles, test_comm);
    }
    for (size_t i = 0; i < receive.bytes; i++) {
        if (receive.memory[i] != receive.wanted[i]) {
            test_fail("byte %zu of %zu is %d instead of %d", i, receive.bytes, receive.memory[i],
                      receive.wanted[i]);
            break;
        }
    }
    row_close(&send);
    row_close(&receive);
}

static void all(void)
{
    int cases = test_quick ? QUICK_CASES : CASES;
    bool is_part = test_quick && !test_whole;
    for (number = 1; number <= (uint64_t)cases; number++) {
        if (is_part && number % 4 != 1 && number % 10 != 0) {
            continue; /* the others have each of the sides, lists and forms */
        }
        int many = is_part ? MANY_BLOCKS / 2 : MANY_BLOCKS;
        int list = number % 10 == 0 ? many : number % 10 == 5 ? FEW_BLOCKS : 0;
        struct drawn_type drawn = drawn_type_make(number, list);
        int count = is_part && list == many ? 1 : 1 + (int)(test_random(number, 9) % 5);
        allgather_check(&drawn, (enum sides)(number % SIDES), count);
        in_place_check(&drawn, count);
        bcast_check(&drawn, count, (int)(number % (uint64_t)test_size), number % 2 == 0);
        drawn_type_free(&drawn);
        pairs_check(number % 2 == 0);
    }
}

int main(int argc, char **argv)
{
    is_short = argc > 1 && strcmp(argv[argc - 1], "--short") == 0;
    test_begin(is_short ? argc - 1 : argc, argv, "check_packing", MPI_THREAD_SINGLE);
    if (test_size == 1 || test_size > RANKS_MAX) { /* coll/self takes displacements for extents */
        return test_skip("needs 2 to 16 ranks");
    }
    test_sweep(all);
    return test_end();
}
