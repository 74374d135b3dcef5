# symm_check_ucx.m4 - whether Open MPI can run over UCX.
#
# UCX is a companion at run time only: what we do not serve may travel through pml/ucx, and the
# tests run over it too where it is there. Nothing is compiled or linked with it.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

# SYMM_CHECK_UCX: sets SYMM_HAVE_PML_UCX to yes or no.
AC_DEFUN([SYMM_CHECK_UCX], [
    AC_MSG_CHECKING([whether Open MPI has pml/ucx])
    AS_IF([$OMPI_INFO --parsable 2>/dev/null | grep '^mca:pml:ucx:' >/dev/null],
        [SYMM_HAVE_PML_UCX=yes], [SYMM_HAVE_PML_UCX=no])
    AC_MSG_RESULT([$SYMM_HAVE_PML_UCX])
    AC_SUBST([SYMM_HAVE_PML_UCX])
])
