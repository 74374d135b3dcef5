/*
 * data/kinds.h - what a program promises about the memory of the buffers on a communicator.
 *
 * MPI 4.1 has the info key mpi_assert_memory_alloc_kinds for that.  Its value lists kinds of
 * memory, each with or without a restriction: "system,mpi:alloc_mem,cuda:device".
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_DATA_KINDS_H
#define MCA_COLL_SYMM_DATA_KINDS_H

/* Which memory buffers may be in. */
enum symm_kinds {
    SYMM_KINDS_ANY,    /* there is no promise, or it allows memory of devices */
    SYMM_KINDS_GIVEN,  /* only what MPI_Alloc_mem has given may be on a device */
    SYMM_KINDS_SYSTEM, /* host memory */
};

/* What a value of the key leaves; kinds that are not "system" or "mpi" may be on devices. */
enum symm_kinds mca_coll_symm_kinds_read(const char *value);

#endif /* MCA_COLL_SYMM_DATA_KINDS_H */
