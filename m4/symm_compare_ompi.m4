# symm_compare_ompi.m4 - whether the internal headers belong to the Open MPI that is installed.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

# SYMM_COMPARE_OMPI: sizes of structures in the headers beside those that the libraries have
# (mca/sizes.h), and what changes headers beside what ompi_info says.
#
# A program does it. It writes a line "size ..." for each structure that differs, and one as
# ompi_info has it, "option:debug:no", for each option. It is position-independent, as components
# are: weak symbols of libraries are then looked up when it is loaded.
AC_DEFUN([SYMM_COMPARE_OMPI], [
    symm_saved_CPPFLAGS=$CPPFLAGS
    symm_saved_CFLAGS=$CFLAGS
    symm_saved_LIBS=$LIBS
    CFLAGS="$CFLAGS -fPIC"
    CPPFLAGS="$CPPFLAGS -D_GNU_SOURCE -I$srcdir $OMPI_CPPFLAGS -isystem $srcdir/mca/shim"
    LIBS="$OMPI_LIBS $LIBS -ldl"
    AC_MSG_CHECKING([whether the headers belong to the Open MPI that is installed])
    rm -f conftest.compared
    AC_RUN_IFELSE([SYMM_COMPARE_OMPI_PROGRAM], [symm_word=run], [symm_word=failed],
        [symm_word=cross])
    CPPFLAGS=$symm_saved_CPPFLAGS
    CFLAGS=$symm_saved_CFLAGS
    LIBS=$symm_saved_LIBS
    symm_different=
    AS_IF([test -f conftest.compared],
        [symm_different=`$SED -n 's/^size //p' conftest.compared`
         $OMPI_INFO --parsable 2>/dev/null >conftest.info
         for symm_line in `grep '^option' conftest.compared`; do
             symm_key=`AS_ECHO(["$symm_line"]) | $SED 's/:[[^:]]*$//'`
             symm_theirs=`grep "^$symm_key:" conftest.info`
             AS_CASE([$symm_theirs], [''|"$symm_line"], [],
                 [symm_different="$symm_different
$symm_line in the headers, $symm_theirs in the installation"])
         done
         rm -f conftest.info conftest.compared])
    AS_IF([test -n "$symm_different"],
        [AC_MSG_RESULT([no])
         SYMM_COMPARE_OMPI_ERROR])
    AS_CASE([$symm_word],
        [run], [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([unknown])
         AC_MSG_WARN([a program that is linked with libmpi does not run here, so that headers and
  libraries have not been compared; the components do so when they are loaded])])
])

AC_DEFUN([SYMM_COMPARE_OMPI_PROGRAM], [AC_LANG_PROGRAM([[
#include "mca/sizes.h"
#include <stdio.h>
#ifndef OPAL_ENABLE_FT_MPI
#define OPAL_ENABLE_FT_MPI 0
#endif
static void print_option(FILE *file, const char *key, int value)
{
    fprintf(file, "%s:%s\n", key, value ? "yes" : "no");
}]], [[
    struct symm_size found[8];
    FILE *file = fopen("conftest.compared", "w");
    size_t count = symm_sizes_differ(found, 8);
    if (file == NULL) {
        return 1;
    }
    for (size_t i = 0; i < count && i < 8; i++) {
        fprintf(file, "size %s: %zu bytes in the headers, %zu in the library\n", found[i].name,
                found[i].headers, found[i].library);
    }
    print_option(file, "option:debug", OPAL_ENABLE_DEBUG);
    print_option(file, "option:sparse:groups", OMPI_GROUP_SPARSE);
    print_option(file, "options:heterogeneous", OPAL_ENABLE_HETEROGENEOUS_SUPPORT);
    print_option(file, "options:ft_mpi_support", OPAL_ENABLE_FT_MPI);
    fprintf(file, "options:mpi-max-object-name:%d\n", MPI_MAX_OBJECT_NAME);
    return fclose(file) != 0;]])])

AC_DEFUN([SYMM_COMPARE_OMPI_ERROR], [
    symm_word="Open MPI was installed in parts from two builds: install it anew."
    AS_IF([test -n "$symm_source"],
        [symm_word="Is $symm_source what Open MPI was built from? A vendor may have
  changed it: then the vendor's source is needed."])
    AS_IF([test -n "$symm_build"],
        [AS_VAR_APPEND([symm_word], ["
  Was $symm_build configured as Open MPI was? --with-ompi-build=DIR
  names the folder that it was built in."])])
    AC_MSG_ERROR([the headers are not those of the Open MPI that is installed ($MPICC):
$symm_different
  $symm_word])
])
