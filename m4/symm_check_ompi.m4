# symm_check_ompi.m4 - which Open MPI to build for: programs, compiler flags, folders.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

m4_define([SYMM_OMPI_MINIMUM], [4.1])

# SYMM_CHECK_OMPI: sets
#   MPICC MPIRUN OMPI_INFO      Open MPI's programs
#   MPI_CFLAGS MPI_LIBS         for MPI programs
#   OMPI_CPPFLAGS OMPI_LIBS     for components: internal headers, libopen-pal beside libmpi
#   OMPI_VERSION OMPI_PREFIX OMPI_PKGLIBDIR
#   PMIX_PKGLIBDIR              folder of PMIx's own components (Open MPI 5.0)
AC_DEFUN([SYMM_CHECK_OMPI], [
    AC_ARG_WITH([ompi],
        [AS_HELP_STRING([--with-ompi=PREFIX],
            [Open MPI's installation prefix (default: the one whose mpicc is in PATH)])])
    AC_ARG_VAR([MPICC], [Open MPI's compiler wrapper, if not mpicc])
    symm_ompi_remedy="
  Debian and Ubuntu: apt-get install libopenmpi-dev openmpi-bin
  Elsewhere: --with-ompi=PREFIX, where PREFIX/bin/mpicc is Open MPI's, SYMM_OMPI_MINIMUM or newer."
    SYMM_OMPI_PROGRAMS
    SYMM_OMPI_VERSION
    SYMM_OMPI_FLAGS
    SYMM_OMPI_FOLDERS
    SYMM_OMPI_TRY_PROGRAM
    SYMM_OMPI_HEADERS
])

# mpicc, and its companions from the same folder. Debian gives them a common suffix (mpicc.openmpi).
AC_DEFUN([SYMM_OMPI_PROGRAMS], [
    AS_CASE([$with_ompi],
        [no], [AC_MSG_ERROR([ompi-symm cannot be built without Open MPI: drop --without-ompi])],
        [''|yes], [symm_ompi_path=$PATH],
        [symm_ompi_path=$with_ompi/bin
         AS_IF([test ! -x "$symm_ompi_path/mpicc"],
            [AC_MSG_ERROR(
                [--with-ompi=$with_ompi: no program $with_ompi/bin/mpicc.$symm_ompi_remedy])])])
    AS_IF([test -n "$MPICC"],
        [symm_word=`command -v "$MPICC"`
         AS_IF([test -z "$symm_word"], [AC_MSG_ERROR([MPICC=$MPICC: no such program])])
         MPICC=$symm_word])
    AC_PATH_PROG([MPICC], [mpicc], [], [$symm_ompi_path])
    AS_IF([test -z "$MPICC"],
        [AC_MSG_ERROR([there is no mpicc in PATH.$symm_ompi_remedy])])
    symm_ompi_bin=`AS_DIRNAME(["$MPICC"])`
    symm_ompi_suffix=`AS_ECHO(["$MPICC"]) | $SED 's|.*/mpicc||'`
    symm_ompi_real=`readlink -f "$MPICC"`
    symm_ompi_path=$symm_ompi_bin:`AS_DIRNAME(["$symm_ompi_real"])`
    AC_PATH_PROG([MPIRUN], [mpirun$symm_ompi_suffix], [], [$symm_ompi_path])
    AC_PATH_PROGS([OMPI_INFO], [ompi_info$symm_ompi_suffix ompi_info], [], [$symm_ompi_path])
])

AC_DEFUN([SYMM_OMPI_VERSION], [
    AC_MSG_CHECKING([for the version of Open MPI])
    OMPI_VERSION=`$MPICC --showme:version 2>/dev/null |
        $SED -n ['s/.*Open MPI v*\([0-9][0-9a-z.]*\).*/\1/p']`
    AS_IF([test -z "$OMPI_VERSION"],
        [AC_MSG_RESULT([not Open MPI])
         AC_MSG_ERROR([$MPICC does not belong to Open MPI (MPICH, perhaps).
  If several MPIs are installed, name Open MPI's: MPICC=mpicc.openmpi$symm_ompi_remedy])])
    AC_MSG_RESULT([$OMPI_VERSION])
    AS_VERSION_COMPARE([$OMPI_VERSION], SYMM_OMPI_MINIMUM,
        [AC_MSG_ERROR(
            [Open MPI $OMPI_VERSION ($MPICC) is older than SYMM_OMPI_MINIMUM.$symm_ompi_remedy])])
    AS_VERSION_COMPARE([$OMPI_VERSION], [5.1], [],
        [AC_MSG_WARN([nothing has been tried with an Open MPI newer than 5.0])],
        [AC_MSG_WARN([nothing has been tried with an Open MPI newer than 5.0])])
    AC_SUBST([OMPI_VERSION])
])

# Headers of Open MPI are given as system headers: they would not pass our own warnings.
AC_DEFUN([SYMM_OMPI_FLAGS], [
    MPI_CFLAGS=
    for symm_word in `$MPICC --showme:compile`; do
        AS_CASE([$symm_word],
            [-I*], [symm_word="-isystem `AS_ECHO(["$symm_word"]) | $SED s/^-I//`"])
        AS_VAR_APPEND([MPI_CFLAGS], ["$symm_word "])
    done
    MPI_LIBS=`$MPICC --showme:link`
    AC_SUBST([MPI_CFLAGS])
    AC_SUBST([MPI_LIBS])
])

AC_DEFUN([SYMM_OMPI_FOLDERS], [
    AS_IF([test -z "$OMPI_INFO"],
        [AC_MSG_ERROR([no ompi_info in $symm_ompi_bin to ask for folders.$symm_ompi_remedy])])
    AC_MSG_CHECKING([where Open MPI keeps its components])
    OMPI_PKGLIBDIR=`$OMPI_INFO --path pkglibdir --parsable 2>/dev/null |
        $SED -n 's/^path:pkglibdir://p'`
    OMPI_PREFIX=`$OMPI_INFO --path prefix --parsable 2>/dev/null |
        $SED -n 's/^path:prefix://p'`
    OMPI_LIBDIR=`$OMPI_INFO --path libdir --parsable 2>/dev/null |
        $SED -n 's/^path:libdir://p'`
    AS_IF([test ! -d "$OMPI_PKGLIBDIR"],
        [AC_MSG_RESULT([unknown])
         AC_MSG_ERROR([$OMPI_INFO --path pkglibdir --parsable names no folder: "$OMPI_PKGLIBDIR"])])
    AC_MSG_RESULT([$OMPI_PKGLIBDIR])
    AC_SUBST([OMPI_PKGLIBDIR])
])

AC_DEFUN([SYMM_OMPI_TRY_PROGRAM], [
    symm_saved_CFLAGS=$CFLAGS
    symm_saved_LIBS=$LIBS
    CFLAGS="$CFLAGS $MPI_CFLAGS"
    LIBS="$MPI_LIBS $LIBS"
    AC_MSG_CHECKING([whether an MPI program compiles and links])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[MPI_Init(0, 0); MPI_Finalize();]])],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([a small MPI program does not compile and link with $CC and the flags of
  $MPICC; config.log has the messages.$symm_ompi_remedy])])
    LIBS=$symm_saved_LIBS

    OMPI_LIBS=$MPI_LIBS
    LIBS="$MPI_LIBS -lopen-pal $LIBS"
    AC_MSG_CHECKING([for libopen-pal])
    AC_LINK_IFELSE([AC_LANG_CALL([], [opal_progress])],
        [AC_MSG_RESULT([yes])
         OMPI_LIBS="$MPI_LIBS -lopen-pal"],
        [AC_MSG_RESULT([no, its functions are left to libmpi])])
    CFLAGS=$symm_saved_CFLAGS
    LIBS=$symm_saved_LIBS
    AC_SUBST([OMPI_LIBS])
])
