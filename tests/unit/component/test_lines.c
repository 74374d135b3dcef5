/*
 * test_lines.c - the layout of text that mpirun passes on in blocks.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mca/coll/symm/report/lines.h"

enum { TEXT_MOST = 40000 };

/* What is left if lines of blanks are taken away. */
static size_t trim(const char *text, size_t length, char *trimmed)
{
    size_t at = 0, begin = 0;
    for (size_t i = 0; i < length; i++) {
        trimmed[at++] = text[i];
        if (text[i] == '\n') {
            at = strspn(trimmed + begin, " ") == at - 1 - begin ? begin : at;
            begin = at;
        }
    }
    return at;
}

static void check(const char *text, size_t length, bool has_long_lines)
{
    static char laid[2 * TEXT_MOST], trimmed[2 * TEXT_MOST];
    size_t size = mca_coll_symm_lines_lay(text, length, laid);
    assert_true(size <= 2 * length);
    for (size_t at = SYMM_LINES_BLOCK; at < size && !has_long_lines; at += SYMM_LINES_BLOCK) {
        assert_int_equal(laid[at - 1], '\n');
    }
    assert_int_equal(trim(laid, size, trimmed), length);
    assert_memory_equal(trimmed, text, length);
}

static void test_lay(void **state)
{
    static char text[TEXT_MOST];
    (void)state;
    for (uint64_t run = 0; run < 200; run++) {
        struct unit_random random = unit_random_start(71, run);
        size_t longest = run % 4 == 0 ? SYMM_LINES_BLOCK : 2 + unit_random_below(&random, 200);
        size_t length = 0, most = unit_random_below(&random, TEXT_MOST - SYMM_LINES_BLOCK);
        while (length < most) {
            size_t line = 2 + unit_random_below(&random, longest - 1);
            memset(text + length, 'a' + (int)(line % 26), line - 1);
            length += line;
            text[length - 1] = '\n';
        }
        check(text, length, false);
    }
}

static void test_edges(void **state)
{
    static char text[3 * SYMM_LINES_BLOCK];
    (void)state;
    check("", 0, false);
    check("no newline", 10, false);
    memset(text, 'x', sizeof(text));
    text[SYMM_LINES_BLOCK - 1] = '\n'; /* a line that is as long as a block */
    text[2 * SYMM_LINES_BLOCK - 1] = '\n';
    check(text, 2 * SYMM_LINES_BLOCK, false);
    text[9] = '\n';
    check(text, 2 * SYMM_LINES_BLOCK, false);
    text[SYMM_LINES_BLOCK - 1] = 'x'; /* one that is longer */
    check(text, sizeof(text), true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lay),
        cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
