# symm_info.m4 - what symm_info has to know of the Open MPI that it is built for.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

# SYMM_INFO_FOLDERS: sets
#   OMPI_RUNPATH      the linker's flags by which MPI programs find libmpi, without libmpi itself
#   OMPI_LIBDIR OMPI_SYSCONFDIR   folders of Open MPI; OMPI_PREFIX, from SYMM_CHECK_OMPI
# After SYMM_CHECK_OMPI.
AC_DEFUN([SYMM_INFO_FOLDERS], [
    OMPI_RUNPATH=
    for symm_word in $MPI_LIBS; do
        AS_CASE([$symm_word], [-l*|-pthread], [],
            [AS_VAR_APPEND([OMPI_RUNPATH], ["$symm_word "])])
    done
    OMPI_LIBDIR=`$OMPI_INFO --path libdir --parsable 2>/dev/null | $SED -n 's/^path:libdir://p'`
    OMPI_SYSCONFDIR=`$OMPI_INFO --path sysconfdir --parsable 2>/dev/null |
        $SED -n 's/^path:sysconfdir://p'`
    AC_SUBST([OMPI_RUNPATH])
    AC_SUBST([OMPI_LIBDIR])
    AC_SUBST([OMPI_SYSCONFDIR])
    AC_SUBST([OMPI_PREFIX])
])
