/*
 * ompi_compat.h - Open MPI's internals as the components use them, and all that differs between its
 * releases.  No other file includes Open MPI's headers or asks for its version.  Parts of it are
 * in ompi_comms.h, ompi_info.h and ompi_ulfm.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_MCA_OMPI_COMPAT_H
#define SYMM_MCA_OMPI_COMPAT_H

#include "ompi_config.h"

#include <dlfcn.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mpi.h"
#include "ompi/communicator/communicator.h"
#include "ompi/constants.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/errhandler/errhandler.h"
#include "ompi/group/group.h"
#include "ompi/mca/coll/base/base.h"
#include "ompi/mca/coll/base/coll_base_util.h"
#include "ompi/mca/coll/coll.h"
#include "ompi/mca/pml/base/base.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/mca/topo/base/base.h"
#include "ompi/op/op.h"
#include "ompi/proc/proc.h"
#include "ompi/request/request.h"
#include "ompi/runtime/mpiruntime.h"
#include "ompi/runtime/params.h"
#include "opal/class/opal_hash_table.h"
#include "opal/datatype/opal_datatype_internal.h"
#include "opal/mca/base/mca_base_component_repository.h"
#include "opal/mca/base/mca_base_pvar.h"
#include "opal/mca/base/mca_base_var.h"
#include "opal/mca/memory/base/base.h"
#include "opal/mca/mpool/base/base.h"
#include "opal/mca/mpool/mpool.h"
#include "opal/memoryhooks/memory.h"
#include "opal/runtime/opal_progress.h"
#include "opal/util/argv.h"
#include "opal/util/info_subscriber.h"
#include "opal/util/output.h"
#include "opal/util/proc.h"

#if OMPI_MAJOR_VERSION == 4 && OMPI_MINOR_VERSION >= 1

#include "opal/mca/pmix/pmix.h"

#define SYMM_COLL_INTERFACE 2
#define SYMM_COLL_BASE_VERSION MCA_COLL_BASE_VERSION_2_0_0
#define SYMM_MPOOL_BASE_VERSION MCA_MPOOL_BASE_VERSION_3_0_0
#define SYMM_COMPONENT_METADATA MCA_BASE_METADATA_PARAM_CHECKPOINT
#define SYMM_MODEX_SCOPE_NODE OPAL_PMIX_LOCAL

#elif OMPI_MAJOR_VERSION == 5

#include "ompi/instance/instance.h"
#include "opal/mca/accelerator/base/base.h"
#include "opal/mca/pmix/pmix-internal.h"

#define SYMM_COLL_INTERFACE 2
#define SYMM_COLL_BASE_VERSION MCA_COLL_BASE_VERSION_2_4_0
#define SYMM_MPOOL_BASE_VERSION MCA_MPOOL_BASE_VERSION_3_1_0
#define SYMM_COMPONENT_METADATA 0
#define SYMM_MODEX_SCOPE_NODE PMIX_LOCAL

#elif OMPI_MAJOR_VERSION == 6

#include "ompi/instance/instance.h"
#include "opal/mca/accelerator/base/base.h"
#include "opal/mca/pmix/pmix-internal.h"

#define SYMM_COLL_INTERFACE 3
#define SYMM_COLL_BASE_VERSION MCA_COLL_BASE_VERSION_3_0_0
#define SYMM_MPOOL_BASE_VERSION MCA_MPOOL_BASE_VERSION_3_1_0
#define SYMM_COMPONENT_METADATA 0
#define SYMM_MODEX_SCOPE_NODE PMIX_LOCAL

#else
#error "This Open MPI release is not supported: 4.1 and 5.0 are"
#endif

typedef mca_coll_base_component_t symm_coll_base_component_t;

/* Counts and displacements in collectives, and arrays of them. */
#if SYMM_COLL_INTERFACE >= 3

typedef size_t symm_count_t;
typedef ompi_count_array_t symm_counts_t;
typedef ompi_disp_array_t symm_disps_t, symm_byte_disps_t;

static inline size_t symm_count_at(symm_counts_t counts, size_t i)
{
    return ompi_count_array_get(counts, i);
}

static inline ptrdiff_t symm_disp_at(symm_disps_t disps, size_t i)
{
    return ompi_disp_array_get(disps, i);
}

static inline ptrdiff_t symm_byte_disp_at(symm_byte_disps_t disps, size_t i)
{
    return ompi_disp_array_get(disps, i);
}

static inline symm_byte_disps_t symm_byte_disps_make(const ptrdiff_t *disps)
{
    return ompi_disp_array_create_c(disps);
}

/*
 * Make displacements of the type that MPI_Alltoallw takes; `room` has space for `count` of them.
 * False: one does not fit the type.
 */
static inline bool symm_disps_make(const ptrdiff_t *disps, size_t count, int *room,
                                   symm_disps_t *made)
{
    (void)count;
    (void)room;
    *made = ompi_disp_array_create_c(disps);
    return true;
}

/* Make counts of that type, which fit it; `room` as above. */
static inline symm_counts_t symm_counts_make(const size_t *counts, size_t count, int *room)
{
    (void)count;
    (void)room;
    return ompi_count_array_create_c(counts);
}

/* Copies of such arrays in `room`, which has space for `count` elements of eight bytes. */
static inline symm_counts_t symm_counts_copy(symm_counts_t counts, size_t count, void *room)
{
    bool wide = ompi_count_array_is_64bit(counts);
    memcpy(room, ompi_count_array_ptr(counts), count * (wide ? sizeof(size_t) : sizeof(int)));
    return wide ? ompi_count_array_create_c(room) : ompi_count_array_create(room);
}

static inline symm_disps_t symm_disps_copy(symm_disps_t disps, size_t count, void *room)
{
    bool wide = ompi_disp_array_is_64bit(disps);
    memcpy(room, ompi_disp_array_ptr(disps), count * (wide ? sizeof(ptrdiff_t) : sizeof(int)));
    return wide ? ompi_disp_array_create_c(room) : ompi_disp_array_create(room);
}

static inline symm_byte_disps_t symm_byte_disps_copy(symm_byte_disps_t disps, size_t count,
                                                     void *room)
{
    return symm_disps_copy(disps, count, room);
}

#else

typedef int symm_count_t;
typedef const int *symm_counts_t, *symm_disps_t;
typedef const MPI_Aint *symm_byte_disps_t;

static inline size_t symm_count_at(symm_counts_t counts, size_t i)
{
    return (size_t)counts[i];
}

static inline ptrdiff_t symm_disp_at(symm_disps_t disps, size_t i)
{
    return disps[i];
}

static inline ptrdiff_t symm_byte_disp_at(symm_byte_disps_t disps, size_t i)
{
    return disps[i];
}

static inline symm_byte_disps_t symm_byte_disps_make(const ptrdiff_t *disps)
{
    return disps;
}

static inline bool symm_disps_make(const ptrdiff_t *disps, size_t count, int *room,
                                   symm_disps_t *made)
{
    for (size_t i = 0; i < count; i++) {
        if (disps[i] > INT_MAX || disps[i] < INT_MIN) {
            return false;
        }
        room[i] = (int)disps[i];
    }
    *made = room;
    return true;
}

static inline symm_counts_t symm_counts_make(const size_t *counts, size_t count, int *room)
{
    for (size_t i = 0; i < count; i++) {
        room[i] = (int)counts[i];
    }
    return room;
}

static inline symm_counts_t symm_counts_copy(symm_counts_t counts, size_t count, void *room)
{
    return memcpy(room, counts, count * sizeof(*counts));
}

static inline symm_disps_t symm_disps_copy(symm_disps_t disps, size_t count, void *room)
{
    return memcpy(room, disps, count * sizeof(*disps));
}

static inline symm_byte_disps_t symm_byte_disps_copy(symm_byte_disps_t disps, size_t count,
                                                     void *room)
{
    return memcpy(room, disps, count * sizeof(*disps));
}

#endif

/*
 * Whether Open MPI itself takes device memory wherever it takes host memory.
 * MPIX_Query_cuda_support() returns the same.
 */
static inline bool symm_ompi_knows_cuda(void)
{
#if OMPI_MAJOR_VERSION == 4
    const bool *known = NULL;
    int index = mca_base_var_find("opal", "opal", NULL, "cuda_support");
    return index >= 0 &&
           mca_base_var_get_value(index, &known, NULL, NULL) == OPAL_SUCCESS && known != NULL &&
           *known;
#else
    return strcmp(opal_accelerator_base_selected_component.base_version.mca_component_name,
                  "cuda") == 0;
#endif
}

/* Whether messages between ranks go through this component. */
static inline bool symm_ompi_pml_is(const char *name)
{
    return strcmp(mca_pml_base_selected_component.pmlm_version.mca_component_name, name) == 0;
}

/*
 * Have Open MPI call `callback` for memory that goes back to the system.  Open MPI 4.1 always
 * watches for that; 5.0 watches on request, and the transports of most networks request it.  False:
 * Open MPI cannot watch.
 */
static inline bool symm_ompi_watch_releases(opal_mem_hooks_callback_fn_t *callback)
{
    if (mca_base_framework_open(&opal_memory_base_framework, 0) != OPAL_SUCCESS) {
        return false;
    }
    if ((opal_mem_hooks_support_level() & OPAL_MEMORY_FREE_SUPPORT) != 0 &&
        opal_mem_hooks_register_release(callback, NULL) == OPAL_SUCCESS) {
        return true;
    }
    (void)mca_base_framework_close(&opal_memory_base_framework);
    return false;
}

static inline void symm_ompi_unwatch_releases(opal_mem_hooks_callback_fn_t *callback)
{
    (void)opal_mem_hooks_unregister_release(callback);
    (void)mca_base_framework_close(&opal_memory_base_framework);
}

/*
 * Whether MPI_COMM_WORLD can be used.  MPI_Finalize() begins with the delete functions of
 * MPI_COMM_SELF's attributes, which may make any call of MPI.
 */
static inline bool symm_ompi_has_world(void)
{
    return ompi_mpi_state == OMPI_MPI_STATE_INIT_COMPLETED ||
           ompi_mpi_state == OMPI_MPI_STATE_FINALIZE_STARTED;
}

/*
 * Whether MPI is initialised, and neither being started nor being ended.  From 5.0 on a program
 * with sessions needs no MPI_Init: once a session exists, everything is started.  The null session
 * always exists.
 */
static inline bool symm_ompi_is_running(void)
{
#if OMPI_MAJOR_VERSION >= 5
    const opal_pointer_array_t *sessions = &ompi_instance_f_to_c_table;
    if (ompi_mpi_state != OMPI_MPI_STATE_INIT_STARTED &&
        sessions->size - sessions->number_free > 1) {
        return true;
    }
#endif
    return symm_ompi_has_world();
}

/*
 * Whether several threads may be in MPI at the same time.  ompi_mpi_thread_multiple is not set by
 * sessions (5.0).
 */
static inline bool symm_ompi_has_threads(void)
{
    return opal_using_threads();
}

/* Flags of user-defined operations whose function is not a C function of MPI's prototype. */
#if OMPI_MAJOR_VERSION < 5
#define SYMM_OP_FLAGS_NOT_C (OMPI_OP_FLAGS_FORTRAN_FUNC | OMPI_OP_FLAGS_CXX_FUNC)
#else
#define SYMM_OP_FLAGS_NOT_C (OMPI_OP_FLAGS_FORTRAN_FUNC | OMPI_OP_FLAGS_JAVA_FUNC)
#endif

/* Raise an error that belongs to no communicator, in the MPI function with the name `function`. */
static inline int symm_ompi_raise(int error, const char *function)
{
#if OMPI_MAJOR_VERSION >= 5
    if (!symm_ompi_has_world()) { /* sessions only */
        return OMPI_ERRHANDLER_NOHANDLE_INVOKE(error, function);
    }
#endif
    return OMPI_ERRHANDLER_INVOKE(MPI_COMM_WORLD, error, function);
}

/*
 * What MPI_Get_library_version() says, by its other name: tools stand in front of MPI's functions
 * and may not be ready when components are opened.  In 6.0 components are not linked with MPI's
 * functions, which a program in Python may have loaded for itself only.  Then it is the
 * identification of the core.
 */
static inline bool symm_ompi_version(char text[MPI_MAX_LIBRARY_VERSION_STRING])
{
    int length = 0;
#if OMPI_MAJOR_VERSION < 6
    return PMPI_Get_library_version(text, &length) == MPI_SUCCESS;
#else
    int (*function)(char *, int *);
    void *address = dlsym(RTLD_DEFAULT, "PMPI_Get_library_version");
    if (address == NULL) {
        (void)snprintf(text, MPI_MAX_LIBRARY_VERSION_STRING, "Open MPI v%s", ompi_version_string);
        return true;
    }
    memcpy(&function, &address, sizeof(function));
    return function(text, &length) == MPI_SUCCESS;
#endif
}

/*
 * Whether a loaded library is the one with MPI_Alloc_mem, by its path and by whether it has the
 * core of Open MPI.  6.0 has the MPI functions in libraries beside the core: libmpi, or libmpi_abi
 * for programs of the standard ABI.
 */
static inline bool symm_ompi_has_functions(const char *path, bool has_core)
{
#if OMPI_MAJOR_VERSION < 6
    (void)path;
    return has_core;
#else
    (void)has_core;
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    return strncmp(name, "libmpi.so", 9) == 0 || strncmp(name, "libmpi_abi.so", 13) == 0;
#endif
}

/* The number that this process knows the communicator by, for people to read. */
static inline unsigned symm_ompi_comm_number(const struct ompi_communicator_t *comm)
{
#if OMPI_MAJOR_VERSION == 4
    return comm->c_contextid;
#else
    return comm->c_index;
#endif
}

/* The version of our components, which is not Open MPI's. */
#define SYMM_COMPONENT_MAJOR 0
#define SYMM_COMPONENT_MINOR 2
#define SYMM_COMPONENT_RELEASE 0

/*
 * Publish `size` bytes under the component's name for the processes of this node.  May be called
 * once, before MPI_Init exchanges such data.
 */
static inline int symm_ompi_modex_send(const mca_base_component_t *component, const void *data,
                                       size_t size)
{
    int rc;
    OPAL_MODEX_SEND(rc, SYMM_MODEX_SCOPE_NODE, component, (void *)(uintptr_t)data, size);
    return rc;
}

/*
 * Get what `proc` has published.  The caller frees *data.  Returns OMPI_ERR_NOT_FOUND if `proc` has
 * published nothing.
 */
static inline int symm_ompi_modex_receive(const mca_base_component_t *component,
                                          const ompi_proc_t *proc, void **data, size_t *size)
{
    int rc;
    OPAL_MODEX_RECV(rc, component, &proc->super.proc_name, data, size);
    return rc;
}

/* Open MPI's functions take pointers without const to data that they only read. */
static inline void *symm_ompi_unconst(const void *pointer)
{
    return (void *)(uintptr_t)pointer;
}

/* Whether Open MPI's own waiting loops yield the processor. */
static inline bool symm_ompi_yields_when_idle(void)
{
    bool yields = opal_progress_set_yield_when_idle(true);
    (void)opal_progress_set_yield_when_idle(yields);
    return yields;
}

/*
 * Whether Open MPI may copy between processes in one step.  4.1 has a parameter that turns this
 * off, and containers use it.  5.0 has components for it, and the one that needs no kernel module
 * is always there.
 */
static inline bool symm_ompi_wants_single_copy(void)
{
#if OMPI_MAJOR_VERSION == 4
    enum { LAST_MECHANISM = 2 }; /* XPMEM, CMA, KNEM; behind them none, and emulated */
    const int *mechanism = NULL;
    int index = mca_base_var_find("opal", "btl", "vader", "single_copy_mechanism");
    if (index >= 0 && mca_base_var_get_value(index, &mechanism, NULL, NULL) == OPAL_SUCCESS &&
        mechanism != NULL) {
        return *mechanism <= LAST_MECHANISM;
    }
#endif
    return true;
}

#include "mca/ompi_comms.h"
#include "mca/ompi_info.h"
#include "mca/ompi_ulfm.h"

#endif /* SYMM_MCA_OMPI_COMPAT_H */
