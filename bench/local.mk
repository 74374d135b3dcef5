# bench/local.mk - symm_bench, a plain MPI program.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

bin_PROGRAMS += bench/symm_bench

bench_symm_bench_SOURCES = \
	bench/symm_bench.c \
	bench/buffers.c bench/buffers.h \
	bench/cacheline.c bench/cacheline.h \
	bench/call.c bench/call.h \
	bench/choice.c bench/choice.h \
	bench/clock.c bench/clock.h \
	bench/compute.c bench/compute.h \
	bench/cuda.c bench/cuda.h \
	bench/device.c bench/device.h bench/device_none.c \
	bench/failure.c bench/failure.h \
	bench/floor.c bench/floor.h \
	bench/forcing.c bench/forcing.h \
	bench/form.c bench/form.h \
	bench/gpus.c bench/gpus.h \
	bench/help.c bench/help.h \
	bench/machine.c bench/machine.h \
	bench/measure.c bench/measure.h \
	bench/nccl.c bench/nccl.h \
	bench/memory_kind.c bench/memory_kind.h \
	bench/options.c bench/options.h \
	bench/options_check.c bench/options_check.h \
	bench/private.c bench/private.h \
	bench/report.c bench/report.h \
	bench/report_form.c bench/report_form.h \
	bench/side.c bench/side.h \
	bench/sweep.c bench/sweep.h \
	bench/table.c bench/table.h \
	bench/tune.c bench/tune.h \
	bench/tune_rows.c bench/tune_rows.h \
	bench/validate.c bench/validate.h
bench_symm_bench_LDADD = $(MPI_LIBS)

stream_time_parts = bench/buffers.c bench/cacheline.c bench/call.c bench/clock.c bench/cuda.c \
	bench/device.c bench/failure.c bench/gpus.c bench/nccl.c bench/private.c bench/sweep.c

# For those who tune: the parts of a small call on a device. Never installed.
noinst_PROGRAMS += bench/launch_time
bench_launch_time_SOURCES = bench/launch_time.c bench/clock.c bench/clock.h \
	bench/meeting.c bench/meeting.h
bench_launch_time_LDADD = libsymm_core.la -ldl

# Collectives on streams and in graphs, by libsymm itself. Never installed.
if CUDA
noinst_PROGRAMS += bench/stream_time
bench_stream_time_SOURCES = bench/stream_time.c bench/empty_kernel.c bench/empty_kernel.h \
	$(stream_time_parts)
bench_stream_time_LDADD = libsymm_core.la $(MPI_LIBS) -ldl -lm
endif

# Kernels that are not the library's, on GPUs: packets in millions, what a launch costs at all, and
# which calls of the driver wait for a kernel. Never installed.
probes = bench/probes
if CUDA
noinst_PROGRAMS += bench/probes/driver_waits bench/probes/packet_litmus bench/probes/resident_time
probe_sources = bench/clock.c bench/clock.h \
	bench/probes/fatbins.c bench/probes/probe.c bench/probes/probe.h
bench_probes_driver_waits_SOURCES = bench/probes/driver_waits.c bench/probes/resident.h \
	$(probe_sources)
bench_probes_driver_waits_LDADD = libsymm_core.la -ldl
bench_probes_packet_litmus_SOURCES = bench/probes/packet_litmus.c bench/probes/packet_litmus.h \
	$(probe_sources)
bench_probes_packet_litmus_LDADD = libsymm_core.la -ldl
bench_probes_resident_time_SOURCES = bench/probes/resident_time.c bench/probes/resident.h \
	$(probe_sources)
bench_probes_resident_time_LDADD = libsymm_core.la -ldl

probe_fatbins = $(probes)/packet_litmus.fatbin $(probes)/resident.fatbin
NVCC_PROBE = $(NVCC) $(NVCC_FLAGS) -gencode arch=compute_80,code=compute_80 \
	-gencode arch=compute_90,code=sm_90 -I$(top_srcdir) -fatbin -o $@
$(probes)/packet_litmus.fatbin: $(probes)/packet_litmus.cu $(probes)/packet_litmus.h \
		$(code)/packets.cuh $(cuda_device_headers)
	$(AM_V_GEN)$(MKDIR_P) $(probes) && $(NVCC_PROBE) $(top_srcdir)/$(probes)/packet_litmus.cu
$(probes)/resident.fatbin: $(probes)/resident.cu $(probes)/resident.h \
		$(code)/kernel.cuh $(code)/arguments.h
	$(AM_V_GEN)$(MKDIR_P) $(probes) && $(NVCC_PROBE) $(top_srcdir)/$(probes)/resident.cu
probe_object = bench/probes/fatbins.$(OBJEXT)
$(probe_object): $(probe_fatbins)
CLEANFILES += $(probe_fatbins)
endif
EXTRA_DIST += $(probes)/packet_litmus.cu $(probes)/resident.cu

# For the first machine with multicast: what its driver says of it. Never installed.
noinst_PROGRAMS += bench/multicast_probe
bench_multicast_probe_SOURCES = bench/multicast_probe.c bench/cuda.c bench/cuda.h bench/failure.h
bench_multicast_probe_LDADD = -ldl

# What allocating costs, and what stays resident; run by tests/processes/mpool.tap as well. Never
# installed.
noinst_PROGRAMS += bench/alloc_time
bench_alloc_time_SOURCES = bench/alloc_time.c bench/clock.c bench/clock.h
bench_alloc_time_LDADD = $(MPI_LIBS) -lm

noinst_PROGRAMS += bench/skew_time
bench_skew_time_SOURCES = bench/skew_time.c bench/clock.c bench/clock.h
bench_skew_time_LDADD = $(MPI_LIBS)

# What the next programs, each of one file, have alike.
rank_device_sources = bench/clock.c bench/clock.h bench/cuda.c bench/cuda.h \
	bench/device.c bench/device.h bench/device_none.c bench/failure.c bench/failure.h \
	bench/rank_device.c bench/rank_device.h

# Calls on GPU memory that are made on host copies, beside their parts. Never installed.
noinst_PROGRAMS += bench/host_copy_time
bench_host_copy_time_SOURCES = bench/host_copy_time.c $(rank_device_sources)
bench_host_copy_time_LDADD = $(MPI_LIBS)

# Nonblocking calls on GPU memory, several of which are under way. Never installed.
noinst_PROGRAMS += bench/outstanding_time
bench_outstanding_time_SOURCES = bench/outstanding_time.c $(rank_device_sources)
bench_outstanding_time_LDADD = $(MPI_LIBS)

# MPI_Alltoallv on GPU memory with blocks that differ. Never installed.
noinst_PROGRAMS += bench/uneven_time
bench_uneven_time_SOURCES = bench/uneven_time.c $(rank_device_sources)
bench_uneven_time_LDADD = $(MPI_LIBS)

# Calls on GPU data with gaps, beside the same without. Never installed.
noinst_PROGRAMS += bench/typed_time
bench_typed_time_SOURCES = bench/typed_time.c $(rank_device_sources)
bench_typed_time_LDADD = $(MPI_LIBS)

# What communicators cost. Never installed.
noinst_PROGRAMS += bench/communicators
bench_communicators_SOURCES = bench/communicators.c bench/clock.c bench/clock.h
bench_communicators_LDADD = $(MPI_LIBS) -lm

# Collectives over several nodes, modelled by the component's own plans; and what it is checked by.
# Never installed.
noinst_PROGRAMS += bench/scale bench/probes/node_steps bench/probes/node_requests
bench_scale_SOURCES = bench/scale.c bench/clock.c bench/clock.h \
	bench/model/machine.c bench/model/machine.h \
	bench/model/model.c bench/model/model.h \
	mca/coll/symm/nodes/plan.c mca/coll/symm/nodes/topology.c
bench_scale_LDADD = -lm
bench_probes_node_steps_SOURCES = bench/probes/node_steps.c bench/clock.c bench/clock.h
bench_probes_node_steps_LDADD = $(MPI_LIBS)
bench_probes_node_requests_SOURCES = bench/probes/node_requests.c
bench_probes_node_requests_LDADD = $(MPI_LIBS)

# Collectives beside a matrix product. Never installed.
noinst_PROGRAMS += bench/overlap
bench_overlap_SOURCES = \
	bench/overlap.c \
	bench/buffers.c bench/buffers.h \
	bench/call.c bench/call.h \
	bench/clock.c bench/clock.h \
	bench/cuda.c bench/cuda.h \
	bench/device.c bench/device.h bench/device_none.c \
	bench/failure.c bench/failure.h \
	bench/forcing.c bench/forcing.h \
	bench/form.c bench/form.h \
	bench/gpus.c bench/gpus.h \
	bench/machine.c bench/machine.h \
	bench/nccl.c bench/nccl.h \
	bench/overlap_cases.c bench/overlap_cases.h \
	bench/overlap_options.c bench/overlap_options.h \
	bench/overlap_run.c bench/overlap_run.h \
	bench/overlap_timeline.c bench/overlap_timeline.h \
	bench/product.c bench/product.h
bench_overlap_LDADD = $(MPI_LIBS)

dist_man_MANS += bench/symm_bench.1
dist_noinst_SCRIPTS += bench/gpu_run bench/many_nodes bench/many_ranks bench/multicast_bringup

# The pictures of docs/pictures, and of a run of one's own. Needs matplotlib, never to build.
dist_noinst_SCRIPTS += bench/plot
EXTRA_DIST += \
	bench/plotting/__init__.py \
	bench/plotting/decode.py \
	bench/plotting/look.py \
	bench/plotting/nodes.py \
	bench/plotting/osu.py \
	bench/plotting/overlap.py \
	bench/plotting/pictures.py \
	bench/plotting/runs.py \
	bench/plotting/series.py \
	bench/plotting/tables.py

EXTRA_DIST += \
	bench/gpu_overlap.sh \
	bench/gpu_python.sh bench/gpu_streams.sh \
	bench/multicast_links.sh \
	bench/multicast_machine.sh \
	bench/multicast_speed.sh \
	bench/steps.sh

# What the documents link to is installed with them.
nobase_dist_doc_DATA += \
	bench/multicast-bringup.md \
	bench/results/README.md \
	bench/results/gpu-1-osu.txt \
	bench/results/gpu-1-sanitizer.txt \
	bench/results/gpu-2-checks.txt \
	bench/results/gpu-2-multicast-loops.txt \
	bench/results/gpu-2-nonblocking.txt \
	bench/results/gpu-2-ompi-cuda-alloc.txt \
	bench/results/gpu-2-ompi-cuda-cudamalloc.txt \
	bench/results/gpu-2-osu.txt \
	bench/results/gpu-2-overlap-earlier.txt \
	bench/results/gpu-2-overlap.txt \
	bench/results/gpu-2-python-cupy.txt \
	bench/results/gpu-2-python-torch.txt \
	bench/results/gpu-2-ranks-allgather-blocks.txt \
	bench/results/gpu-2-ranks-allgather-chosen-in-place.txt \
	bench/results/gpu-2-ranks-allgather-chosen.txt \
	bench/results/gpu-2-ranks-allgather-in-place.txt \
	bench/results/gpu-2-ranks-allgather.table \
	bench/results/gpu-2-ranks-allgather.txt \
	bench/results/gpu-2-ranks-allreduce-blocks.txt \
	bench/results/gpu-2-ranks-allreduce-chosen-in-place.txt \
	bench/results/gpu-2-ranks-allreduce-chosen.txt \
	bench/results/gpu-2-ranks-allreduce-in-place.txt \
	bench/results/gpu-2-ranks-allreduce.table \
	bench/results/gpu-2-ranks-allreduce.txt \
	bench/results/gpu-2-ranks-elsewhere-allgather-heap.txt \
	bench/results/gpu-2-ranks-elsewhere-allgather-mapped.txt \
	bench/results/gpu-2-ranks-elsewhere-allgather-not-mapped.txt \
	bench/results/gpu-2-ranks-elsewhere-allreduce-heap.txt \
	bench/results/gpu-2-ranks-elsewhere-allreduce-mapped.txt \
	bench/results/gpu-2-ranks-elsewhere-allreduce-not-mapped.txt \
	bench/results/gpu-2-ranks-killed.txt \
	bench/results/gpu-2-scratch-sanitizer.txt \
	bench/results/gpu-2-ucx.txt \
	bench/results/gpu-4-ranks-allgather-copy-engine-in-place.txt \
	bench/results/gpu-4-ranks-allgather-copy-engine.txt \
	bench/results/gpu-4-ranks-allgather-kernel-in-place.txt \
	bench/results/gpu-4-ranks-allgather-kernel.txt \
	bench/results/gpu-4-ranks-allgather-large-in-place.txt \
	bench/results/gpu-4-ranks-allgather-large.txt \
	bench/results/gpu-4-ranks-allreduce-one-shot.txt \
	bench/results/gpu-4-ranks-allreduce-two-shot-in-place.txt \
	bench/results/gpu-4-ranks-allreduce-two-shot-large.txt \
	bench/results/gpu-4-ranks-allreduce-two-shot.txt \
	bench/results/gpu-driver-waits.txt \
	bench/results/gpu-h100-1-checks-graphs.txt \
	bench/results/gpu-h100-1-checks-packets.txt \
	bench/results/gpu-h100-1-checks-split.txt \
	bench/results/gpu-h100-1-checks.txt \
	bench/results/gpu-h100-2-checks.txt \
	bench/results/gpu-h100-2-heat.txt \
	bench/results/gpu-h100-2-litmus.txt \
	bench/results/gpu-h100-2-ranks-allgather.table \
	bench/results/gpu-h100-2-ranks-allgatherv.table \
	bench/results/gpu-h100-2-ranks-allreduce.table \
	bench/results/gpu-h100-2-ranks-alltoall.table \
	bench/results/gpu-h100-2-ranks-alltoallv.table \
	bench/results/gpu-h100-2-ranks-alltoallw.table \
	bench/results/gpu-h100-2-ranks-bcast.table \
	bench/results/gpu-h100-2-ranks-chosen.txt \
	bench/results/gpu-h100-2-ranks-collectives-elsewhere.txt \
	bench/results/gpu-h100-2-ranks-collectives-in-place.txt \
	bench/results/gpu-h100-2-ranks-collectives.txt \
	bench/results/gpu-h100-2-ranks-engine-sums.txt \
	bench/results/gpu-h100-2-ranks-exscan.table \
	bench/results/gpu-h100-2-ranks-gather.table \
	bench/results/gpu-h100-2-ranks-gatherv.table \
	bench/results/gpu-h100-2-ranks-reduce.table \
	bench/results/gpu-h100-2-ranks-reduce_scatter.table \
	bench/results/gpu-h100-2-ranks-scan.table \
	bench/results/gpu-h100-2-ranks-scatter.table \
	bench/results/gpu-h100-2-ranks-scatterv.table \
	bench/results/gpu-h100-2-scripts.txt \
	bench/results/gpu-h100-2-whole-programs.txt \
	bench/results/gpu-h200-2-whole-programs.txt \
	bench/results/gpu-h100-3-ranks-bcast-overlap.txt \
	bench/results/gpu-h100-4-heat.txt \
	bench/results/gpu-h100-4-osu-validated.txt \
	bench/results/gpu-h100-4-osu.txt \
	bench/results/gpu-h100-4-ranks-allgather.table \
	bench/results/gpu-h100-4-ranks-allgatherv.table \
	bench/results/gpu-h100-4-ranks-allreduce.table \
	bench/results/gpu-h100-4-ranks-alltoall.table \
	bench/results/gpu-h100-4-ranks-alltoallv.table \
	bench/results/gpu-h100-4-ranks-alltoallw.table \
	bench/results/gpu-h100-4-ranks-bcast-forms.txt \
	bench/results/gpu-h100-4-ranks-bcast-overlap.txt \
	bench/results/gpu-h100-4-ranks-bcast.table \
	bench/results/gpu-h100-4-ranks-blocks.txt \
	bench/results/gpu-h100-4-ranks-chosen-again.txt \
	bench/results/gpu-h100-4-ranks-chosen-in-place.txt \
	bench/results/gpu-h100-4-ranks-chosen.txt \
	bench/results/gpu-h100-4-ranks-collectives-again.txt \
	bench/results/gpu-h100-4-ranks-collectives-earlier.txt \
	bench/results/gpu-h100-4-ranks-collectives-in-place.txt \
	bench/results/gpu-h100-4-ranks-collectives.txt \
	bench/results/gpu-h100-4-ranks-elsewhere.txt \
	bench/results/gpu-h100-4-ranks-engines.txt \
	bench/results/gpu-h100-4-ranks-exscan.table \
	bench/results/gpu-h100-4-ranks-gather.table \
	bench/results/gpu-h100-4-ranks-gatherv.table \
	bench/results/gpu-h100-4-ranks-forms.txt \
	bench/results/gpu-h100-4-ranks-odd.txt \
	bench/results/gpu-h100-4-ranks-odd-again.txt \
	bench/results/gpu-h100-outstanding.txt \
	bench/results/gpu-h100-reduce-scatter-hold.txt \
	bench/results/gpu-h100-4-ranks-reduce.table \
	bench/results/gpu-h100-4-ranks-reduce_scatter.table \
	bench/results/gpu-h100-4-ranks-reduce_scatter_block.table \
	bench/results/gpu-h100-4-ranks-scan.table \
	bench/results/gpu-h100-4-ranks-scatter.table \
	bench/results/gpu-h100-4-ranks-scatterv.table \
	bench/results/gpu-h100-contexts.txt \
	bench/results/gpu-h100-driver-waits.txt \
	bench/results/gpu-h100-flags.txt \
	bench/results/gpu-h100-graph-functions.txt \
	bench/results/gpu-h100-host-copies.txt \
	bench/results/gpu-h100-launch-turns.txt \
	bench/results/gpu-h100-launches.txt \
	bench/results/gpu-h100-packets.txt \
	bench/results/gpu-h100-python.txt \
	bench/results/gpu-h100-resident.txt \
	bench/results/gpu-h100-ring.txt \
	bench/results/gpu-h100-small-calls.txt \
	bench/results/gpu-h100-under-way-checks.txt \
	bench/results/gpu-h200-2-ranks-in-place.table \
	bench/results/gpu-h200-3-ranks-in-place.table \
	bench/results/gpu-h200-4-ranks-in-place.table \
	bench/results/gpu-h200-exchange-parts.txt \
	bench/results/gpu-h200-handed-over-checks.txt \
	bench/results/gpu-h200-in-place.txt \
	bench/results/gpu-h200-2-checks.txt \
	bench/results/gpu-h200-2-osu.txt \
	bench/results/gpu-h200-2-ranks-chosen.txt \
	bench/results/gpu-h200-2-decode-nccl.txt \
	bench/results/gpu-h200-2-decode-symm.txt \
	bench/results/gpu-h200-2-host-streams.txt \
	bench/results/gpu-h200-2-python-package.txt \
	bench/results/gpu-h200-2-ranks-early.txt \
	bench/results/gpu-h200-2-ranks-streams-limits.txt \
	bench/results/gpu-h200-2-ranks-streams.txt \
	bench/results/gpu-h200-1-streams-checks.txt \
	bench/results/gpu-h200-2-ranks-blocks.txt \
	bench/results/gpu-h200-2-streams-checks.txt \
	bench/results/gpu-h200-1-two-nodes.txt \
	bench/results/gpu-h200-2-torch.txt \
	bench/results/gpu-h200-2-ranks-collectives-elsewhere.txt \
	bench/results/gpu-h200-2-ranks-collectives-in-place.txt \
	bench/results/gpu-h200-2-ranks-collectives.txt \
	bench/results/gpu-h200-2-ranks-packets.txt \
	bench/results/gpu-h200-4-osu-validated.txt \
	bench/results/gpu-h200-4-ranks-blocks.txt \
	bench/results/gpu-h200-4-ranks-collectives-in-place.txt \
	bench/results/gpu-h200-4-ranks-collectives.txt \
	bench/results/gpu-h200-4-ranks-odd.txt \
	bench/results/gpu-h200-4-ranks-ring.txt \
	bench/results/gpu-h200-heat.txt \
	bench/results/gpu-h200-mpi4py-cupy.txt \
	bench/results/gpu-h200-uneven.txt \
	bench/results/gpu-host-16-ranks-alloc.txt \
	bench/results/gpu-host-16-ranks-allreduce.table \
	bench/results/gpu-host-16-ranks-malloc.txt \
	bench/results/gpu-host-2-ranks-allgather.table \
	bench/results/gpu-host-2-ranks-alloc.txt \
	bench/results/gpu-host-2-ranks-allreduce.table \
	bench/results/gpu-host-2-ranks-malloc.txt \
	bench/results/gpu-host-4-ranks-allgather.table \
	bench/results/gpu-host-4-ranks-alloc.txt \
	bench/results/gpu-host-4-ranks-allreduce.table \
	bench/results/gpu-host-4-ranks-malloc.txt \
	bench/results/gpu-host-8-ranks-allgather.table \
	bench/results/gpu-host-8-ranks-alloc.txt \
	bench/results/gpu-host-8-ranks-allreduce.table \
	bench/results/gpu-host-8-ranks-malloc.txt \
	bench/results/gpu-host-below-bytes.txt \
	bench/results/gpu-host-beside-cuda.txt \
	bench/results/gpu-host-chosen.txt \
	bench/results/gpu-host-collectives-alloc.txt \
	bench/results/gpu-host-collectives-malloc.txt \
	bench/results/gpu-host-copies.txt \
	bench/results/gpu-host-fold-turns.txt \
	bench/results/gpu-host-leave.txt \
	bench/results/gpu-host-line-parts.txt \
	bench/results/gpu-host-osu-sizes.txt \
	bench/results/gpu-host-osu.txt \
	bench/results/gpu-host-scatter-left.txt \
	bench/results/gpu-host-slot-16K.txt \
	bench/results/gpu-host-slot.txt \
	bench/results/gpu-ompi-cuda-matrix.txt \
	bench/results/gpu-ompi-cuda-osu.txt \
	bench/results/gpu-packing-checks.txt \
	bench/results/gpu-parts-of-a-call.txt \
	bench/results/gpu-through-scratch.txt \
	bench/results/gpu-typed.txt \
	bench/results/host-2-ranks-alloc-no-cma.txt \
	bench/results/host-2-ranks-alloc.txt \
	bench/results/host-2-ranks-exchanges-again.txt \
	bench/results/host-2-ranks-left-below.txt \
	bench/results/host-2-ranks-malloc-no-cma.txt \
	bench/results/host-2-ranks-malloc.txt \
	bench/results/host-2-ranks-near-far.txt \
	bench/results/host-2-ranks-own-last.txt \
	bench/results/host-2-ranks-plain-copies.txt \
	bench/results/host-2-ranks-reduce-scatter-slot.txt \
	bench/results/host-32-ranks-collectives.txt \
	bench/results/host-4-ranks-alloc.txt \
	bench/results/host-4-ranks-exchanges-again.txt \
	bench/results/host-4-ranks-left-below.txt \
	bench/results/host-4-ranks-malloc.txt \
	bench/results/host-4-ranks-own-last.txt \
	bench/results/host-64-cores-24-ranks.txt \
	bench/results/host-64-cores-32-ranks.txt \
	bench/results/host-64-cores-48-ranks.txt \
	bench/results/host-64-cores-64-ranks-collectives-alloc.txt \
	bench/results/host-64-cores-64-ranks-collectives-malloc.txt \
	bench/results/host-64-cores-64-ranks.txt \
	bench/results/host-64-cores-algorithms.txt \
	bench/results/host-alloc-time.txt \
	bench/results/host-barrier.txt \
	bench/results/host-before-after-tables.txt \
	bench/results/host-chosen.txt \
	bench/results/host-communicators.txt \
	bench/results/host-exchanges.txt \
	bench/results/host-gatherv.txt \
	bench/results/host-job.txt \
	bench/results/host-petsc.txt \
	bench/results/host-many-ranks-alltoall.txt \
	bench/results/host-nodes-compare.txt \
	bench/results/host-nodes-requests.txt \
	bench/results/host-nodes.txt \
	bench/results/host-nonblocking-more-ranks.txt \
	bench/results/host-nonblocking.txt \
	bench/results/host-reduce-scatter-scan.txt \
	bench/results/host-rooted-leave.txt \
	bench/results/host-rooted-loose.txt \
	bench/results/host-rooted.txt \
	bench/results/host-rows-fetch.txt \
	bench/results/host-rows-leave.txt \
	bench/results/host-rows-slots.txt \
	bench/results/host-rows.txt \
	bench/results/host-skew.txt \
	bench/results/host-two-copies.txt \
	bench/results/nodes-model.txt \
	bench/results/standin-packets.txt \
	bench/results/tests-ompi-with-cuda.txt \
	bench/results/tests-ompi-without-headers.txt
