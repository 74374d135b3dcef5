# tests/cuda/local.mk - the stand-in driver: a test double of libcuda on host memory.
#
# Never installed. Tests give its path, tests/cuda/.libs/standin_driver.so in the build folder, to
# what they test; it is never found by the loader.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

if CUDA

# Its threads may still run when it would be unloaded, hence nodelete.
check_LTLIBRARIES += tests/cuda/standin_driver.la
tests_cuda_standin_driver_la_LDFLAGS = $(loaded_ldflags) -Wl,-z,nodelete
tests_cuda_standin_driver_la_LIBADD = kernels/cuda/device_code/libhost.la $(PTHREAD_LIBS)
tests_cuda_standin_driver_la_SOURCES = \
	tests/cuda/begin.c tests/cuda/standin.h \
	tests/cuda/capture.c \
	tests/cuda/contexts.c \
	tests/cuda/copies.c \
	tests/cuda/devices.c \
	tests/cuda/errors.c \
	tests/cuda/events.c \
	tests/cuda/exit.c \
	tests/cuda/faults.c \
	tests/cuda/functions.c \
	tests/cuda/graphs.c \
	tests/cuda/hostmem.c \
	tests/cuda/ipc.c \
	tests/cuda/launches.c tests/cuda/launches.h \
	tests/cuda/machine.c \
	tests/cuda/memfile.c \
	tests/cuda/memory.c \
	tests/cuda/modules.c tests/cuda/kernels.h \
	tests/cuda/multicast.c tests/cuda/multicast.h \
	tests/cuda/multicast_launch.c \
	tests/cuda/multicast_objects.c \
	tests/cuda/pointers.c \
	tests/cuda/primary.c \
	tests/cuda/streams.c \
	tests/cuda/trap.c tests/cuda/trap.h \
	tests/cuda/vmm.c

# What faults.tap, elsewhere.tap, gpus.tap, scratch.tap, contexts.tap and cleanup.tap run.
check_PROGRAMS += \
	tests/cuda/check_contexts \
	tests/cuda/check_elsewhere \
	tests/cuda/check_faults \
	tests/cuda/check_gpus \
	tests/cuda/check_scratch \
	tests/cuda/victim_mixed
tests_cuda_check_contexts_SOURCES = tests/cuda/check_contexts.c \
	tests/cuda/contexts_program.c tests/cuda/contexts_program.h
tests_cuda_check_faults_SOURCES = tests/cuda/check_faults.c tests/cuda/check_faults.h \
	tests/cuda/faults_calls.c tests/cuda/faults_exchanges.c tests/cuda/faults_kinds.h \
	tests/cuda/faults_memory.c \
	tests/cuda/faults_pair.c tests/cuda/faults_rooted.c

TESTS += tests/cuda/faults.tap
endif

dist_check_SCRIPTS += tests/cuda/faults.tap
