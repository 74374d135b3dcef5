/*
 * fint_2_int.h - stands in for a header of Open MPI that its packages do not install but
 * ompi/op/op.h includes: conversion between Fortran and C integers where they are the same.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_SHIM_FINT_2_INT_H
#define SYMM_SHIM_FINT_2_INT_H

#if OMPI_SIZEOF_FORTRAN_INTEGER != SIZEOF_INT
#error "This Open MPI has Fortran INTEGERs that are no C ints: configure with its source headers"
#endif

#define OMPI_INT_2_FINT(value) (value)
#define OMPI_FINT_2_INT(value) (value)

#endif /* SYMM_SHIM_FINT_2_INT_H */
