# symm_check_ompi_build.m4 - headers of an Open MPI that has installed none: from its source, and
# from a folder that this source has been configured in, which has the generated ones.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
#
# That folder is the user's, or the source itself, or one that this configure makes. Whether it was
# configured as the installation was is seen in the options; symm_compare_ompi.m4 compares the rest.

# SYMM_OMPI_BUILD_GIVEN: the user's folder. Sets symm_build and, if need be, with_ompi_source.
AC_DEFUN([SYMM_OMPI_BUILD_GIVEN], [
    symm_build=`cd "$with_ompi_build" 2>/dev/null && pwd -P`
    AS_IF([test -z "$symm_build"],
        [AC_MSG_ERROR([--with-ompi-build=$with_ompi_build: no such folder.])])
    AS_IF([test ! -f "$symm_build/config.status" ||
           test ! -f "$symm_build/opal/include/opal_config.h"],
        [AC_MSG_ERROR([--with-ompi-build=$with_ompi_build is no build folder of Open MPI:
  it lacks config.status or opal/include/opal_config.h. Name the folder in which Open MPI's
  configure was run, or leave the option out: then a folder is made here.])])
    symm_build_source=`$SED -n ['s/^abs_top_srcdir *= *//p'] "$symm_build/Makefile"`
    symm_build_source=`cd "$symm_build_source" 2>/dev/null && pwd -P`
    AS_CASE([$with_ompi_source],
        [''|no|yes], [with_ompi_source=$symm_build_source],
        [symm_word=`cd "$with_ompi_source" 2>/dev/null && pwd -P`
         AS_IF([test -n "$symm_word" && test "$symm_word" != "$symm_build_source"],
            [AC_MSG_ERROR([--with-ompi-build=$with_ompi_build does not belong to that source:
  it was configured from ${symm_build_source:-a folder that is gone}.
  Leave --with-ompi-source out, or name that one.])])])
    AS_IF([test -z "$with_ompi_source"],
        [AC_MSG_ERROR([--with-ompi-build=$with_ompi_build: its source is not there any more.
  Leave the option out, and give --with-ompi-source=DIR.])])
])

# SYMM_OMPI_BUILD: sets symm_build, if it is not set, and symm_build_flags.
AC_DEFUN([SYMM_OMPI_BUILD], [
    symm_cli=`$OMPI_INFO --parsable 2>/dev/null | $SED -n 's/^config:cli://p'`
    AS_IF([test -z "$symm_build" && test -f "$symm_source/config.status"],
        [symm_build=$symm_source])
    AS_IF([test -n "$symm_build"],
        [SYMM_OMPI_BUILD_OPTIONS],
        [SYMM_OMPI_CONFIGURE])
    AC_MSG_CHECKING([for the generated headers of Open MPI $OMPI_VERSION])
    SYMM_OMPI_BUILD_VERSION
    SYMM_OMPI_BUILD_FLAGS
    AC_MSG_RESULT([$symm_build])
])

# The source of a build folder may have been replaced by that of another release.
AC_DEFUN([SYMM_OMPI_BUILD_VERSION], [
    symm_build_version=
    for symm_word in MAJOR MINOR RELEASE; do
        symm_build_version=$symm_build_version.`$SED -n \
            "s/^#define OMPI_${symm_word}_VERSION //p" "$symm_build/ompi/include/mpi.h" 2>/dev/null`
    done
    AS_CASE([.$OMPI_VERSION],
        ["$symm_build_version"|"$symm_build_version"[[a-z]]*], [],
        [AC_MSG_RESULT([of another release])
         symm_build_version=`AS_ECHO(["$symm_build_version"]) | $SED 's/^\.//'`
         AC_MSG_ERROR([$symm_build was configured for another release:
  its mpi.h says $symm_build_version, but $OMPI_VERSION is installed ($MPICC).
  Name another folder with --with-ompi-build=DIR, or leave that out with a source that is not
  itself configured: then a folder is made here.])])
])

# Options of a configure as single-quoted words, one a line, without those that headers cannot
# depend on: folders to install into, compilers and their flags, words for people.
AC_DEFUN([SYMM_OMPI_OPTIONS], [`
    eval "set x $$1"
    shift
    for symm_option
    do
        AS_CASE([$symm_option],
            [--with-*-libdir=*], [AS_ECHO(["'$symm_option'"])],
            [--prefix=*|--exec-prefix=*|--*dir=/*|--*dir='$'*|--build=*|--program-*], [],
            [--with-devel-headers|--without-devel-headers|--*-silent-rules|--*-option-checking], [],
            [--*-maintainer-mode|--*-dependency-tracking|--*-sphinx|--*-sphinx=*], [],
            [--with-package-string=*|--with-ident-string=*], [],
            [[[A-Za-z_]]*=*], [],
            [AS_ECHO(["'$symm_option'"])])
    done | LC_ALL=C sort -u`])

AC_DEFUN([SYMM_OMPI_BUILD_OPTIONS], [
    AC_MSG_CHECKING([whether $symm_build was configured as Open MPI was])
    symm_build_cli=`"$symm_build/config.status" --config 2>/dev/null`
    symm_build_options=SYMM_OMPI_OPTIONS([symm_build_cli])
    symm_installed_options=SYMM_OMPI_OPTIONS([symm_cli])
    AS_IF([test "$symm_build_options" != "$symm_installed_options"],
        [AC_MSG_RESULT([no])
         AS_ECHO(["$symm_installed_options"]) >conftest.installed
         AS_ECHO(["$symm_build_options"]) >conftest.build
         symm_installed_options=`LC_ALL=C comm -23 conftest.installed conftest.build | tr '\n' ' '`
         symm_build_options=`LC_ALL=C comm -13 conftest.installed conftest.build | tr '\n' ' '`
         rm -f conftest.installed conftest.build
         AC_MSG_ERROR([$symm_build was configured with other options than the installation:
  installation: ${symm_installed_options:-nothing} (which the folder lacks)
  this folder:  ${symm_build_options:-nothing} (which the installation lacks)
  Name the folder that the installation was built in, or leave --with-ompi-build out with a source
  that is not itself configured (make distclean): then a folder is made here.])])
    AC_MSG_RESULT([yes])
])

# What the sources of a component are compiled with there. Of the Makefile only the variables are
# taken, so that make cannot begin to generate files anew.
AC_DEFUN([SYMM_OMPI_BUILD_FLAGS], [
    symm_dir=$symm_build/ompi/mca/coll/basic
    $AWK ['/^[A-Za-z_][A-Za-z0-9_]* *=/ { variable = 1 }
          variable { print }
          !/\\$/ { variable = 0 }'] "$symm_dir/Makefile" >conftest.mk 2>/dev/null
    AS_ECHO(['symm-flags: ; @echo $(DEFAULT_INCLUDES) $(INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS)']) \
        >>conftest.mk
    symm_word=`${MAKE-make} -s --no-print-directory -f conftest.mk symm-flags 2>&AS_MESSAGE_LOG_FD`
    rm -f conftest.mk
    symm_build_flags=
    symm_before=
    for symm_word in $symm_word; do
        AS_CASE([$symm_before$symm_word],
            [-I|-iquote|-isystem], [symm_before=$symm_word; continue],
            [-I*|-iquote*|-isystem*],
            [symm_word=`AS_ECHO(["$symm_before$symm_word"]) |
                 $SED 's/^-I//; s/^-iquote//; s/^-isystem//'`
             symm_word=`cd "$symm_dir" && cd "$symm_word" 2>/dev/null && pwd`
             AS_CASE([$symm_word],
                [''|/usr/include], [],
                [AS_VAR_APPEND([symm_build_flags], ["-isystem $symm_word "])])],
            [-D*], [AS_VAR_APPEND([symm_build_flags], ["$symm_word "])])
        symm_before=
    done
    AS_IF([test -z "$symm_build_flags"],
        [AC_MSG_RESULT([none])
         AC_MSG_ERROR([$symm_build has no Makefile for components of Open MPI:
  it lacks ompi/mca/coll/basic/Makefile. Was its configure ended early?])])
])
