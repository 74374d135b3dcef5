# tests/results/local.mk - right results: scripts, longest first, and the programs that they run.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

results_tests = \
	tests/results/collectives.tap \
	tests/results/algorithms.tap \
	tests/results/types.tap \
	tests/results/fft.tap \
	tests/results/example.tap \
	tests/results/checkers.tap \
	tests/results/random.tap \
	tests/results/empty_types.tap \
	tests/results/nested.tap \
	tests/results/disagree.tap \
	tests/results/python.tap \
	tests/results/large.tap

results_programs = \
	tests/results/check_allgather \
	tests/results/check_allreduce \
	tests/results/check_barrier \
	tests/results/check_bursts \
	tests/results/check_communicators \
	tests/results/check_empty_types \
	tests/results/check_exchange \
	tests/results/check_float16 \
	tests/results/check_large \
	tests/results/check_loose \
	tests/results/check_padding \
	tests/results/check_redistribution \
	tests/results/check_reduce \
	tests/results/check_reduce_scatter \
	tests/results/check_reentry \
	tests/results/check_rooted \
	tests/results/check_rows \
	tests/results/check_scan \
	tests/results/check_threads \
	tests/results/check_type_ops \
	tests/results/check_types \
	tests/results/check_user_ops \
	tests/results/disagree \
	tests/results/random/check_random \
	tests/results/whole_mpi

TESTS += $(results_tests)
dist_check_SCRIPTS += $(results_tests)
check_PROGRAMS += $(results_programs)
EXTRA_DIST += tests/results/python/check_package.py \
	tests/results/python/check_symmetric.py tests/results/python/check_torch.py \
	tests/results/python/standin/cupy.py

tests_results_check_exchange_SOURCES = tests/results/check_exchange.c \
	tests/results/exchange_sides.c tests/results/exchange_sides.h
tests_results_check_float16_LDADD = $(harness_libs) libsymm.la

random_sources = \
	tests/results/random/check_random.c \
	tests/results/random/random_blocks.h \
	tests/results/random/random_buffers.c tests/results/random/random_buffers.h \
	tests/results/random/random_call.c tests/results/random/random_call.h \
	tests/results/random/random_comms.c tests/results/random/random_comms.h \
	tests/results/random/random_draw.h \
	tests/results/random/random_exchange.c tests/results/random/random_exchange.h \
	tests/results/random/random_oracle.c tests/results/random/random_oracle.h \
	tests/results/random/random_traffic.c tests/results/random/random_traffic.h \
	tests/results/random/random_types.c tests/results/random/random_types.h \
	tests/results/random/random_values.c tests/results/random/random_values.h
tests_results_random_check_random_SOURCES = $(random_sources)

# The same programs over MPI calls that go wrong on purpose.
faulty_programs = \
	tests/results/faulty_check_allgather \
	tests/results/faulty_check_allreduce \
	tests/results/faulty_check_bursts \
	tests/results/faulty_check_communicators \
	tests/results/faulty_check_memory \
	tests/results/faulty_check_random \
	tests/results/faulty_check_threads \
	tests/results/faulty_check_user_ops \
	tests/results/faulty_whole_mpi
check_PROGRAMS += $(faulty_programs)

tests_results_faulty_check_allgather_SOURCES = tests/results/check_allgather.c \
	tests/results/faults.c
tests_results_faulty_check_allreduce_SOURCES = tests/results/check_allreduce.c \
	tests/results/faults.c
tests_results_faulty_check_bursts_SOURCES = tests/results/check_bursts.c tests/results/faults.c
tests_results_faulty_check_communicators_SOURCES = tests/results/check_communicators.c \
	tests/results/faults.c
tests_results_faulty_check_memory_SOURCES = tests/processes/check_memory.c tests/results/faults.c
tests_results_faulty_check_random_SOURCES = $(random_sources) tests/results/faults.c
tests_results_faulty_check_threads_SOURCES = tests/results/check_threads.c tests/results/faults.c
tests_results_faulty_check_user_ops_SOURCES = tests/results/check_user_ops.c tests/results/faults.c
tests_results_faulty_whole_mpi_SOURCES = tests/results/whole_mpi.c tests/results/faults.c

# A component that is loaded below ours.
check_LTLIBRARIES += tests/results/mca_coll_nest.la
tests_results_mca_coll_nest_la_SOURCES = tests/results/coll_nest.c
tests_results_mca_coll_nest_la_CPPFLAGS = $(component_cppflags)
tests_results_mca_coll_nest_la_LDFLAGS = $(loaded_ldflags)
tests_results_mca_coll_nest_la_LIBADD = $(OMPI_LIBS)
