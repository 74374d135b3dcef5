/*
 * test_alive.c - whether another process is still there.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/owner.h"

#include "heap/server/alive.h"

enum { LOOKS = 300 };

static struct symm_alive *hold(const char *name)
{
    struct symm_alive *alive = symm_alive_hold(name);
    assert_non_null(alive);
    return alive;
}

static bool goes_within(struct symm_alive *alive, double seconds)
{
    const double end = unit_seconds() + seconds;
    unsigned polls = 0;
    while (!symm_alive_has_gone(alive) && unit_seconds() < end) {
        unit_pause(&polls);
    }
    return symm_alive_has_gone(alive);
}

/* Two users share a connection; the process ends in the hard way. */
static void test_killed(void **state)
{
    struct owner owner;
    (void)state;
    owner_start(&owner);
    struct symm_alive *alive = hold(owner.name);
    assert_ptr_equal(hold(owner.name), alive);
    for (int i = 0; i < LOOKS; i++) {
        assert_false(symm_alive_has_gone(alive));
    }
    (void)owner_alloc(&owner, 0, 1000); /* it answers others meanwhile */
    symm_alive_release(alive);
    assert_false(symm_alive_has_gone(alive));
    owner_kill(&owner);
    assert_true(goes_within(alive, 20));
    symm_alive_release(alive);
}

static void test_ended(void **state)
{
    struct owner owner;
    (void)state;
    owner_start(&owner);
    struct symm_alive *alive = hold(owner.name);
    assert_false(symm_alive_has_gone(alive));
    owner_stop(&owner);
    assert_true(goes_within(alive, 20));
    symm_alive_release(alive);
}

/* One that had ended before anybody asked; a name that is none says nothing. */
static void test_not_there(void **state)
{
    struct owner owner;
    (void)state;
    owner_start(&owner);
    owner_kill(&owner);
    struct symm_alive *alive = hold(owner.name), *nobody = hold("no name");
    assert_true(goes_within(alive, 20));
    assert_false(symm_alive_has_gone(nobody));
    symm_alive_release(alive);
    symm_alive_release(nobody);
}

UNIT_MAIN("test_alive", 60,
    cmocka_unit_test(test_killed),
    cmocka_unit_test(test_ended),
    cmocka_unit_test(test_not_there))
