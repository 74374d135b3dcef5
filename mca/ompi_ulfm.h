/*
 * ompi_ulfm.h - the part of ompi_compat.h about jobs that outlive some of their processes: ULFM,
 * from 5.0 on with mpirun --with-ft ulfm.  ompi_compat.h includes it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_MCA_OMPI_ULFM_H
#define SYMM_MCA_OMPI_ULFM_H

#if defined(OPAL_ENABLE_FT_MPI) && OPAL_ENABLE_FT_MPI

static inline bool symm_ompi_is_fault_tolerant(void)
{
    return ompi_ftmpi_enabled;
}

/*
 * Why collectives on a communicator can only fail: MPI_ERR_REVOKED or MPI_ERR_PROC_FAILED;
 * MPI_SUCCESS: they need not fail.  A failure is permanent.  opal_progress() learns of it through
 * pml/ob1 only, which is the pml for such jobs.
 */
static inline int symm_ompi_comm_failure(struct ompi_communicator_t *comm)
{
    if (!ompi_ftmpi_enabled || !ompi_comm_coll_revoked(comm)) {
        return MPI_SUCCESS;
    }
    return ompi_comm_is_revoked(comm) ? MPI_ERR_REVOKED : MPI_ERR_PROC_FAILED;
}

static inline const char *symm_ompi_failure_text(int failure)
{
    return failure == MPI_ERR_REVOKED ? "it has been revoked" : "a process has failed";
}

/* Whether an error of the PML is such a failure. */
static inline bool symm_ompi_is_failure(int error)
{
    return error == MPI_ERR_REVOKED || error == MPI_ERR_PROC_FAILED ||
           error == MPI_ERR_PROC_FAILED_PENDING;
}

static inline bool symm_ompi_is_alive(struct ompi_communicator_t *comm, int rank)
{
    return ompi_comm_is_proc_active(comm, rank, false);
}

/* What a call on `comm` returns whose part on another communicator has ended with `error`. */
static inline int symm_ompi_failure_of(struct ompi_communicator_t *comm, int error)
{
    int failure = symm_ompi_is_failure(error) ? symm_ompi_comm_failure(comm) : MPI_SUCCESS;
    if (failure != MPI_SUCCESS) {
        return failure;
    }
    return error == MPI_ERR_REVOKED ? MPI_ERR_PROC_FAILED : error;
}

/* Have all calls on a communicator end with an error, on all its ranks that live. */
static inline void symm_ompi_comm_revoke(struct ompi_communicator_t *comm)
{
    (void)ompi_comm_revoke_internal(comm);
}

/*
 * What tells a communicator from an earlier one with its number, where one of them is revoked; Open
 * MPI counts from 1.
 */
static inline void symm_ompi_comm_epoch_set(struct ompi_communicator_t *comm, int epoch)
{
    comm->c_epoch = 0x40000000U + (uint32_t)epoch;
}

/* Make a request on a communicator with a failure end with an error, if it does not already. */
static inline void symm_ompi_request_give_up(ompi_request_t *request)
{
    (void)ompi_request_is_failed(request);
}

#else

static inline bool symm_ompi_is_fault_tolerant(void)
{
    return false;
}

static inline int symm_ompi_comm_failure(struct ompi_communicator_t *comm)
{
    (void)comm;
    return MPI_SUCCESS;
}

static inline const char *symm_ompi_failure_text(int failure)
{
    (void)failure;
    return "";
}

static inline bool symm_ompi_is_failure(int error)
{
    (void)error;
    return false;
}

static inline int symm_ompi_failure_of(struct ompi_communicator_t *comm, int error)
{
    (void)comm;
    return error;
}

static inline bool symm_ompi_is_alive(struct ompi_communicator_t *comm, int rank)
{
    (void)comm;
    (void)rank;
    return true;
}

static inline void symm_ompi_comm_revoke(struct ompi_communicator_t *comm)
{
    (void)comm;
}

static inline void symm_ompi_comm_epoch_set(struct ompi_communicator_t *comm, int epoch)
{
    (void)comm;
    (void)epoch;
}

static inline void symm_ompi_request_give_up(ompi_request_t *request)
{
    (void)request;
}

#endif

#endif /* SYMM_MCA_OMPI_ULFM_H */
