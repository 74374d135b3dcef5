# tests/unit/local.mk - tests with cmocka, without mpirun: heap/, kernels/, the pool's hints, the
# collective component's counters.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

if HAVE_CMOCKA

unit_tests = \
	tests/unit/test_algorithms \
	tests/unit/test_rooted \
	tests/unit/test_allocator \
	tests/unit/test_arena \
	tests/unit/test_control \
	tests/unit/test_control_place \
	tests/unit/test_counters \
	tests/unit/test_float16 \
	tests/unit/test_flood \
	tests/unit/test_fold \
	tests/unit/test_fork \
	tests/unit/test_headroom \
	tests/unit/test_heap \
	tests/unit/test_heap_limits \
	tests/unit/test_hints \
	tests/unit/test_large \
	tests/unit/test_multicast \
	tests/unit/test_pads_ordering \
	tests/unit/test_peer \
	tests/unit/test_reclaim \
	tests/unit/test_secrets \
	tests/unit/test_server \
	tests/unit/test_strangers \
	tests/unit/test_table \
	tests/unit/test_lines \
	tests/unit/test_table_file \
	tests/unit/test_team \
	tests/unit/test_team_states \
	tests/unit/test_tune_rows \
	tests/unit/test_version

# Kernels compiled for the host, and device memory on the stand-in driver, which tests open by this path.
if CUDA
unit_tests += \
	tests/unit/test_cuda_contexts \
	tests/unit/test_cuda_device \
	tests/unit/test_cuda_devices \
	tests/unit/test_cuda_exchange \
	tests/unit/test_cuda_exports \
	tests/unit/test_cuda_faults \
	tests/unit/test_cuda_heap \
	tests/unit/test_cuda_hold \
	tests/unit/test_cuda_imports \
	tests/unit/test_cuda_kernels \
	tests/unit/test_cuda_launches \
	tests/unit/test_cuda_memory \
	tests/unit/test_cuda_packets \
	tests/unit/test_cuda_pass \
	tests/unit/test_cuda_resets \
	tests/unit/test_cuda_scans \
	tests/unit/test_cuda_nests \
	tests/unit/test_cuda_push \
	tests/unit/test_cuda_ring \
	tests/unit/test_cuda_small \
	tests/unit/test_host_blocks \
	tests/unit/test_pads

if MULTICAST
unit_tests += \
	tests/unit/test_cuda_multicast \
	tests/unit/test_cuda_multimem \
	tests/unit/test_cuda_multimem_launch
endif
endif

check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)

# What the tests share, compiled once: programs take from it what they call.
check_LTLIBRARIES += tests/unit/libunit.la
tests_unit_libunit_la_SOURCES = \
	tests/unit/algorithm_plan.c tests/unit/algorithm_plan.h \
	tests/unit/allocator_model.c tests/unit/allocator_model.h \
	tests/unit/collective.c tests/unit/collective.h \
	tests/unit/elements.c tests/unit/elements.h \
	tests/unit/fork_ranks.c tests/unit/fork_ranks.h \
	tests/unit/fork_team.c tests/unit/fork_team.h \
	tests/unit/multicast_ranks.c tests/unit/multicast_ranks.h \
	tests/unit/owner.c tests/unit/owner.h \
	tests/unit/request_wait.c tests/unit/request_wait.h \
	tests/unit/stranger.c tests/unit/stranger.h \
	tests/unit/unit.c tests/unit/unit.h

unit_libs = tests/unit/libunit.la tests/reference/libreference.la libsymm_core.la \
	$(CMOCKA_LIBS) -lm

tests_unit_test_algorithms_LDADD = $(unit_libs)
tests_unit_test_rooted_LDADD = $(unit_libs)
tests_unit_test_allocator_LDADD = $(unit_libs)
tests_unit_test_allocator_LDFLAGS = -Wl,--wrap=malloc -Wl,--wrap=calloc
tests_unit_test_arena_LDADD = $(unit_libs)
tests_unit_test_control_LDADD = $(unit_libs)
tests_unit_test_control_place_LDADD = $(unit_libs)
tests_unit_test_float16_LDADD = $(unit_libs)
tests_unit_test_flood_LDADD = $(unit_libs)
tests_unit_test_flood_LDFLAGS = -Wl,--wrap=accept4 -Wl,--wrap=connect
tests_unit_test_fold_LDADD = $(unit_libs)
tests_unit_test_fork_LDADD = $(unit_libs)
tests_unit_test_headroom_LDADD = $(unit_libs)
tests_unit_test_headroom_LDFLAGS = -Wl,--wrap=open
tests_unit_test_heap_LDADD = $(unit_libs)
tests_unit_test_heap_limits_LDADD = $(unit_libs)
tests_unit_test_heap_limits_LDFLAGS = -Wl,--wrap=mmap
tests_unit_test_large_LDADD = $(unit_libs)
tests_unit_test_multicast_LDADD = $(unit_libs)
tests_unit_test_peer_LDADD = $(unit_libs)
tests_unit_test_reclaim_LDADD = $(unit_libs)
tests_unit_test_secrets_LDADD = $(unit_libs)
tests_unit_test_server_LDADD = $(unit_libs)
tests_unit_test_strangers_LDADD = $(unit_libs)
tests_unit_test_team_LDADD = $(unit_libs)
tests_unit_test_team_states_LDADD = $(unit_libs)

# The component's counters as they stand, with the variable of Open MPI that they read.
tests_unit_test_counters_SOURCES = tests/unit/test_counters.c \
	mca/coll/symm/report/counters.c mca/coll/symm/report/words.c
tests_unit_test_counters_CPPFLAGS = $(component_cppflags)
tests_unit_test_counters_LDADD = $(unit_libs) $(OMPI_LIBS)

tests_unit_test_lines_SOURCES = tests/unit/test_lines.c mca/coll/symm/report/lines.c
tests_unit_test_lines_LDADD = $(unit_libs)

choose_sources = tests/unit/table_stand_ins.c tests/unit/table_stand_ins.h \
	mca/coll/symm/choose/before.c mca/coll/symm/choose/choose.c \
	mca/coll/symm/choose/model.c \
	mca/coll/symm/choose/built_in.c \
	mca/coll/symm/choose/table.c mca/coll/symm/choose/table_file.c \
	mca/coll/symm/report/words.c mca/help.c
tests_unit_test_table_SOURCES = tests/unit/test_table.c $(choose_sources)
tests_unit_test_table_CPPFLAGS = $(component_cppflags)
tests_unit_test_table_LDADD = $(unit_libs) $(OMPI_LIBS) -lm
tests_unit_test_table_file_SOURCES = tests/unit/test_table_file.c $(choose_sources)
tests_unit_test_table_file_CPPFLAGS = $(component_cppflags)
tests_unit_test_table_file_LDADD = $(unit_libs) $(OMPI_LIBS) -lm

# The benchmark's.
tests_unit_test_tune_rows_SOURCES = tests/unit/test_tune_rows.c bench/tune_rows.c
tests_unit_test_tune_rows_LDADD = $(unit_libs)
tests_unit_test_version_LDADD = $(unit_libs)

# The pool's parser as it stands, with the functions of Open MPI that it calls.
tests_unit_test_hints_SOURCES = tests/unit/test_hints.c mca/mpool/symm/mpool_symm_hints.c
tests_unit_test_hints_CPPFLAGS = $(component_cppflags)
tests_unit_test_hints_LDADD = $(unit_libs) $(OMPI_LIBS)

# The protocol of pads, on the model that test_ordering has.
ordering_model = tests/unit/ordering_model.c tests/unit/ordering_model.h \
	tests/unit/ordering_set.c tests/unit/ordering_set.h \
	tests/unit/ordering_state.c tests/unit/ordering_state.h
tests_unit_test_pads_ordering_SOURCES = tests/unit/test_pads_ordering.c $(ordering_model)
tests_unit_test_pads_ordering_LDADD = $(unit_libs)

# The component's code and the kernels, compiled so that ordering_recorder.c hears of each access.
if RECORDING
check_PROGRAMS += tests/unit/test_ordering
TESTS += tests/unit/test_ordering

check_LTLIBRARIES += tests/unit/librecorded.la
tests_unit_librecorded_la_CPPFLAGS = $(component_cppflags)
tests_unit_librecorded_la_CFLAGS = $(AM_CFLAGS) $(RECORDING_CFLAGS)
tests_unit_librecorded_la_SOURCES = $(kernel_sources) kernels/cuda/launch/device_absent.c \
	kernels/cuda/launch/multimem_absent.c \
	heap/arena.c \
	heap/arena_chunk.c \
	heap/control.c \
	heap/lane.c \
	heap/team.c \
	mca/coll/symm/agree/blocks.c mca/coll/symm/agree/blocks_resolve.c \
	mca/coll/symm/agree/buffers.c \
	mca/coll/symm/agree/facts.c \
	mca/coll/symm/agree/loose.c \
	mca/coll/symm/agree/map.c \
	mca/coll/symm/agree/part.c \
	mca/coll/symm/agree/post.c \
	mca/coll/symm/agree/read.c \
	mca/coll/symm/choose/before.c \
	mca/coll/symm/choose/choose.c \
	mca/coll/symm/choose/model.c \
	mca/coll/symm/base/lane.c \
	mca/coll/symm/serve/end.c \
	mca/coll/symm/serve/mixed.c \
	mca/coll/symm/serve/mixed_blocks.c \
	mca/coll/symm/serve/mixed_data.c \
	mca/coll/symm/serve/mixed_moving.c \
	mca/coll/symm/serve/operation.c \
	mca/coll/symm/serve/prompt.c \
	mca/coll/symm/serve/prompt_blocks.c \
	mca/coll/symm/serve/prompt_reductions.c \
	mca/coll/symm/serve/set_up.c \
	mca/coll/symm/serve/slot.c \
	mca/coll/symm/serve/start.c \
	mca/coll/symm/data/pack.c \
	mca/coll/symm/serve/packed.c \
	mca/coll/symm/serve/packed_blocks.c \
	mca/coll/symm/data/sides.c \
	mca/coll/symm/serve/packed_reduce.c \
	mca/coll/symm/serve/packed_rooted.c \
	mca/coll/symm/choose/built_in.c \
	mca/coll/symm/choose/table.c \
	mca/coll/symm/report/words.c \
	tests/unit/ordering_recorded.c tests/unit/ordering_recorded.h

tests_unit_test_ordering_SOURCES = tests/unit/test_ordering.c tests/unit/test_ordering.h \
	tests/unit/test_ordering_life.c \
	tests/unit/ordering_elsewhere.c \
	tests/unit/ordering_hooks.c \
	tests/unit/ordering_leave.c \
	tests/unit/ordering_life.c tests/unit/ordering_life.h \
	tests/unit/ordering_multicast.c \
	tests/unit/ordering_ranks.c tests/unit/ordering_ranks.h tests/unit/ordering_actor.h \
	tests/unit/ordering_programs.c tests/unit/ordering_programs.h \
	tests/unit/ordering_prompt.c \
	tests/unit/ordering_recorder.c tests/unit/ordering_recorder.h \
	tests/unit/ordering_stand_ins.c \
	$(ordering_model) \
	tests/unit/ordering_trial.c tests/unit/ordering_trial.h \
	tests/unit/ordering_votes.c tests/unit/ordering_votes.h
tests_unit_test_ordering_CPPFLAGS = $(component_cppflags)
tests_unit_test_ordering_LDFLAGS = -Wl,--wrap=memcpy,--wrap=madvise \
	-Wl,--wrap=symm_control_next_start,--wrap=symm_arena_abandon
tests_unit_test_ordering_LDADD = tests/unit/librecorded.la $(unit_libs) $(OMPI_LIBS)
endif

# Tests of what knows devices, on the stand-in driver, which they open by its path: where libtool builds it.
if CUDA
standin_tests = \
	tests/unit/test_standin \
	tests/unit/test_standin_contexts \
	tests/unit/test_standin_ipc \
	tests/unit/test_standin_machine \
	tests/unit/test_standin_memory \
	tests/unit/test_standin_streams
if NVLINK_MULTICAST
standin_tests += tests/unit/test_standin_multicast
endif
check_PROGRAMS += $(standin_tests)
TESTS += $(standin_tests)

check_LTLIBRARIES += tests/unit/libdevice.la
tests_unit_libdevice_la_CPPFLAGS = $(AM_CPPFLAGS) \
	-DSYMM_STANDIN_DRIVER='"$(abs_top_builddir)/tests/cuda/.libs/standin_driver.so"'
tests_unit_libdevice_la_SOURCES = \
	tests/unit/cuda_ranks.c tests/unit/cuda_ranks.h \
	tests/unit/cuda_reference.c tests/unit/cuda_reference.h tests/unit/kernel_flags.h \
	tests/unit/device_memory.c tests/unit/device_memory.h \
	tests/unit/device_program.c tests/unit/device_program.h \
	tests/unit/ipc_owner.c tests/unit/ipc_owner.h \
	tests/unit/multicast_member.c tests/unit/multicast_member.h \
	tests/unit/standin_driver.c tests/unit/standin_driver.h
EXTRA_tests_unit_libdevice_la_DEPENDENCIES = tests/cuda/standin_driver.la

device_libs = tests/unit/libdevice.la $(unit_libs) -ldl

tests_unit_test_cuda_contexts_LDADD = $(device_libs)
tests_unit_test_cuda_device_LDADD = $(device_libs)
tests_unit_test_cuda_devices_LDADD = $(device_libs)
tests_unit_test_cuda_exchange_LDADD = $(device_libs)
tests_unit_test_cuda_exports_LDADD = $(device_libs)
tests_unit_test_cuda_faults_LDADD = $(device_libs)
tests_unit_test_cuda_heap_LDADD = $(device_libs)
tests_unit_test_cuda_hold_LDADD = $(device_libs)
tests_unit_test_cuda_imports_LDADD = $(device_libs)
tests_unit_test_cuda_kernels_LDADD = kernels/cuda/device_code/libhost.la $(device_libs)
tests_unit_test_cuda_launches_LDADD = $(device_libs)
tests_unit_test_cuda_memory_LDADD = $(device_libs)
tests_unit_test_cuda_multicast_LDADD = $(device_libs)
tests_unit_test_cuda_multimem_LDADD = $(device_libs)
tests_unit_test_cuda_multimem_CPPFLAGS = $(AM_CPPFLAGS) $(MULTICAST_CPPFLAGS)
tests_unit_test_cuda_multimem_launch_LDADD = $(device_libs)
tests_unit_test_cuda_packets_LDADD = $(device_libs)
tests_unit_test_cuda_pass_LDADD = $(device_libs)
tests_unit_test_cuda_resets_LDADD = $(device_libs)
tests_unit_test_cuda_nests_LDADD = $(device_libs)
tests_unit_test_cuda_push_LDADD = $(device_libs)
tests_unit_test_cuda_ring_LDADD = $(device_libs)
tests_unit_test_cuda_small_LDADD = $(device_libs)
tests_unit_test_cuda_scans_LDADD = kernels/cuda/device_code/libhost.la $(device_libs)
tests_unit_test_host_blocks_LDADD = $(device_libs)
tests_unit_test_pads_LDADD = $(device_libs)
tests_unit_test_standin_LDADD = $(device_libs)
tests_unit_test_standin_contexts_LDADD = $(device_libs)
tests_unit_test_standin_ipc_LDADD = $(device_libs)
tests_unit_test_standin_machine_LDADD = $(device_libs)
tests_unit_test_standin_memory_LDADD = $(device_libs)
tests_unit_test_standin_multicast_LDADD = $(device_libs)
tests_unit_test_standin_streams_LDADD = $(device_libs)
endif

endif
