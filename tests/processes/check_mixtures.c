/*
 * Collectives that move data, where the ranks describe the same numbers by different datatypes:
 * with gaps and without, by many small elements and by few large ones.  MPI asks for one signature
 * only.  In place the count and the type to send mean nothing, and differ as well.
 *
 *     check_mixtures [--quick]
 *
 * With SYMM_TEST_LONG in the environment there are also broadcasts whose bytes an int cannot count.
 *
 * Which component makes a call, and by which algorithm, must not depend on what differs.  A call
 * in which the ranks have not met ends the program by SIGALRM, with the name of the call.
 *
 * The buffers are those of the host.  Where they are to be on devices, ondevice.so moves them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/calls.h"
#include "tests/harness/harness.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS_MAX = 16, PARTS = 4, SECONDS = 20, LARGE = 540000004, LARGE_SECONDS = 300 };
enum { POISON = 0x5a5a5a5a };

/* How a rank describes its numbers. */
enum kind { PLAIN, SPACED, FEW, FEW_SPACED, KINDS };
static const char *const kind_names[KINDS] = {"ints", "spaced ints", "arrays", "spaced arrays"};

/* An element has `numbers` ints, `step` ints apart. */
struct side {
    MPI_Datatype type;
    int numbers, step;
};

static char call_name[200];

static void hang_warn(int signal)
{
    (void)signal;
    (void)!write(STDERR_FILENO, call_name, strlen(call_name));
    (void)!write(STDERR_FILENO, ": the ranks do not meet\n", 24);
    _exit(1);
}

/* ---- sides ----------------------------------------------------------------------------------- */

static struct side side_new(enum kind kind, int block)
{
    struct side side = {.numbers = kind == FEW || kind == FEW_SPACED ? block / PARTS : 1,
                        .step = kind == SPACED || kind == FEW_SPACED ? 2 : 1};
    MPI_Datatype vector;
    MPI_Type_vector(side.numbers, 1, side.step, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, (MPI_Aint)sizeof(int) * side.numbers * side.step,
                            &side.type);
    MPI_Type_commit(&side.type);
    MPI_Type_free(&vector);
    return side;
}

/* The number at a place of the block that a rank sends to another one. */
static int value_of(int from, int to, int i)
{
    return (from + 1) * 1000003 + (to + 1) * 10007 + i;
}

/* A buffer of so many ints of data, in gaps and everywhere else poison. */
static int *buffer_new(const struct side *side, size_t numbers)
{
    size_t ints = numbers * (size_t)side->step;
    int *buffer = malloc(ints * sizeof(int) + 1);
    for (size_t i = 0; i < ints; i++) {
        buffer[i] = POISON;
    }
    return buffer;
}

static void block_fill(const struct side *side, int *buffer, int at, int count, int from, int to)
{
    for (int i = 0; i < count; i++) {
        buffer[(size_t)(at + i) * (size_t)side->step] = value_of(from, to, i);
    }
}

static void block_check(const struct side *side, const int *buffer, int at, int count, int from,
                        int to)
{
    for (int i = 0; i < count; i++) {
        const int *place = buffer + (size_t)(at + i) * (size_t)side->step;
        int wanted = value_of(from, to, i);
        if (place[0] != wanted || (side->step > 1 && place[1] != POISON)) {
            test_fail("number %d of rank %d is %d instead of %d, and a gap is %x", i, from,
                      place[0], wanted, side->step > 1 ? (unsigned)place[1] : 0);
            return;
        }
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

static enum test_call_form form;

/* What this rank's part of a call consists of. */
struct part {
    struct side out, in;
    int block;      /* numbers in a block of a call whose blocks are alike */
    int sent;       /* elements of `out` in it */
    int received;   /* elements of `in` in it */
    bool in_place;
    int root;
    int *send, *receive;
    int sizes[RANKS_MAX], begins[RANKS_MAX]; /* of blocks of several lengths, in numbers */
    int scounts[RANKS_MAX], sdisps[RANKS_MAX], rcounts[RANKS_MAX], rdisps[RANKS_MAX];
};

/* Make the call in the form that is asked for, with these buffers. */
static void call_make(const struct part *part, enum test_collective collective, const void *send,
                      void *receive)
{
    const struct test_arguments arguments = {
        .send = send, .send_count = part->sent, .send_type = part->out.type,
        .send_counts = part->scounts, .send_places = part->sdisps, .receive = receive,
        .count = part->received, .type = part->in.type, .counts = part->rcounts,
        .places = part->rdisps, .root = part->root, .comm = MPI_COMM_WORLD,
    };
    MPI_Request request = MPI_REQUEST_NULL;
    for (int round = 0; round < test_rounds(form); round++) {
        test_call_round(collective, form, &arguments, round, &request);
    }
}

static void bcast(struct part *part)
{
    if (test_rank == part->root) {
        block_fill(&part->in, part->receive, 0, part->block, part->root, 0);
    }
    call_make(part, TEST_BCAST, NULL, part->receive);
    block_check(&part->in, part->receive, 0, part->block, part->root, 0);
}

/* In place, what is to be sent lies in the receive buffer, and the arguments mean nothing. */
static const void *own_give(struct part *part, int at, int count, int to)
{
    if (part->in_place) {
        block_fill(&part->in, part->receive, at, count, test_rank, to);
        part->sent = test_rank % 2 == 0 ? 1 : 3000;
        return MPI_IN_PLACE;
    }
    block_fill(&part->out, part->send, 0, count, test_rank, to);
    return part->send;
}

static void allgather(struct part *part)
{
    const void *own = own_give(part, part->block * test_rank, part->block, 0);
    call_make(part, TEST_ALLGATHER, own, part->receive);
    for (int rank = 0; rank < test_size; rank++) {
        block_check(&part->in, part->receive, part->block * rank, part->block, rank, 0);
    }
}

static void allgatherv(struct part *part)
{
    part->sent = part->sizes[test_rank] / part->out.numbers;
    const void *own = own_give(part, part->begins[test_rank], part->sizes[test_rank], 0);
    call_make(part, TEST_ALLGATHERV, own, part->receive);
    for (int rank = 0; rank < test_size; rank++) {
        block_check(&part->in, part->receive, part->begins[rank], part->sizes[rank], rank, 0);
    }
}

static void gather(struct part *part)
{
    bool is_root = test_rank == part->root;
    part->in_place = part->in_place && is_root;
    const void *own = own_give(part, part->block * test_rank, part->block, 0);
    call_make(part, TEST_GATHER, own, is_root ? part->receive : NULL);
    for (int rank = 0; is_root && rank < test_size; rank++) {
        block_check(&part->in, part->receive, part->block * rank, part->block, rank, 0);
    }
}

static void gatherv(struct part *part)
{
    bool is_root = test_rank == part->root;
    part->in_place = part->in_place && is_root;
    part->sent = part->sizes[test_rank] / part->out.numbers;
    const void *own = own_give(part, part->begins[test_rank], part->sizes[test_rank], 0);
    call_make(part, TEST_GATHERV, own, part->receive);
    for (int rank = 0; is_root && rank < test_size; rank++) {
        block_check(&part->in, part->receive, part->begins[rank], part->sizes[rank], rank, 0);
    }
}

static void scatter(struct part *part)
{
    bool is_root = test_rank == part->root;
    bool keeps = part->in_place && is_root;
    for (int rank = 0; is_root && rank < test_size; rank++) {
        block_fill(&part->out, part->send, part->block * rank, part->block, part->root, rank);
    }
    call_make(part, TEST_SCATTER, part->send, keeps ? MPI_IN_PLACE : part->receive);
    block_check(keeps ? &part->out : &part->in, keeps ? part->send : part->receive,
                keeps ? part->block * part->root : 0, part->block, part->root, test_rank);
}

static void scatterv(struct part *part)
{
    bool is_root = test_rank == part->root;
    bool keeps = part->in_place && is_root;
    for (int rank = 0; is_root && rank < test_size; rank++) {
        block_fill(&part->out, part->send, part->begins[rank], part->sizes[rank], part->root, rank);
    }
    part->received = part->rcounts[test_rank];
    call_make(part, TEST_SCATTERV, part->send, keeps ? MPI_IN_PLACE : part->receive);
    block_check(keeps ? &part->out : &part->in, keeps ? part->send : part->receive,
                keeps ? part->begins[part->root] : 0, part->sizes[test_rank], part->root,
                test_rank);
}

static void alltoall(struct part *part)
{
    const struct side *from = part->in_place ? &part->in : &part->out;
    int *own = part->in_place ? part->receive : part->send;
    if (part->in_place) {
        part->sent = test_rank % 2 == 0 ? 1 : 3000;
    }
    for (int rank = 0; rank < test_size; rank++) {
        block_fill(from, own, part->block * rank, part->block, test_rank, rank);
    }
    call_make(part, TEST_ALLTOALL, part->in_place ? MPI_IN_PLACE : part->send, part->receive);
    for (int rank = 0; rank < test_size && (form != TEST_PERSISTENT || !part->in_place); rank++) {
        block_check(&part->in, part->receive, part->block * rank, part->block, rank, test_rank);
    }
}

/* All blocks to a rank are as long as that rank's size. */
static void alltoallv(struct part *part)
{
    for (int rank = 0; rank < test_size; rank++) {
        block_fill(&part->out, part->send, part->begins[rank], part->sizes[rank], test_rank, rank);
        part->rcounts[rank] = part->sizes[test_rank] / part->in.numbers;
        part->rdisps[rank] = part->rcounts[rank] * rank;
    }
    call_make(part, TEST_ALLTOALLV, part->send, part->receive);
    for (int rank = 0; rank < test_size; rank++) {
        block_check(&part->in, part->receive, part->sizes[test_rank] * rank,
                    part->sizes[test_rank], rank, test_rank);
    }
}

static const struct collective {
    const char *name;
    void (*call)(struct part *part);
    bool has_in_place;
} collectives[] = {
    {"MPI_Bcast", bcast, false},         {"MPI_Allgather", allgather, true},
    {"MPI_Allgatherv", allgatherv, true}, {"MPI_Gather", gather, true},
    {"MPI_Gatherv", gatherv, true},      {"MPI_Scatter", scatter, true},
    {"MPI_Scatterv", scatterv, true},    {"MPI_Alltoall", alltoall, true},
    {"MPI_Alltoallv", alltoallv, false},
};

/* ---- mixtures -------------------------------------------------------------------------------- */

/* Blocks of one and two lengths, in an order of this rank's own. */
static void sizes_set(struct part *part)
{
    int at = 0;
    for (int turn = 0; turn < test_size; turn++) {
        int rank = (turn + test_rank) % test_size;
        part->sizes[rank] = part->block * (1 + rank % 2);
        part->begins[rank] = at;
        part->scounts[rank] = part->sizes[rank] / part->out.numbers;
        part->sdisps[rank] = at / part->out.numbers;
        part->rcounts[rank] = part->sizes[rank] / part->in.numbers;
        part->rdisps[rank] = at / part->in.numbers;
        at += part->sizes[rank];
    }
}

static void run(const struct collective *collective, int block, int shift, bool in_place, int root)
{
    enum kind out = (enum kind)((test_rank + shift) % KINDS);
    enum kind in = (enum kind)((test_rank * 3 + shift / 2) % KINDS);
    struct part part = {.out = side_new(out, block), .in = side_new(in, block), .block = block,
                        .in_place = in_place, .root = root};
    size_t room = (size_t)block * (collective->call == bcast ? 1 : 2 * (size_t)test_size);
    (void)snprintf(call_name, sizeof(call_name),
                   "%s, %s%s, %d ints in a block, rank %d of %d has %s and %s, root %d",
                   collective->name, test_form_names[form], in_place ? ", in place" : "", block,
                   test_rank, test_size, kind_names[out], kind_names[in], root);
    test_case("%s", call_name);
    part.sent = block / part.out.numbers;
    part.received = block / part.in.numbers;
    part.send = buffer_new(&part.out, room);
    part.receive = buffer_new(&part.in, room);
    sizes_set(&part);
    (void)alarm(block == LARGE ? LARGE_SECONDS : SECONDS);
    collective->call(&part);
    (void)alarm(0);
    free(part.send);
    free(part.receive);
    MPI_Type_free(&part.out.type);
    MPI_Type_free(&part.in.type);
}

/* The default run: a collective has another length in each form, in place or not. */
static bool is_left_out(size_t collective, size_t length, bool in_place)
{
    size_t turn = collective + (size_t)form;
    bool is_other = collectives[collective].has_in_place && turn % 2 != in_place;
    return test_quick && !test_whole && (turn % 3 != length || is_other);
}

int main(int argc, char **argv)
{
    static const int blocks[] = {512, 40000, 400000, 16, 4000}; /* the last two at leisure */
    const size_t lengths = sizeof(blocks) / sizeof(*blocks) - (test_quick ? 2 : 0);
    (void)test_begin(argc, argv, "check_mixtures", MPI_THREAD_SINGLE);
    if (test_size > RANKS_MAX) {
        return test_skip("too many ranks");
    }
    (void)signal(SIGALRM, hang_warn);
    for (size_t c = 0; c < sizeof(collectives) / sizeof(*collectives); c++) {
        for (size_t b = 0; b < lengths; b++) {
            for (int shift = 0; shift < (test_quick ? 1 : KINDS); shift++) {
                for (form = TEST_BLOCKING; form < TEST_FORMS; form++) {
                    int root = (shift + (int)b) % test_size;
                    for (int in_place = 0; in_place <= collectives[c].has_in_place; in_place++) {
                        if (!is_left_out(c, b, in_place)) {
                            run(&collectives[c], blocks[b], shift, in_place, root);
                        }
                    }
                }
            }
        }
    }
    if (getenv("SYMM_TEST_LONG") != NULL) {
        form = TEST_BLOCKING;
        run(&collectives[0], LARGE, 0, false, 0);
        form = TEST_NONBLOCKING;
        run(&collectives[0], LARGE, 0, false, 0);
    }
    return test_end();
}
