/*
 * validate.c - checks results against a reference, a chunk at a time so that it needs no memory of
 * its own. Before the call every byte of the output holds the complement of what it must become.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "validate.h"

#include "form.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS = 3,
    MANY_ROUNDS_BYTES = 16 << 20, /* larger calls are made once: the reference takes seconds */
    CHUNK = 256 << 10,            /* a copy from or to a GPU takes some microseconds */
    GUARD_BYTE = 0x5a
};

/* One call that is checked, with room on the host for a chunk of what is expected and of what is
 * found. */
struct check {
    const struct call *call;
    const struct side *side;
    uint64_t key;
    unsigned char *expected;
    unsigned char *found;
};

/* Scatters the bits of its argument: a step of the splitmix generator. */
static uint64_t scatter(uint64_t value)
{
    value += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

static uint64_t input_key(uint64_t key, int rank)
{
    return scatter(key + (uint64_t)rank);
}

/* A whole number, small enough that the sum over all ranks fits the 24 bits of a float32. */
static double input_value(uint64_t key, size_t index, int ranks)
{
    int64_t limit = (1 << 23) / ranks;
    return (double)((int64_t)(scatter(key + index) % (uint64_t)(2 * limit + 1)) - limit);
}

static void element_put(const struct call *call, unsigned char *to, double value)
{
    float as_float = (float)value;
    int32_t as_int = (int32_t)value;
    memcpy(to, call->element == ELEMENT_INT ? (void *)&as_int : (void *)&as_float, ELEMENT_BYTES);
}

static void input_bytes(uint64_t key, size_t offset, size_t length, unsigned char *chunk)
{
    for (size_t i = 0; i < length;) {
        size_t at = (offset + i) % sizeof(uint64_t), rest = sizeof(uint64_t) - at;
        uint64_t word = scatter(key + offset + i - at);
        size_t some = length - i < rest ? length - i : rest;
        memcpy(chunk + i, (const unsigned char *)&word + at, some);
        i += some;
    }
}

/* Bytes [offset, offset + length) of a rank's input. */
static void input_chunk(const struct call *call, uint64_t key, int rank, size_t offset,
                        size_t length, unsigned char *chunk)
{
    uint64_t own = input_key(key, rank);
    if (!call_reduces(call->collective)) {
        input_bytes(own, offset, length, chunk);
        return;
    }
    for (size_t i = 0; i < length; i += ELEMENT_BYTES) {
        element_put(call, chunk + i, input_value(own, (offset + i) / ELEMENT_BYTES, call->ranks));
    }
}

/* The number of ranks, from 0 on, whose inputs are in the sum. */
static int result_sources(const struct call *call)
{
    return call->collective == COLLECTIVE_SCAN     ? call->rank + 1
           : call->collective == COLLECTIVE_EXSCAN ? call->rank : call->ranks;
}

/*
 * Bytes [offset, offset + length) of the sum, of this rank's block of it, or of the block that came
 * from rank `part`.
 */
static void result_chunk(const struct call *call, uint64_t key, int part, size_t offset,
                         size_t length, unsigned char *chunk)
{
    if (call_scatters(call->collective)) {
        offset += (size_t)call->rank * call_result_bytes(call);
    }
    if (call_exchanges(call->collective)) { /* this rank's block of that rank's input */
        offset += (size_t)call->rank * call->bytes;
    }
    if (!call_reduces(call->collective)) { /* the root is rank 0, as is the only part */
        bool scatters = call_is_scatter(call->collective);
        input_chunk(call, key, scatters ? call->rank : part, offset, length, chunk);
        return;
    }
    for (size_t i = 0; i < length; i += ELEMENT_BYTES) {
        double sum = 0;
        for (int rank = 0; rank < result_sources(call); rank++) {
            sum += input_value(input_key(key, rank), (offset + i) / ELEMENT_BYTES, call->ranks);
        }
        element_put(call, chunk + i, sum);
    }
}

static size_t chunk_length(size_t whole, size_t offset)
{
    return whole - offset < CHUNK ? whole - offset : CHUNK;
}

static int result_parts(const struct call *call)
{
    return call_gathers(call->collective) ? call->ranks : 1;
}

static size_t part_bytes(const struct call *call)
{
    return call_result_bytes(call) / (size_t)result_parts(call);
}

static unsigned char *guard_of(const struct call *call)
{
    return call->buffers->receive + call_written_bytes(call);
}

static void poison_result(const struct check *check)
{
    const struct call *call = check->call;
    unsigned char *result = call_result(call);
    size_t bytes = part_bytes(call);
    for (int part = 0; part < result_parts(call); part++) {
        for (size_t offset = 0; offset < bytes; offset += CHUNK) {
            size_t length = chunk_length(bytes, offset);
            result_chunk(call, check->key, part, offset, length, check->expected);
            for (size_t i = 0; i < length; i++) {
                check->expected[i] = (unsigned char)~check->expected[i];
            }
            buffers_store(call->buffers, result, check->expected, length);
            result += length;
        }
    }
    memset(check->expected, GUARD_BYTE, BUFFERS_GUARD);
    buffers_store(call->buffers, guard_of(call), check->expected, BUFFERS_GUARD);
}

/* An input has a block of its own, or at the root of a scatter one for each rank. */
static int input_parts(const struct call *call)
{
    return !call_has_input(call) ? 0 : call_is_scatter(call->collective) ? call->ranks : 1;
}

/* Bytes that one rank's key makes. */
static size_t input_part_bytes(const struct call *call)
{
    return call_is_scatter(call->collective) ? call->bytes : call_input_bytes(call);
}

static int input_owner(const struct call *call, int part)
{
    return call_is_scatter(call->collective) ? part : call->rank;
}

static void fill_input(const struct check *check)
{
    const struct call *call = check->call;
    unsigned char *input = call_input(call);
    size_t bytes = input_part_bytes(call);
    for (int part = 0; part < input_parts(call); part++, input += bytes) {
        for (size_t offset = 0; offset < bytes; offset += CHUNK) {
            size_t length = chunk_length(bytes, offset);
            input_chunk(call, check->key, input_owner(call, part), offset, length,
                        check->expected);
            buffers_store(call->buffers, input + offset, check->expected, length);
        }
    }
}

/* Writes the line at once, so that lines of several ranks do not mix. */
static void report(const struct check *check, const char *what, int part, size_t byte)
{
    const struct call *call = check->call;
    char block[48] = "";
    char line[256];
    if (call_gathers(call->collective)) {
        snprintf(block, sizeof(block), "block of rank %d, ", part);
    }
    snprintf(line, sizeof(line), "symm_bench: rank %d: %s of %zu bytes%s: %s (%sbyte %zu)\n",
             call->rank, form_name(check->side->form, call->collective), call->bytes,
             check->side->words, what, block, byte);
    fputs(line, stderr);
}

/* Where `length` bytes of the buffers differ from what is expected; `length` if they do not. */
static size_t first_difference(const struct check *check, const unsigned char *buffer,
                               size_t length)
{
    size_t i = 0;
    buffers_load(check->call->buffers, check->found, buffer, length);
    if (memcmp(check->found, check->expected, length) == 0) {
        return length;
    }
    while (check->found[i] == check->expected[i]) {
        i++;
    }
    return i;
}

static bool result_is_right(const struct check *check)
{
    const struct call *call = check->call;
    const unsigned char *result = call_result(call);
    size_t bytes = part_bytes(call);
    for (int part = 0; part < result_parts(call); part++) {
        for (size_t offset = 0; offset < bytes; offset += CHUNK) {
            size_t length = chunk_length(bytes, offset);
            result_chunk(call, check->key, part, offset, length, check->expected);
            size_t wrong = first_difference(check, result, length);
            if (wrong < length) {
                report(check, "wrong result", part, offset + wrong);
                return false;
            }
            result += length;
        }
    }
    return true;
}

static bool part_is_whole(const struct check *check, int part, const unsigned char *input)
{
    const struct call *call = check->call;
    size_t bytes = input_part_bytes(call);
    for (size_t offset = 0; offset < bytes; offset += CHUNK) {
        size_t length = chunk_length(bytes, offset);
        input_chunk(call, check->key, input_owner(call, part), offset, length, check->expected);
        size_t wrong = first_difference(check, input + offset, length);
        if (wrong < length) {
            report(check, "the input was changed", call->rank, offset + wrong);
            return false;
        }
    }
    return true;
}

static bool input_is_whole(const struct check *check)
{
    const struct call *call = check->call;
    const unsigned char *input = call_input(call);
    int parts = input == call->buffers->send ? input_parts(call) : 0;
    bool is_whole = true;
    for (int part = 0; part < parts && is_whole; part++) {
        is_whole = part_is_whole(check, part, input + (size_t)part * input_part_bytes(call));
    }
    return is_whole;
}

static bool guard_is_whole(const struct check *check)
{
    const struct call *call = check->call;
    memset(check->expected, GUARD_BYTE, BUFFERS_GUARD);
    size_t wrong = first_difference(check, guard_of(call), BUFFERS_GUARD);
    if (wrong < BUFFERS_GUARD) {
        size_t end = call_written_bytes(call);
        report(check, "written behind the end", call->ranks - 1,
               (result_parts(call) > 1 ? call->bytes : end) + wrong);
        return false;
    }
    return true;
}

static bool round_is_right(const struct check *check)
{
    poison_result(check);
    fill_input(check);
    side_run(check->side, check->call);
    return result_is_right(check) && input_is_whole(check) && guard_is_whole(check);
}

bool validate_call(const struct call *call, const struct side *side, MPI_Comm control,
                   uint64_t seed)
{
    struct call mine = side_call(side, call);
    struct check check = {.call = &mine, .side = side};
    int rounds = call->bytes <= MANY_ROUNDS_BYTES ? ROUNDS : 1;
    int wrong = 0;
    int wrong_somewhere;
    check.expected = buffers_private(CHUNK);
    check.found = buffers_private(CHUNK);
    for (int round = 0; round < rounds; round++) {
        check.key = scatter(seed + call->bytes * ROUNDS + (uint64_t)round);
        wrong += !round_is_right(&check);
    }
    free(check.found);
    free(check.expected);
    MPI_Reduce(&wrong, &wrong_somewhere, 1, MPI_INT, MPI_SUM, 0, control);
    MPI_Bcast(&wrong_somewhere, 1, MPI_INT, 0, control);
    return wrong_somewhere == 0;
}
