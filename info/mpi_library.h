/*
 * mpi_library.h - Open MPI's library, opened while the program runs.
 *
 * symm_info is not linked with it, so that it can say what is wrong where the library is missing,
 * and is the same program with 4.1 and 5.0, whose functions have the same binary interface.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef INFO_MPI_LIBRARY_H
#define INFO_MPI_LIBRARY_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#define MPI_LIBRARY_FUNCTIONS(F) \
    F(MPI_Init)                  \
    F(MPI_Finalize)              \
    F(MPI_Get_library_version)   \
    F(MPI_Error_string)          \
    F(MPI_Comm_rank)             \
    F(MPI_Comm_size)             \
    F(MPI_Comm_split_type)       \
    F(MPI_Comm_free)             \
    F(MPI_Comm_set_errhandler)   \
    F(MPI_Info_create)           \
    F(MPI_Info_set)              \
    F(MPI_Info_free)             \
    F(MPI_Alloc_mem)             \
    F(MPI_Free_mem)              \
    F(MPI_Allreduce)             \
    F(MPI_Allgather)             \
    F(MPI_Barrier)               \
    F(MPI_Bcast)                 \
    F(MPI_Gather)                \
    F(MPI_Gatherv)               \
    F(MPI_T_init_thread)         \
    F(MPI_T_finalize)            \
    F(MPI_T_cvar_get_num)        \
    F(MPI_T_cvar_get_info)       \
    F(MPI_T_cvar_handle_alloc)   \
    F(MPI_T_cvar_handle_free)    \
    F(MPI_T_cvar_read)           \
    F(MPI_T_pvar_get_num)        \
    F(MPI_T_pvar_get_info)       \
    F(MPI_T_pvar_session_create) \
    F(MPI_T_pvar_session_free)   \
    F(MPI_T_pvar_handle_alloc)   \
    F(MPI_T_pvar_handle_free)    \
    F(MPI_T_pvar_read)

struct mpi_library {
    void *handle;
#define MPI_LIBRARY_MEMBER(name) __typeof__(name) *name;
    MPI_LIBRARY_FUNCTIONS(MPI_LIBRARY_MEMBER)
#undef MPI_LIBRARY_MEMBER
    MPI_Comm world, comm_null;
    MPI_Datatype type_char, type_int, type_float;
    MPI_Op sum, min;
    MPI_Info info_null;
    MPI_Errhandler errors_return;
};

/* Open it as the loader would for an MPI program.  False: `text` says why not. */
bool mpi_library_open(struct mpi_library *mpi, char *text, size_t size);

#endif /* INFO_MPI_LIBRARY_H */
