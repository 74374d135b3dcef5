/*
 * mpool_symm_component.c - parameters, opening, and whether an allocation is for us.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/mpool/symm/mpool_symm.h"

#include <stdatomic.h>

#include "mca/help.h"

static int component_register(void);
static int component_open(void);
static int component_close(void);
static int component_query(const char *text, int *priority, mca_mpool_base_module_t **module);

mca_mpool_symm_component_t mca_mpool_symm_component = {
    .super = {
        .mpool_version = {
            SYMM_MPOOL_BASE_VERSION,
            .mca_component_name = "symm",
            MCA_BASE_MAKE_VERSION(component, SYMM_COMPONENT_MAJOR, SYMM_COMPONENT_MINOR,
                                  SYMM_COMPONENT_RELEASE),
            .mca_open_component = component_open,
            .mca_close_component = component_close,
            .mca_register_component_params = component_register,
        },
        .mpool_data = { SYMM_COMPONENT_METADATA, .reserved = {0} },
        .mpool_query = component_query,
    },
};

static const mca_base_var_enum_value_t kind_values[] = {
    {.value = SYMM_KIND_HOST, .string = "host"},
    {.value = SYMM_KIND_CUDA, .string = "cuda"},
    {.value = 0, .string = NULL},
};

static void parameter_register(const char *name, const char *description,
                               mca_base_var_type_t type, mca_base_var_enum_t *values,
                               mca_base_var_info_lvl_t level, void *storage)
{
    (void)mca_base_component_var_register(&mca_mpool_symm_component.super.mpool_version, name,
                                          description, type, values, 0, 0, level,
                                          MCA_BASE_VAR_SCOPE_READONLY, storage);
}

static void size_check(const char *name, size_t *size)
{
    enum { UNIT = 4096 };
    size_t corrected = (*size + UNIT - 1) / UNIT * UNIT;
    if (corrected != *size && opal_process_info.my_local_rank == 0) {
        symm_help_show("help-mpool-symm.txt", "size not a multiple", name, (unsigned long)*size,
                       (unsigned long)corrected);
    }
    *size = corrected;
}

static int component_register(void)
{
    mca_mpool_symm_component_t *component = &mca_mpool_symm_component;
    mca_base_var_enum_t *kinds = NULL;
    symm_help_open();

    component->priority = 60;
    parameter_register("priority", "Priority of the pool for MPI_Alloc_mem without the info key "
                       "mpool_hints. Ordinary memory has 50. Negative: only calls that name it get "
                       "memory of this pool", MCA_BASE_VAR_TYPE_INT, NULL, OPAL_INFO_LVL_6,
                       &component->priority);
    component->kind = SYMM_KIND_HOST;
    (void)mca_base_var_enum_create("mpool_symm_kind", kind_values, &kinds);
    parameter_register("kind", "Kind of memory that MPI_Alloc_mem gives when the info key "
                       "mpool_hints does not name one with kind=", MCA_BASE_VAR_TYPE_INT, kinds,
                       OPAL_INFO_LVL_3, &component->kind);
    if (kinds != NULL) {
        OBJ_RELEASE(kinds);
    }
    component->window_size = 0;
    parameter_register("window_size", "Bytes of address space to reserve for the symmetric heap of a "
                       "process; no memory is used before it is needed. 0: 256 GiB, or as much as "
                       "the system allows", MCA_BASE_VAR_TYPE_SIZE_T, NULL, OPAL_INFO_LVL_6,
                       &component->window_size);
    component->segment_size = 0;
    parameter_register("segment_size", "Bytes by which the symmetric heap grows, unless a block "
                       "needs more. 0: 64 MiB", MCA_BASE_VAR_TYPE_SIZE_T, NULL, OPAL_INFO_LVL_6,
                       &component->segment_size);
    size_check("mpool_symm_window_size", &component->window_size);
    size_check("mpool_symm_segment_size", &component->segment_size);
    return OPAL_SUCCESS;
}

static int component_open(void)
{
    mca_mpool_symm_component_t *component = &mca_mpool_symm_component;
    struct symm_heap_config config = {
        .window_size = component->window_size,
        .segment_size = component->segment_size,
    };
    enum symm_status status = symm_process_acquire(&config, &component->process);
    if (status != SYMM_OK) {
        component->process = NULL;
        opal_output_verbose(1, opal_mpool_base_framework.framework_output,
                            "mpool:symm: not used: %s", symm_status_string(status));
        return OPAL_ERR_NOT_AVAILABLE;
    }
    return OPAL_SUCCESS;
}

/* Open MPI never finalises pools; whatever the program still has allocated stays mapped. */
static int component_close(void)
{
    mca_mpool_symm_component_t *component = &mca_mpool_symm_component;
    if (component->process != NULL) {
        symm_process_release(component->process);
        component->process = NULL;
    }
    return OPAL_SUCCESS;
}

/* A program that allocates in a loop has to be told once. */
static void complain_once(const struct symm_hints *hints, const char *text)
{
    static atomic_flag complained = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&complained)) {
        symm_help_show("help-mpool-symm.txt", "unknown hint", hints->offender, text);
    }
}

static int component_query(const char *text, int *priority, mca_mpool_base_module_t **module)
{
    mca_mpool_symm_component_t *component = &mca_mpool_symm_component;
    struct symm_hints hints;
    /* Transports look pools up while MPI starts; their memory is no business of ours. */
    if (!symm_ompi_is_running()) {
        return OPAL_ERR_NOT_FOUND;
    }
    mca_mpool_symm_hints_parse(text, (enum symm_kind_name)component->kind, &hints);
    switch (hints.verdict) {
    case SYMM_HINTS_OTHER:
        return OPAL_ERR_NOT_FOUND;
    case SYMM_HINTS_INVALID:
        complain_once(&hints, text);
        return OPAL_ERR_NOT_FOUND;
    case SYMM_HINTS_OURS:
        *priority = 100;
        break;
    case SYMM_HINTS_DEFAULT:
        if (component->priority < 0) {
            return OPAL_ERR_NOT_FOUND;
        }
        *priority = component->priority;
        break;
    }
    *module = hints.kind == SYMM_KIND_HOST ? &mca_mpool_symm_host_module
                                           : &mca_mpool_symm_refusing_module;
    return OPAL_SUCCESS;
}
