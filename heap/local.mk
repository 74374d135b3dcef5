# heap/local.mk - the lower half of libsymm, and the library itself.

include_HEADERS += heap/symm.h

# Everything of libsymm except its soname: what libsymm.so and the unit tests are made from.
noinst_LTLIBRARIES += libsymm_core.la
libsymm_core_la_CPPFLAGS = $(base_cppflags) -DSYMM_NVCC_DEVICES='"$(NVCC_DEVICES)"'
libsymm_core_la_LIBADD = $(PTHREAD_LIBS)
libsymm_core_la_SOURCES = \
	heap/allocator.c heap/allocator.h \
	heap/directory.h \
	heap/headroom.c heap/headroom.h \
	heap/heap.c heap/heap.h \
	heap/heap_bindings.c heap/heap_bindings.h \
	heap/heap_pages.h \
	heap/heap_segments.c heap/heap_segments.h \
	heap/heap_state.h \
	heap/kind.h \
	heap/kind_host.c \
	heap/memfd.c heap/memfd.h \
	heap/multicast.c heap/multicast.h \
	heap/multicast_host.c \
	heap/nvtx.c heap/nvtx.h \
	heap/pages.c heap/pages.h \
	heap/peer.c heap/peer.h \
	heap/peers.c heap/peers.h \
	heap/prefetch.h \
	heap/private.h \
	heap/reclaim.c heap/reclaim.h \
	heap/scratch.c heap/scratch.h \
	heap/status.c \
	heap/symm.h \
	heap/window.c heap/window.h \
	heap/gpu/cuda_device.h \
	heap/gpu/cuda_exports.h \
	heap/gpu/cuda_importer.h \
	heap/gpu/cuda_imports.h \
	heap/gpu/cuda_ipc.h \
	heap/gpu/cuda_memops.h \
	heap/gpu/cuda_memory.h \
	heap/gpu/cuda_plain.h \
	heap/server/alive.c heap/server/alive.h \
	heap/server/fork_lock.h \
	heap/server/names.c heap/server/names.h \
	heap/server/objects.c heap/server/objects.h \
	heap/server/recall.c heap/server/recall.h \
	heap/server/request.c heap/server/request.h \
	heap/server/server.c heap/server/server.h \
	heap/server/server_thread.c heap/server/server_thread.h \
	heap/server/socket.c heap/server/socket.h \
	heap/server/user.c heap/server/user.h \
	heap/team/arena.c heap/team/arena.h \
	heap/team/arena_chunk.c heap/team/arena_chunk.h \
	heap/team/arena_peers.c heap/team/arena_peers.h \
	heap/team/control.c heap/team/control.h \
	heap/team/lane.c heap/team/lane.h \
	heap/team/multicast_groups.c heap/team/multicast_groups.h \
	heap/team/multicast_setup.c heap/team/multicast_setup.h \
	heap/team/multicast_state.h \
	heap/team/pads.c heap/team/pads.h \
	heap/team/process.c heap/team/process.h \
	heap/team/process_peers.c \
	heap/team/process_state.h \
	heap/team/stream_lane.c heap/team/stream_lane.h \
	heap/team/team.c heap/team/team.h \
	heap/team/team_memory.c heap/team/team_memory.h \
	heap/team/team_tables.c heap/team/team_tables.h

if CUDA
libsymm_core_la_SOURCES += \
	heap/gpu/cuda_context.c heap/gpu/cuda_context.h \
	heap/gpu/cuda_driver.c heap/gpu/cuda_driver.h \
	heap/gpu/cuda_exports.c \
	heap/gpu/cuda_handles.c heap/gpu/cuda_handles.h \
	heap/gpu/cuda_importer.c \
	heap/gpu/cuda_imports.c \
	heap/gpu/cuda_imports_state.h \
	heap/gpu/cuda_mappings.c heap/gpu/cuda_mappings.h \
	heap/gpu/cuda_memops.c \
	heap/gpu/cuda_memory.c \
	heap/gpu/cuda_multicast.h \
	heap/gpu/cuda_plain.c \
	heap/gpu/cuda_sync_flag.c heap/gpu/cuda_sync_flag.h \
	heap/gpu/kind_cuda.c
if NVLINK_MULTICAST
libsymm_core_la_SOURCES += heap/gpu/cuda_multicast.c
endif
else
libsymm_core_la_SOURCES += heap/gpu/cuda_absent.c heap/gpu/ipc_absent.c
endif

lib_LTLIBRARIES += libsymm.la
libsymm_la_SOURCES =
libsymm_la_LIBADD = libsymm_core.la
# CONTRIBUTING.md says when these numbers change.
libsymm_la_LDFLAGS = -version-info 1:0:1 -no-undefined -Wl,--version-script=heap/symm.map
EXTRA_libsymm_la_DEPENDENCIES = heap/symm.map
