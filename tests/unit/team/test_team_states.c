/*
 * test_team_states.c - what a team knows of its ranks' segments and memory from elsewhere: mapped,
 * refused, for which devices, and when that is forgotten.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/fork_team.h"

#include "heap/directory.h"
#include "heap/team/team_tables.h"

/* Of one rank or two, which are this process. */
static void team_begin(int size, struct symm_process **process, struct symm_team **team)
{
    assert_status(symm_process_acquire(NULL, process), SYMM_OK);
    const char *name = symm_server_name(symm_process_server(*process));
    const char *names[] = {name, name};
    const struct symm_team_config config = {.rank = 0, .size = size, .names = names};
    assert_status(symm_team_create(*process, &config, team), SYMM_OK);
}

static void team_set_up(struct symm_team *team)
{
    const struct symm_control_config config = {.payload_size = 64};
    assert_status(symm_team_take(team, &config), SYMM_OK);
    symm_team_settle(team, SYMM_LANE_ALL);
    assert_status(symm_team_tables_get(team), SYMM_OK);
    assert_status(symm_team_tables_get(team), SYMM_OK);
    symm_team_tables_settle(team, true);
}

/* What the team knows of a segment, it knows of that serial only. */
static void test_segment_states(void **state)
{
    struct symm_process *process = NULL;
    struct symm_team *team = NULL;
    struct symm_location first = {.serial = 1, .index = 0}, other = {.serial = 2, .index = 1},
                         next = {.serial = 3, .index = 0},
                         last = {.serial = 4, .index = SYMM_SEGMENTS_MAX - 1},
                         wrong = {.serial = 5, .index = SYMM_SEGMENTS_MAX},
                         device = {.serial = 1, .heap = SYMM_HEAPS_MAX - 1},
                         no_heap = {.serial = 1, .heap = SYMM_TEAM_ROWS};
    (void)state;
    team_begin(1, &process, &team);
    assert_int_equal(symm_team_segment_state(team, 0, &first), SYMM_SEGMENT_UNKNOWN);
    team_set_up(team);
    assert_int_equal(symm_team_segment_state(team, 0, &first), SYMM_SEGMENT_UNKNOWN);
    symm_team_set_segment_state(team, 0, &first, SYMM_SEGMENT_MAPPED);
    symm_team_set_segment_state(team, 0, &other, SYMM_SEGMENT_REFUSED);
    assert_int_equal(symm_team_segment_state(team, 0, &first), SYMM_SEGMENT_MAPPED);
    assert_int_equal(symm_team_segment_state(team, 0, &other), SYMM_SEGMENT_REFUSED);
    assert_int_equal(symm_team_segment_state(team, 0, &next), SYMM_SEGMENT_UNKNOWN);
    symm_team_set_segment_state(team, 0, &next, SYMM_SEGMENT_REFUSED);
    assert_int_equal(symm_team_segment_state(team, 0, &next), SYMM_SEGMENT_REFUSED);
    assert_int_equal(symm_team_segment_state(team, 0, &first), SYMM_SEGMENT_UNKNOWN);
    symm_team_set_segment_state(team, 0, &last, SYMM_SEGMENT_MAPPED);
    assert_int_equal(symm_team_segment_state(team, 0, &last), SYMM_SEGMENT_MAPPED);
    symm_team_set_segment_state(team, 0, &wrong, SYMM_SEGMENT_MAPPED);
    assert_int_equal(symm_team_segment_state(team, 0, &wrong), SYMM_SEGMENT_UNKNOWN);
    symm_team_set_segment_state(team, 0, &first, SYMM_SEGMENT_MAPPED);
    assert_int_equal(symm_team_segment_state(team, 0, &device), SYMM_SEGMENT_UNKNOWN);
    symm_team_set_segment_state(team, 0, &device, SYMM_SEGMENT_REFUSED);
    assert_int_equal(symm_team_segment_state(team, 0, &device), SYMM_SEGMENT_REFUSED);
    assert_int_equal(symm_team_segment_state(team, 0, &first), SYMM_SEGMENT_MAPPED);
    symm_team_set_segment_state(team, 0, &no_heap, SYMM_SEGMENT_MAPPED);
    assert_int_equal(symm_team_segment_state(team, 0, &no_heap), SYMM_SEGMENT_UNKNOWN);
    symm_team_collect(team, 0, SYMM_HEAPS_MAX, 1); /* nonsense from a peer: nothing happens */
    symm_team_forget_refusals(team, UINT64_MAX);
    assert_int_equal(symm_team_segment_state(team, 0, &device), SYMM_SEGMENT_UNKNOWN);
    assert_int_equal(symm_team_segment_state(team, 0, &first), SYMM_SEGMENT_MAPPED);
    symm_team_destroy(team);
    symm_process_release(process);
}

static void use_devices(struct symm_team *team, uint8_t first, uint8_t second)
{
    symm_team_note_device(team, 0, first);
    symm_team_note_device(team, 1, second);
    symm_team_devices_done(team);
}

/*
 * What the team knows, it knows of the devices that its ranks used; of the last few combinations.
 */
static void test_segment_states_of_devices(void **state)
{
    struct symm_process *process = NULL;
    struct symm_team *team = NULL;
    struct symm_location segment = {.serial = 1, .index = 3, .heap = 1};
    (void)state;
    team_begin(2, &process, &team);
    team_set_up(team);
    use_devices(team, 0, 0);
    symm_team_set_segment_state(team, 1, &segment, SYMM_SEGMENT_MAPPED);
    use_devices(team, 1, 2);
    assert_int_equal(symm_team_segment_state(team, 1, &segment), SYMM_SEGMENT_UNKNOWN);
    symm_team_set_segment_state(team, 1, &segment, SYMM_SEGMENT_REFUSED);
    use_devices(team, 2, 1);
    assert_int_equal(symm_team_segment_state(team, 1, &segment), SYMM_SEGMENT_UNKNOWN);
    symm_team_set_segment_state(team, 1, &segment, SYMM_SEGMENT_MAPPED);
    use_devices(team, 1, 2);
    assert_int_equal(symm_team_segment_state(team, 1, &segment), SYMM_SEGMENT_REFUSED);
    use_devices(team, 2, 1);
    assert_int_equal(symm_team_segment_state(team, 1, &segment), SYMM_SEGMENT_MAPPED);
    symm_team_forget_refusals(team, UINT64_MAX); /* in all combinations */
    assert_int_equal(symm_team_segment_state(team, 1, &segment), SYMM_SEGMENT_MAPPED);
    use_devices(team, 1, 2);
    assert_int_equal(symm_team_segment_state(team, 1, &segment), SYMM_SEGMENT_UNKNOWN);
    symm_team_set_segment_state(team, 1, &segment, SYMM_SEGMENT_MAPPED);
    for (uint8_t device = 3; device < 3 + SYMM_TEAM_VIEWS; device++) { /* (1, 2) is the oldest */
        use_devices(team, device, device);
        assert_int_equal(symm_team_segment_state(team, 1, &segment), SYMM_SEGMENT_UNKNOWN);
        symm_team_set_segment_state(team, 1, &segment, SYMM_SEGMENT_MAPPED);
        assert_int_equal(symm_team_segment_state(team, 1, &segment), SYMM_SEGMENT_MAPPED);
    }
    use_devices(team, 1, 2);
    assert_int_equal(symm_team_segment_state(team, 1, &segment), SYMM_SEGMENT_UNKNOWN);
    use_devices(team, 0, 0); /* host memory stays */
    assert_int_equal(symm_team_segment_state(team, 1, &segment), SYMM_SEGMENT_MAPPED);
    symm_team_destroy(team);
    symm_process_release(process);
}

/*
 * A rank has closed memory from elsewhere: which is mapped, is forgotten, but not what was refused,
 * nor segments.
 */
static void test_dropped_is_forgotten(void **state)
{
    struct symm_process *process = NULL;
    struct symm_team *team = NULL;
    struct symm_location mapped = {.serial = 1, .index = 0, .heap = SYMM_HEAP_IPC},
                         refused = {.serial = 2, .index = 1, .heap = SYMM_HEAP_IPC},
                         segment = {.serial = 1, .index = 0};
    (void)state;
    team_begin(1, &process, &team);
    team_set_up(team);
    symm_team_set_segment_state(team, 0, &mapped, SYMM_SEGMENT_MAPPED);
    symm_team_set_segment_state(team, 0, &refused, SYMM_SEGMENT_REFUSED);
    symm_team_set_segment_state(team, 0, &segment, SYMM_SEGMENT_MAPPED);
    for (uint32_t call = 0; call < 2; call++) {
        symm_team_note_dropped(team, 0, 0); /* no more than before */
        symm_team_dropped_done(team);
        assert_int_equal(symm_team_segment_state(team, 0, &mapped), SYMM_SEGMENT_MAPPED);
    }
    symm_team_note_dropped(team, 0, 1);
    symm_team_dropped_done(team);
    assert_int_equal(symm_team_segment_state(team, 0, &mapped), SYMM_SEGMENT_UNKNOWN);
    assert_int_equal(symm_team_segment_state(team, 0, &refused), SYMM_SEGMENT_REFUSED);
    assert_int_equal(symm_team_segment_state(team, 0, &segment), SYMM_SEGMENT_MAPPED);
    symm_team_destroy(team);
    symm_process_release(process);
}

/* Refused segments are tried again after many calls, then after twice as many; others stay. */
static void test_refusals_are_forgotten(void **state)
{
    struct symm_process *process = NULL;
    struct symm_team *team = NULL;
    struct symm_location refused = {.serial = 1, .index = 0}, mapped = {.serial = 2, .index = 1};
    uint64_t last = 0, span = 0;
    (void)state;
    team_begin(1, &process, &team);
    team_set_up(team);
    symm_team_set_segment_state(team, 0, &mapped, SYMM_SEGMENT_MAPPED);
    symm_team_set_segment_state(team, 0, &refused, SYMM_SEGMENT_REFUSED);
    last = team->sequence;
    for (unsigned tries = 0; tries < 4; team->sequence++) {
        symm_team_forget_refusals(team, team->sequence);
        assert_int_equal(symm_team_segment_state(team, 0, &mapped), SYMM_SEGMENT_MAPPED);
        if (symm_team_segment_state(team, 0, &refused) == SYMM_SEGMENT_UNKNOWN) {
            assert_in_range(team->sequence - last, 2 * span, 100000);
            span = team->sequence - last;
            last = team->sequence;
            symm_team_set_segment_state(team, 0, &refused, SYMM_SEGMENT_REFUSED);
            tries++;
        }
        assert_int_equal(symm_team_segment_state(team, 0, &refused), SYMM_SEGMENT_REFUSED);
    }
    assert_true(span >= 1000);
    symm_team_destroy(team);
    symm_process_release(process);
}

UNIT_MAIN("test_team_states", 60,
    cmocka_unit_test(test_segment_states),
    cmocka_unit_test(test_segment_states_of_devices),
    cmocka_unit_test(test_dropped_is_forgotten),
    cmocka_unit_test(test_refusals_are_forgotten))
