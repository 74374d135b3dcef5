/*
 * table_stand_ins.c - see table_stand_ins.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/unit/component/table_stand_ins.h"

#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/choose/single_copy.h"
#include "mca/coll/symm/report/verbose.h"
#include "mca/once.h"

/* For choose/choose.c. */
mca_coll_symm_component_t mca_coll_symm_component;

bool mca_coll_symm_single_copy(void)
{
    return false;
}

bool mca_coll_symm_single_copy_is_quicker(void)
{
    return false;
}

/* For choose/table_file.c. */
void mca_coll_symm_verbose(int level, const char *format, ...)
{
    (void)level;
    (void)format;
}

bool symm_once(const char *what)
{
    (void)what;
    return false;
}

struct symm_table table;

struct symm_facts facts_of(enum symm_collective collective, bool device, int ranks, size_t bytes)
{
    table.staged_max = UINT64_MAX;
    table.staged_max_of_many = 1 << 20;
    table.staged_share_max = UINT64_MAX;
    return (struct symm_facts){
        .table = &table,
        .collective = collective,
        .ranks = ranks,
        .bytes = bytes,
        .forced = MCA_COLL_SYMM_AUTO,
        .inputs_reachable = true,
        .outputs_reachable = true,
        .out_of_place = true,
        .device = device,
        .slices = device,
        .piece_size = 262144,
        .scratch_size = device ? (size_t)512 << 20 : 0,
    };
}
