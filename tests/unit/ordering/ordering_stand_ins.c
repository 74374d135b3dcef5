/*
 * ordering_stand_ins.c - in the place of what the recorded code calls and what has no part in the
 * ordering: heaps, reports, devices.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/unit/harness/unit.h"

#include <stdlib.h>

#include "heap/team/multicast_groups.h"
#include "heap/team/team_tables.h"
#include "mca/coll/symm/agree/mismatch.h"
#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/base/processors.h"
#include "mca/coll/symm/choose/explain.h"
#include "mca/coll/symm/choose/single_copy.h"
#include "mca/coll/symm/choose/table_cache.h"
#include "mca/coll/symm/data/recognise.h"
#include "mca/coll/symm/device/device.h"
#include "mca/coll/symm/device/packing.h"
#include "mca/coll/symm/device/place.h"
#include "mca/coll/symm/device/bounce.h"
#include "mca/coll/symm/device/reach.h"
#include "mca/coll/symm/resources/resource.h"
#include "mca/coll/symm/report/counters.h"
#include "mca/coll/symm/report/shortage.h"
#include "mca/coll/symm/report/verbose.h"

/* ---- what is not met ------------------------------------------------------------------------- */

mca_coll_symm_component_t mca_coll_symm_component;

static _Noreturn void unexpected(const char *what)
{
    fail_msg("%s is not to be called here", what);
    abort();
}

bool mca_coll_symm_mismatch_report(const struct symm_operation *operation, int *error)
{
    (void)operation, (void)error;
    unexpected(__func__);
}

int mca_coll_symm_truncated_report(const struct symm_operation *operation, int sender,
                                   size_t bytes, size_t room)
{
    (void)operation, (void)sender, (void)bytes, (void)room;
    unexpected(__func__);
}

void mca_coll_symm_choice_explain(struct symm_operation *operation, const struct symm_facts *facts)
{
    (void)operation, (void)facts;
    unexpected(__func__);
}

bool mca_coll_symm_processors_are_shared(void)
{
    unexpected(__func__); /* the tests say how many slots there are */
}

bool mca_coll_symm_single_copy(void)
{
    return false;
}

bool mca_coll_symm_single_copy_is_quicker(void)
{
    return false;
}

enum symm_status mca_coll_symm_device_prepare(const struct symm_operation *operation, bool *is_told)
{
    (void)operation, (void)is_told;
    unexpected(__func__);
}

enum symm_status mca_coll_symm_device_reach(const struct symm_operation *operation, int rank,
                                            const struct symm_location *location,
                                            enum symm_status mapped, bool *is_told)
{
    (void)operation, (void)rank, (void)location, (void)mapped, (void)is_told;
    unexpected(__func__);
}

void mca_coll_symm_device_run_describe(struct symm_operation *operation)
{
    (void)operation;
    unexpected(__func__);
}

int mca_coll_symm_device_failure(const struct symm_operation *operation)
{
    (void)operation;
    unexpected(__func__);
}

int mca_coll_symm_device_failed(struct ompi_communicator_t *comm, const char *call)
{
    (void)comm, (void)call;
    unexpected(__func__);
}

bool mca_coll_symm_packing_begin(struct symm_operation *operation)
{
    (void)operation;
    unexpected(__func__);
}

enum symm_status mca_coll_symm_packing_pack(struct symm_operation *operation)
{
    (void)operation;
    unexpected(__func__);
}

enum symm_status mca_coll_symm_packing_unpack(struct symm_operation *operation)
{
    (void)operation;
    unexpected(__func__);
}

bool mca_coll_symm_packing_is_at_work(struct symm_operation *operation)
{
    (void)operation;
    unexpected(__func__);
}

void mca_coll_symm_packing_end(struct symm_operation *operation)
{
    (void)operation;
    unexpected(__func__);
}

void mca_coll_symm_device_learn(const struct symm_call *call, bool on_device)
{
    (void)call, (void)on_device;
    unexpected(__func__);
}

void mca_coll_symm_device_note(enum symm_collective collective, int device)
{
    (void)collective, (void)device;
}

void symm_vote_open(struct symm_vote *vote, struct ompi_communicator_t *comm)
{
    (void)vote, (void)comm;
    unexpected(__func__);
}

enum symm_status symm_team_map(struct symm_team *team, int rank,
                               const struct symm_location *location)
{
    (void)team, (void)rank, (void)location;
    unexpected(__func__);
}

enum symm_status symm_team_tables_get(struct symm_team *team)
{
    (void)team;
    unexpected(__func__);
}

void symm_team_tables_settle(struct symm_team *team, bool all_have)
{
    (void)team, (void)all_have;
    unexpected(__func__);
}

void symm_team_set_segment_state(struct symm_team *team, int rank,
                                 const struct symm_location *location,
                                 enum symm_segment_state state)
{
    (void)team, (void)rank, (void)location, (void)state;
    unexpected(__func__);
}

/* ---- all is in host memory, and is not counted ----------------------------------------------- */

int mca_coll_symm_device_of(const void *address, enum symm_kinds kinds)
{
    (void)address, (void)kinds;
    return -1;
}

void mca_coll_symm_count_served(const struct symm_call *call, enum symm_algorithm algorithm)
{
    (void)call, (void)algorithm;
}

/* ---- buffers that late calls copy: all are in host memory ------------------------------------ */

bool mca_coll_symm_host_copy_find(struct symm_host_copy *copy)
{
    copy->address = symm_ompi_unconst(copy->side.buffer);
    return false;
}

int mca_coll_symm_host_copy_open(struct symm_host_copy *copy)
{
    (void)mca_coll_symm_host_copy_find(copy);
    return OMPI_SUCCESS;
}

int mca_coll_symm_host_copy_room_make(struct symm_host_copy *copy)
{
    (void)copy;
    unexpected(__func__);
}

int mca_coll_symm_host_copy_store(struct symm_host_copy *copy)
{
    (void)copy;
    return OMPI_SUCCESS;
}

void mca_coll_symm_host_copy_close(struct symm_host_copy *copy)
{
    (void)copy;
}

/* ---- the heap -------------------------------------------------------------------------------- */

struct symm_heap *symm_process_heap_at(struct symm_process *process, uint32_t number)
{
    (void)process, (void)number;
    return NULL;
}

uint32_t symm_heap_retired(struct symm_heap *heap)
{
    (void)heap;
    return 0;
}

enum symm_segment_state symm_team_segment_state(const struct symm_team *team, int rank,
                                                const struct symm_location *location)
{
    (void)team, (void)rank, (void)location;
    return SYMM_SEGMENT_MAPPED;
}

void *symm_team_address(const struct symm_team *team, int rank,
                        const struct symm_location *location)
{
    (void)team, (void)rank;
    return (void *)(uintptr_t)location->offset;
}

void symm_team_note_device(struct symm_team *team, int rank, uint8_t device)
{
    (void)team, (void)rank, (void)device; /* host memory: always the same */
}

void symm_team_devices_done(struct symm_team *team)
{
    (void)team;
}

/* Most teams meet no segment. */
void symm_team_tables_destroy(struct symm_team *team)
{
    (void)team;
}

void symm_team_memory_forget_refusals(struct symm_team *team)
{
    (void)team;
    unexpected(__func__);
}

bool symm_team_memory_collect(struct symm_team *team, int rank, uint32_t heap, uint32_t retired)
{
    (void)team, (void)rank, (void)heap, (void)retired;
    return false;
}

void symm_multicast_groups_enter(struct symm_team *team, uint64_t sequence, bool forget)
{
    (void)team, (void)sequence, (void)forget;
}

void symm_multicast_groups_collect(struct symm_team *team, int rank, uint32_t heap)
{
    (void)team, (void)rank, (void)heap;
    unexpected(__func__);
}

/* ---- resources of devices: there are none ---------------------------------------------------- */

const struct symm_resource mca_coll_symm_pads, mca_coll_symm_elsewhere, mca_coll_symm_scratch;

void symm_pad_free(struct symm_pad *pad)
{
    (void)pad;
}

/* ---- reports --------------------------------------------------------------------------------- */

void mca_coll_symm_verbose_about(int level, const struct ompi_communicator_t *comm,
                                 const char *format, ...)
{
    (void)level, (void)comm, (void)format;
}

void mca_coll_symm_vote_lost_warn(const struct symm_operation *operation,
                                  enum mca_coll_symm_trouble trouble)
{
    (void)operation, (void)trouble;
}

/* ---- tables ---------------------------------------------------------------------------------- */

size_t mca_coll_symm_table_get(struct symm_table *table, int ranks)
{
    memset(table, 0, sizeof(*table)); /* tables are compared with all their bytes */
    mca_coll_symm_table_fill(table, ranks, NULL, 0);
    return sizeof(*table);
}
