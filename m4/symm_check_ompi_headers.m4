# symm_check_ompi_headers.m4 - Open MPI's internal headers, which components are compiled with.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Three kinds of installation:
# - All that matter are installed (4.1 with --with-devel-headers).
# - Some are missing that the others include, and PMIx's are included (5.0 of Debian, and with
#   --with-devel-headers): the source of the same release goes in front.
# - None are installed: all come from the source, and from a folder that it has been configured in
#   (symm_check_ompi_build.m4).

# SYMM_OMPI_HEADERS: sets OMPI_CPPFLAGS and PMIX_PKGLIBDIR.
AC_DEFUN([SYMM_OMPI_HEADERS], [
    AC_ARG_WITH([ompi-source],
        [AS_HELP_STRING([--with-ompi-source=DIR],
            [source tree of the same version of Open MPI, for internal headers that it does not
             install; needed for 5.0, and without development headers])])
    AC_ARG_WITH([ompi-build],
        [AS_HELP_STRING([--with-ompi-build=DIR],
            [folder that Open MPI was built in, for headers that its configure generates (default:
             the source tree if it is configured, or a folder here that configure makes)])])
    AC_ARG_WITH([pmix],
        [AS_HELP_STRING([--with-pmix=PREFIX],
            [PMIx, whose headers those of Open MPI 5.0 include (default: asks pkg-config)])])
    symm_source_remedy="
  Debian and Ubuntu: apt-get source openmpi (takes deb-src lines in apt's settings, and dpkg-dev),
  then --with-ompi-source=openmpi-$OMPI_VERSION
  Elsewhere: --with-ompi-source=DIR, where DIR is the unpacked archive of release $OMPI_VERSION."
    symm_source=
    symm_build=
    symm_pmix=
    PMIX_PKGLIBDIR=
    AS_CASE([$with_ompi_build], [''|no], [], [SYMM_OMPI_BUILD_GIVEN])
    AS_CASE([$with_ompi_source], [''|no], [], [SYMM_OMPI_SOURCE])
    SYMM_OMPI_INSTALLED_HEADERS
    AS_IF([test -n "$symm_build" || test -z "$symm_internal"],
        [SYMM_OMPI_BUILD
         OMPI_CPPFLAGS="$symm_build_flags $MPI_CFLAGS"
         AS_CASE([$with_pmix], [''|yes|no], [], [SYMM_OMPI_PMIX])],
        [AS_VERSION_COMPARE([$OMPI_VERSION], [5], [], [SYMM_OMPI_PMIX], [SYMM_OMPI_PMIX])
         OMPI_CPPFLAGS="${symm_source:+-isystem $symm_source }-isystem $symm_internal $MPI_CFLAGS"])
    AS_IF([test -n "$symm_pmix"], [AS_VAR_APPEND([OMPI_CPPFLAGS], [" -isystem $symm_pmix"])])
    AS_IF([test -z "$PMIX_PKGLIBDIR" && test -d "$OMPI_LIBDIR/pmix"],
        [PMIX_PKGLIBDIR=$OMPI_LIBDIR/pmix])
    SYMM_OMPI_TRY_HEADERS
    SYMM_COMPARE_OMPI
    AC_SUBST([OMPI_CPPFLAGS])
    AC_SUBST([PMIX_PKGLIBDIR])
])

# The tree's file VERSION has lines such as major=5, minor=0, release=7, greek=rc1.
AC_DEFUN([SYMM_OMPI_SOURCE], [
    AC_MSG_CHECKING([for the source of Open MPI $OMPI_VERSION])
    symm_source=`cd "$with_ompi_source" 2>/dev/null && pwd`
    AS_IF([test -z "$symm_source"],
        [AC_MSG_RESULT([none])
         AC_MSG_ERROR([--with-ompi-source=$with_ompi_source: no such folder.$symm_source_remedy])])
    AS_IF([test ! -f "$symm_source/VERSION" || test ! -f "$symm_source/ompi/mca/coll/coll.h"],
        [AC_MSG_RESULT([none])
         AC_MSG_ERROR([--with-ompi-source=$with_ompi_source is no source tree of Open MPI:
  it lacks VERSION or ompi/mca/coll/coll.h.$symm_source_remedy])])
    symm_source_version=`$SED -n ['s/^major=//p'] "$symm_source/VERSION"`
    for symm_word in minor release; do
        symm_source_version=$symm_source_version.`$SED -n \
            "s/^$symm_word=//p" "$symm_source/VERSION"`
    done
    symm_source_version=$symm_source_version`$SED -n ['s/^greek=//p'] "$symm_source/VERSION"`
    AS_IF([test "$symm_source_version" != "$OMPI_VERSION"],
        [AC_MSG_RESULT([$symm_source_version])
         AC_MSG_ERROR([--with-ompi-source=$with_ompi_source is the source of Open MPI
  $symm_source_version, but $OMPI_VERSION is installed ($MPICC).$symm_source_remedy])])
    AC_MSG_RESULT([$symm_source])
])

# symm_internal: empty if there are none, which the source can replace.
AC_DEFUN([SYMM_OMPI_INSTALLED_HEADERS], [
    AC_MSG_CHECKING([for Open MPI's installed internal headers])
    symm_internal=
    for symm_word in `$MPICC --showme:incdirs`; do
        for symm_dir in "$symm_word" "$symm_word/openmpi"; do
            AS_IF([test -z "$symm_internal" && test -f "$symm_dir/ompi_config.h"],
                [symm_internal=$symm_dir])
        done
    done
    AC_MSG_RESULT([${symm_internal:-none}])
    AS_IF([test -z "$symm_internal$symm_source"],
        [AC_MSG_ERROR([Open MPI $OMPI_VERSION is there, but not the internal headers (ompi_config.h)
  that components are compiled with. Debian and Ubuntu: apt-get install libopenmpi-dev
  Elsewhere: --with-ompi-source=DIR, where DIR is the unpacked archive of release $OMPI_VERSION.])])
])

# symm_pmix: the folder with pmix.h, if the compiler does not find it by itself. A PMIx that Open
# MPI has brought along goes before the system's, which may be another release. PMIX_PKGLIBDIR is
# where PMIx keeps its own components, for tests/env.sh; empty where that cannot be told.
AC_DEFUN([SYMM_OMPI_PMIX], [
    AC_MSG_CHECKING([for pmix.h])
    symm_pmix=
    AS_CASE([$with_pmix],
        [no], [AC_MSG_ERROR([Open MPI $OMPI_VERSION needs PMIx: drop --without-pmix])],
        [''|yes],
        [symm_pmix_libdir=
         for symm_word in `$MPICC --showme:incdirs`; do
             AS_IF([test -f "$symm_word/pmix.h"], [symm_pmix_libdir=$OMPI_LIBDIR])
         done
         AS_IF([test -z "$symm_pmix_libdir"],
            [symm_pmix=`pkg-config --variable=includedir pmix 2>/dev/null`
             symm_pmix_libdir=`pkg-config --variable=libdir pmix 2>/dev/null`])],
        [symm_pmix=$with_pmix/include
         symm_pmix_libdir=$with_pmix/lib
         AS_IF([test ! -f "$symm_pmix/pmix.h"],
            [AC_MSG_RESULT([none])
             AC_MSG_ERROR([--with-pmix=$with_pmix: there is no $symm_pmix/pmix.h])])])
    AS_IF([test -n "$symm_pmix_libdir" && test -d "$symm_pmix_libdir/pmix"],
        [PMIX_PKGLIBDIR=$symm_pmix_libdir/pmix])
    symm_saved_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $MPI_CFLAGS ${symm_pmix:+-isystem $symm_pmix}"
    AC_PREPROC_IFELSE([AC_LANG_PROGRAM([[#include <pmix.h>]])],
        [AC_MSG_RESULT([${symm_pmix:-yes}])],
        [AC_MSG_RESULT([none])
         AC_MSG_ERROR([pmix.h, which the headers of Open MPI $OMPI_VERSION include, is not found.
  Debian and Ubuntu: apt-get install libpmix-dev pkgconf
  Elsewhere: --with-pmix=PREFIX, where PREFIX/include has pmix.h.])])
    CPPFLAGS=$symm_saved_CPPFLAGS
])

# mca/ompi_compat.h includes all of Open MPI's headers that we use.
AC_DEFUN([SYMM_OMPI_TRY_HEADERS], [
    symm_saved_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS -I$srcdir $OMPI_CPPFLAGS -isystem $srcdir/mca/shim"
    AC_MSG_CHECKING([whether the headers of coll and mpool components compile])
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include "mca/ompi_compat.h"]])],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         SYMM_OMPI_HEADERS_ERROR])
    CPPFLAGS=$symm_saved_CPPFLAGS
])

AC_DEFUN([SYMM_OMPI_HEADERS_ERROR], [
    AS_VERSION_COMPARE([$OMPI_VERSION], [5], [symm_word=installed],
        [symm_word=${symm_source:-lacking}], [symm_word=${symm_source:-lacking}])
    AS_IF([test -n "$symm_build"],
        [AC_MSG_ERROR([the headers of Open MPI $OMPI_VERSION do not compile;
  config.log names what is missing. They are from
    $symm_source (source)
    $symm_build (what its configure generates)
  A header of PMIx, hwloc or libevent that Open MPI has not brought along has to be installed.])])
    AS_IF([test "$symm_word" = lacking],
        [AC_MSG_ERROR([Open MPI $OMPI_VERSION does not install all headers that components are
  compiled with (config.log names what is missing). They are in its source, which the switch
  --with-ompi-source=DIR adds.$symm_source_remedy])])
    AC_MSG_ERROR([Open MPI $OMPI_VERSION's internal headers in $symm_internal do not compile;
  config.log names what is missing (often a header of PMIx, hwloc or libevent).
  Debian and Ubuntu: apt-get install libopenmpi-dev libpmix-dev libhwloc-dev libevent-dev])
])
