# symm_check_nvtx.m4 - NVTX: ranges on the timelines of profilers. It is a header alone, which the
# CUDA toolkit has; nothing is linked.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

# SYMM_CHECK_NVTX: sets HAVE_NVTX in config.h and the conditional NVTX. After SYMM_CHECK_CUDA.
AC_DEFUN([SYMM_CHECK_NVTX], [
    AC_ARG_WITH([nvtx],
        [AS_HELP_STRING([--without-nvtx],
            [no ranges for profilers (default: there are, if nvtx3/nvToolsExt.h is found)])],
        [], [with_nvtx=auto])
    have_nvtx=no
    AS_IF([test "x$with_nvtx" != xno], [
        symm_saved_cppflags=$CPPFLAGS
        CPPFLAGS="$CPPFLAGS $CUDA_CPPFLAGS"
        AC_CHECK_HEADER([nvtx3/nvToolsExt.h], [have_nvtx=yes])
        CPPFLAGS=$symm_saved_cppflags])
    AS_CASE([$have_nvtx/$with_nvtx],
        [no/no|no/auto|yes/*], [],
        [AC_MSG_ERROR([--with-nvtx=$with_nvtx: there is no nvtx3/nvToolsExt.h;
  CPPFLAGS says where it is, or --with-cuda where the CUDA toolkit is that has it.])])
    AS_IF([test "$have_nvtx" = yes],
        [AC_DEFINE([HAVE_NVTX], [1], [Define to 1 if profilers are told of calls (NVTX).])])
    AM_CONDITIONAL([NVTX], [test "$have_nvtx" = yes])
])
