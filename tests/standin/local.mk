# tests/standin/local.mk - the stand-in driver: a test double of libcuda on host memory.
#
# Never installed. Tests give its path, tests/standin/.libs/standin_driver.so in the build folder,
# to what they test; it is never found by the loader.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

if CUDA

# Its threads may still run when it would be unloaded, hence nodelete.
check_LTLIBRARIES += tests/standin/standin_driver.la
tests_standin_standin_driver_la_LDFLAGS = $(loaded_ldflags) -Wl,-z,nodelete
tests_standin_standin_driver_la_LIBADD = kernels/cuda/device_code/libhost.la $(PTHREAD_LIBS)
tests_standin_standin_driver_la_SOURCES = \
	tests/standin/begin.c tests/standin/standin.h \
	tests/standin/capture.c \
	tests/standin/contexts.c \
	tests/standin/copies.c \
	tests/standin/devices.c \
	tests/standin/errors.c \
	tests/standin/events.c \
	tests/standin/exit.c \
	tests/standin/faults.c \
	tests/standin/functions.c \
	tests/standin/graphs.c tests/standin/graphs.h \
	tests/standin/hostmem.c \
	tests/standin/ipc.c \
	tests/standin/launches.c tests/standin/launches.h \
	tests/standin/machine.c \
	tests/standin/memfile.c \
	tests/standin/memory.c \
	tests/standin/modules.c tests/standin/kernels.h \
	tests/standin/multicast.c tests/standin/multicast.h \
	tests/standin/multicast_launch.c \
	tests/standin/multicast_objects.c \
	tests/standin/pointers.c \
	tests/standin/primary.c \
	tests/standin/streams.c \
	tests/standin/trace.c tests/standin/trace.h \
	tests/standin/trap.c tests/standin/trap.h \
	tests/standin/user_objects.c \
	tests/standin/vmm.c \
	tests/standin/words.c
endif

EXTRA_DIST += tests/standin/traces
