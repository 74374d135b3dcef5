# kernels/local.mk - the upper half of libsymm: algorithms on mapped memory.

kernel_sources = \
	kernels/algorithm.c kernels/algorithm.h \
	kernels/float16.c kernels/float16.h \
	kernels/pattern.c kernels/pattern.h \
	kernels/prefix.h \
	kernels/block.h \
	kernels/reduction.h \
	kernels/slice.c kernels/slice.h \
	kernels/collective.c kernels/collective.h kernels/lists.h \
	kernels/rooted.h kernels/run.c kernels/run.h kernels/run_steps.h \
	kernels/completion.h kernels/work.h \
	kernels/cuda/allgather_multimem.c \
	kernels/cuda/allgather_scratch.c \
	kernels/cuda/allreduce_copy_engine.c \
	kernels/cuda/allreduce_multimem.c \
	kernels/cuda/allreduce_multimem_one_shot.c \
	kernels/cuda/allreduce_push.c \
	kernels/cuda/allreduce_one_shot.c \
	kernels/cuda/allreduce_scratch.c \
	kernels/cuda/allreduce_two_shot.c \
	kernels/cuda/device_code/arguments.h \
	kernels/cuda/launch/copy.h \
	kernels/cuda/launch/device.h \
	kernels/cuda/launch/host_memory.h \
	kernels/cuda/exchange_copy_engine.c \
	kernels/cuda/exchange_kernel.c \
	kernels/cuda/exchange_scratch.c \
	kernels/cuda/blocks.h kernels/cuda/link.h \
	kernels/cuda/handover.c kernels/cuda/handover.h \
	kernels/cuda/launch/exchange.c \
	kernels/cuda/launch/functions.h \
	kernels/cuda/launch/kernel.c kernels/cuda/launch/kernel.h \
	kernels/cuda/launch/multimem.c kernels/cuda/launch/multimem.h \
	kernels/cuda/launch/nests.c \
	kernels/cuda/launch/packets.c \
	kernels/cuda/launch/ring.c \
	kernels/cuda/launch/small.c kernels/cuda/launch/small.h \
	kernels/cuda/pipeline.c kernels/cuda/pipeline.h \
	kernels/cuda/bcast_multimem.c \
	kernels/cuda/bcast_chain.c \
	kernels/cuda/reduce_direct.c \
	kernels/cuda/reduce_ring.c \
	kernels/cuda/reduce_scatter_hold.c \
	kernels/cuda/reduce_scratch.c \
	kernels/cuda/rooted.h \
	kernels/cuda/rooted_scratch.c \
	kernels/cuda/reduce_scatter_pull.c \
	kernels/cuda/reduce_scatter_copy_engine.c \
	kernels/cuda/reduce_scatter_push.c \
	kernels/cuda/packets_run.c \
	kernels/cuda/relay.c kernels/cuda/relay.h \
	kernels/cuda/relay_array.c kernels/cuda/relay_array.h \
	kernels/cuda/relay_blocks.c kernels/cuda/relay_blocks.h \
	kernels/cuda/scan_pull.c \
	kernels/cuda/scan_scratch.c \
	kernels/cuda/scan_two_shot.c \
	kernels/cuda/steps.c kernels/cuda/steps.h \
	kernels/cuda/device_code/stream_arguments.h \
	kernels/cuda/stream/collectives.h \
	kernels/cuda/stream/host_tasks.h \
	kernels/cuda/stream/member.h \
	kernels/cuda/stream/plan.h \
	kernels/cuda/launch/types.c \
	kernels/host/fold.c \
	kernels/host/allgather_multimem.c \
	kernels/host/allgather_push.c \
	kernels/host/allgather_inline.c \
	kernels/host/allreduce_multimem.c \
	kernels/host/allreduce_one_shot.c \
	kernels/host/reduction_inline.c \
	kernels/host/allreduce_staged.c \
	kernels/host/allreduce_staged_one_shot.c \
	kernels/host/allreduce_two_shot.c \
	kernels/host/barrier_inline.c \
	kernels/host/exchange_direct.c \
	kernels/host/exchange_inline.c \
	kernels/host/exchange_staged.c \
	kernels/host/reduce_one_shot.c \
	kernels/host/reduce_staged_one_shot.c \
	kernels/host/reduce_two_shot.c \
	kernels/host/rooted_inline.c \
	kernels/host/rooted_staged.c \
	kernels/host/reduce_scatter_pull.c \
	kernels/host/reduce_scatter_staged.c \
	kernels/host/prefix.c kernels/host/prefix.h \
	kernels/host/scan_inline.c \
	kernels/host/scan_staged.c \
	kernels/host/scan_two_shot.c \
	kernels/host/multimem.h \
	kernels/host/steps.h

# The launch layer, or what stands in its place.
if CUDA
device_sources = \
	kernels/cuda/launch/completion.c \
	kernels/cuda/launch/copy.c \
	kernels/cuda/launch/device.c kernels/cuda/launch/device_state.h \
	kernels/cuda/launch/embed.h \
	kernels/cuda/launch/engines.c \
	kernels/cuda/launch/fatbin.c kernels/cuda/launch/fatbin.h \
	kernels/cuda/launch/functions.c kernels/cuda/launch/functions_table.h \
	kernels/cuda/launch/host_memory.c \
	kernels/cuda/launch/multimem_functions.c \
	kernels/cuda/launch/queue.c kernels/cuda/launch/queue.h \
	kernels/cuda/launch/start.c \
	kernels/cuda/launch/stream_functions.c kernels/cuda/launch/stream_functions.h \
	kernels/cuda/stream/collectives.c \
	kernels/cuda/stream/host_tasks.c \
	kernels/cuda/stream/member.c kernels/cuda/stream/member_state.h \
	kernels/cuda/stream/members.c \
	kernels/cuda/stream/pinned.c kernels/cuda/stream/pinned.h \
	kernels/cuda/stream/plan.c \
	kernels/cuda/stream/queue.c kernels/cuda/stream/queue.h \
	kernels/cuda/stream/streams.c kernels/cuda/stream/streams.h \
	kernels/cuda/stream/member_look.c \
	kernels/cuda/stream/watch.c
else
device_sources = kernels/cuda/launch/copy_absent.c kernels/cuda/launch/device_absent.c \
	kernels/cuda/stream/host_tasks_absent.c kernels/cuda/stream/member_absent.c
endif

libsymm_core_la_SOURCES += kernels/build_features.c kernels/build_features.h \
	$(kernel_sources) $(device_sources)

if CUDA

# Kernels: one image a generation of devices, and PTX for those to come. Products and sums are not
# contracted, so that algorithms agree in all bits; see docs/design/choosing.md.
code = kernels/cuda/device_code
cuda_device_headers = \
	$(code)/arguments.h \
	$(code)/combinations.cuh \
	$(code)/kernel.cuh \
	$(code)/operations.cuh \
	$(code)/reduce.cuh \
	$(code)/types.cuh
cuda_fatbins = $(code)/reduce.fatbin $(code)/scan.fatbin $(code)/gather.fatbin \
	$(code)/small.fatbin $(code)/packets.fatbin $(code)/ring.fatbin $(code)/stream.fatbin \
	$(code)/stream_push.fatbin
NVCC_FLAGS = -std=c++17 -O3 -fmad=false -t 2 -Werror all-warnings
NVCC_RECENT = -gencode arch=compute_90,code=sm_90 \
	-gencode arch=compute_100,code=[sm_100,compute_100]
NVCC_DEVICES = -gencode arch=compute_80,code=sm_80 $(NVCC_RECENT)
# Flags and prerequisites follow: the first is compiled, and includes the others.
compile_image = $(AM_V_GEN)$(MKDIR_P) $(code) && NVCC='$(NVCC)' \
	$(SHELL) $(top_srcdir)/$(code)/compile $(top_srcdir) $@

$(code)/reduce.fatbin: $(code)/reduce.cu $(code)/copy.cuh $(code)/held.cuh $(cuda_device_headers)
	$(compile_image) '$(NVCC_FLAGS) $(NVCC_DEVICES)' $^
$(code)/scan.fatbin: $(code)/scan.cu $(code)/scan.cuh $(cuda_device_headers)
	$(compile_image) '$(NVCC_FLAGS) $(NVCC_DEVICES)' $^
$(code)/gather.fatbin: $(code)/gather.cu $(code)/copy.cuh $(code)/exchange.cuh $(code)/nests.cuh \
		$(cuda_device_headers)
	$(compile_image) '$(NVCC_FLAGS) $(NVCC_DEVICES)' $^
$(code)/small.fatbin: $(code)/small.cu $(code)/small.cuh $(cuda_device_headers)
	$(compile_image) '$(NVCC_FLAGS) $(NVCC_DEVICES)' $^
$(code)/packets.fatbin: $(code)/packets.cu $(code)/packets.cuh $(code)/packets_few.cuh \
		$(cuda_device_headers)
	$(compile_image) '$(NVCC_FLAGS) $(NVCC_DEVICES)' $^
$(code)/ring.fatbin: $(code)/ring.cu $(code)/ring.cuh $(cuda_device_headers)
	$(compile_image) '$(NVCC_FLAGS) $(NVCC_DEVICES)' $^

# Kernels on streams are launched where nothing may wait.
NVCC_NO_STACK = -Xptxas -v
stream_headers = $(code)/stream.cuh $(code)/stream_arguments.h $(code)/stream_failures.cuh \
	$(code)/stream_folds.cuh $(code)/stream_packets.cuh $(code)/stream_units.cuh \
	$(code)/stream_words.cuh $(code)/packets.cuh $(cuda_device_headers)
$(code)/stream.fatbin: $(code)/stream.cu $(stream_headers)
	$(compile_image) '$(NVCC_FLAGS) $(NVCC_NO_STACK) $(NVCC_DEVICES)' $^
$(code)/stream_push.fatbin: $(code)/stream_push.cu $(code)/stream_push.cuh \
		$(code)/stream_pieces.cuh $(stream_headers)
	$(compile_image) '$(NVCC_FLAGS) $(NVCC_NO_STACK) $(NVCC_DEVICES)' $^

# Multicast came with sm_90. With --enable-multicast=unicast its accesses are loops.
if MULTICAST
cuda_fatbins += $(code)/multimem.fatbin
$(code)/multimem.fatbin: $(code)/multimem.cu $(code)/multimem.cuh $(cuda_device_headers)
	$(compile_image) '$(NVCC_FLAGS) $(NVCC_RECENT) $(MULTICAST_CPPFLAGS)' $^
endif

CLEANFILES += $(cuda_fatbins)
# Named by a variable: a rule with the object's own name would take the place of Automake's.
fatbin_object = kernels/cuda/launch/libsymm_core_la-fatbin.lo
$(fatbin_object): $(cuda_fatbins)

# The same kernels for the host, for tests.
check_LTLIBRARIES += kernels/cuda/device_code/libhost.la
kernels_cuda_device_code_libhost_la_SOURCES = \
	kernels/cuda/device_code/host_kernels.cc \
	kernels/cuda/device_code/host_kernels.h \
	kernels/cuda/device_code/host_shim.h
kernels_cuda_device_code_libhost_la_CXXFLAGS = $(AM_CXXFLAGS) -std=c++14 -fno-exceptions -fno-rtti \
	-ffp-contract=off -Wall -Wextra -Wno-unknown-pragmas
if MULTICAST
kernels_cuda_device_code_libhost_la_SOURCES += kernels/cuda/device_code/host_multimem.cc
endif

endif CUDA

EXTRA_DIST += \
	kernels/cuda/device_code/compile \
	kernels/cuda/device_code/combinations.cuh \
	kernels/cuda/device_code/copy.cuh \
	kernels/cuda/device_code/exchange.cuh \
	kernels/cuda/device_code/gather.cu \
	kernels/cuda/device_code/held.cuh \
	kernels/cuda/device_code/kernel.cuh \
	kernels/cuda/device_code/multimem.cu \
	kernels/cuda/device_code/multimem.cuh \
	kernels/cuda/device_code/nests.cuh \
	kernels/cuda/device_code/operations.cuh \
	kernels/cuda/device_code/packets.cu \
	kernels/cuda/device_code/packets.cuh \
	kernels/cuda/device_code/packets_few.cuh \
	kernels/cuda/device_code/reduce.cu \
	kernels/cuda/device_code/reduce.cuh \
	kernels/cuda/device_code/ring.cu \
	kernels/cuda/device_code/ring.cuh \
	kernels/cuda/device_code/scan.cu \
	kernels/cuda/device_code/scan.cuh \
	kernels/cuda/device_code/small.cu \
	kernels/cuda/device_code/small.cuh \
	kernels/cuda/device_code/stream.cu \
	kernels/cuda/device_code/stream.cuh \
	kernels/cuda/device_code/stream_failures.cuh \
	kernels/cuda/device_code/stream_folds.cuh \
	kernels/cuda/device_code/stream_host.cuh \
	kernels/cuda/device_code/stream_packets.cuh \
	kernels/cuda/device_code/stream_pieces.cuh \
	kernels/cuda/device_code/stream_push.cu \
	kernels/cuda/device_code/stream_push.cuh \
	kernels/cuda/device_code/stream_units.cuh \
	kernels/cuda/device_code/stream_words.cuh \
	kernels/cuda/device_code/types.cuh
