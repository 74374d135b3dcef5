/*
 * Comparing results with another component's and between ranks.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls of MPI are made by their PMPI names here, out of reach of faults.c.
 */
#include "tests/results/random/random_oracle.h"
#include "tests/harness/harness.h"
#include "tests/results/random/random_exchange.h"
#include "tests/results/random/random_values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 64, TEXT = RANDOM_TEXT, TAG = 5, POISON = 0xdb };

struct kept {
    struct random_call call;
    unsigned char *input;
    unsigned char *result;
};

/* What a rank has got in a call; all words, for one message. */
struct entry {
    uint64_t index;
    uint64_t number; /* 0: not in the communicator */
    uint64_t digest;
};

static MPI_Comm messages;
static bool compare_whole;
static struct kept kept[KEPT];
static size_t kept_count;
static struct entry entries[RANDOM_BATCH];
static char texts[RANDOM_BATCH][TEXT];
static size_t entry_count;

void random_oracle_create(bool whole)
{
    compare_whole = whole;
    PMPI_Comm_dup(MPI_COMM_WORLD, &messages);
}

void random_oracle_free(void)
{
    PMPI_Comm_free(&messages);
}

static unsigned char *new_bytes(size_t bytes)
{
    unsigned char *memory = malloc(bytes + 1);
    if (memory == NULL) {
        fprintf(stderr, "no memory for an answer of %zu bytes\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 2);
        exit(2);
    }
    return memory;
}

/* ---- elements and their gaps ----------------------------------------------------------------- */

static bool is_dense(const struct test_layout *layout)
{
    return layout->blocks == 1 && layout->length[0] == layout->extent;
}

/* Padding inside predefined types is nobody's. Gaps in derived types have to stay as they were. */
static bool all_bytes_count(const struct test_layout *layout)
{
    return layout->derived || is_dense(layout);
}

static bool same_element(const struct test_layout *layout, const unsigned char *a,
                         const unsigned char *b)
{
    if (all_bytes_count(layout)) {
        return memcmp(a, b, layout->extent) == 0;
    }
    for (size_t block = 0; block < layout->blocks; block++) {
        size_t offset = layout->offset[block];
        if (memcmp(a + offset, b + offset, layout->length[block]) != 0) {
            return false;
        }
    }
    return true;
}

/* The first element that differs, or `count`. */
static size_t first_difference(const struct test_layout *layout, const unsigned char *a,
                               const unsigned char *b, size_t count)
{
    size_t i = 0;
    if (all_bytes_count(layout) && memcmp(a, b, count * layout->extent) == 0) {
        return count;
    }
    while (i < count && same_element(layout, a + i * layout->extent, b + i * layout->extent)) {
        i++;
    }
    return i;
}

/* A digest of bytes as they come, however they are cut. */
struct digest {
    uint64_t value;
    unsigned char word[8];
    size_t filled;
};

static void digest_word(struct digest *digest, const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    digest->value = (digest->value ^ word) * UINT64_C(0x9fb21c651e98df25);
    digest->value ^= digest->value >> 32;
}

static void digest_bytes(struct digest *digest, const unsigned char *bytes, size_t length)
{
    size_t i = 0;
    while (i < length) {
        if (digest->filled == 0 && length - i >= sizeof digest->word) {
            digest_word(digest, bytes + i);
            i += sizeof digest->word;
        } else {
            digest->word[digest->filled++] = bytes[i++];
            if (digest->filled == sizeof digest->word) {
                digest_word(digest, digest->word);
                digest->filled = 0;
            }
        }
    }
}

static uint64_t digest_end(struct digest *digest)
{
    memset(digest->word + digest->filled, 0, sizeof digest->word - digest->filled);
    digest_word(digest, digest->word);
    return digest->value;
}

static size_t elements(const struct random_call *call)
{
    return call->collective == TEST_ALLGATHER ? (size_t)call->comm->size * call->count
                                                : call->results;
}

/* Layouts may differ between ranks, the data in them may not: gaps are left out, and data comes in
 * the order of the type. */
static void digest_elements(struct digest *digest, const struct test_layout *layout,
                            const unsigned char *at, size_t count)
{
    if (is_dense(layout)) {
        digest_bytes(digest, at, count * layout->extent);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t block = 0; block < layout->blocks; block++) {
            digest_bytes(digest, at + i * layout->extent + layout->offset[block],
                         layout->length[block]);
        }
    }
}

static uint64_t digest_result(const struct random_call *call, const unsigned char *result)
{
    const struct random_side *side = &call->receiving;
    struct digest digest = {.value = call->number};
    if (!random_call_exchanges(call)) {
        digest_elements(&digest, &call->receive, result, elements(call));
        return digest_end(&digest);
    }
    for (int block = 0; block < side->blocks; block++) {
        digest_elements(&digest, &side->layouts[block], result + side->at[block],
                        (size_t)side->counts[block]);
    }
    return digest_end(&digest);
}

/* ---- reports --------------------------------------------------------------------------------- */

static void element_text(const struct random_call *call, const unsigned char *at, char *text,
                         size_t size)
{
    size_t used = 0;
    if (call->collective != TEST_ALLGATHER && call->element != NULL) {
        test_element_text(call->element, at, text, size);
        used = strlen(text);
        used += (size_t)snprintf(text + used, size - used, " =");
    }
    for (size_t i = 0; i < call->receive.extent && used + 4 < size; i++) {
        used += (size_t)snprintf(text + used, size - used, " %02x", at[i]);
    }
}

static void report(const struct random_call *call, size_t i, const char *who,
                   const unsigned char *expected, const unsigned char *found)
{
    char want[160] = "";
    char got[160] = "";
    size_t at = i * call->receive.extent;
    element_text(call, expected + at, want, sizeof want);
    element_text(call, found + at, got, sizeof got);
    test_fail("element %zu of %zu: %s %s, found %s", i, elements(call), who, want, got);
}

/* ---- the previous component ------------------------------------------------------------------ */

/* Bytes of the other component's answer: for reduce-scatters it makes an all-reduce. */
static size_t answer_bytes(const struct random_call *call)
{
    return random_call_scatters(call) ? call->count * call->receive.extent
                                      : random_call_output_bytes(call);
}

static void ask_other_component(const struct random_call *call, const unsigned char *input,
                                unsigned char *answer)
{
    MPI_Comm comm = call->comm->reference;
    const void *from = input + call->send.origin;
    void *to = answer + call->receive.origin;
    memset(answer, POISON, answer_bytes(call));
    if (call->collective == TEST_ALLGATHER) {
        PMPI_Allgather(from, (int)call->send_count, call->send.type, to, (int)call->count,
                       call->receive.type, comm);
    } else {
        MPI_Op op = call->operation != NULL ? call->operation->op : test_op_handle(call->op);
        (call->collective == TEST_SCAN     ? PMPI_Scan
         : call->collective == TEST_EXSCAN ? PMPI_Exscan
                                             : PMPI_Allreduce)(
            from, to, (int)call->count, call->receive.type, op, comm);
    }
}

/* What has been gathered against what was sent: both components may be wrong alike. */
static void compare_with_sent(const struct random_call *call, const unsigned char *result)
{
    size_t block = call->count * call->receive.extent;
    for (int rank = 0; rank < call->comm->size; rank++) {
        test_layout_check(&call->receive, random_values_stream(call, rank),
                          result + (size_t)rank * block, call->count, POISON, rank);
    }
}

/* All ranks of the communicator against its rank 0. */
static void compare_with_root(const struct random_call *call, const unsigned char *result)
{
    MPI_Comm comm = call->comm->reference;
    int bytes = (int)random_call_output_bytes(call);
    if (call->comm->rank == 0) {
        for (int rank = 1; rank < call->comm->size; rank++) {
            PMPI_Send(result, bytes, MPI_BYTE, rank, TAG, comm);
        }
        return;
    }
    unsigned char *root = new_bytes((size_t)bytes);
    PMPI_Recv(root, bytes, MPI_BYTE, 0, TAG, comm, MPI_STATUS_IGNORE);
    size_t i = first_difference(&call->receive, root, result, elements(call));
    if (i < elements(call)) {
        report(call, i, "the communicator's rank 0 has", root, result);
    }
    free(root);
}

static void settle_one(const struct kept *one)
{
    const struct random_call *call = &one->call;
    char text[TEXT];
    random_call_describe(call, text, sizeof text);
    test_case_again(text);
    if (random_call_exchanges(call)) {
        random_exchange_check(call, one->result, POISON);
        return;
    }
    unsigned char *answer = new_bytes(answer_bytes(call));
    const unsigned char *expected = answer + call->begin * call->receive.extent;
    ask_other_component(call, one->input, answer);
    if (random_values_same_bits(call)) {
        size_t i = first_difference(&call->receive, expected, one->result, elements(call));
        if (i < elements(call)) {
            report(call, i, "the component below says", expected, one->result);
        }
    } else {
        random_values_check_rounded(call, one->result, expected);
    }
    if (compare_whole && call->collective == TEST_ALLGATHER) {
        compare_with_sent(call, one->result);
    } else if (compare_whole && !random_call_scatters(call) && !random_call_scans(call)) {
        compare_with_root(call, one->result);
    }
    free(answer);
}

void random_oracle_settle(void)
{
    for (size_t i = 0; i < kept_count; i++) {
        settle_one(&kept[i]);
        free(kept[i].input);
        free(kept[i].result);
    }
    kept_count = 0;
}

/* ---- keeping --------------------------------------------------------------------------------- */

static void enter(uint64_t index, uint64_t number, uint64_t digest, const char *text)
{
    snprintf(texts[entry_count], TEXT, "%s", text);
    entries[entry_count++] = (struct entry){index, number, digest};
}

void random_oracle_keep(const struct random_call *call, unsigned char *input,
                        unsigned char *result)
{
    char text[TEXT];
    random_call_describe(call, text, sizeof text);
    bool is_own = random_call_scatters(call) || random_call_scans(call) ||
                  (random_call_exchanges(call) && call->collective != TEST_ALLGATHERV);
    uint64_t own = is_own ? (uint64_t)call->comm->rank + 1 : 0;
    enter(call->index, (call->number + 1) ^ own << 48, digest_result(call, result), text);
    kept[kept_count++] = (struct kept){*call, input, result};
}

void random_oracle_pass(uint64_t index)
{
    enter(index, 0, 0, "");
}

/* ---- between ranks --------------------------------------------------------------------------- */

/* Against the lowest rank that has taken part in the same call. `all` has a batch for each rank. */
static void compare_entry(const struct entry *all, size_t i, int rank)
{
    const struct entry *mine = &all[(size_t)rank * RANDOM_BATCH + i];
    for (int other = 0; other < rank; other++) {
        const struct entry *theirs = &all[(size_t)other * RANDOM_BATCH + i];
        if (mine->number != 0 && theirs->number == mine->number) {
            if (theirs->digest != mine->digest) {
                char text[64];
                snprintf(text, sizeof text, "call %" PRIu64, mine->index);
                test_case_again(texts[i][0] == '\0' ? text : texts[i]);
                test_fail("ranks %d and %d of the world have got different bits (digests "
                          "%016" PRIx64 " and %016" PRIx64 ")",
                          other, rank, theirs->digest, mine->digest);
            }
            return;
        }
    }
}

static void compare_entries(const struct entry *all)
{
    for (size_t i = 0; i < entry_count; i++) {
        for (int rank = 0; rank < test_size; rank++) {
            compare_entry(all, i, rank);
            test_digest(&all[(size_t)rank * RANDOM_BATCH + i].digest, sizeof(uint64_t));
        }
    }
}

static void collect(void)
{
    size_t batch = sizeof entries;
    unsigned char *all = new_bytes((size_t)test_size * batch);
    memcpy(all, entries, batch);
    for (int rank = 1; rank < test_size; rank++) {
        PMPI_Recv(all + (size_t)rank * batch, (int)batch, MPI_BYTE, rank, TAG, messages,
                  MPI_STATUS_IGNORE);
    }
    compare_entries((const struct entry *)(const void *)all);
    free(all);
}

bool random_oracle_exchange(bool ask, bool go_on)
{
    int word = go_on;
    if (test_rank == 0) {
        collect();
        for (int rank = 1; ask && rank < test_size; rank++) {
            PMPI_Send(&word, 1, MPI_INT, rank, TAG, messages);
        }
    } else {
        PMPI_Send(entries, (int)sizeof entries, MPI_BYTE, 0, TAG, messages);
        if (ask) {
            PMPI_Recv(&word, 1, MPI_INT, 0, TAG, messages, MPI_STATUS_IGNORE);
        }
    }
    entry_count = 0;
    return word != 0;
}
