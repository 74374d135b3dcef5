/*
 * test_version.c - the release in symm.h, which knows no config.h, is configure's.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/unit.h"

#include <stdio.h>

#include "heap/symm.h"

#if SYMM_VERSION < SYMM_VERSION_NUMBER(0, 2, 0)
#error the preprocessor cannot compare releases
#endif

static void test_release(void **state)
{
    char text[64];
    (void)state;
    (void)snprintf(text, sizeof(text), "%d.%d.%d", SYMM_VERSION_MAJOR, SYMM_VERSION_MINOR,
                   SYMM_VERSION_PATCH);
    assert_string_equal(text, PACKAGE_VERSION);
    assert_string_equal(text, symm_version());
}

static void test_order(void **state)
{
    (void)state;
    assert_true(SYMM_VERSION_NUMBER(0, 2, 0) < SYMM_VERSION_NUMBER(0, 2, 1));
    assert_true(SYMM_VERSION_NUMBER(0, 2, 999) < SYMM_VERSION_NUMBER(0, 3, 0));
    assert_true(SYMM_VERSION_NUMBER(0, 999, 999) < SYMM_VERSION_NUMBER(1, 0, 0));
}

UNIT_MAIN("test_version", 10,
    cmocka_unit_test(test_release),
    cmocka_unit_test(test_order))
