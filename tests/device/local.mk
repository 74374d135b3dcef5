# tests/device/local.mk - device memory, on the stand-in driver or on GPUs: scripts, longest first,
# and the programs that they run.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

device_tests = \
	tests/device/pieces.tap \
	tests/device/elsewhere.tap \
	tests/device/packets.tap \
	tests/device/gaps.tap \
	tests/device/nonblocking.tap \
	tests/device/reductions.tap \
	tests/device/scratch.tap \
	tests/device/moves.tap \
	tests/device/multicast.tap \
	tests/device/host_copy.tap \
	tests/device/gpus.tap \
	tests/device/over_nodes.tap \
	tests/device/contexts.tap \
	tests/device/some_ranks.tap \
	tests/device/bringup.tap \
	tests/device/device_memory.tap \
	tests/device/multimem_ptx.tap \
	tests/device/kinds.tap

device_programs = \
	tests/device/check_device_memory \
	tests/device/check_multicast \
	tests/device/check_packets \
	tests/device/check_packing

TESTS += $(device_tests)
dist_check_SCRIPTS += $(device_tests) tests/device/faults.tap
check_PROGRAMS += $(device_programs)

if CUDA
TESTS += tests/device/faults.tap
check_PROGRAMS += \
	tests/device/check_contexts \
	tests/device/check_elsewhere \
	tests/device/check_gpus \
	tests/device/check_host_copy \
	tests/device/check_kinds \
	tests/device/check_nonblocking \
	tests/device/check_requests \
	tests/device/check_scratch \
	tests/device/check_under_way \
	tests/device/faults/check_faults \
	tests/device/victim_late

tests_device_check_contexts_SOURCES = tests/device/check_contexts.c \
	tests/device/contexts_program.c tests/device/contexts_program.h
tests_device_faults_check_faults_SOURCES = \
	tests/device/faults/check_faults.c tests/device/faults/check_faults.h \
	tests/device/faults/faults_calls.c \
	tests/device/faults/faults_exchanges.c \
	tests/device/faults/faults_kinds.h \
	tests/device/faults/faults_memory.c \
	tests/device/faults/faults_pair.c \
	tests/device/faults/faults_rooted.c \
	tests/device/faults/faults_streams.c
tests_device_faults_check_faults_LDADD = libsymm_mpix.la $(harness_libs)

# Libraries that jobs preload.
check_LTLIBRARIES += tests/device/aware.la tests/device/ondevice/ondevice.la

tests_device_aware_la_LDFLAGS = $(loaded_ldflags)
tests_device_aware_la_LIBADD = -ldl

tests_device_ondevice_ondevice_la_SOURCES = \
	tests/device/ondevice/ondevice.c tests/device/ondevice/ondevice.h \
	tests/device/ondevice/ondevice_exchange.c \
	tests/device/ondevice/ondevice_memory.c tests/device/ondevice/ondevice_memory.h \
	tests/device/ondevice/ondevice_reductions.c \
	tests/device/ondevice/ondevice_rooted.c
tests_device_ondevice_ondevice_la_LDFLAGS = $(loaded_ldflags)
tests_device_ondevice_ondevice_la_LIBADD = $(MPI_LIBS)
endif
