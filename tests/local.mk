# The tests that run real MPI programs: scripts in TAP format and the programs they start.
# Tests of heap and kernels without MPI are in tests/unit/local.mk, included at the end.

mpi_tests = \
	tests/algorithms.tap \
	tests/bringup.tap \
	tests/checkers.tap \
	tests/cleanup.tap \
	tests/collectives.tap \
	tests/contexts.tap \
	tests/counters.tap \
	tests/cuda.tap \
	tests/device_memory.tap \
	tests/disagree.tap \
	tests/elsewhere.tap \
	tests/empty_types.tap \
	tests/environment.tap \
	tests/example.tap \
	tests/failures.tap \
	tests/fallback.tap \
	tests/gpus.tap \
	tests/host_copy.tap \
	tests/large.tap \
	tests/lifecycle.tap \
	tests/manual.tap \
	tests/mpool.tap \
	tests/multicast.tap \
	tests/multimem_ptx.tap \
	tests/nested.tap \
	tests/nodes.tap \
	tests/parameters.tap \
	tests/python.tap \
	tests/random.tap \
	tests/report.tap \
	tests/scratch.tap \
	tests/selection.tap \
	tests/table.tap \
	tests/types.tap \
	tests/verbose.tap

TESTS += $(mpi_tests)
dist_check_SCRIPTS += $(mpi_tests)
EXTRA_DIST += tests/tap.sh tests/python/check_symmetric.py tests/python/standin/cupy.py
check_DATA = tests/env.sh

include tests/bench/local.mk

# The tests once more under checkers, in builds of its own; .ci/run runs a selection.
dist_noinst_SCRIPTS += tests/sanitizers
EXTRA_DIST += tests/sanitizers.memcheck tests/sanitizers.tsan

# configure has written it; this has it written again when its source has changed.
noinst_DATA += tests/env.sh

# The same tests on Debian 13, run by .ci/run.
dist_noinst_SCRIPTS += tests/debian13/run tests/debian13/inside

mpi_programs = \
	tests/mpi/check_allgather \
	tests/mpi/check_allreduce \
	tests/mpi/check_bursts \
	tests/mpi/check_communicators \
	tests/mpi/check_counters \
	tests/mpi/check_device_memory \
	tests/mpi/check_empty_types \
	tests/mpi/check_crowd \
	tests/mpi/check_environment \
	tests/mpi/check_failures \
	tests/mpi/check_fork \
	tests/mpi/check_large \
	tests/mpi/check_leaks \
	tests/mpi/check_memory \
	tests/mpi/check_multicast \
	tests/mpi/check_nodes \
	tests/mpi/check_random \
	tests/mpi/check_recovery \
	tests/mpi/check_redistribution \
	tests/mpi/check_reentry \
	tests/mpi/check_sessions \
	tests/mpi/check_shortage \
	tests/mpi/check_slots \
	tests/mpi/check_spawn \
	tests/mpi/check_threads \
	tests/mpi/check_type_ops \
	tests/mpi/check_types \
	tests/mpi/check_float16 \
	tests/mpi/check_user_ops \
	tests/mpi/disagree \
	tests/mpi/hints \
	tests/mpi/known_calls \
	tests/mpi/victim \
	tests/mpi/whole_mpi

# The same programs over MPI calls that go wrong on purpose.
faulty_programs = \
	tests/mpi/faulty_check_allgather \
	tests/mpi/faulty_check_allreduce \
	tests/mpi/faulty_check_bursts \
	tests/mpi/faulty_check_communicators \
	tests/mpi/faulty_check_memory \
	tests/mpi/faulty_check_random \
	tests/mpi/faulty_check_threads \
	tests/mpi/faulty_check_user_ops \
	tests/mpi/faulty_whole_mpi

check_PROGRAMS += $(mpi_programs) $(faulty_programs)

# What every checking program needs, compiled once.
check_LTLIBRARIES += tests/mpi/libharness.la
tests_mpi_libharness_la_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_libharness_la_SOURCES = \
	tests/mpi/buffers.c tests/mpi/buffers.h \
	tests/mpi/elements.c tests/mpi/elements.h tests/mpi/elements_value.h \
	tests/mpi/elements_check.c \
	tests/mpi/elements_every.c \
	tests/mpi/exercise.c tests/mpi/exercise.h \
	tests/mpi/forced.c tests/mpi/forced.h \
	tests/mpi/harness.c tests/mpi/harness.h \
	tests/mpi/layouts.c tests/mpi/layouts.h \
	tests/mpi/monoids.c tests/mpi/monoids.h

# Preloaded by fallback.tap. A library that is only checked becomes a shared one through -rpath.
if CUDA
check_PROGRAMS += tests/mpi/check_host_copy
tests_mpi_check_host_copy_SOURCES = tests/mpi/check_host_copy.c \
	tests/mpi/blocking_calls.c tests/mpi/blocking_calls.h \
	tests/mpi/cuda_memory.c tests/mpi/cuda_memory.h
tests_mpi_check_host_copy_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_host_copy_LDADD = $(harness_libs) -ldl

check_LTLIBRARIES += tests/mpi/ondevice.la
tests_mpi_ondevice_la_SOURCES = tests/mpi/ondevice.c
tests_mpi_ondevice_la_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_ondevice_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
tests_mpi_ondevice_la_LIBADD = $(MPI_LIBS)

check_LTLIBRARIES += tests/mpi/aware.la
tests_mpi_aware_la_SOURCES = tests/mpi/aware.c
tests_mpi_aware_la_CFLAGS = $(AM_CFLAGS)
tests_mpi_aware_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
tests_mpi_aware_la_LIBADD = -ldl
endif

check_LTLIBRARIES += tests/mpi/mca_coll_nest.la
tests_mpi_mca_coll_nest_la_SOURCES = tests/mpi/coll_nest.c
tests_mpi_mca_coll_nest_la_CPPFLAGS = $(component_cppflags)
tests_mpi_mca_coll_nest_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
tests_mpi_mca_coll_nest_la_LIBADD = $(OMPI_LIBS)

check_LTLIBRARIES += tests/mpi/refuse.la
tests_mpi_refuse_la_SOURCES = tests/mpi/refuse.c
tests_mpi_refuse_la_CFLAGS = $(AM_CFLAGS) -fno-builtin
tests_mpi_refuse_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere

harness_libs = tests/mpi/libharness.la $(MPI_LIBS) -lm

tests_mpi_check_allgather_SOURCES = tests/mpi/check_allgather.c
tests_mpi_check_allgather_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_allgather_LDADD = $(harness_libs)

tests_mpi_check_allreduce_SOURCES = tests/mpi/check_allreduce.c
tests_mpi_check_allreduce_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_allreduce_LDADD = $(harness_libs)

tests_mpi_check_bursts_SOURCES = tests/mpi/check_bursts.c
tests_mpi_check_bursts_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_bursts_LDADD = $(harness_libs)

tests_mpi_check_communicators_SOURCES = tests/mpi/check_communicators.c
tests_mpi_check_communicators_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_communicators_LDADD = $(harness_libs)

tests_mpi_check_counters_SOURCES = \
	tests/mpi/check_counters.c tests/mpi/counted_calls.c tests/mpi/counted_calls.h \
	tests/mpi/variables.c tests/mpi/variables.h
tests_mpi_check_counters_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_counters_LDADD = $(harness_libs) -lpthread

tests_mpi_check_device_memory_SOURCES = tests/mpi/check_device_memory.c
tests_mpi_check_device_memory_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_device_memory_LDADD = $(harness_libs)

placed_sources = \
	tests/mpi/blocking_calls.c tests/mpi/blocking_calls.h \
	tests/mpi/empty_types.c tests/mpi/empty_types.h \
	tests/mpi/placed_buffers.c tests/mpi/placed_buffers.h
placed_cppflags = $(AM_CPPFLAGS)
placed_libs = $(harness_libs)
if CUDA
placed_sources += tests/mpi/cuda_memory.c tests/mpi/cuda_memory.h
placed_cppflags += $(CUDA_CPPFLAGS)
placed_libs += -ldl
endif

tests_mpi_check_empty_types_SOURCES = tests/mpi/check_empty_types.c $(placed_sources)
tests_mpi_check_empty_types_CPPFLAGS = $(placed_cppflags)
tests_mpi_check_empty_types_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_empty_types_LDADD = $(placed_libs)

tests_mpi_check_redistribution_SOURCES = tests/mpi/check_redistribution.c $(placed_sources)
tests_mpi_check_redistribution_CPPFLAGS = $(placed_cppflags)
tests_mpi_check_redistribution_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_redistribution_LDADD = $(placed_libs)

tests_mpi_check_crowd_SOURCES = tests/mpi/check_crowd.c \
	tests/mpi/deprive.c tests/mpi/deprive.h
tests_mpi_check_crowd_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_crowd_LDADD = $(harness_libs)

tests_mpi_check_environment_SOURCES = tests/mpi/check_environment.c \
	tests/mpi/deprive.c tests/mpi/deprive.h
tests_mpi_check_environment_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_environment_LDADD = $(harness_libs)

tests_mpi_check_fork_SOURCES = tests/mpi/check_fork.c
tests_mpi_check_fork_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_fork_LDADD = $(harness_libs)

tests_mpi_check_large_SOURCES = tests/mpi/check_large.c
tests_mpi_check_large_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_large_LDADD = $(harness_libs)

tests_mpi_check_leaks_SOURCES = tests/mpi/check_leaks.c
tests_mpi_check_leaks_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_leaks_LDADD = $(harness_libs)

tests_mpi_check_memory_SOURCES = tests/mpi/check_memory.c
tests_mpi_check_memory_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_memory_LDADD = $(harness_libs)

tests_mpi_check_multicast_SOURCES = tests/mpi/check_multicast.c \
	tests/mpi/variables.c tests/mpi/variables.h
tests_mpi_check_multicast_CPPFLAGS = $(AM_CPPFLAGS)
tests_mpi_check_multicast_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_multicast_LDADD = $(harness_libs)
if CUDA
tests_mpi_check_multicast_SOURCES += tests/mpi/cuda_memory.c tests/mpi/cuda_memory.h
tests_mpi_check_multicast_CPPFLAGS += $(CUDA_CPPFLAGS)
tests_mpi_check_multicast_LDADD += -ldl
endif

tests_mpi_check_nodes_SOURCES = tests/mpi/check_nodes.c
tests_mpi_check_nodes_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_nodes_LDADD = $(harness_libs)

random_sources = \
	tests/mpi/check_random.c \
	tests/mpi/random_buffers.c tests/mpi/random_buffers.h \
	tests/mpi/random_call.c tests/mpi/random_call.h \
	tests/mpi/random_comms.c tests/mpi/random_comms.h \
	tests/mpi/random_oracle.c tests/mpi/random_oracle.h \
	tests/mpi/random_traffic.c tests/mpi/random_traffic.h \
	tests/mpi/random_types.c tests/mpi/random_types.h \
	tests/mpi/random_values.c tests/mpi/random_values.h

tests_mpi_check_random_SOURCES = $(random_sources)
tests_mpi_check_random_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_random_LDADD = $(harness_libs)

tests_mpi_check_recovery_SOURCES = tests/mpi/check_recovery.c
tests_mpi_check_recovery_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_recovery_LDADD = $(harness_libs)

tests_mpi_check_reentry_SOURCES = tests/mpi/check_reentry.c
tests_mpi_check_reentry_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_reentry_LDADD = $(harness_libs)

tests_mpi_check_sessions_SOURCES = tests/mpi/check_sessions.c
tests_mpi_check_sessions_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_sessions_LDADD = $(MPI_LIBS)

tests_mpi_check_shortage_SOURCES = tests/mpi/check_shortage.c
tests_mpi_check_shortage_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_shortage_LDADD = $(harness_libs) -ldl

tests_mpi_check_slots_SOURCES = tests/mpi/check_slots.c
tests_mpi_check_slots_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_slots_LDADD = $(harness_libs)

tests_mpi_check_spawn_SOURCES = tests/mpi/check_spawn.c
tests_mpi_check_spawn_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_spawn_LDADD = $(harness_libs)

tests_mpi_check_threads_SOURCES = tests/mpi/check_threads.c
tests_mpi_check_threads_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_threads_LDADD = $(harness_libs) -lpthread

tests_mpi_check_type_ops_SOURCES = tests/mpi/check_type_ops.c
tests_mpi_check_type_ops_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_type_ops_LDADD = $(harness_libs)

tests_mpi_check_float16_SOURCES = tests/mpi/check_float16.c
tests_mpi_check_float16_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_float16_LDADD = $(harness_libs) libsymm.la -lm

tests_mpi_check_types_SOURCES = tests/mpi/check_types.c
tests_mpi_check_types_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_types_LDADD = $(harness_libs)

tests_mpi_check_user_ops_SOURCES = tests/mpi/check_user_ops.c
tests_mpi_check_user_ops_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_user_ops_LDADD = $(harness_libs)

tests_mpi_hints_SOURCES = tests/mpi/hints.c
tests_mpi_hints_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_hints_LDADD = $(harness_libs)

tests_mpi_whole_mpi_SOURCES = tests/mpi/whole_mpi.c
tests_mpi_whole_mpi_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_whole_mpi_LDADD = $(harness_libs)

tests_mpi_disagree_SOURCES = tests/mpi/disagree.c
tests_mpi_disagree_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_disagree_LDADD = $(harness_libs)

tests_mpi_known_calls_SOURCES = tests/mpi/known_calls.c \
	tests/mpi/counted_calls.c tests/mpi/counted_calls.h
tests_mpi_known_calls_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_known_calls_LDADD = $(MPI_LIBS)

tests_mpi_check_failures_SOURCES = tests/mpi/check_failures.c
tests_mpi_check_failures_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_check_failures_LDADD = $(MPI_LIBS) -lpthread
tests_mpi_victim_SOURCES = tests/mpi/victim.c
tests_mpi_victim_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_victim_LDADD = $(MPI_LIBS) -lpthread

tests_mpi_faulty_check_allgather_SOURCES = tests/mpi/check_allgather.c tests/mpi/faults.c
tests_mpi_faulty_check_allgather_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_faulty_check_allgather_LDADD = $(harness_libs)

tests_mpi_faulty_check_allreduce_SOURCES = tests/mpi/check_allreduce.c tests/mpi/faults.c
tests_mpi_faulty_check_allreduce_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_faulty_check_allreduce_LDADD = $(harness_libs)

tests_mpi_faulty_check_bursts_SOURCES = tests/mpi/check_bursts.c tests/mpi/faults.c
tests_mpi_faulty_check_bursts_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_faulty_check_bursts_LDADD = $(harness_libs)

tests_mpi_faulty_check_communicators_SOURCES = tests/mpi/check_communicators.c tests/mpi/faults.c
tests_mpi_faulty_check_communicators_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_faulty_check_communicators_LDADD = $(harness_libs)

tests_mpi_faulty_check_memory_SOURCES = tests/mpi/check_memory.c tests/mpi/faults.c
tests_mpi_faulty_check_memory_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_faulty_check_memory_LDADD = $(harness_libs)

tests_mpi_faulty_check_random_SOURCES = $(random_sources) tests/mpi/faults.c
tests_mpi_faulty_check_random_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_faulty_check_random_LDADD = $(harness_libs)

tests_mpi_faulty_check_threads_SOURCES = tests/mpi/check_threads.c tests/mpi/faults.c
tests_mpi_faulty_check_threads_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_faulty_check_threads_LDADD = $(harness_libs) -lpthread

tests_mpi_faulty_check_user_ops_SOURCES = tests/mpi/check_user_ops.c tests/mpi/faults.c
tests_mpi_faulty_check_user_ops_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_faulty_check_user_ops_LDADD = $(harness_libs)

tests_mpi_faulty_whole_mpi_SOURCES = tests/mpi/whole_mpi.c tests/mpi/faults.c
tests_mpi_faulty_whole_mpi_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_faulty_whole_mpi_LDADD = $(harness_libs)

include tests/cuda/local.mk
include tests/unit/local.mk
