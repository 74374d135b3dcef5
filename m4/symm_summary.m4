# symm_summary.m4 - what configure found and what will be built.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

# SYMM_SUMMARY: the last thing that configure prints. What is required was required before; here
# stands what is optional and missing, with the remedy.
AC_DEFUN([SYMM_SUMMARY], [
    SYMM_EXPAND([symm_show_libdir], [$libdir])
    SYMM_EXPAND([symm_show_componentdir], [$componentdir])
    AS_CASE([$have_cmocka/$with_cmocka],
        [yes/*], [symm_show_cmocka='found'],
        [no/no], [symm_show_cmocka='not used: no unit tests (--without-cmocka)'],
        [symm_show_cmocka='missing: no unit tests (Debian: apt-get install libcmocka-dev)'])
    symm_show_ucx='found (the tests run over it as well as over pml/ob1)'
    AS_IF([test "$SYMM_HAVE_PML_UCX" = no],
        [symm_show_ucx='missing: tests over pml/ob1 only (Open MPI was built without UCX)'])
    AS_CASE([$have_cuda/$with_cuda],
        [yes/*], [symm_show_cuda="found ($NVCC)"],
        [no/no], [symm_show_cuda='not used: host memory only (--without-cuda)'],
        [symm_show_cuda="missing: host memory only ($symm_cuda_missing)"])
    AS_CASE([$enable_multicast],
        [yes], [symm_show_multicast='yes (not yet run on multicast hardware)'],
        [unicast], [symm_show_multicast='loops in its place (--enable-multicast=unicast)'],
        [symm_show_multicast='left out'])
    symm_show_nvtx='found (profilers see ranges)'
    AS_IF([test "$have_nvtx" = no], [symm_show_nvtx='not used: no ranges for profilers'])
    symm_show_mpirun=$MPIRUN
    AS_IF([test -z "$MPIRUN"],
        [symm_show_mpirun='missing: no tests can run (Debian: apt-get install openmpi-bin)'])
    AS_ECHO(["
$PACKAGE_STRING
  compiler        $CC $CFLAGS
  warnings        `test "x$enable_werror" = xno && echo 'shown' || echo 'are errors'`
  debug           $enable_debug
  sanitizers      ${SYMM_SANITIZERS:-none}
  Open MPI        $OMPI_VERSION ($MPICC)
  mpirun          $symm_show_mpirun
  pml/ucx         $symm_show_ucx
  cmocka          $symm_show_cmocka
  CUDA            $symm_show_cuda
  multicast       $symm_show_multicast
  NVTX            $symm_show_nvtx
Will be built and installed
  libsymm         $symm_show_libdir
  coll/symm       $symm_show_componentdir
  mpool/symm      $symm_show_componentdir"])
    AS_IF([test "$symm_show_componentdir" != "$OMPI_PKGLIBDIR"],
        [AS_ECHO(["Open MPI does not look there by itself. After make install, with that folder
first:
export OMPI_MCA_mca_base_component_path=$symm_show_componentdir:$OMPI_PKGLIBDIR"])])
    AS_ECHO(["
Next: make, make check, make install"])
])
