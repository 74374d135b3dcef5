# tests/streams/local.mk - collectives on CUDA streams and in graphs (mpix), on the stand-in driver
# or on GPUs.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

streams_tests = \
	tests/streams/streams.tap \
	tests/streams/faults_streams.tap \
	tests/streams/failures_streams.tap \
	tests/streams/host_streams.tap

TESTS += $(streams_tests)
dist_check_SCRIPTS += $(streams_tests)

streams_programs =
if CUDA
streams_libs = libsymm_mpix.la $(harness_libs)
streams_sums = tests/streams/sums.c tests/streams/sums.h
streams_programs += \
	tests/streams/check_arguments tests/streams/check_ends tests/streams/check_factors \
	tests/streams/check_replays tests/streams/check_several tests/streams/check_streams \
	tests/streams/check_survivors
tests_streams_check_arguments_SOURCES = tests/streams/check_arguments.c $(streams_sums)
tests_streams_check_arguments_LDADD = $(streams_libs) libsymm.la
tests_streams_check_ends_SOURCES = tests/streams/check_ends.c $(streams_sums)
tests_streams_check_ends_LDADD = $(streams_libs)
tests_streams_check_factors_SOURCES = tests/streams/check_factors.c $(streams_sums)
tests_streams_check_factors_LDADD = $(streams_libs) libsymm.la
tests_streams_check_replays_LDADD = $(streams_libs)
tests_streams_check_several_LDADD = $(streams_libs)
tests_streams_check_streams_LDADD = $(streams_libs)
tests_streams_check_survivors_SOURCES = tests/streams/check_survivors.c $(streams_sums)
tests_streams_check_survivors_LDADD = $(streams_libs)
endif
check_PROGRAMS += $(streams_programs)
