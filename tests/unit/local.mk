# tests/unit/local.mk - tests with cmocka, without mpirun, in a folder for each layer.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

if HAVE_CMOCKA

unit_tests = \
	tests/unit/kernels/test_algorithms \
	tests/unit/kernels/test_rooted \
	tests/unit/heap/test_allocator \
	tests/unit/team/test_arena \
	tests/unit/team/test_control \
	tests/unit/team/test_control_place \
	tests/unit/component/test_counters \
	tests/unit/kernels/test_float16 \
	tests/unit/heap/test_flood \
	tests/unit/kernels/test_fold \
	tests/unit/kernels/test_pattern \
	tests/unit/kernels/test_slice \
	tests/unit/heap/test_fork \
	tests/unit/heap/test_headroom \
	tests/unit/heap/test_heap \
	tests/unit/heap/test_heap_limits \
	tests/unit/component/test_hints \
	tests/unit/heap/test_large \
	tests/unit/team/test_multicast \
	tests/unit/ordering/test_pads_ordering \
	tests/unit/ordering/test_request_ordering \
	tests/unit/heap/test_alive \
	tests/unit/heap/test_peer \
	tests/unit/heap/test_reclaim \
	tests/unit/heap/test_secrets \
	tests/unit/heap/test_server \
	tests/unit/ordering/test_stream_ordering \
	tests/unit/heap/test_strangers \
	tests/unit/heap/test_stub_kind \
	tests/unit/component/test_table \
	tests/unit/component/test_lines \
	tests/unit/component/test_topology \
	tests/unit/component/test_table_file \
	tests/unit/team/test_team \
	tests/unit/team/test_team_states \
	tests/unit/component/test_tune_rows \
	tests/unit/heap/test_version

# Kernels compiled for the host, and device memory on the stand-in driver, which tests open by this
# path.
if CUDA
unit_tests += \
	tests/unit/gpu/test_cuda_contexts \
	tests/unit/gpu/test_cuda_device \
	tests/unit/gpu/test_cuda_devices \
	tests/unit/cuda/test_cuda_exchange \
	tests/unit/gpu/test_cuda_exports \
	tests/unit/gpu/test_cuda_faults \
	tests/unit/gpu/test_cuda_heap \
	tests/unit/gpu/test_cuda_heap_peers \
	tests/unit/cuda/test_cuda_hold \
	tests/unit/gpu/test_cuda_imports \
	tests/unit/cuda/test_cuda_kernels \
	tests/unit/cuda/test_cuda_launches \
	tests/unit/gpu/test_cuda_memory \
	tests/unit/cuda/test_cuda_packets \
	tests/unit/cuda/test_stream_ends \
	tests/unit/cuda/test_stream_failures \
	tests/unit/cuda/test_stream_lane \
	tests/unit/cuda/test_stream_members \
	tests/unit/heap/test_stream_memory \
	tests/unit/cuda/test_stream_packets \
	tests/unit/cuda/test_stream_plan \
	tests/unit/cuda/test_stream_push \
	tests/unit/cuda/test_cuda_chain \
	tests/unit/gpu/test_cuda_resets \
	tests/unit/cuda/test_cuda_scans \
	tests/unit/cuda/test_cuda_nests \
	tests/unit/cuda/test_cuda_push \
	tests/unit/cuda/test_cuda_ring \
	tests/unit/cuda/test_cuda_small \
	tests/unit/kernels/test_host_blocks \
	tests/unit/team/test_pads

if MULTICAST
unit_tests += \
	tests/unit/team/test_cuda_multicast \
	tests/unit/cuda/test_cuda_multimem \
	tests/unit/cuda/test_cuda_multimem_launch
endif
endif

check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)

# What the tests share, compiled once: programs take from it what they call.
check_LTLIBRARIES += tests/unit/harness/libunit.la
tests_unit_harness_libunit_la_SOURCES = \
	tests/unit/harness/algorithm_plan.c tests/unit/harness/algorithm_plan.h \
	tests/unit/harness/allocator_model.c tests/unit/harness/allocator_model.h \
	tests/unit/harness/collective.c tests/unit/harness/collective.h \
	tests/unit/harness/elements.c tests/unit/harness/elements.h \
	tests/unit/harness/fork_ranks.c tests/unit/harness/fork_ranks.h \
	tests/unit/harness/fork_team.c tests/unit/harness/fork_team.h \
	tests/unit/harness/multicast_ranks.c tests/unit/harness/multicast_ranks.h \
	tests/unit/harness/owner.c tests/unit/harness/owner.h \
	tests/unit/harness/request_wait.c tests/unit/harness/request_wait.h \
	tests/unit/harness/stranger.c tests/unit/harness/stranger.h \
	tests/unit/harness/unit.c tests/unit/harness/unit.h

unit_libs = tests/unit/harness/libunit.la tests/reference/libreference.la libsymm_core.la \
	$(CMOCKA_LIBS) -lm

tests_unit_kernels_test_algorithms_LDADD = $(unit_libs)
tests_unit_kernels_test_rooted_LDADD = $(unit_libs)
tests_unit_heap_test_allocator_LDADD = $(unit_libs)
tests_unit_heap_test_allocator_LDFLAGS = -Wl,--wrap=malloc -Wl,--wrap=calloc
tests_unit_team_test_arena_LDADD = $(unit_libs)
tests_unit_team_test_control_LDADD = $(unit_libs)
tests_unit_team_test_control_place_LDADD = $(unit_libs)
tests_unit_kernels_test_float16_LDADD = $(unit_libs)
tests_unit_heap_test_flood_LDADD = $(unit_libs)
tests_unit_heap_test_flood_LDFLAGS = -Wl,--wrap=accept4 -Wl,--wrap=connect
tests_unit_kernels_test_fold_LDADD = $(unit_libs)
tests_unit_kernels_test_pattern_LDADD = $(unit_libs)
tests_unit_kernels_test_slice_LDADD = $(unit_libs)
tests_unit_heap_test_fork_LDADD = $(unit_libs)
tests_unit_heap_test_headroom_LDADD = $(unit_libs)
tests_unit_heap_test_headroom_LDFLAGS = -Wl,--wrap=open
tests_unit_heap_test_heap_LDADD = $(unit_libs)
tests_unit_heap_test_heap_limits_SOURCES = tests/unit/heap/test_heap_limits.c \
	tests/unit/heap/counting_kind.c tests/unit/heap/counting_kind.h
tests_unit_heap_test_heap_limits_LDADD = $(unit_libs)
tests_unit_heap_test_heap_limits_LDFLAGS = -Wl,--wrap=mmap
tests_unit_heap_test_large_LDADD = $(unit_libs)
tests_unit_team_test_multicast_LDADD = $(unit_libs)
tests_unit_heap_test_alive_LDADD = $(unit_libs)
tests_unit_heap_test_peer_LDADD = $(unit_libs)
tests_unit_heap_test_reclaim_LDADD = $(unit_libs)
tests_unit_heap_test_secrets_LDADD = $(unit_libs)
tests_unit_heap_test_server_SOURCES = tests/unit/heap/test_server.c \
	tests/unit/heap/server_texts.c tests/unit/heap/server_texts.h
tests_unit_heap_test_server_LDADD = $(unit_libs)
tests_unit_heap_test_strangers_LDADD = $(unit_libs)
# Devices of a third kind: these sources are in place of those of CUDA, as in a build for it.
tests_unit_heap_test_stub_kind_SOURCES = tests/unit/heap/test_stub_kind.c \
	tests/unit/heap/stub_kind.c tests/unit/heap/stub_kind.h heap/gpu/ipc_absent.c
tests_unit_heap_test_stub_kind_LDADD = $(unit_libs)
tests_unit_team_test_team_LDADD = $(unit_libs)
tests_unit_team_test_team_states_LDADD = $(unit_libs)

# The component's counters as they stand, with the variable of Open MPI that they read.
tests_unit_component_test_counters_SOURCES = tests/unit/component/test_counters.c \
	mca/coll/symm/base/functions.c mca/coll/symm/report/counters.c \
	mca/coll/symm/report/words.c
tests_unit_component_test_counters_CPPFLAGS = $(component_cppflags)
tests_unit_component_test_counters_LDADD = $(unit_libs) $(OMPI_LIBS)

tests_unit_component_test_topology_SOURCES = tests/unit/component/test_topology.c \
	mca/coll/symm/nodes/plan.c mca/coll/symm/nodes/topology.c
tests_unit_component_test_topology_LDADD = $(unit_libs)
tests_unit_component_test_lines_SOURCES = tests/unit/component/test_lines.c \
	mca/coll/symm/report/lines.c
tests_unit_component_test_lines_LDADD = $(unit_libs)

choose_sources = tests/unit/component/table_stand_ins.c tests/unit/component/table_stand_ins.h \
	mca/coll/symm/choose/before.c mca/coll/symm/choose/choose.c \
	mca/coll/symm/choose/model.c \
	mca/coll/symm/choose/built_in.c \
	mca/coll/symm/choose/table.c mca/coll/symm/choose/table_file.c \
	mca/old_words.c mca/coll/symm/base/functions.c \
	mca/coll/symm/report/words.c mca/help.c
tests_unit_component_test_table_SOURCES = tests/unit/component/test_table.c $(choose_sources)
tests_unit_component_test_table_CPPFLAGS = $(component_cppflags)
tests_unit_component_test_table_LDADD = $(unit_libs) $(OMPI_LIBS) -lm
tests_unit_component_test_table_file_SOURCES = tests/unit/component/test_table_file.c \
	$(choose_sources)
tests_unit_component_test_table_file_CPPFLAGS = $(component_cppflags) \
	-DRESULTS_FOLDER=\"$(abs_top_srcdir)/bench/results\"
tests_unit_component_test_table_file_LDADD = $(unit_libs) $(OMPI_LIBS) -lm

# The benchmark's.
tests_unit_component_test_tune_rows_SOURCES = tests/unit/component/test_tune_rows.c \
	bench/tune_rows.c
tests_unit_component_test_tune_rows_LDADD = $(unit_libs)
tests_unit_heap_test_version_LDADD = $(unit_libs)

# The pool's parser as it stands, with the functions of Open MPI that it calls.
tests_unit_component_test_hints_SOURCES = tests/unit/component/test_hints.c \
	mca/mpool/symm/mpool_symm_hints.c
tests_unit_component_test_hints_CPPFLAGS = $(component_cppflags)
tests_unit_component_test_hints_LDADD = $(unit_libs) $(OMPI_LIBS)

# The protocols of pads and of a request's end, on the model that test_ordering has.
ordering_model = tests/unit/ordering/ordering_model.c tests/unit/ordering/ordering_model.h \
	tests/unit/ordering/ordering_set.c tests/unit/ordering/ordering_set.h \
	tests/unit/ordering/ordering_state.c tests/unit/ordering/ordering_state.h
tests_unit_ordering_test_pads_ordering_SOURCES = tests/unit/ordering/test_pads_ordering.c \
	$(ordering_model)
tests_unit_ordering_test_pads_ordering_LDADD = $(unit_libs)
tests_unit_ordering_test_request_ordering_SOURCES = tests/unit/ordering/test_request_ordering.c \
	$(ordering_model)
tests_unit_ordering_test_request_ordering_LDADD = $(unit_libs)

# The protocol of stream lanes, on a model of its own.
tests_unit_ordering_test_stream_ordering_SOURCES = tests/unit/ordering/test_stream_ordering.c \
	tests/unit/ordering/ordering_set.c tests/unit/ordering/ordering_set.h \
	tests/unit/ordering/ordering_stream.c tests/unit/ordering/ordering_stream.h \
	tests/unit/ordering/ordering_stream_kernels.c \
	tests/unit/ordering/ordering_stream_kernels.h \
	tests/unit/ordering/ordering_stream_lanes.c tests/unit/ordering/ordering_stream_lanes.h \
	tests/unit/ordering/ordering_stream_push.c tests/unit/ordering/ordering_stream_push.h
tests_unit_ordering_test_stream_ordering_LDADD = $(unit_libs)

# The component's code and the kernels, compiled so that ordering_recorder.c hears of each access.
if RECORDING
check_PROGRAMS += tests/unit/ordering/test_ordering
TESTS += tests/unit/ordering/test_ordering

check_LTLIBRARIES += tests/unit/ordering/librecorded.la
tests_unit_ordering_librecorded_la_CPPFLAGS = $(component_cppflags)
tests_unit_ordering_librecorded_la_CFLAGS = $(AM_CFLAGS) $(RECORDING_CFLAGS)
tests_unit_ordering_librecorded_la_SOURCES = $(kernel_sources) \
	kernels/cuda/launch/copy_absent.c kernels/cuda/launch/device_absent.c \
	heap/team/arena.c \
	heap/team/arena_chunk.c \
	heap/team/control.c \
	heap/team/lane.c \
	heap/team/team.c \
	mca/coll/symm/agree/blocks.c mca/coll/symm/agree/blocks_resolve.c \
	mca/coll/symm/agree/loose.c \
	mca/coll/symm/agree/part.c \
	mca/coll/symm/agree/post.c \
	mca/coll/symm/agree/read.c \
	mca/coll/symm/resources/resource.c \
	mca/coll/symm/resources/segments.c \
	mca/coll/symm/choose/before.c \
	mca/coll/symm/choose/choose.c \
	mca/coll/symm/choose/model.c \
	mca/coll/symm/base/lane.c \
	mca/coll/symm/serve/end.c \
	mca/coll/symm/transfer/late.c \
	mca/coll/symm/transfer/late_blocks.c \
	mca/coll/symm/transfer/late_data.c \
	mca/coll/symm/transfer/late_moving.c \
	mca/coll/symm/serve/operation.c \
	mca/coll/symm/fast/fast.c \
	mca/coll/symm/fast/fast_blocks.c \
	mca/coll/symm/fast/fast_reductions.c \
	mca/coll/symm/serve/set_up.c \
	mca/coll/symm/serve/slot.c \
	mca/coll/symm/serve/start.c \
	mca/coll/symm/data/pack.c \
	mca/coll/symm/transfer/packed.c \
	mca/coll/symm/data/sides.c \
	mca/coll/symm/transfer/packed_reduce.c \
	mca/coll/symm/transfer/steps.c \
	mca/coll/symm/choose/built_in.c \
	mca/coll/symm/choose/table.c \
	mca/coll/symm/base/functions.c mca/coll/symm/report/words.c \
	tests/unit/ordering/ordering_recorded.c tests/unit/ordering/ordering_recorded.h

tests_unit_ordering_test_ordering_SOURCES = tests/unit/ordering/test_ordering.c \
	tests/unit/ordering/test_ordering.h \
	tests/unit/ordering/test_ordering_life.c \
	tests/unit/ordering/ordering_elsewhere.c \
	tests/unit/ordering/ordering_hooks.c \
	tests/unit/ordering/ordering_leave.c \
	tests/unit/ordering/ordering_life.c tests/unit/ordering/ordering_life.h \
	tests/unit/ordering/ordering_multicast.c \
	tests/unit/ordering/ordering_ranks.c tests/unit/ordering/ordering_ranks.h \
	tests/unit/ordering/ordering_actor.h \
	tests/unit/ordering/ordering_programs.c tests/unit/ordering/ordering_programs.h \
	tests/unit/ordering/ordering_fast.c \
	tests/unit/ordering/ordering_recorder.c tests/unit/ordering/ordering_recorder.h \
	tests/unit/ordering/ordering_stand_ins.c \
	$(ordering_model) \
	tests/unit/ordering/ordering_trial.c tests/unit/ordering/ordering_trial.h \
	tests/unit/ordering/ordering_votes.c tests/unit/ordering/ordering_votes.h
tests_unit_ordering_test_ordering_CPPFLAGS = $(component_cppflags)
tests_unit_ordering_test_ordering_LDFLAGS = -Wl,--wrap=memcpy,--wrap=madvise \
	-Wl,--wrap=symm_control_next_start,--wrap=symm_arena_abandon
tests_unit_ordering_test_ordering_LDADD = tests/unit/ordering/librecorded.la $(unit_libs) \
	$(OMPI_LIBS)
endif

# Tests of what knows devices, on the stand-in driver, which they open by its path: where libtool
# builds it.
if CUDA
standin_tests = \
	tests/unit/standin/test_standin \
	tests/unit/standin/test_standin_contexts \
	tests/unit/standin/test_standin_graphs \
	tests/unit/standin/test_standin_ipc \
	tests/unit/standin/test_standin_kernels \
	tests/unit/standin/test_standin_machine \
	tests/unit/standin/test_standin_memory \
	tests/unit/standin/test_standin_streams
if NVLINK_MULTICAST
standin_tests += tests/unit/standin/test_standin_multicast
endif
check_PROGRAMS += $(standin_tests)
TESTS += $(standin_tests)

check_LTLIBRARIES += tests/unit/harness/libdevice.la
tests_unit_harness_libdevice_la_CPPFLAGS = $(AM_CPPFLAGS) \
	-DSYMM_STANDIN_DRIVER='"$(abs_top_builddir)/tests/standin/.libs/standin_driver.so"'
tests_unit_harness_libdevice_la_SOURCES = \
	tests/unit/harness/cuda_ranks.c tests/unit/harness/cuda_ranks.h \
	tests/unit/harness/cuda_reference.c tests/unit/harness/cuda_reference.h \
	tests/unit/harness/kernel_flags.h \
	tests/unit/harness/device_memory.c tests/unit/harness/device_memory.h \
	tests/unit/harness/device_program.c tests/unit/harness/device_program.h \
	tests/unit/harness/ipc_owner.c tests/unit/harness/ipc_owner.h \
	tests/unit/harness/multicast_member.c tests/unit/harness/multicast_member.h \
	tests/unit/harness/standin_driver.c tests/unit/harness/standin_driver.h
EXTRA_tests_unit_harness_libdevice_la_DEPENDENCIES = tests/standin/standin_driver.la

device_libs = tests/unit/harness/libdevice.la $(unit_libs) -ldl
additions = tests/unit/standin/additions.c tests/unit/standin/additions.h
stream_members = tests/unit/harness/stream_members.c tests/unit/harness/stream_members.h
stream_ranks = tests/unit/harness/stream_ranks.c tests/unit/harness/stream_ranks.h
stream_calls = $(stream_ranks) tests/unit/harness/stream_calls.c tests/unit/harness/stream_calls.h

tests_unit_gpu_test_cuda_contexts_LDADD = $(device_libs)
tests_unit_gpu_test_cuda_device_LDADD = $(device_libs)
tests_unit_gpu_test_cuda_devices_LDADD = $(device_libs)
tests_unit_cuda_test_cuda_exchange_LDADD = $(device_libs)
tests_unit_gpu_test_cuda_exports_LDADD = $(device_libs)
tests_unit_gpu_test_cuda_faults_LDADD = $(device_libs)
tests_unit_gpu_test_cuda_heap_LDADD = $(device_libs)
tests_unit_gpu_test_cuda_heap_peers_LDADD = $(device_libs)
tests_unit_cuda_test_cuda_hold_LDADD = $(device_libs)
tests_unit_gpu_test_cuda_imports_LDADD = $(device_libs)
tests_unit_cuda_test_cuda_kernels_LDADD = kernels/cuda/device_code/libhost.la $(device_libs)
tests_unit_cuda_test_cuda_launches_LDADD = $(device_libs)
tests_unit_gpu_test_cuda_memory_LDADD = $(device_libs)
tests_unit_team_test_cuda_multicast_LDADD = $(device_libs)
tests_unit_cuda_test_cuda_multimem_LDADD = $(device_libs)
tests_unit_cuda_test_cuda_multimem_CPPFLAGS = $(AM_CPPFLAGS) $(MULTICAST_CPPFLAGS)
tests_unit_cuda_test_cuda_multimem_launch_LDADD = $(device_libs)
tests_unit_cuda_test_cuda_packets_LDADD = $(device_libs)
tests_unit_cuda_test_stream_lane_SOURCES = $(stream_ranks) tests/unit/cuda/test_stream_lane.c
tests_unit_cuda_test_stream_lane_LDADD = $(device_libs)
tests_unit_cuda_test_stream_ends_SOURCES = $(stream_members) tests/unit/cuda/test_stream_ends.c
tests_unit_cuda_test_stream_ends_LDADD = $(device_libs)
tests_unit_cuda_test_stream_failures_SOURCES = $(stream_members) \
	tests/unit/cuda/test_stream_failures.c
tests_unit_cuda_test_stream_failures_LDADD = $(device_libs)
tests_unit_cuda_test_stream_members_SOURCES = $(stream_members) \
	tests/unit/cuda/test_stream_members.c
tests_unit_cuda_test_stream_members_LDADD = $(device_libs)
tests_unit_heap_test_stream_memory_LDADD = $(device_libs)
tests_unit_cuda_test_stream_packets_SOURCES = $(stream_calls) tests/unit/cuda/test_stream_packets.c
tests_unit_cuda_test_stream_packets_LDADD = $(device_libs)
tests_unit_cuda_test_stream_plan_LDADD = $(device_libs)
tests_unit_cuda_test_stream_push_SOURCES = $(stream_calls) tests/unit/cuda/test_stream_push.c
tests_unit_cuda_test_stream_push_LDADD = $(device_libs)
tests_unit_cuda_test_cuda_chain_LDADD = $(device_libs)
tests_unit_gpu_test_cuda_resets_LDADD = $(device_libs)
tests_unit_cuda_test_cuda_nests_LDADD = $(device_libs)
tests_unit_cuda_test_cuda_push_LDADD = $(device_libs)
tests_unit_cuda_test_cuda_ring_LDADD = $(device_libs)
tests_unit_cuda_test_cuda_small_LDADD = $(device_libs)
tests_unit_cuda_test_cuda_scans_LDADD = kernels/cuda/device_code/libhost.la $(device_libs)
tests_unit_kernels_test_host_blocks_LDADD = $(device_libs)
tests_unit_team_test_pads_LDADD = $(device_libs)
tests_unit_standin_test_standin_LDADD = $(device_libs)
tests_unit_standin_test_standin_contexts_LDADD = $(device_libs)
tests_unit_standin_test_standin_ipc_LDADD = $(device_libs)
tests_unit_standin_test_standin_machine_LDADD = $(device_libs)
tests_unit_standin_test_standin_memory_LDADD = $(device_libs)
tests_unit_standin_test_standin_multicast_LDADD = $(device_libs)
tests_unit_standin_test_standin_graphs_SOURCES = $(additions) \
	tests/unit/standin/test_standin_graphs.c
tests_unit_standin_test_standin_graphs_LDADD = $(device_libs)
tests_unit_standin_test_standin_kernels_SOURCES = $(additions) \
	tests/unit/standin/test_standin_kernels.c
tests_unit_standin_test_standin_kernels_LDADD = $(device_libs)
tests_unit_standin_test_standin_streams_SOURCES = $(additions) \
	tests/unit/standin/test_standin_streams.c
tests_unit_standin_test_standin_streams_LDADD = $(device_libs)
endif

endif
