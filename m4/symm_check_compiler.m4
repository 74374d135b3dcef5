# symm_check_compiler.m4 - the compiler, its warnings, debug and sanitizer builds, and the system.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

# SYMM_ENABLE_DEBUG: --enable-debug. Comes before AC_PROG_CC, which would set CFLAGS to "-g -O2".
AC_DEFUN([SYMM_ENABLE_DEBUG], [
    AC_ARG_ENABLE([debug],
        [AS_HELP_STRING([--enable-debug], [compile with -O0 -g3 unless CFLAGS is set])],
        [], [enable_debug=no])
    AS_IF([test "x$enable_debug" != xno], [: "${CFLAGS=-O0 -g3}"])
])

# SYMM_FIND_CC: before AC_PROG_CC, whose own error does not say what to install.
AC_DEFUN([SYMM_FIND_CC], [
    AS_IF([test -z "$CC"],
        [AC_CHECK_TOOLS([symm_cc], [gcc cc clang])
         AS_IF([test -z "$symm_cc"],
            [AC_MSG_ERROR([there is no C compiler in PATH.
  Debian and Ubuntu: apt-get install gcc libc6-dev make])])])
])

# SYMM_CHECK_CC: after AC_PROG_CC; C11 with lock-free 64-bit atomics.
AC_DEFUN([SYMM_CHECK_CC], [
    AC_MSG_CHECKING([whether $CC knows C11 atomics and 64-bit pointers])
    symm_saved_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -std=gnu11"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[
        #include <stdatomic.h>
        #include <stdint.h>
        #include <stdlib.h>
        _Static_assert(sizeof(void *) == 8, "64-bit pointers");
        _Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "lock-free 64-bit atomics");
        static _Atomic uint64_t word;]],
        [[atomic_store_explicit(&word, 1, memory_order_release);
          return (int) atomic_load_explicit(&word, memory_order_acquire) - 1;]])],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([$CC cannot compile and link a small C11 program for a 64-bit machine.
  config.log has its messages. It may be too old (GCC 5 or newer is needed), or the C library's
  headers are missing; Debian and Ubuntu: apt-get install gcc libc6-dev])])
    CFLAGS=$symm_saved_CFLAGS
])

# SYMM_CHECK_SYSTEM: Linux, and the functions that not every C library has.
AC_DEFUN([SYMM_CHECK_SYSTEM], [
    AC_SEARCH_LIBS([pthread_create], [pthread])
    AC_SEARCH_LIBS([dladdr], [dl])
    AC_CHECK_FUNC([memfd_create], [],
        [AC_MSG_ERROR([memfd_create() is missing: Linux 3.17 with glibc 2.27 or newer is needed])])
])

# SYMM_TRY_CFLAG(FLAG): append FLAG to SYMM_CFLAGS if the compiler takes it.
AC_DEFUN([SYMM_TRY_CFLAG], [
    AS_VAR_PUSHDEF([symm_cache], [symm_cv_cflag_$1])
    AC_CACHE_CHECK([whether $CC takes $1], [symm_cache],
        [symm_saved_CFLAGS=$CFLAGS
         CFLAGS="$CFLAGS -Werror $1"
         AC_COMPILE_IFELSE([AC_LANG_PROGRAM],
            [AS_VAR_SET([symm_cache], [yes])], [AS_VAR_SET([symm_cache], [no])])
         CFLAGS=$symm_saved_CFLAGS])
    AS_VAR_IF([symm_cache], [yes], [AS_VAR_APPEND([SYMM_CFLAGS], [" $1"])])
    AS_VAR_POPDEF([symm_cache])
])

# SYMM_CHECK_WARNINGS: SYMM_CFLAGS for our own sources; --enable-werror makes warnings errors. Open
# MPI's headers use typeof on 64-bit ARM, which C11 alone does not have. Products are rounded before
# they are added, as in C11: results would otherwise depend on the processor.
AC_DEFUN([SYMM_CHECK_WARNINGS], [
    AC_ARG_ENABLE([werror],
        [AS_HELP_STRING([--enable-werror], [make compiler warnings errors (used by CI)])],
        [], [enable_werror=no])
    SYMM_CFLAGS='-std=gnu11 -ffp-contract=off -fvisibility=hidden'
    m4_foreach_w([symm_flag],
        [-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
         -Wcast-qual -Wundef -Wvla -Wwrite-strings],
        [SYMM_TRY_CFLAG(symm_flag)])
    AS_IF([test "x$enable_werror" != xno], [AS_VAR_APPEND([SYMM_CFLAGS], [" -Werror"])])
    AC_SUBST([SYMM_CFLAGS])
])

# SYMM_ENABLE_SANITIZERS: --enable-sanitizers=LIST. Sets SYMM_SANITIZERS.
AC_DEFUN([SYMM_ENABLE_SANITIZERS], [
    AC_ARG_ENABLE([sanitizers],
        [AS_HELP_STRING([--enable-sanitizers@<:@=LIST@:>@],
            [compile everything with sanitizers: address,undefined (the default LIST),
             one of the two, or thread])],
        [], [enable_sanitizers=no])
    AS_CASE([$enable_sanitizers],
        [no], [SYMM_SANITIZERS=],
        [yes|undefined,address], [SYMM_SANITIZERS=address,undefined],
        [address|undefined|thread|address,undefined], [SYMM_SANITIZERS=$enable_sanitizers],
        [AC_MSG_ERROR([--enable-sanitizers=$enable_sanitizers is not known.
  Possible values: address | undefined | address,undefined | thread (thread goes with no other).])])
    AC_SUBST([SYMM_SANITIZERS])
])

# SYMM_USE_SANITIZERS: after all other checks. The flags go into CFLAGS, because a sanitizer has to
# see everything that ends up in one process: libraries, components, tests and programs.
# SYMM_SANITIZER_PRELOAD is the run-time library that a program which we did not compile (Open MPI's
# own tools) must preload before it can load our components.
AC_DEFUN([SYMM_USE_SANITIZERS], [
    SYMM_SANITIZER_PRELOAD=
    AS_IF([test -n "$SYMM_SANITIZERS"], [SYMM_ADD_SANITIZERS])
    AC_SUBST([SYMM_SANITIZER_PRELOAD])
])

# SYMM_CHECK_RECORDING: RECORDING_CFLAGS, for a test that brings its own functions for what
# ThreadSanitizer's instrumentation calls. Such code goes with no sanitizer.
AC_DEFUN([SYMM_CHECK_RECORDING], [
    RECORDING_CFLAGS='-fsanitize=thread -Wno-tsan -fno-builtin-memcpy'
    AC_CACHE_CHECK([whether $CC compiles with $RECORDING_CFLAGS], [symm_cv_recording],
        [symm_saved_CFLAGS=$CFLAGS
         CFLAGS="$CFLAGS $RECORDING_CFLAGS"
         AC_COMPILE_IFELSE([AC_LANG_PROGRAM],
            [symm_cv_recording=yes], [symm_cv_recording=no])
         CFLAGS=$symm_saved_CFLAGS])
    AS_IF([test -n "$SYMM_SANITIZERS"], [symm_cv_recording=no])
    AM_CONDITIONAL([RECORDING], [test "$symm_cv_recording" = yes])
    AC_SUBST([RECORDING_CFLAGS])
])

AC_DEFUN([SYMM_ADD_SANITIZERS], [
    AC_MSG_CHECKING([whether $CC links with -fsanitize=$SYMM_SANITIZERS])
    CFLAGS="$CFLAGS -fsanitize=$SYMM_SANITIZERS -fno-sanitize-recover=all -fno-omit-frame-pointer"
    CXXFLAGS="$CXXFLAGS -fsanitize=$SYMM_SANITIZERS -fno-sanitize-recover=all"
    CXXFLAGS="$CXXFLAGS -fno-omit-frame-pointer"
    AC_LINK_IFELSE([AC_LANG_PROGRAM],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([$CC cannot link with -fsanitize=$SYMM_SANITIZERS;
  config.log has its messages. GCC's run-time libraries come with libgcc-*-dev (Debian, Ubuntu)
  or libasan, libubsan, libtsan (Fedora, RHEL).])])
    # Open MPI's headers have fences, which ThreadSanitizer does not see and GCC warns of.
    AS_IF([test "$SYMM_SANITIZERS" = thread], [SYMM_TRY_CFLAG([-Wno-tsan])])
    AS_CASE([$SYMM_SANITIZERS],
        [address*], [symm_runtime=libasan.so],
        [thread], [symm_runtime=libtsan.so],
        [symm_runtime=])
    AS_IF([test -n "$symm_runtime"],
        [symm_runtime=`$CC -print-file-name=$symm_runtime`
         AS_CASE([$symm_runtime], [/*], [SYMM_SANITIZER_PRELOAD=`readlink -f "$symm_runtime"`])])
])
