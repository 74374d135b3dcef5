# symm_run_ompi_configure.m4 - the headers that Open MPI's configure generates, by running it in a
# folder of ours, where the user has the source only.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
#
# It is run with the options that the installation was configured with, as far as headers depend on
# them and as they can be met on this machine, which is often not the one it was built on.

# SYMM_OMPI_CONFIGURE: sets symm_build. The folder is used again by later runs of this configure.
AC_DEFUN([SYMM_OMPI_CONFIGURE], [
    AS_IF([test ! -x "$symm_source/configure"],
        [AC_MSG_ERROR([$symm_source has no configure, so that headers cannot be generated.
  Run ./autogen.pl there, or take a release's archive, which has one.])])
    symm_build=$ac_pwd/ompi-headers
    symm_build_log=$symm_build/configure.log
    SYMM_OMPI_CONFIGURE_OPTIONS
    symm_word="$symm_source $OMPI_VERSION $CC $symm_run_options"
    AS_IF([test "`cat "$symm_build/complete" 2>/dev/null`" = "$symm_word"],
        [AC_MSG_NOTICE([using ompi-headers, where Open MPI's configure has been run before])],
        [AC_MSG_NOTICE([running Open MPI's own configure in ompi-headers, once, for the headers that
  it generates. This takes some 4 minutes, more on a busy machine; its output is in
  $symm_build_log])
         AS_IF([test -n "$symm_left_out"],
            [AC_MSG_NOTICE([options of the installation that are left out:$symm_left_out])])
         SYMM_OMPI_CONFIGURE_RUN
         AS_ECHO(["$symm_word"]) >"$symm_build/complete"])
])

# The variables are those of this configure, and not meant for the other one.
AC_DEFUN([SYMM_OMPI_CONFIGURE_RUN], [
    rm -rf "$symm_build"
    AS_MKDIR_P(["$symm_build"])
    AS_ECHO(["$symm_source/configure $symm_run_options"]) >"$symm_build_log"
    (cd "$symm_build" &&
     unset CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LIBS CPP CXXCPP CONFIG_SITE NVCC MPICC MAKEFLAGS
     eval "'$symm_source/configure' $symm_run_options" </dev/null >>"$symm_build_log" 2>&1)
    AS_IF([test $? -ne 0 || test ! -f "$symm_build/opal/include/opal_config.h"],
        [tail -n 15 "$symm_build_log" >&2
         AC_MSG_ERROR([Open MPI's own configure has failed in $symm_build.
  Its last lines stand above, all of them in
  $symm_build_log
  Often development files of hwloc, libevent, PMIx or CUDA are missing, which Open MPI was built
  with. Install them, or name with --with-ompi-build=DIR a folder where it was run by hand.])])
])

# symm_run_options: words for eval. symm_left_out: words that are not taken over.
#
# What is excluded stays excluded. Left out is what selects components and programs of Open MPI that
# we never meet, and that need libraries of their own to be configured: networks, job managers, file
# systems, Java, Fortran's demands. So is a folder that is not here. ROMIO and PRRTE are not
# configured, a third of the time.
AC_DEFUN([SYMM_OMPI_CONFIGURE_OPTIONS], [
    symm_run_options=
    symm_left_out=
    symm_word=SYMM_OMPI_OPTIONS([symm_cli])
    eval "set x" $symm_word
    shift
    for symm_option
    do
        symm_name=`AS_ECHO(["$symm_option"]) | $SED 's/^--with-//; s/^--enable-//; s/=.*//'`
        symm_value=`AS_ECHO(["$symm_option"]) | $SED -n ['s/^[^=]*=//p']`
        AS_CASE([$symm_option],
            [--without-*|--disable-*],
            [AS_VAR_APPEND([symm_run_options], ["'$symm_option' "])
             continue])
        AS_CASE([$symm_name],
            [ucx*|ucc*|hcoll*|fca*|mxm*|knem*|xpmem*|verbs*|ofi*|libfabric*|psm|psm2*|portals4*],
            [continue],
            [ugni*|cray*|usnic*|opal-btl-*|slurm*|sge|tm|lsf*|alps*|moab*|pbs*|singularity*],
            [continue],
            [io-romio*|lustre*|gpfs*|pvfs2*|ime*|daos*|libnl*|mpi-java|jdk-*|java*|prrte*|prte*],
            [continue],
            [mpi-fortran|*run-prefix-by-default|static|shared|wrapper-*],
            [continue],
            [cuda|cuda-libdir],
            [SYMM_OMPI_CONFIGURE_CUDA])
        AS_CASE([$symm_value],
            [/*], [AS_IF([test ! -e "$symm_value"],
                [AS_VAR_APPEND([symm_left_out], [" $symm_option"])
                 continue])])
        AS_VAR_APPEND([symm_run_options], ["'$symm_option' "])
    done
    AS_VAR_APPEND([symm_run_options], ["--disable-io-romio "])
    AS_VERSION_COMPARE([$OMPI_VERSION], [5], [],
        [AS_VAR_APPEND([symm_run_options], ["--without-prrte --disable-sphinx "])],
        [AS_VAR_APPEND([symm_run_options], ["--without-prrte --disable-sphinx "])])
    AS_VAR_APPEND([symm_run_options], ["'CC=$CC'"])
])

# The toolkit that Open MPI was built with is elsewhere, often: any will do for the headers.
AC_DEFUN([SYMM_OMPI_CONFIGURE_CUDA], [
    AS_CASE([$symm_value],
        [/*], [AS_IF([test ! -e "$symm_value"],
            [symm_cuda_prefix=
             symm_nvcc=`command -v nvcc`
             for symm_dir in "$with_cuda" "`AS_DIRNAME(["$symm_nvcc"])`/.." /usr/local/cuda; do
                 AS_IF([test -z "$symm_cuda_prefix" && test -f "$symm_dir/include/cuda.h"],
                     [symm_cuda_prefix=`cd "$symm_dir" && pwd`])
             done
             AS_IF([test -n "$symm_cuda_prefix" && test "$symm_name" = cuda],
                [symm_option=--with-cuda=$symm_cuda_prefix
                 symm_value=$symm_cuda_prefix
                 AS_IF([test -e "$symm_cuda_prefix/lib64/stubs/libcuda.so"],
                     [AS_VAR_APPEND([symm_run_options],
                         ["'--with-cuda-libdir=$symm_cuda_prefix/lib64/stubs' "])])])])])
])
