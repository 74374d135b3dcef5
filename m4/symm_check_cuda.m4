# symm_check_cuda.m4 - the CUDA toolkit, for device memory: cuda.h, and nvcc for the kernels.
#
# Nothing is linked with CUDA; the driver is opened at run time, and need not be on this machine.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

# SYMM_CHECK_CUDA: sets NVCC, CUDA_CPPFLAGS, HAVE_CUDA in config.h and the conditional CUDA. Without
# a toolkit everything is built but device memory, unless --with-cuda insists.
AC_DEFUN([SYMM_CHECK_CUDA], [
    AC_ARG_WITH([cuda],
        [AS_HELP_STRING([--with-cuda@<:@=PREFIX@:>@],
            [device memory, with the CUDA toolkit in PREFIX (default: used if found, in PATH or
             in /usr/local/cuda)])],
        [], [with_cuda=auto])
    AC_ARG_VAR([NVCC], [CUDA compiler])
    AC_ARG_VAR([CUDA_CPPFLAGS], [compiler flags for cuda.h])
    AS_CASE([$with_cuda],
        [no|yes|auto], [],
        [AS_IF([test ! -d "$with_cuda"],
            [AC_MSG_ERROR([--with-cuda=$with_cuda: there is no folder $with_cuda])])])

    have_cuda=no
    symm_cuda_missing=
    AS_IF([test "x$with_cuda" != xno], [SYMM_FIND_CUDA])
    AS_CASE([$have_cuda/$with_cuda],
        [no/no|no/auto|yes/*], [],
        [AC_MSG_ERROR([--with-cuda=$with_cuda: $symm_cuda_missing;
  config.log has the messages. Device memory needs nvcc and cuda.h of CUDA 12.8 or newer.])])
    AS_IF([test "$have_cuda" = yes],
        [AC_DEFINE([HAVE_CUDA], [1], [Define to 1 if device memory is built.])])
    AM_CONDITIONAL([CUDA], [test "$have_cuda" = yes])
])

# SYMM_ENABLE_MULTICAST: sets MULTICAST_CPPFLAGS, HAVE_MULTICAST and MULTICAST_UNICAST in config.h,
# and the conditionals MULTICAST and NVLINK_MULTICAST (the driver's functions are called). Part of
# device memory, so after SYMM_CHECK_CUDA.
AC_DEFUN([SYMM_ENABLE_MULTICAST], [
    AC_ARG_ENABLE([multicast],
        [AS_HELP_STRING([--disable-multicast],
            [leave NVLink multicast out; --enable-multicast=unicast: with loops over the ranks in
             the place of its instructions, to try the rest where there is none])],
        [], [enable_multicast=auto])
    AS_CASE([$enable_multicast],
        [yes|unicast],
        [AS_IF([test "$have_cuda" = no],
            [AC_MSG_ERROR([--enable-multicast is for device memory, which is not built:
  it needs CUDA (see --with-cuda)])])],
        [no], [],
        [auto], [enable_multicast=$have_cuda],
        [AC_MSG_ERROR([--enable-multicast=$enable_multicast: must be yes, no or unicast])])
    MULTICAST_CPPFLAGS=
    AS_IF([test "$enable_multicast" = unicast], [MULTICAST_CPPFLAGS=-DSYMM_MULTIMEM_UNICAST])
    AC_SUBST([MULTICAST_CPPFLAGS])
    AS_IF([test "$enable_multicast" = unicast],
        [AC_DEFINE([MULTICAST_UNICAST], [1],
            [Define to 1 if loops over the ranks are in the place of NVLink multicast.])])
    AC_SUBST([SYMM_MULTICAST], [$enable_multicast])
    AS_IF([test "$enable_multicast" != no],
        [AC_DEFINE([HAVE_MULTICAST], [1], [Define to 1 if NVLink multicast is built.])])
    AM_CONDITIONAL([MULTICAST], [test "$enable_multicast" != no])
    AM_CONDITIONAL([NVLINK_MULTICAST], [test "$enable_multicast" = yes])
])

AC_DEFUN([SYMM_FIND_CUDA], [
    AS_CASE([$with_cuda],
        [yes|auto], [symm_cuda_path=$PATH$PATH_SEPARATOR/usr/local/cuda/bin],
        [symm_cuda_path=$with_cuda/bin])
    AC_PATH_PROG([NVCC], [nvcc], [], [$symm_cuda_path])
    AS_IF([test -z "$NVCC"],
        [symm_cuda_missing="there is no nvcc in $symm_cuda_path"],
        [SYMM_TRY_CUDA_HEADER
         AS_IF([test -z "$symm_cuda_missing"], [SYMM_TRY_NVCC])])
    AS_IF([test -z "$symm_cuda_missing"], [have_cuda=yes])
])

# cuda.h is beside nvcc's folder, unless CUDA_CPPFLAGS says where.
AC_DEFUN([SYMM_TRY_CUDA_HEADER], [
    symm_cuda_real=`readlink -f "$NVCC" 2>/dev/null || echo "$NVCC"`
    for symm_cuda_folder in "$symm_cuda_real" "$NVCC"; do
        symm_cuda_folder=`AS_DIRNAME(["$symm_cuda_folder"])`
        symm_cuda_folder=`AS_DIRNAME(["$symm_cuda_folder"])`
        AS_IF([test -f "$symm_cuda_folder/include/cuda.h"],
            [: "${CUDA_CPPFLAGS=-isystem $symm_cuda_folder/include}"])
    done
    AC_MSG_CHECKING([for cuda.h of CUDA 12.8 or newer])
    symm_saved_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $CUDA_CPPFLAGS"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
        #include <cuda.h>
        #if CUDA_VERSION < 12080
        #error "this toolkit is too old"
        #endif]], [])],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         symm_cuda_missing="there is no cuda.h of CUDA 12.8 or newer for $NVCC"])
    CPPFLAGS=$symm_saved_CPPFLAGS
])

# nvcc needs a C++ compiler of its liking, too.
AC_DEFUN([SYMM_TRY_NVCC], [
    AC_MSG_CHECKING([whether $NVCC compiles for sm_100])
    AS_ECHO(['__global__ void kernel(int *word) { *word = 1; }']) >conftest.cu
    AS_IF([$NVCC -arch=sm_100 -cubin -o conftest.cubin conftest.cu >&AS_MESSAGE_LOG_FD 2>&1],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         symm_cuda_missing="$NVCC cannot compile a small program for sm_100"])
    rm -f conftest.cu conftest.cubin
])
