/*
 * Where ranks are, and which plan a call over several nodes has.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/plan.h"
#include "mca/coll/symm/nodes/topology.h"

#include "tests/unit/harness/unit.h"

#define MAKE(topology, rank, ...)                                                              \
    (symm_topology_make(topology, (const int[]){__VA_ARGS__},                                  \
                        (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)), rank))

static void node_by_node(void **state)
{
    struct symm_topology t;
    (void)state;
    assert_true(MAKE(&t, 2, 0, 0, 2, 3, 3, 3));
    assert_int_equal(t.nodes, 3);
    assert_int_equal(t.rails, 1);
    assert_int_equal(t.most, 3);
    assert_true(t.ordered);
    assert_int_equal(t.node, 1);
    assert_int_equal(t.local, 0);
    assert_false(symm_topology_has_node(&t));
    assert_true(symm_topology_has_rail(&t));
    assert_int_equal(symm_topology_count(&t, 2), 3);
    assert_int_equal(symm_topology_rank(&t, 2, 1), 4);
    symm_topology_end(&t);
    assert_true(MAKE(&t, 5, 0, 0, 2, 3, 3, 3));
    assert_int_equal(t.local, 2);
    assert_false(symm_topology_has_rail(&t));
    symm_topology_end(&t);
}

static void round_robin(void **state)
{
    struct symm_topology t;
    (void)state;
    assert_true(MAKE(&t, 3, 0, 1, 0, 1));
    assert_int_equal(t.nodes, 2);
    assert_int_equal(t.rails, 2);
    assert_false(t.ordered);
    assert_int_equal(t.node, 1);
    assert_int_equal(t.local, 1);
    assert_int_equal(symm_topology_rank(&t, 0, 1), 2);
    symm_topology_end(&t);
}

static void contradictions(void **state)
{
    struct symm_topology t;
    (void)state;
    assert_false(MAKE(&t, 0, 1, 1));    /* no node begins behind its ranks */
    assert_false(MAKE(&t, 0, 0, 0, 1)); /* rank 1 is no lowest rank */
    assert_false(MAKE(&t, 0, 0, -1));
}

static enum symm_nodes_plan plan(const struct symm_topology *t, enum symm_collective collective,
                                 size_t bytes, bool commutes, int root)
{
    const struct symm_nodes_facts facts = {
        .collective = collective, .bytes = bytes, .commutes = commutes, .root = root};
    return mca_coll_symm_nodes_plan(t, &facts);
}

static void plans(void **state)
{
    struct symm_topology even, uneven, mixed;
    (void)state;
    assert_true(MAKE(&even, 0, 0, 0, 2, 2));
    assert_true(MAKE(&uneven, 0, 0, 0, 2, 3, 3, 3));
    assert_true(MAKE(&mixed, 0, 0, 1, 0, 1));
    assert_int_equal(plan(&even, SYMM_ALLREDUCE, 8, true, 0), SYMM_NODES_LEADERS);
    assert_int_equal(plan(&even, SYMM_ALLREDUCE, 1 << 20, true, 0), SYMM_NODES_RAILS);
    assert_int_equal(plan(&even, SYMM_ALLREDUCE, 8, false, 0), SYMM_NODES_LEADERS);
    assert_int_equal(plan(&mixed, SYMM_ALLREDUCE, 8, false, 0), SYMM_NODES_FLAT);
    assert_int_equal(plan(&uneven, SYMM_REDUCE, 8, true, 3), SYMM_NODES_LEADERS);
    assert_int_equal(plan(&uneven, SYMM_REDUCE, 8, true, 4), SYMM_NODES_RAILS); /* has no rail */
    assert_int_equal(plan(&even, SYMM_ALLGATHER, 1 << 20, false, 0), SYMM_NODES_RAILS);
    assert_int_equal(plan(&uneven, SYMM_ALLGATHER, 1 << 20, false, 0), SYMM_NODES_FLAT);
    assert_int_equal(plan(&even, SYMM_ALLGATHER, (size_t)1 << 31, false, 0), SYMM_NODES_FLAT);
    assert_int_equal(plan(&even, SYMM_ALLTOALL, 1024, false, 0), SYMM_NODES_RAILS);
    assert_int_equal(plan(&even, SYMM_ALLTOALL, 1 << 20, false, 0), SYMM_NODES_FLAT);
    assert_int_equal(plan(&even, SYMM_SCAN, 8, true, 0), SYMM_NODES_FLAT);
    symm_topology_end(&even);
    symm_topology_end(&uneven);
    symm_topology_end(&mixed);
}

/* More nodes, and fewer bytes for each: what takes rails on two nodes does not on many. */
static void plans_of_many(void **state)
{
    enum { RANKS = 64 };
    struct symm_topology many;
    int lowest[RANKS];
    (void)state;
    for (int rank = 0; rank < RANKS; rank++) {
        lowest[rank] = rank / 2 * 2;
    }
    assert_true(symm_topology_make(&many, lowest, RANKS, 0));
    assert_int_equal(plan(&many, SYMM_ALLREDUCE, 64 << 10, true, 0), SYMM_NODES_LEADERS);
    assert_int_equal(plan(&many, SYMM_ALLREDUCE, 128 << 10, true, 0), SYMM_NODES_FLAT);
    assert_int_equal(plan(&many, SYMM_ALLREDUCE, 256 << 10, true, 0), SYMM_NODES_RAILS);
    assert_int_equal(plan(&many, SYMM_ALLGATHER, 4 << 20, true, 0), SYMM_NODES_FLAT);
    assert_int_equal(plan(&many, SYMM_ALLGATHER, 8 << 20, true, 0), SYMM_NODES_RAILS);
    assert_int_equal(plan(&many, SYMM_REDUCE_SCATTER, 1 << 20, true, 0), SYMM_NODES_FLAT);
    assert_int_equal(plan(&many, SYMM_REDUCE_SCATTER, 2 << 20, true, 0), SYMM_NODES_RAILS);
    symm_topology_end(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(node_by_node),
        cmocka_unit_test(round_robin),
        cmocka_unit_test(contradictions),
        cmocka_unit_test(plans),
        cmocka_unit_test(plans_of_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
