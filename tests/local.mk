# tests/local.mk - the tests: folders by group (docs/testing.md), what they share, and the scripts
# that run them in other builds and on other systems.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

EXTRA_DIST += tests/tap.sh tests/sweep.sh tests/device/faults.sh tests/device/ondevice.sh \
	tests/processes/network.sh

# configure has written it; this has it written again when its source has changed.
check_DATA = tests/env.sh
noinst_DATA += tests/env.sh

# The tests once more under checkers, in builds of its own; .ci/run runs a selection.
dist_noinst_SCRIPTS += tests/sanitizers/run
EXTRA_DIST += tests/sanitizers/address.sh tests/sanitizers/arm.sh tests/sanitizers/changed.sh \
	tests/sanitizers/memcheck.supp \
	tests/sanitizers/thread.sh tests/sanitizers/thread.supp tests/sanitizers/tools.sh \
	tests/sanitizers/valgrind.sh

# For other builds of Open MPI; for a person to run.
dist_noinst_SCRIPTS += tests/ompi_with_cuda tests/ompi_without_headers
EXTRA_DIST += tests/ompi_builds.sh

# The same tests on Debian 13, run by .ci/run; and any command on a fresh Debian.
dist_noinst_SCRIPTS += tests/debian/run tests/debian/inside

# Debian's packages, on Debian 12 and 13.
dist_noinst_SCRIPTS += tests/debian/packages tests/debian/package_build \
	tests/debian/package_install
EXTRA_DIST += tests/debian/packages.sh

# ---- what programs share -------------------------------------------------------------------------

# Compiled once: programs take from it what they call.
check_LTLIBRARIES += tests/harness/libharness.la
tests_harness_libharness_la_SOURCES = \
	tests/harness/buffers.c tests/harness/buffers.h \
	tests/harness/calls.c tests/harness/calls.h \
	tests/harness/counted_calls.c tests/harness/counted_calls.h \
	tests/harness/deprive.c tests/harness/deprive.h \
	tests/harness/elements.c tests/harness/elements.h tests/harness/elements_value.h \
	tests/harness/elements_check.c \
	tests/harness/elements_every.c \
	tests/harness/drawn_types.c tests/harness/drawn_types.h \
	tests/harness/empty_types.c tests/harness/empty_types.h \
	tests/harness/exchange_errors.c tests/harness/exchange_errors.h \
	tests/harness/exchange_types.c tests/harness/exchange_types.h \
	tests/harness/exercise.c tests/harness/exercise.h \
	tests/harness/forced.c tests/harness/forced.h \
	tests/harness/harness.c tests/harness/harness.h \
	tests/harness/layouts.c tests/harness/layouts.h \
	tests/harness/monoids.c tests/harness/monoids.h \
	tests/harness/operands.c tests/harness/operands.h \
	tests/harness/placed_buffers.c tests/harness/placed_buffers.h \
	tests/harness/blocking_calls.c tests/harness/blocking_calls.h tests/harness/persistent.h \
	tests/harness/blocking_communicators.c tests/harness/blocking_communicators.h \
	tests/harness/sweep.c tests/harness/sweep.h \
	tests/harness/variables.c tests/harness/variables.h
if CUDA
tests_harness_libharness_la_SOURCES += tests/harness/cuda_memory.c tests/harness/cuda_memory.h \
	tests/harness/cuda_streams.c tests/harness/cuda_streams.h \
	tests/harness/pending.c tests/harness/pending.h \
	tests/harness/scattered_pieces.c tests/harness/scattered_pieces.h
endif

# Sums are rounded once for each addition, as in the kernels.
check_LTLIBRARIES += tests/reference/libreference.la
tests_reference_libreference_la_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
tests_reference_libreference_la_SOURCES = \
	tests/reference/reduction.c tests/reference/reduction.h \
	tests/reference/value.c tests/reference/value.h

# A program without a stanza of its own is made of the source of its name and of these.
harness_libs = tests/harness/libharness.la tests/reference/libreference.la \
	$(MPI_LIBS) -ldl -lm -lpthread
LDADD = $(harness_libs)

# Libraries that tests preload or open, and components. One that is only checked becomes a shared
# library through -rpath.
loaded_ldflags = -module -avoid-version -shared -rpath /nowhere

# ---- the groups, in the order in which they run --------------------------------------------------

# Those with the longest scripts come first, so that none of them is left over at the end.
mpi_programs = $(device_programs) $(streams_programs) $(results_programs) \
	$(processes_programs) $(users_programs)
include tests/rules/local.mk
include tests/device/local.mk
include tests/results/local.mk
include tests/streams/local.mk
include tests/processes/local.mk
include tests/users/local.mk
include tests/standin/local.mk
include tests/unit/local.mk
