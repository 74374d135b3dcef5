# kernels/local.mk - the upper half of libsymm: algorithms on mapped memory.

kernel_sources = \
	kernels/algorithm.c kernels/algorithm.h \
	kernels/float16.c kernels/float16.h \
	kernels/prefix.h \
	kernels/block.h \
	kernels/reduction.h \
	kernels/collective.c kernels/collective.h \
	kernels/rooted.h kernels/run.c kernels/run.h kernels/run_steps.h kernels/ticket.h \
	kernels/cuda/allgather_copy_engine.c \
	kernels/cuda/allgather_kernel.c \
	kernels/cuda/allgather_multimem.c \
	kernels/cuda/allgather_scratch.c \
	kernels/cuda/allreduce_copy_engine.c \
	kernels/cuda/allreduce_multimem.c \
	kernels/cuda/allreduce_multimem_one_shot.c \
	kernels/cuda/allreduce_push.c \
	kernels/cuda/allreduce_one_shot.c \
	kernels/cuda/allreduce_scratch.c \
	kernels/cuda/allreduce_two_shot.c \
	kernels/cuda/arguments.h \
	kernels/cuda/copy.h \
	kernels/cuda/device.h \
	kernels/cuda/host_memory.h \
	kernels/cuda/exchange_copy_engine.c \
	kernels/cuda/exchange_kernel.c \
	kernels/cuda/exchange_scratch.c \
	kernels/cuda/link.h \
	kernels/cuda/multimem.h kernels/cuda/multimem_functions.h \
	kernels/cuda/pipeline.c kernels/cuda/pipeline.h \
	kernels/cuda/bcast_multimem.c \
	kernels/cuda/bcast_pass.c \
	kernels/cuda/reduce_direct.c \
	kernels/cuda/reduce_scratch.c \
	kernels/cuda/rooted.h \
	kernels/cuda/rooted_copy_engine.c \
	kernels/cuda/rooted_push.c \
	kernels/cuda/rooted_scratch.c \
	kernels/cuda/reduce_scatter_pull.c \
	kernels/cuda/reduce_scatter_copy_engine.c \
	kernels/cuda/reduce_scatter_push.c \
	kernels/cuda/packets_run.c \
	kernels/cuda/relay.c kernels/cuda/relay.h \
	kernels/cuda/relay_array.c kernels/cuda/relay_array.h \
	kernels/cuda/scan_pull.c \
	kernels/cuda/scan_scratch.c \
	kernels/cuda/scan_two_shot.c \
	kernels/cuda/steps.h \
	kernels/cuda/types.c \
	kernels/host/fold.c \
	kernels/host/allgather_multimem.c \
	kernels/host/allgather_pull.c \
	kernels/host/allgather_push.c \
	kernels/host/allgather_slot.c \
	kernels/host/allgather_staged.c \
	kernels/host/allreduce_multimem.c \
	kernels/host/allreduce_one_shot.c \
	kernels/host/allreduce_slot.c \
	kernels/host/allreduce_staged.c \
	kernels/host/allreduce_staged_one_shot.c \
	kernels/host/allreduce_two_shot.c \
	kernels/host/barrier_slot.c \
	kernels/host/exchange_pull.c \
	kernels/host/exchange_slot.c \
	kernels/host/exchange_staged.c \
	kernels/host/reduce_one_shot.c \
	kernels/host/reduce_slot.c \
	kernels/host/reduce_two_shot.c \
	kernels/host/rooted_direct.c \
	kernels/host/rooted_slot.c \
	kernels/host/rooted_staged.c \
	kernels/host/reduce_scatter_pull.c \
	kernels/host/reduce_scatter_slot.c \
	kernels/host/reduce_scatter_staged.c \
	kernels/host/prefix.c kernels/host/prefix.h \
	kernels/host/scan_slot.c \
	kernels/host/scan_staged.c \
	kernels/host/scan_two_shot.c \
	kernels/host/multimem.h \
	kernels/host/steps.h

# The launch layer, or what stands in its place.
if CUDA
device_sources = \
	kernels/cuda/copy.c \
	kernels/cuda/device.c kernels/cuda/device_state.h \
	kernels/cuda/engines.c \
	kernels/cuda/fatbin.c kernels/cuda/fatbin.h \
	kernels/cuda/functions.c \
	kernels/cuda/graph.c kernels/cuda/graph.h \
	kernels/cuda/host_memory.c \
	kernels/cuda/launch.c \
	kernels/cuda/packets.c \
	kernels/cuda/small.c kernels/cuda/small.h \
	kernels/cuda/start.c \
	kernels/cuda/ticket.c
else
device_sources = kernels/cuda/device_absent.c
endif

if MULTICAST
device_sources += kernels/cuda/multimem.c kernels/cuda/multimem_functions.c
else
device_sources += kernels/cuda/multimem_absent.c
endif

libsymm_core_la_SOURCES += kernels/features.c kernels/features.h \
	$(kernel_sources) $(device_sources)

if CUDA

# Kernels: one image a generation of devices, and PTX for those to come. Products and sums are not
# contracted, so that algorithms agree in all bits; see docs/design/choosing.md.
cuda_device_headers = \
	kernels/cuda/arguments.h \
	kernels/cuda/combinations.cuh \
	kernels/cuda/kernel.cuh \
	kernels/cuda/operations.cuh \
	kernels/cuda/reduce.cuh \
	kernels/cuda/types.cuh
cuda_fatbins = kernels/cuda/reduce.fatbin kernels/cuda/scan.fatbin kernels/cuda/gather.fatbin \
	kernels/cuda/small.fatbin kernels/cuda/packets.fatbin
NVCC_FLAGS = -std=c++17 -O3 -fmad=false -t 2 -Werror all-warnings
NVCC_RECENT = -gencode arch=compute_90,code=sm_90 \
	-gencode arch=compute_100,code=[sm_100,compute_100]
NVCC_DEVICES = -gencode arch=compute_80,code=sm_80 $(NVCC_RECENT)
NVCC_COMPILE = $(NVCC) $(NVCC_FLAGS) $(NVCC_DEVICES) -I$(top_srcdir) -fatbin -o $@

kernels/cuda/reduce.fatbin: kernels/cuda/reduce.cu $(cuda_device_headers)
	$(AM_V_GEN)$(MKDIR_P) kernels/cuda && $(NVCC_COMPILE) $(top_srcdir)/kernels/cuda/reduce.cu
kernels/cuda/scan.fatbin: kernels/cuda/scan.cu kernels/cuda/scan.cuh $(cuda_device_headers)
	$(AM_V_GEN)$(MKDIR_P) kernels/cuda && $(NVCC_COMPILE) $(top_srcdir)/kernels/cuda/scan.cu
kernels/cuda/gather.fatbin: kernels/cuda/gather.cu $(cuda_device_headers)
	$(AM_V_GEN)$(MKDIR_P) kernels/cuda && $(NVCC_COMPILE) $(top_srcdir)/kernels/cuda/gather.cu
kernels/cuda/small.fatbin: kernels/cuda/small.cu kernels/cuda/small.cuh $(cuda_device_headers)
	$(AM_V_GEN)$(MKDIR_P) kernels/cuda && $(NVCC_COMPILE) $(top_srcdir)/kernels/cuda/small.cu
kernels/cuda/packets.fatbin: kernels/cuda/packets.cu kernels/cuda/packets.cuh \
		kernels/cuda/packets_few.cuh $(cuda_device_headers)
	$(AM_V_GEN)$(MKDIR_P) kernels/cuda && $(NVCC_COMPILE) $(top_srcdir)/kernels/cuda/packets.cu

# Multicast came with sm_90. With --enable-multicast=unicast its accesses are loops.
if MULTICAST
cuda_fatbins += kernels/cuda/multimem.fatbin
kernels/cuda/multimem.fatbin: kernels/cuda/multimem.cu kernels/cuda/multimem.cuh \
		$(cuda_device_headers)
	$(AM_V_GEN)$(MKDIR_P) kernels/cuda && $(NVCC) $(NVCC_FLAGS) $(NVCC_RECENT) \
		$(MULTICAST_CPPFLAGS) -I$(top_srcdir) -fatbin -o $@ $(top_srcdir)/kernels/cuda/multimem.cu
endif

CLEANFILES += $(cuda_fatbins)
# Named by a variable: a rule with the object's own name would take the place of Automake's.
fatbin_object = kernels/cuda/libsymm_core_la-fatbin.lo
$(fatbin_object): $(cuda_fatbins)

# The same kernels for the host, for tests.
check_LTLIBRARIES += kernels/cuda/libhost.la
kernels_cuda_libhost_la_SOURCES = kernels/cuda/host_kernels.cc kernels/cuda/host_kernels.h \
	kernels/cuda/host_shim.h
kernels_cuda_libhost_la_CXXFLAGS = $(AM_CXXFLAGS) -std=c++14 -fno-exceptions -fno-rtti \
	-ffp-contract=off -Wall -Wextra -Wno-unknown-pragmas
if MULTICAST
kernels_cuda_libhost_la_SOURCES += kernels/cuda/host_multimem.cc
endif

endif CUDA

EXTRA_DIST += \
	kernels/cuda/reduce.cu kernels/cuda/scan.cu kernels/cuda/gather.cu kernels/cuda/small.cu \
	kernels/cuda/packets.cu kernels/cuda/packets.cuh kernels/cuda/packets_few.cuh \
	kernels/cuda/combinations.cuh kernels/cuda/kernel.cuh kernels/cuda/operations.cuh \
	kernels/cuda/multimem.cu kernels/cuda/multimem.cuh \
	kernels/cuda/reduce.cuh kernels/cuda/scan.cuh kernels/cuda/small.cuh \
	kernels/cuda/types.cuh
