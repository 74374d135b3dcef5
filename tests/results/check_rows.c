/*
 * Small calls with a root, and scans, in rows, without anything in between that would have the
 * ranks meet.  All that the ranks send changes from call to call, some ranks are late at times, and
 * so ranks find the others' data there, or wait for them, in any mixture.  Rows differ in
 * collective, root, counts and types; blocks may be empty, or too long to travel with the others.
 */
#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 64, INTS_MAX = 600, LONG = 6000, ROWS = 260, CALLS_MOST = 100, GAP = 2 };

enum collective { BCAST, SCATTER, SCATTERV, GATHER, GATHERV, REDUCE, SCAN, EXSCAN, COLLECTIVES };

static const char *const names[] = {"bcast",   "scatter", "scatterv", "gather",
                                    "gatherv", "reduce",  "scan",     "exscan"};

/* What all ranks know of a row, but that the others use only their own counts. */
struct row {
    enum collective collective;
    int root, calls;
    int count;             /* integers of a block; SCATTERV, GATHERV: the most */
    int counts[RANKS_MAX], displs[RANKS_MAX];
    bool spread[2];        /* the root's type, and the others', have gaps between integers */
    bool in_place;         /* at the root; of a scan, on one rank */
};

static int whole[RANKS_MAX * (LONG + 1) * GAP], block[(LONG + 1) * GAP];
static MPI_Datatype spread_int; /* an integer, and as much room behind it */

static uint64_t draw(uint64_t row, uint64_t what, uint64_t limit)
{
    return test_random(test_stream(row, 0, 1), what) % limit;
}

static bool has_counts(const struct row *row)
{
    return row->collective == SCATTERV || row->collective == GATHERV;
}

static bool is_from_root(const struct row *row)
{
    return row->collective <= SCATTERV;
}

static bool reduces(const struct row *row)
{
    return row->collective >= REDUCE;
}

/* So many ranks' integers are in the result of a rank. */
static int ranks_reduced(const struct row *row, int rank)
{
    return row->collective == SCAN ? rank + 1 : row->collective == EXSCAN ? rank : test_size;
}

/* All ranks draw the same. */
static struct row row_draw(uint64_t number)
{
    struct row row = {.collective = (enum collective)draw(number, 0, COLLECTIVES),
                      .root = (int)draw(number, 1, (uint64_t)test_size),
                      .calls = 1 + (int)draw(number, 2, CALLS_MOST),
                      .count = 1 + (int)draw(number, 3, draw(number, 4, 4) == 0 ? INTS_MAX : 8)};
    bool is_long = draw(number, 5, 8) == 0; /* one block */
    int end = 0;
    for (int rank = 0; rank < test_size; rank++) {
        uint64_t what = 100 + (uint64_t)rank;
        row.counts[rank] = (int)draw(number, what, (uint64_t)row.count + 1);
        if (is_long && rank == (int)draw(number, 6, (uint64_t)test_size)) {
            row.counts[rank] = LONG;
        }
        if (!has_counts(&row)) {
            row.counts[rank] = row.count;
        }
        row.displs[rank] = end + (has_counts(&row) ? (int)draw(number, what + 100, 3) : 0);
        end = row.displs[rank] + row.counts[rank];
    }
    row.spread[0] = !reduces(&row) && draw(number, 7, 6) == 0;
    row.spread[1] = !reduces(&row) && draw(number, 8, 6) == 0;
    row.in_place = row.collective != BCAST && draw(number, 9, 6) == 0;
    return row;
}

static int value(int call, int rank, int i)
{
    return call * 1000003 + rank * 7919 + i;
}

/* The integer at place `i` of memory whose integers are `step` apart. */
static int *at(int *memory, int i, int step)
{
    return &memory[(size_t)i * (size_t)step];
}

/* Integers of the block of a rank, and its place at the root. */
static void block_find(const struct row *row, int rank, int *count, int *place)
{
    bool is_one = row->collective == BCAST || reduces(row);
    *count = row->counts[rank];
    *place = is_one ? 0 : row->displs[rank];
}

/* The root has blocks of all ranks, or takes them; the others have their own. */
static void fill(const struct row *row, int call, int step)
{
    bool is_root = test_rank == row->root;
    int count, place, last = test_size - 1;
    block_find(row, last, &count, &place);
    memset(whole, 0x5b, (size_t)((place + count) * step) * sizeof(int));
    block_find(row, test_rank, &count, &place);
    memset(block, 0x5b, (size_t)((count + 1) * step) * sizeof(int));
    for (int rank = 0; rank < test_size && is_root && is_from_root(row); rank++) {
        block_find(row, rank, &count, &place);
        for (int i = 0; i < count; i++) {
            *at(whole, place + i, step) = value(call, row->collective == BCAST ? 0 : rank, i);
        }
    }
    if (is_from_root(row)) {
        return;
    }
    block_find(row, test_rank, &count, &place);
    for (int i = 0; i < count; i++) {
        *at(block, i, step) = value(call, test_rank, i);
        if (is_root && row->in_place) {
            *at(whole, place + i, step) = value(call, test_rank, i);
        }
    }
}

static void expect(const struct row *row, int call, int rank, int *memory, int place, int step)
{
    int count, unused;
    block_find(row, rank, &count, &unused);
    for (int i = 0; i < count; i++) {
        int wanted = value(call, row->collective == BCAST || reduces(row) ? 0 : rank, i);
        for (int other = 1; reduces(row) && other < ranks_reduced(row, rank); other++) {
            wanted = (int)((unsigned)wanted + (unsigned)value(call, other, i));
        }
        int found = *at(memory, place + i, step);
        if (found != wanted || (step > 1 && *(at(memory, place + i, step) + 1) != 0x5b5b5b5b)) {
            test_fail("call %d, block of rank %d, element %d: expected %d and a gap, found %d",
                      call, rank, i, wanted, found);
            return;
        }
    }
}

static void check(const struct row *row, int call, int step)
{
    int count, place;
    if (test_rank != row->root && is_from_root(row)) {
        expect(row, call, test_rank, row->collective == BCAST ? whole : block, 0, step);
        block_find(row, test_rank, &count, &place);
        test_check(row->collective == BCAST || *at(block, count, step) == 0x5b5b5b5b,
                   "nothing behind the block");
    } else if (row->collective == REDUCE ? test_rank == row->root
                                         : reduces(row) && ranks_reduced(row, test_rank) > 0) {
        expect(row, call, test_rank, whole, 0, step);
    } else if (test_rank == row->root && is_from_root(row)) {
        block_find(row, row->root, &count, &place);
        expect(row, call, row->root,
               row->in_place || row->collective == BCAST ? whole : block,
               row->in_place ? place : 0, step);
    }
    for (int rank = 0; rank < test_size && test_rank == row->root && !is_from_root(row) &&
                       !reduces(row); rank++) {
        block_find(row, rank, &count, &place);
        expect(row, call, rank, whole, place, step);
    }
}

static void make(const struct row *row)
{
    MPI_Comm world = MPI_COMM_WORLD;
    int root = row->root, count = row->counts[test_rank];
    bool is_root = test_rank == root;
    MPI_Datatype type = row->spread[is_root ? 0 : 1] ? spread_int : MPI_INT;
    void *own = is_root && row->in_place ? MPI_IN_PLACE : block;
    switch (row->collective) {
    case BCAST:
        MPI_Bcast(whole, row->count, type, root, world);
        break;
    case SCATTER:
        MPI_Scatter(whole, count, type, own, count, type, root, world);
        break;
    case SCATTERV:
        MPI_Scatterv(whole, row->counts, row->displs, type, own, count, type, root, world);
        break;
    case GATHER:
        MPI_Gather(own, count, type, whole, count, type, root, world);
        break;
    case GATHERV:
        MPI_Gatherv(own, count, type, whole, row->counts, row->displs, type, root, world);
        break;
    case SCAN:
        MPI_Scan(own, whole, row->count, MPI_INT, MPI_SUM, world);
        break;
    case EXSCAN:
        MPI_Exscan(own, whole, row->count, MPI_INT, MPI_SUM, world);
        break;
    default:
        MPI_Reduce(own, whole, row->count, MPI_INT, MPI_SUM, root, world);
        break;
    }
}

static void row_run(uint64_t number)
{
    struct row row = row_draw(number);
    int step = row.spread[test_rank == row.root ? 0 : 1] ? GAP : 1;
    uint64_t lateness = test_stream(number, (uint64_t)test_rank, 2);
    test_case("row %d: %d calls of %s, root %d, %d integers%s", (int)number, row.calls,
              names[row.collective], row.root, row.count, row.in_place ? ", in place" : "");
    for (int call = 0; call < row.calls; call++) {
        fill(&row, call, step);
        if (test_random(lateness, (uint64_t)call) % 64 == 0) {
            test_delay(300);
        }
        make(&row);
        check(&row, call, step);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_rows", MPI_THREAD_SINGLE);
    MPI_Type_create_resized(MPI_INT, 0, GAP * (MPI_Aint)sizeof(int), &spread_int);
    MPI_Type_commit(&spread_int);
    for (uint64_t number = 0; number < ROWS; number++) {
        row_run(number);
    }
    MPI_Type_free(&spread_int);
    return test_end();
}
