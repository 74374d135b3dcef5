/*
 * base/collectives.h - the collectives of Open MPI's tables, with the arguments that MPI passes.
 *
 * A collective has three functions, one of each form: MPI_Bcast, MPI_Ibcast and MPI_Bcast_init.
 * All code that is alike for all collectives but for names and types of arguments is generated from
 * the lists in this file: our functions (entry/entry.h, host_copy/layer.c), calls of functions
 * of other components (base/functions.c), numbers, names, and places in tables.
 *
 * A list is a macro that takes a macro and calls it once a row.  This defines one function of each
 * collective that is served, with MPI's arguments, and stores these in a struct:
 *
 *     #define FUNCTION(NUMBER, name, ...)                                                         \
 *         static int name##_blocking SYMM_HEAD(name, BLOCKING)                                    \
 *         {                                                                                       \
 *             const struct symm_arguments arguments = SYMM_ARGUMENTS(name, BLOCKING);             \
 *             return make(SYMM_##NUMBER, &arguments, module);                                     \
 *         }
 *     SYMM_COLLECTIVES(FUNCTION)
 *
 * For MPI_Bcast it becomes
 *
 *     static int bcast_blocking(void *rbuf, symm_count_t rcount, struct ompi_datatype_t *rdtype,
 *                               int root, struct ompi_communicator_t *comm,
 *                               mca_coll_base_module_t *module)
 *     {
 *         const struct symm_arguments arguments = {
 *             .rbuf = rbuf, .rcount = rcount, .rdtype = rdtype, .root = root, .comm = comm};
 *         return make(SYMM_BCAST, &arguments, module);
 *     }
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_BASE_COLLECTIVES_H
#define MCA_COLL_SYMM_BASE_COLLECTIVES_H

#include "mca/ompi_compat.h"

#include "kernels/collective.h"

/* ---- arguments ------------------------------------------------------------------------------- */

/*
 * MPI's arguments.  A call has some of them, under these names; the rest is 0 or NULL.  All arrays
 * are borrowed from the program.
 */
struct symm_arguments {
    const void *sbuf;
    void *rbuf;                  /* also the buffer of MPI_Bcast */
    symm_count_t scount, rcount; /* reductions have one count and one type: those with r */
    symm_counts_t scounts, rcounts;
    symm_disps_t sdisps, rdisps;
    symm_byte_disps_t sbytes, rbytes; /* displacements of MPI_Neighbor_alltoallw */
    struct ompi_datatype_t *sdtype, *rdtype;
    struct ompi_datatype_t *const *sdtypes, *const *rdtypes;
    struct ompi_op_t *op;
    int root;
    struct ompi_communicator_t *comm;
    struct ompi_info_t *info;
    ompi_request_t **request;
};

/* The arguments of each collective in MPI's order: up to the communicator, ... */
#define SYMM_ARGUMENTS_allgather(F) F(sbuf) F(scount) F(sdtype) F(rbuf) F(rcount) F(rdtype)
#define SYMM_ARGUMENTS_allgatherv(F) \
    F(sbuf) F(scount) F(sdtype) F(rbuf) F(rcounts) F(rdisps) F(rdtype)
#define SYMM_ARGUMENTS_allreduce(F) F(sbuf) F(rbuf) F(rcount) F(rdtype) F(op)
#define SYMM_ARGUMENTS_alltoall(F) F(sbuf) F(scount) F(sdtype) F(rbuf) F(rcount) F(rdtype)
#define SYMM_ARGUMENTS_alltoallv(F) \
    F(sbuf) F(scounts) F(sdisps) F(sdtype) F(rbuf) F(rcounts) F(rdisps) F(rdtype)
#define SYMM_ARGUMENTS_alltoallw(F) \
    F(sbuf) F(scounts) F(sdisps) F(sdtypes) F(rbuf) F(rcounts) F(rdisps) F(rdtypes)
#define SYMM_ARGUMENTS_barrier(F)
#define SYMM_ARGUMENTS_bcast(F) F(rbuf) F(rcount) F(rdtype) F(root)
#define SYMM_ARGUMENTS_exscan(F) F(sbuf) F(rbuf) F(rcount) F(rdtype) F(op)
#define SYMM_ARGUMENTS_gather(F) F(sbuf) F(scount) F(sdtype) F(rbuf) F(rcount) F(rdtype) F(root)
#define SYMM_ARGUMENTS_gatherv(F) \
    F(sbuf) F(scount) F(sdtype) F(rbuf) F(rcounts) F(rdisps) F(rdtype) F(root)
#define SYMM_ARGUMENTS_reduce(F) F(sbuf) F(rbuf) F(rcount) F(rdtype) F(op) F(root)
#define SYMM_ARGUMENTS_reduce_scatter(F) F(sbuf) F(rbuf) F(rcounts) F(rdtype) F(op)
#define SYMM_ARGUMENTS_reduce_scatter_block(F) F(sbuf) F(rbuf) F(rcount) F(rdtype) F(op)
#define SYMM_ARGUMENTS_scan(F) F(sbuf) F(rbuf) F(rcount) F(rdtype) F(op)
#define SYMM_ARGUMENTS_scatter(F) F(sbuf) F(scount) F(sdtype) F(rbuf) F(rcount) F(rdtype) F(root)
#define SYMM_ARGUMENTS_scatterv(F) \
    F(sbuf) F(scounts) F(sdisps) F(sdtype) F(rbuf) F(rcount) F(rdtype) F(root)
#define SYMM_ARGUMENTS_neighbor_allgather(F) SYMM_ARGUMENTS_allgather(F)
#define SYMM_ARGUMENTS_neighbor_allgatherv(F) SYMM_ARGUMENTS_allgatherv(F)
#define SYMM_ARGUMENTS_neighbor_alltoall(F) SYMM_ARGUMENTS_alltoall(F)
#define SYMM_ARGUMENTS_neighbor_alltoallv(F) SYMM_ARGUMENTS_alltoallv(F)
#define SYMM_ARGUMENTS_neighbor_alltoallw(F) \
    F(sbuf) F(scounts) F(sbytes) F(sdtypes) F(rbuf) F(rcounts) F(rbytes) F(rdtypes)
#define SYMM_ARGUMENTS_reduce_local(F) F(sbuf) F(rbuf) F(rcount) F(rdtype) F(op)

/* ... and from there on, by form.  MPI_Reduce_local has a form of its own. */
#define SYMM_ARGUMENTS_BLOCKING(F) F(comm)
#define SYMM_ARGUMENTS_NONBLOCKING(F) F(comm) F(request)
#define SYMM_ARGUMENTS_PERSISTENT(F) F(comm) F(info) F(request)
#define SYMM_ARGUMENTS_LOCAL(F)

/*
 * Of a form of a collective: the parameters of its function in Open MPI's tables; these parameters
 * as the value of a struct; and, from such a struct at `arguments`, what to pass to a function that
 * belongs to `owner`.
 */
#define SYMM_HEAD(name, FORM)                                                                \
    (SYMM_ARGUMENTS_##name(SYMM_PARAMETER) SYMM_ARGUMENTS_##FORM(SYMM_PARAMETER)             \
     mca_coll_base_module_t *module)
#define SYMM_ARGUMENTS(name, FORM)                                                           \
    {SYMM_ARGUMENTS_##name(SYMM_ARGUMENT_SET) SYMM_ARGUMENTS_##FORM(SYMM_ARGUMENT_SET)}
#define SYMM_PASS(name, FORM, owner)                                                         \
    (SYMM_ARGUMENTS_##name(SYMM_ARGUMENT_GET) SYMM_ARGUMENTS_##FORM(SYMM_ARGUMENT_GET) owner)
#define SYMM_PARAMETER(argument) __typeof__(((struct symm_arguments *)0)->argument) argument,
#define SYMM_ARGUMENT_SET(argument) .argument = argument,
#define SYMM_ARGUMENT_GET(argument) arguments->argument,

/* ---- collectives and functions --------------------------------------------------------------- */

/*
 * Those that we do not serve, as rows like those of SYMM_COLLECTIVES (kernels/lists.h).  The
 * component below makes their calls on device memory on host copies.
 */
#define SYMM_UNSERVED_COLLECTIVES(F)                                                         \
    F(NEIGHBOR_ALLGATHER, neighbor_allgather, "MPI_Neighbor_allgather")                      \
    F(NEIGHBOR_ALLGATHERV, neighbor_allgatherv, "MPI_Neighbor_allgatherv")                   \
    F(NEIGHBOR_ALLTOALL, neighbor_alltoall, "MPI_Neighbor_alltoall")                         \
    F(NEIGHBOR_ALLTOALLV, neighbor_alltoallv, "MPI_Neighbor_alltoallv")                      \
    F(NEIGHBOR_ALLTOALLW, neighbor_alltoallw, "MPI_Neighbor_alltoallw")
#define SYMM_ALL_COLLECTIVES(F) SYMM_COLLECTIVES(F) SYMM_UNSERVED_COLLECTIVES(F)

/* The functions of a collective, in the order of enum symm_call_form: name, collective, form. */
#define SYMM_FORMS(F, name)                                                                  \
    F(name, name, BLOCKING) F(i##name, name, NONBLOCKING) F(name##_init, name, PERSISTENT)

/* How the program waits for a call. */
enum symm_call_form {
    SYMM_CALL_BLOCKING,
    SYMM_CALL_NONBLOCKING,
    SYMM_CALL_PERSISTENT,
    SYMM_CALL_FORM_COUNT
};

/*
 * All functions.  A collective that is served has its number in the list (enum symm_collective),
 * and the functions of a collective follow each other: SYMM_MPI_FUNCTION_bcast, ..._ibcast,
 * ..._bcast_init.
 */
enum symm_mpi_function {
#define SYMM_MPI_FUNCTION_NUMBER(function, name, FORM) SYMM_MPI_FUNCTION_##function,
#define SYMM_MPI_FUNCTION_NUMBERS(NUMBER, name, ...) SYMM_FORMS(SYMM_MPI_FUNCTION_NUMBER, name)
    SYMM_ALL_COLLECTIVES(SYMM_MPI_FUNCTION_NUMBERS)
#undef SYMM_MPI_FUNCTION_NUMBER
#undef SYMM_MPI_FUNCTION_NUMBERS
    SYMM_MPI_FUNCTION_reduce_local,
    SYMM_MPI_FUNCTION_COUNT
};

static inline enum symm_mpi_function mca_coll_symm_function_of(enum symm_collective collective,
                                                           enum symm_call_form form)
{
    return (enum symm_mpi_function)((int)collective * SYMM_CALL_FORM_COUNT + (int)form);
}

static inline enum symm_call_form mca_coll_symm_function_form(enum symm_mpi_function function)
{
    return (enum symm_call_form)((int)function % SYMM_CALL_FORM_COUNT);
}

/* The number of the collective of a function that may be served. */
static inline enum symm_collective mca_coll_symm_function_collective(
    enum symm_mpi_function function)
{
    return (enum symm_collective)((int)function / SYMM_CALL_FORM_COUNT);
}

/* The collective of a function; NULL: it is not served. */
static inline const struct symm_collective_row *mca_coll_symm_function_row(
    enum symm_mpi_function function)
{
    int collective = (int)function / SYMM_CALL_FORM_COUNT;
    return collective < SYMM_COLLECTIVE_COUNT
               ? symm_collective_get((enum symm_collective)collective) : NULL;
}

/* Whether it moves data or reduces them, and so may be made on host copies. */
static inline bool mca_coll_symm_function_has_data(enum symm_mpi_function function)
{
    const struct symm_collective_row *row = mca_coll_symm_function_row(function);
    return row == NULL || row->reads_inputs;
}

#endif /* MCA_COLL_SYMM_BASE_COLLECTIVES_H */
