# symm_component_dir.m4 - where `make install` puts the components, and how they find libsymm.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

# SYMM_COMPONENT_DIR: sets componentdir and symm_libdir_rpath.
#
# Without --prefix the components go where this Open MPI looks for them. Somebody who names a prefix
# of his own may not be able, or may not want, to write there: then they stay under the prefix, and
# an environment variable tells Open MPI (SYMM_SUMMARY and `make install` print it).
AC_DEFUN([SYMM_COMPONENT_DIR], [
    AC_ARG_WITH([component-dir],
        [AS_HELP_STRING([--with-component-dir=DIR],
            [install the Open MPI components into DIR (default: the folder where Open MPI looks;
             with a --prefix other than Open MPI's: LIBDIR/ompi-symm)])],
        [AS_CASE([$with_component_dir],
            [/*], [],
            [AC_MSG_ERROR([--with-component-dir=$with_component_dir: give an absolute path])])])
    AS_IF([test -n "$with_component_dir"], [componentdir=$with_component_dir],
          [test "x$prefix" = xNONE || test "x$prefix" = "x$OMPI_PREFIX"],
          [componentdir=$OMPI_PKGLIBDIR],
          [componentdir='${libdir}/ompi-symm'])
    AC_SUBST([componentdir])

    # The dynamic linker searches these by itself; a run path to them only gets in the way.
    SYMM_EXPAND([symm_libdir], [$libdir])
    AS_CASE([$symm_libdir],
        [/lib|/lib64|/usr/lib|/usr/lib64|/lib/*-linux-gnu*|/usr/lib/*-linux-gnu*],
        [symm_libdir_rpath=],
        [symm_libdir_rpath='-Wl,-rpath,$(libdir)'])
    AC_SUBST([symm_libdir_rpath])
])

# SYMM_EXPAND(VARIABLE, TEXT): TEXT with ${prefix} and the like replaced, as make would do.
AC_DEFUN([SYMM_EXPAND], [
    symm_saved_prefix=$prefix
    symm_saved_exec_prefix=$exec_prefix
    test "x$prefix" = xNONE && prefix=$ac_default_prefix
    test "x$exec_prefix" = xNONE && exec_prefix=$prefix
    $1=$2
    while :; do
        AS_CASE([$$1], [*'$'*], [eval "$1=\"$$1\""], [break])
    done
    prefix=$symm_saved_prefix
    exec_prefix=$symm_saved_exec_prefix
])
