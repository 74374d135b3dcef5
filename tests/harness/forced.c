/*
 * What forced algorithms can serve.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/forced.h"
#include "tests/harness/harness.h"
#include "tests/harness/sweep.h"

#include <string.h>

static bool is_forced(const char *collective, const char *algorithm)
{
    const char *value = test_algorithm(collective);
    return value != NULL && strcmp(value, algorithm) == 0;
}

struct test_forced test_forced_find(void)
{
    size_t most = test_parameter("coll_symm_slot_size", 17408);
    bool one_shot = is_forced("allreduce", "one_shot");
    bool two_shot = is_forced("allreduce", "two_shot");
    bool reduces_alike = is_forced("allreduce", "multimem");
    bool reduces_once = is_forced("allreduce", "multimem_one_shot");
    bool gathers_alike = is_forced("allgather", "multimem");
    bool direct =
        is_forced("allgather", "pull") || is_forced("allgather", "push") || gathers_alike;
    return (struct test_forced){
        .reduced = is_forced("allreduce", "inline") ? most : SIZE_MAX,
        .gathered = is_forced("allgather", "inline") ? most : SIZE_MAX,
        .in_place = !one_shot && !reduces_once,
        .any_memory = !one_shot && !two_shot && !direct && !reduces_alike && !reduces_once,
        .alike = reduces_alike || reduces_once || gathers_alike,
        .reduces_gaps = is_forced("allreduce", "inline") || is_forced("allreduce", "staged"),
        .gathers_gaps = !direct,
    };
}

struct test_buffer test_forced_buffer(const struct test_forced *forced, uint64_t number,
                                      size_t bytes, size_t unit, enum test_role role)
{
    uint64_t rank = (uint64_t)test_rank;
    size_t places = unit < FORCED_LINE ? FORCED_LINE / unit : 1;
    uint64_t step =
        number * (role == TEST_SEND ? 3 : 5) + (forced->alike ? 0 : rank * 7) + role;
    bool heap = !forced->any_memory || (number / FORCED_LINE + rank) % 2 == 0;
    return test_buffer_new_at(heap, bytes, step % places * unit);
}
