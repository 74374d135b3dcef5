# symm_check_cmocka.m4 - cmocka, for the tests of heap/ and kernels/.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

# SYMM_CHECK_CMOCKA: sets CMOCKA_CFLAGS, CMOCKA_LIBS and the conditional HAVE_CMOCKA. Without cmocka
# everything is built but those tests, unless --with-cmocka insists.
AC_DEFUN([SYMM_CHECK_CMOCKA], [
    AC_ARG_WITH([cmocka],
        [AS_HELP_STRING([--with-cmocka@<:@=PREFIX@:>@],
            [cmocka for the unit tests (default: used if found)])],
        [], [with_cmocka=auto])
    AC_ARG_VAR([CMOCKA_CFLAGS], [compiler flags for cmocka])
    AC_ARG_VAR([CMOCKA_LIBS], [linker flags for cmocka])
    AS_CASE([$with_cmocka],
        [no|yes|auto], [],
        [AS_IF([test ! -f "$with_cmocka/include/cmocka.h"],
            [AC_MSG_ERROR([--with-cmocka=$with_cmocka: there is no $with_cmocka/include/cmocka.h])])
         : "${CMOCKA_CFLAGS=-isystem $with_cmocka/include}"
         : "${CMOCKA_LIBS=-L$with_cmocka/lib -Wl,-rpath,$with_cmocka/lib -lcmocka}"])
    : "${CMOCKA_LIBS=-lcmocka}"

    have_cmocka=no
    AS_IF([test "x$with_cmocka" != xno],
        [AC_MSG_CHECKING([for cmocka])
         SYMM_TRY_CMOCKA
         AC_MSG_RESULT([$have_cmocka])])
    AS_CASE([$have_cmocka/$with_cmocka],
        [no/no|no/auto|yes/*], [],
        [AC_MSG_ERROR([--with-cmocka=$with_cmocka: a program with cmocka does not compile and link;
  config.log has the messages. Debian and Ubuntu: apt-get install libcmocka-dev])])
    AM_CONDITIONAL([HAVE_CMOCKA], [test "$have_cmocka" = yes])
])

AC_DEFUN([SYMM_TRY_CMOCKA], [
    symm_saved_CFLAGS=$CFLAGS
    symm_saved_LIBS=$LIBS
    CFLAGS="$CFLAGS $CMOCKA_CFLAGS"
    LIBS="$CMOCKA_LIBS $LIBS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[
        #include <stdarg.h>
        #include <stddef.h>
        #include <stdint.h>
        #include <setjmp.h>
        #include <cmocka.h>
        static void nothing(void **state) { (void) state; }]],
        [[const struct CMUnitTest tests[] = { cmocka_unit_test(nothing) };
          return cmocka_run_group_tests(tests, NULL, NULL);]])],
        [have_cmocka=yes])
    CFLAGS=$symm_saved_CFLAGS
    LIBS=$symm_saved_LIBS
])
