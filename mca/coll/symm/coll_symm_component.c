/*
 * coll_symm_component.c - the component: parameters, opening and closing.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <errno.h>
#include <unistd.h>

#include "mca/coll/symm/coll_symm.h"
#include "mca/coll/symm/coll_symm_names.h"
#include "mca/coll/symm/coll_symm_reason.h"
#include "mca/coll/symm/coll_symm_report.h"
#include "mca/help.h"

static int component_register(void);
static int component_open(void);
static int component_close(void);

mca_coll_symm_component_t mca_coll_symm_component = {
    .super = {
        .collm_version = {
            SYMM_COLL_BASE_VERSION,
            .mca_component_name = "symm",
            MCA_BASE_MAKE_VERSION(component, SYMM_COMPONENT_MAJOR, SYMM_COMPONENT_MINOR,
                                  SYMM_COMPONENT_RELEASE),
            .mca_open_component = component_open,
            .mca_close_component = component_close,
            .mca_register_component_params = component_register,
        },
        .collm_data = { SYMM_COMPONENT_METADATA, .reserved = {0} },
        .collm_init_query = mca_coll_symm_init_query,
        .collm_comm_query = mca_coll_symm_comm_query,
    },
};

/* ---- parameters ---------------------------------------------------------------------------------- */

static const size_t piece_size_least = 64 * 1024;
static const size_t slot_size_most = 64 * 1024;

static const mca_base_var_enum_value_t allreduce_values[] = {
    {.value = MCA_COLL_SYMM_AUTO, .string = "auto"},
    {.value = SYMM_ALLREDUCE_SLOT, .string = "slot"},
    {.value = SYMM_ALLREDUCE_STAGED, .string = "staged"},
    {.value = SYMM_ALLREDUCE_STAGED_ONE_SHOT, .string = "staged_one_shot"},
    {.value = SYMM_ALLREDUCE_ONE_SHOT, .string = "one_shot"},
    {.value = SYMM_ALLREDUCE_TWO_SHOT, .string = "two_shot"},
    {.value = 0, .string = NULL},
};

static const mca_base_var_enum_value_t allgather_values[] = {
    {.value = MCA_COLL_SYMM_AUTO, .string = "auto"},
    {.value = SYMM_ALLGATHER_SLOT, .string = "slot"},
    {.value = SYMM_ALLGATHER_STAGED, .string = "staged"},
    {.value = SYMM_ALLGATHER_PULL, .string = "pull"},
    {.value = SYMM_ALLGATHER_PUSH, .string = "push"},
    {.value = 0, .string = NULL},
};

static void parameter_register(const char *name, const char *description,
                               mca_base_var_type_t type, mca_base_var_enum_t *values,
                               mca_base_var_info_lvl_t level, void *storage)
{
    (void)mca_base_component_var_register(&mca_coll_symm_component.super.collm_version, name,
                                          description, type, values, 0, 0, level,
                                          MCA_BASE_VAR_SCOPE_READONLY, storage);
}

static void algorithm_register(const char *name, const char *description,
                               const mca_base_var_enum_value_t *values, int *storage)
{
    mca_base_var_enum_t *enumerator = NULL;
    *storage = MCA_COLL_SYMM_AUTO;
    (void)mca_base_var_enum_create(name, values, &enumerator);
    parameter_register(name, description, MCA_BASE_VAR_TYPE_INT, enumerator, OPAL_INFO_LVL_5,
                       storage);
    if (enumerator != NULL) {
        OBJ_RELEASE(enumerator);
    }
}

/* Out-of-range sizes are corrected, and the user is told. */
static void size_check(const char *name, size_t *size, size_t least, size_t most)
{
    size_t corrected = *size < least ? least : *size > most ? most : *size;
    if (corrected != *size && opal_process_info.my_local_rank == 0) {
        symm_help_show("help-coll-symm.txt", "size out of range", name, (unsigned long)*size,
                       (unsigned long)least, (unsigned long)most, (unsigned long)corrected);
    }
    *size = corrected;
}

static int component_register(void)
{
    mca_coll_symm_component_t *component = &mca_coll_symm_component;
    symm_help_open();
    mca_coll_symm_select_register();

    component->priority = 60;
    parameter_register("priority", "Priority of the component: the highest one serves a collective. "
                       "coll/tuned has 30. Negative: the component is not used",
                       MCA_BASE_VAR_TYPE_INT, NULL, OPAL_INFO_LVL_6, &component->priority);
    component->report = false;
    parameter_register("report", "Print one table at the end of the job: calls, bytes and algorithm, "
                       "what fell back to other components and why",
                       MCA_BASE_VAR_TYPE_BOOL, NULL, OPAL_INFO_LVL_3, &component->report);
    algorithm_register("allreduce_algorithm", "Algorithm of MPI_Allreduce; rank 0's counts. One that "
                       "the buffers do not allow is replaced by another. slot: the data travel with "
                       "the ranks' messages to each other; staged: through shared memory of the "
                       "component; one_shot: every rank reads all buffers; two_shot: every rank "
                       "reduces a slice for all", allreduce_values,
                       &component->allreduce_algorithm);
    algorithm_register("allgather_algorithm", "Algorithm of MPI_Allgather; rank 0's counts. One that "
                       "the buffers do not allow is replaced by another. slot: the data travel with "
                       "the ranks' messages to each other; staged: through shared memory of the "
                       "component; pull: every rank reads from all; push: every rank writes to all",
                       allgather_values, &component->allgather_algorithm);
    component->slot_size = 4096;
    parameter_register("slot_size", "Bytes that can travel with a rank's message to the others in "
                       "one round; calls up to this size are served from any memory. At most 65536",
                       MCA_BASE_VAR_TYPE_SIZE_T, NULL, OPAL_INFO_LVL_5, &component->slot_size);
    component->piece_size = 256 * 1024;
    parameter_register("piece_size", "Bytes of a piece in which memory that peers cannot reach is "
                       "copied through shared memory; each rank of a communicator that needs it has "
                       "four such buffers. At least 65536",
                       MCA_BASE_VAR_TYPE_SIZE_T, NULL, OPAL_INFO_LVL_5, &component->piece_size);
    component->allgather_staged_max = 0;
    parameter_register("allgather_staged_max", "Largest block, in bytes, of an all-gather on memory "
                       "that peers cannot reach; larger ones are left to the component below. "
                       "0: no limit, or just below 1 MiB where the kernel copies between processes "
                       "in one step (CMA)", MCA_BASE_VAR_TYPE_SIZE_T, NULL, OPAL_INFO_LVL_5,
                       &component->allgather_staged_max);
    size_check("coll_symm_slot_size", &component->slot_size, 64, slot_size_most);
    size_check("coll_symm_piece_size", &component->piece_size, piece_size_least,
               (size_t)1 << 30);
    return OMPI_SUCCESS;
}

/* ---- opening and closing ------------------------------------------------------------------------- */

/*
 * The server's name goes into the data that processes exchange in MPI_Init, which happens after
 * components are opened and before they are queried.
 */
static int component_open(void)
{
    mca_coll_symm_component_t *component = &mca_coll_symm_component;
    enum symm_status status = symm_process_acquire(NULL, &component->process);
    if (status != SYMM_OK) {
        int reason = mca_coll_symm_reason(status, errno);
        component->process = NULL;
        mca_coll_symm_names_refuse(reason);
        if (opal_process_info.my_local_rank == 0) {
            mca_coll_symm_reason_tell(MCA_COLL_SYMM_CANNOT_SHARE, "MPI_COMM_WORLD",
                                      (int)OPAL_PROC_MY_NAME.vpid, reason);
        }
        return OMPI_ERR_NOT_AVAILABLE;
    }
    const char *name = symm_process_name(component->process);
    if (mca_coll_symm_reserve_open() != OMPI_SUCCESS ||
        mca_coll_symm_names_open(name, component->priority) != OMPI_SUCCESS) {
        (void)component_close();
        return OMPI_ERR_NOT_AVAILABLE;
    }
    mca_coll_symm_report_open();
    return OMPI_SUCCESS;
}

static int component_close(void)
{
    mca_coll_symm_component_t *component = &mca_coll_symm_component;
    if (component->process != NULL) {
        mca_coll_symm_report_close();
        mca_coll_symm_names_close();
        mca_coll_symm_reserve_close();
        symm_process_release(component->process);
        component->process = NULL;
    }
    return OMPI_SUCCESS;
}

int mca_coll_symm_init_query(bool enable_progress_threads, bool enable_mpi_threads)
{
    (void)enable_progress_threads;
    (void)enable_mpi_threads; /* every thread level is fine */
    return OMPI_SUCCESS;
}

/* ---- processors ---------------------------------------------------------------------------------- */

bool mca_coll_symm_oversubscribed(void)
{
    static int answer = -1;
    if (answer < 0) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        long ranks = (long)opal_process_info.num_local_peers + 1;
        /* With several threads in MPI, it may be another thread of ours that has to get on. */
        answer = ranks > processors || ompi_mpi_thread_multiple || symm_ompi_yields_when_idle();
    }
    return answer > 0;
}
