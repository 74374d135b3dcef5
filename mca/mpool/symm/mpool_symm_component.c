/*
 * mpool_symm_component.c - the component's parameters, how it opens, and which allocations it
 * takes.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/mpool/symm/mpool_symm.h"

#include <limits.h>
#include <stdatomic.h>

#include "heap/gpu/cuda_device.h"
#include "mca/help.h"
#include "mca/parameter.h"
#include "mca/release.h"

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

/* 64 TiB: more memory than any machine has, and half of a process's addresses. */
static const size_t window_size_most = (size_t)1 << 46;

/* Every page size that Linux has is a multiple of this. */
static const size_t size_unit = 4096;

static void sizes_register(mca_mpool_symm_component_t *component)
{
    const mca_base_component_t *base = &component->super.mpool_version;
    static const struct symm_parameter window = {
        "window_size",
        "Bytes of address space to reserve in each process for its symmetric heap, which is all "
        "that MPI_Alloc_mem can give from it; no memory is used before it is needed. A multiple "
        "of 4096; suffixes k, m and g are understood. 0: 256 GiB, or as much as the system allows",
        OPAL_INFO_LVL_6};
    static const struct symm_parameter segment = {
        "segment_size",
        "Bytes by which the symmetric heap grows, unless a block needs more; memory is used when "
        "it is first written to. A multiple of 4096; suffixes k, m and g are understood. 0: 64 "
        "MiB",
        OPAL_INFO_LVL_6};
    const struct symm_size_range range = {
        .least = size_unit, .most = window_size_most, .unit = size_unit, .zero = true};
    symm_parameter_size(base, &window, &range, 0, &component->window_size);
    symm_parameter_size(base, &segment, &range, 0, &component->segment_size);
}

static int component_register(void)
{
    mca_mpool_symm_component_t *component = &mca_mpool_symm_component;
    const mca_base_component_t *base = &component->super.mpool_version;
    static const struct symm_parameter priority = {
        "priority",
        "Priority of symmetric memory for MPI_Alloc_mem without the info key mpool_hints: the "
        "highest one provides the memory. Ordinary memory has 50. Negative: only calls that ask "
        "for it with mpool=symm get symmetric memory",
        OPAL_INFO_LVL_1};
    static const struct symm_parameter kind = {
        "kind",
        "Kind of memory that MPI_Alloc_mem gives when the info key mpool_hints does not name one "
        "with kind=: host, or cuda for memory of the current CUDA device. Where that cannot be "
        "had, MPI_Alloc_mem fails with MPI_ERR_NO_MEM",
        OPAL_INFO_LVL_1};
    static const struct symm_parameter library = {
        "cuda_library",
        "File name of the CUDA driver's library, which is opened when device memory is first asked "
        "for. To be changed where the loader does not find it",
        OPAL_INFO_LVL_6};
    if (!symm_release_is_ours()) {
        return OPAL_ERR_NOT_AVAILABLE;
    }
    symm_help_open();
    symm_parameter_int(base, &priority, INT_MIN, INT_MAX, 60, &component->priority);
    symm_parameter_choice(base, &kind, kind_values, &component->kind);
    sizes_register(component);
    symm_parameter_text(base, &library, "libcuda.so.1", &component->cuda_library);
    return OPAL_SUCCESS;
}

static int component_open(void)
{
    mca_mpool_symm_component_t *component = &mca_mpool_symm_component;
    struct symm_heap_config config = {
        .window_size = component->window_size,
        .segment_size = component->segment_size,
    };
    symm_cuda_configure(component->cuda_library);
    symm_cuda_configure_rank(opal_process_info.my_local_rank);
    enum symm_status status = symm_process_acquire(&config, &component->process);
    if (status != SYMM_OK) {
        component->process = NULL;
        opal_output_verbose(1, opal_mpool_base_framework.framework_output,
                            "mpool:symm: not used: %s", symm_status_string(status));
        return OPAL_ERR_NOT_AVAILABLE;
    }
    mca_mpool_symm_refusal_open();
    return OPAL_SUCCESS;
}

/* Open MPI never finalises pools.  Memory that the program has not freed stays mapped. */
static int component_close(void)
{
    mca_mpool_symm_component_t *component = &mca_mpool_symm_component;
    mca_mpool_symm_refusal_close();
    if (component->process != NULL) {
        symm_process_release(component->process);
        component->process = NULL;
    }
    return OPAL_SUCCESS;
}

/* Complain once in a process, because programs may allocate in a loop. */
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
    /* Transports look pools up while MPI starts, for memory of their own. */
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
                                           : &mca_mpool_symm_device_module;
    return OPAL_SUCCESS;
}
