# heap/local.mk - the lower half of libsymm, and the library itself.

include_HEADERS += heap/symm.h

# Everything of libsymm except its soname: what libsymm.so and the unit tests are made from.
noinst_LTLIBRARIES += libsymm_core.la
libsymm_core_la_CPPFLAGS = $(base_cppflags) -DSYMM_NVCC_DEVICES='"$(NVCC_DEVICES)"'
libsymm_core_la_LIBADD = $(PTHREAD_LIBS)
libsymm_core_la_SOURCES = \
	heap/alive.c heap/alive.h \
	heap/allocator.c heap/allocator.h \
	heap/arena.c heap/arena.h \
	heap/arena_chunk.c heap/arena_chunk.h \
	heap/arena_peers.c heap/arena_peers.h \
	heap/control.c heap/control.h \
	heap/cuda_device.h \
	heap/cuda_exports.h \
	heap/cuda_importer.h \
	heap/cuda_imports.h \
	heap/cuda_ipc.h \
	heap/cuda_memops.h \
	heap/cuda_memory.h \
	heap/cuda_plain.h \
	heap/directory.h \
	heap/fork_lock.h heap/headroom.c heap/headroom.h \
	heap/heap.c heap/heap.h heap/heap_state.h \
	heap/heap_bindings.c heap/heap_bindings.h \
	heap/heap_pages.h \
	heap/heap_segments.c heap/heap_segments.h \
	heap/kind.h heap/kind_host.c \
	heap/lane.c heap/lane.h \
	heap/memfd.c heap/memfd.h \
	heap/multicast.c heap/multicast.h \
	heap/multicast_groups.c heap/multicast_groups.h \
	heap/multicast_host.c \
	heap/multicast_setup.c heap/multicast_setup.h \
	heap/multicast_state.h \
	heap/names.c heap/names.h \
	heap/objects.c heap/objects.h \
	heap/pads.c heap/pads.h \
	heap/pages.c heap/pages.h \
	heap/peer.c heap/peer.h \
	heap/peers.c heap/peers.h \
	heap/prefetch.h heap/private.h \
	heap/process.c heap/process.h \
	heap/process_peers.c heap/process_state.h \
	heap/recall.c heap/recall.h \
	heap/reclaim.c heap/reclaim.h \
	heap/request.c heap/request.h \
	heap/scratch.c heap/scratch.h \
	heap/server.c heap/server.h \
	heap/server_thread.c heap/server_thread.h \
	heap/socket.c heap/socket.h \
	heap/status.c heap/symm.h \
	heap/stream_lane.c heap/stream_lane.h \
	heap/team.c heap/team.h \
	heap/team_memory.c heap/team_memory.h \
	heap/team_tables.c heap/team_tables.h \
	heap/user.c heap/user.h \
	heap/window.c heap/window.h

if CUDA
libsymm_core_la_SOURCES += \
	heap/cuda_context.c heap/cuda_context.h \
	heap/cuda_driver.c heap/cuda_driver.h \
	heap/cuda_exports.c \
	heap/cuda_handles.c heap/cuda_handles.h \
	heap/cuda_importer.c \
	heap/cuda_imports.c heap/cuda_imports_state.h \
	heap/cuda_mappings.c heap/cuda_mappings.h \
	heap/cuda_memops.c \
	heap/cuda_memory.c \
	heap/cuda_multicast.h \
	heap/cuda_plain.c \
	heap/cuda_sync_flag.c heap/cuda_sync_flag.h \
	heap/kind_cuda.c
if NVLINK_MULTICAST
libsymm_core_la_SOURCES += heap/cuda_multicast.c
endif
else
libsymm_core_la_SOURCES += heap/cuda_absent.c
endif

lib_LTLIBRARIES += libsymm.la
libsymm_la_SOURCES =
libsymm_la_LIBADD = libsymm_core.la
libsymm_la_LDFLAGS = -version-info 0:0:0 -no-undefined -Wl,--version-script=heap/symm.map
EXTRA_libsymm_la_DEPENDENCIES = heap/symm.map
