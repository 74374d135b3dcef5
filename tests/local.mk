# The tests that run real MPI programs: scripts in TAP format and the programs they start.
# Tests of heap and kernels without MPI are in tests/unit/local.mk, included at the end.

mpi_tests = \
	tests/algorithms.tap \
	tests/bringup.tap \
	tests/checkers.tap \
	tests/cleanup.tap \
	tests/collectives.tap \
	tests/configure.tap \
	tests/contexts.tap \
	tests/counters.tap \
	tests/cuda.tap \
	tests/device_memory.tap \
	tests/disagree.tap \
	tests/documents.tap \
	tests/elsewhere.tap \
	tests/empty_types.tap \
	tests/environment.tap \
	tests/example.tap \
	tests/exports.tap \
	tests/failures.tap \
	tests/fallback.tap \
	tests/fft.tap \
	tests/gpus.tap \
	tests/helper.tap \
	tests/host_copy.tap \
	tests/info.tap \
	tests/intruders.tap \
	tests/kinds.tap \
	tests/large.tap \
	tests/later.tap \
	tests/lifecycle.tap \
	tests/manual.tap \
	tests/messages.tap \
	tests/mixtures.tap \
	tests/mpool.tap \
	tests/multicast.tap \
	tests/multimem_ptx.tap \
	tests/nested.tap \
	tests/nodes.tap \
	tests/nonblocking.tap \
	tests/packets.tap \
	tests/parameters.tap \
	tests/plot.tap \
	tests/python.tap \
	tests/quickstart.tap \
	tests/random.tap \
	tests/release.tap \
	tests/report.tap \
	tests/results.tap \
	tests/scratch.tap \
	tests/selection.tap \
	tests/table.tap \
	tests/types.tap \
	tests/verbose.tap

TESTS += $(mpi_tests)
dist_check_SCRIPTS += $(mpi_tests)
EXTRA_DIST += tests/tap.sh tests/plot/check_pictures.py \
	tests/python/check_symmetric.py tests/python/standin/cupy.py \
	tests/python/check_results.py tests/python/raw_results.py
check_DATA = tests/env.sh

# The tests once more under checkers, in builds of its own; .ci/run runs a selection.
dist_noinst_SCRIPTS += tests/sanitizers
EXTRA_DIST += tests/sanitizers.memcheck tests/sanitizers.tsan tests/sanitizers_arm.sh

# configure has written it; this has it written again when its source has changed.
noinst_DATA += tests/env.sh

# For other builds of Open MPI; for a person to run.
dist_noinst_SCRIPTS += tests/ompi_with_cuda tests/ompi_without_headers
EXTRA_DIST += tests/ompi_builds.sh

# The same tests on Debian 13, run by .ci/run; and any command on a fresh Debian.
dist_noinst_SCRIPTS += tests/debian/run tests/debian/inside

mpi_programs = \
	tests/mpi/check_allgather \
	tests/mpi/check_allreduce \
	tests/mpi/check_barrier \
	tests/mpi/check_bursts \
	tests/mpi/check_communicators \
	tests/mpi/check_counters \
	tests/mpi/check_descriptors \
	tests/mpi/check_device_memory \
	tests/mpi/check_empty_types \
	tests/mpi/check_crowd \
	tests/mpi/check_environment \
	tests/mpi/check_exchange \
	tests/mpi/check_failures \
	tests/mpi/check_finalize \
	tests/mpi/check_fork \
	tests/mpi/check_freeing \
	tests/mpi/check_lanes \
	tests/mpi/check_helper \
	tests/mpi/check_intruders \
	tests/mpi/check_large \
	tests/mpi/check_later \
	tests/mpi/check_leaks \
	tests/mpi/check_loose \
	tests/mpi/check_memory \
	tests/mpi/check_messages \
	tests/mpi/check_mixtures \
	tests/mpi/check_multicast \
	tests/mpi/check_nodes \
	tests/mpi/check_outstanding \
	tests/mpi/check_rows \
	tests/mpi/check_packets \
	tests/mpi/check_packing \
	tests/mpi/check_padding \
	tests/mpi/check_random \
	tests/mpi/check_recovery \
	tests/mpi/check_redistribution \
	tests/mpi/check_reduce \
	tests/mpi/check_reduce_scatter \
	tests/mpi/check_reentry \
	tests/mpi/check_reuse \
	tests/mpi/check_scan \
	tests/mpi/check_rooted \
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
	tests/mpi/intruder \
	tests/mpi/known_calls \
	tests/mpi/malloc_calls \
	tests/mpi/one_call \
	tests/mpi/victim \
	tests/mpi/squat \
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

# What the checking programs share, compiled once: programs take from it what they call.
check_LTLIBRARIES += tests/mpi/libharness.la
tests_mpi_libharness_la_SOURCES = \
	tests/mpi/buffers.c tests/mpi/buffers.h \
	tests/mpi/counted_calls.c tests/mpi/counted_calls.h \
	tests/mpi/deprive.c tests/mpi/deprive.h \
	tests/mpi/elements.c tests/mpi/elements.h tests/mpi/elements_value.h \
	tests/mpi/elements_check.c \
	tests/mpi/elements_every.c \
	tests/mpi/drawn_types.c tests/mpi/drawn_types.h \
	tests/mpi/empty_types.c tests/mpi/empty_types.h \
	tests/mpi/exchange_errors.c tests/mpi/exchange_errors.h \
	tests/mpi/exchange_types.c tests/mpi/exchange_types.h \
	tests/mpi/exercise.c tests/mpi/exercise.h \
	tests/mpi/forced.c tests/mpi/forced.h \
	tests/mpi/harness.c tests/mpi/harness.h \
	tests/mpi/layouts.c tests/mpi/layouts.h \
	tests/mpi/monoids.c tests/mpi/monoids.h \
	tests/mpi/operands.c tests/mpi/operands.h \
	tests/mpi/placed_buffers.c tests/mpi/placed_buffers.h \
	tests/mpi/blocking_calls.c tests/mpi/blocking_calls.h tests/mpi/persistent.h \
	tests/mpi/blocking_communicators.c tests/mpi/blocking_communicators.h \
	tests/mpi/variables.c tests/mpi/variables.h

# Sums are rounded once for each addition, as in the kernels.
check_LTLIBRARIES += tests/reference/libreference.la
tests_reference_libreference_la_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
tests_reference_libreference_la_SOURCES = \
	tests/reference/reduction.c tests/reference/reduction.h \
	tests/reference/value.c tests/reference/value.h

# A program without a stanza below is made of the source of its name and of these.
harness_libs = tests/mpi/libharness.la tests/reference/libreference.la \
	$(MPI_LIBS) -ldl -lm -lpthread
LDADD = $(harness_libs)

random_sources = \
	tests/mpi/check_random.c \
	tests/mpi/random_buffers.c tests/mpi/random_buffers.h \
	tests/mpi/random_call.c tests/mpi/random_call.h \
	tests/mpi/random_comms.c tests/mpi/random_comms.h \
	tests/mpi/random_draw.h \
	tests/mpi/random_blocks.h tests/mpi/random_exchange.c tests/mpi/random_exchange.h \
	tests/mpi/random_oracle.c tests/mpi/random_oracle.h \
	tests/mpi/random_traffic.c tests/mpi/random_traffic.h \
	tests/mpi/random_types.c tests/mpi/random_types.h \
	tests/mpi/random_values.c tests/mpi/random_values.h

tests_mpi_check_random_SOURCES = $(random_sources)
tests_mpi_check_later_SOURCES = tests/mpi/check_later.c \
	tests/mpi/later_call.c tests/mpi/later_call.h \
	tests/mpi/later_data.c tests/mpi/later_data.h tests/mpi/later_memory.c \
	tests/mpi/later_exchange.c tests/mpi/later_exchange.h \
	tests/mpi/later_worker.c tests/mpi/later_worker.h
tests_mpi_check_failures_SOURCES = tests/mpi/check_failures.c \
	tests/mpi/survivors.c tests/mpi/survivors.h
tests_mpi_check_outstanding_SOURCES = tests/mpi/check_outstanding.c \
	tests/mpi/outstanding.c tests/mpi/outstanding.h tests/mpi/persistent.h \
	tests/mpi/survivors.c tests/mpi/survivors.h
tests_mpi_check_float16_LDADD = $(harness_libs) libsymm.la
tests_mpi_intruder_CPPFLAGS = $(base_cppflags)
tests_mpi_intruder_LDADD =

tests_mpi_faulty_check_allgather_SOURCES = tests/mpi/check_allgather.c tests/mpi/faults.c
tests_mpi_faulty_check_allreduce_SOURCES = tests/mpi/check_allreduce.c tests/mpi/faults.c
tests_mpi_faulty_check_bursts_SOURCES = tests/mpi/check_bursts.c tests/mpi/faults.c
tests_mpi_faulty_check_communicators_SOURCES = tests/mpi/check_communicators.c tests/mpi/faults.c
tests_mpi_faulty_check_memory_SOURCES = tests/mpi/check_memory.c tests/mpi/faults.c
tests_mpi_faulty_check_random_SOURCES = $(random_sources) tests/mpi/faults.c
tests_mpi_faulty_check_threads_SOURCES = tests/mpi/check_threads.c tests/mpi/faults.c
tests_mpi_faulty_check_user_ops_SOURCES = tests/mpi/check_user_ops.c tests/mpi/faults.c
tests_mpi_faulty_whole_mpi_SOURCES = tests/mpi/whole_mpi.c tests/mpi/faults.c

# Libraries that tests preload or open, and components. One that is only checked becomes a shared
# library through -rpath.
loaded_ldflags = -module -avoid-version -shared -rpath /nowhere
check_LTLIBRARIES += tests/mpi/mca_coll_nest.la tests/mpi/other_release.la tests/mpi/refuse.la

tests_mpi_mca_coll_nest_la_SOURCES = tests/mpi/coll_nest.c
tests_mpi_mca_coll_nest_la_CPPFLAGS = $(component_cppflags)
tests_mpi_mca_coll_nest_la_LDFLAGS = $(loaded_ldflags)
tests_mpi_mca_coll_nest_la_LIBADD = $(OMPI_LIBS)

tests_mpi_other_release_la_CPPFLAGS = $(component_cppflags)
tests_mpi_other_release_la_LDFLAGS = $(loaded_ldflags)
tests_mpi_other_release_la_LIBADD = $(OMPI_LIBS)

tests_mpi_refuse_la_CFLAGS = $(AM_CFLAGS) -fno-builtin
tests_mpi_refuse_la_LDFLAGS = $(loaded_ldflags)

if CUDA
check_PROGRAMS += tests/mpi/check_host_copy tests/mpi/check_kinds tests/mpi/check_nonblocking \
	tests/mpi/check_requests tests/mpi/check_under_way
check_LTLIBRARIES += tests/mpi/aware.la tests/mpi/ondevice.la
tests_mpi_libharness_la_SOURCES += tests/mpi/cuda_memory.c tests/mpi/cuda_memory.h \
	tests/mpi/pending.c tests/mpi/pending.h \
	tests/mpi/scattered_pieces.c tests/mpi/scattered_pieces.h

tests_mpi_aware_la_LDFLAGS = $(loaded_ldflags)
tests_mpi_aware_la_LIBADD = -ldl

tests_mpi_ondevice_la_SOURCES = tests/mpi/ondevice.c tests/mpi/ondevice.h \
	tests/mpi/ondevice_exchange.c tests/mpi/ondevice_reductions.c \
	tests/mpi/ondevice_rooted.c
tests_mpi_ondevice_la_LDFLAGS = $(loaded_ldflags)
tests_mpi_ondevice_la_LIBADD = $(MPI_LIBS)
endif

include tests/bench/local.mk
include tests/cuda/local.mk
include tests/unit/local.mk
