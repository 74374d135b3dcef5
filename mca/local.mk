# mca/local.mk - the components of Open MPI.

# The headers of 5.0 use what C11 alone does not have, and rely on being the first to be included.
component_cppflags = -D_GNU_SOURCE $(base_cppflags) $(OMPI_CPPFLAGS) \
	-isystem $(top_srcdir)/mca/shim
component_ldflags = -module -avoid-version -shared $(symm_libdir_rpath)

component_LTLIBRARIES += mca_coll_symm.la mca_mpool_symm.la

mca_coll_symm_la_CPPFLAGS = $(component_cppflags)
mca_coll_symm_la_LDFLAGS = $(component_ldflags)
mca_coll_symm_la_LIBADD = libsymm.la $(OMPI_LIBS)
mca_coll_symm_la_SOURCES = \
	mca/built_for.c mca/built_for.h \
	mca/help.c mca/help.h mca/ompi_comms.h mca/ompi_compat.h mca/ompi_info.h \
	mca/ompi_ulfm.h \
	mca/old_words.c mca/old_words.h \
	mca/once.c mca/once.h \
	mca/parameter.c mca/parameter.h \
	mca/release.c mca/release.h mca/sizes.h \
	mca/coll/symm/coll_symm.h \
	mca/coll/symm/coll_symm_component.c \
	mca/coll/symm/coll_symm_module.c \
	mca/coll/symm/coll_symm_device_parameters.c \
	mca/coll/symm/coll_symm_parameters.c \
	mca/coll/symm/coll_symm_select.c \
	mca/coll/symm/mpi_request/nbc_tag.c mca/coll/symm/mpi_request/nbc_tag.h \
	mca/coll/symm/mpi_request/progress.c mca/coll/symm/mpi_request/progress.h \
	mca/coll/symm/mpi_request/stepped.c mca/coll/symm/mpi_request/stepped.h \
	mca/coll/symm/mpi_request/requests.c mca/coll/symm/mpi_request/requests.h \
	mca/coll/symm/data/cuda_types.c mca/coll/symm/data/cuda_types.h \
	mca/coll/symm/data/kinds.c mca/coll/symm/data/kinds.h \
	mca/coll/symm/data/nests.c mca/coll/symm/data/nests.h \
	mca/coll/symm/data/buffer.h \
	mca/coll/symm/data/pack.c mca/coll/symm/data/pack.h \
	mca/coll/symm/data/recognise.c mca/coll/symm/data/recognise.h \
	mca/coll/symm/data/runs.c mca/coll/symm/data/runs.h \
	mca/coll/symm/data/sides.c mca/coll/symm/data/sides.h \
	mca/coll/symm/base/assertion.c mca/coll/symm/base/assertion.h \
	mca/coll/symm/base/call.h \
	mca/coll/symm/base/collectives.h \
	mca/coll/symm/base/component.h \
	mca/coll/symm/base/functions.c mca/coll/symm/base/functions.h \
	mca/coll/symm/base/processors.c mca/coll/symm/base/processors.h \
	mca/coll/symm/base/lane.c mca/coll/symm/base/lane.h \
	mca/coll/symm/base/layer.c mca/coll/symm/base/layer.h \
	mca/coll/symm/base/line.h \
	mca/coll/symm/base/modex.c mca/coll/symm/base/modex.h \
	mca/coll/symm/base/module.h \
	mca/coll/symm/base/operation.h \
	mca/coll/symm/base/plans.h \
	mca/coll/symm/base/signature.h \
	mca/coll/symm/base/steps.h \
	mca/coll/symm/base/vote.c mca/coll/symm/base/vote.h \
	mca/coll/symm/report/counters.c mca/coll/symm/report/counters.h \
	mca/coll/symm/report/json.c mca/coll/symm/report/json.h \
	mca/coll/symm/report/lines.c mca/coll/symm/report/lines.h \
	mca/coll/symm/report/pvars.c mca/coll/symm/report/pvars.h \
	mca/coll/symm/report/report.c mca/coll/symm/report/report.h \
	mca/coll/symm/report/rows.c mca/coll/symm/report/rows.h \
	mca/coll/symm/report/shortage.c mca/coll/symm/report/shortage.h \
	mca/coll/symm/report/verbose.c mca/coll/symm/report/verbose.h \
	mca/coll/symm/report/words.c mca/coll/symm/report/words.h \
	mca/coll/symm/choose/before.c mca/coll/symm/choose/before.h \
	mca/coll/symm/choose/choose.c mca/coll/symm/choose/choose.h \
	mca/coll/symm/choose/explain.c mca/coll/symm/choose/explain.h \
	mca/coll/symm/choose/model.c mca/coll/symm/choose/model.h \
	mca/coll/symm/choose/single_copy.c mca/coll/symm/choose/single_copy.h \
	mca/coll/symm/choose/built_in.c mca/coll/symm/choose/built_in.h \
	mca/coll/symm/choose/table.c mca/coll/symm/choose/table.h \
	mca/coll/symm/choose/table_cache.c mca/coll/symm/choose/table_cache.h \
	mca/coll/symm/choose/table_file.c mca/coll/symm/choose/table_file.h \
	mca/coll/symm/device/device.c mca/coll/symm/device/device.h \
	mca/coll/symm/device/bounce.c mca/coll/symm/device/bounce.h \
	mca/coll/symm/device/packing.c mca/coll/symm/device/packing.h \
	mca/coll/symm/device/place.c mca/coll/symm/device/place.h \
	mca/coll/symm/device/reach.c mca/coll/symm/device/reach.h \
	mca/coll/symm/device/pack_buffers.c mca/coll/symm/device/pack_buffers.h \
	mca/coll/symm/resources/elsewhere.c \
	mca/coll/symm/resources/multicast.c \
	mca/coll/symm/resources/pads.c \
	mca/coll/symm/resources/resource.c mca/coll/symm/resources/resource.h \
	mca/coll/symm/resources/scratch.c mca/coll/symm/resources/scratch.h \
	mca/coll/symm/resources/scratch_pieces.c mca/coll/symm/resources/scratch_pieces.h \
	mca/coll/symm/resources/segments.c \
	mca/coll/symm/agree/blocks.c mca/coll/symm/agree/blocks.h \
	mca/coll/symm/agree/blocks_line.h mca/coll/symm/agree/blocks_resolve.c \
	mca/coll/symm/agree/loose.c mca/coll/symm/agree/loose.h \
	mca/coll/symm/agree/mismatch.c mca/coll/symm/agree/mismatch.h \
	mca/coll/symm/agree/part.c mca/coll/symm/agree/part.h \
	mca/coll/symm/agree/post.c mca/coll/symm/agree/post.h \
	mca/coll/symm/agree/read.c mca/coll/symm/agree/read.h \
	mca/coll/symm/transfer/late.c mca/coll/symm/transfer/late.h \
	mca/coll/symm/transfer/late_blocks.c mca/coll/symm/transfer/late_blocks.h \
	mca/coll/symm/transfer/late_data.c mca/coll/symm/transfer/late_data.h \
	mca/coll/symm/transfer/late_moving.c mca/coll/symm/transfer/late_moving.h \
	mca/coll/symm/transfer/packed.c mca/coll/symm/transfer/packed.h \
	mca/coll/symm/transfer/packed_reduce.c mca/coll/symm/transfer/packed_reduce.h \
	mca/coll/symm/transfer/steps.c \
	mca/coll/symm/serve/below.c mca/coll/symm/serve/below.h \
	mca/coll/symm/serve/wait.c mca/coll/symm/serve/wait.h \
	mca/coll/symm/serve/end.c mca/coll/symm/serve/end.h \
	mca/coll/symm/serve/leave.c mca/coll/symm/serve/leave.h \
	mca/coll/symm/serve/operation.c mca/coll/symm/serve/operation.h \
	mca/coll/symm/serve/set_up.c mca/coll/symm/serve/set_up.h \
	mca/coll/symm/serve/slot.c mca/coll/symm/serve/slot.h \
	mca/coll/symm/serve/start.c mca/coll/symm/serve/start.h \
	mca/coll/symm/fast/fast.c mca/coll/symm/fast/fast.h \
	mca/coll/symm/fast/fast_blocks.c mca/coll/symm/fast/fast_line.h \
	mca/coll/symm/fast/fast_reductions.c \
	mca/coll/symm/host_copy/all.c \
	mca/coll/symm/host_copy/bytes.c mca/coll/symm/host_copy/bytes.h \
	mca/coll/symm/host_copy/call.c mca/coll/symm/host_copy/call.h \
	mca/coll/symm/host_copy/copies.c mca/coll/symm/host_copy/copies.h \
	mca/coll/symm/host_copy/describe.c mca/coll/symm/host_copy/describe.h \
	mca/coll/symm/host_copy/retain.c mca/coll/symm/host_copy/retain.h \
	mca/coll/symm/host_copy/layer.c mca/coll/symm/host_copy/layer.h \
	mca/coll/symm/host_copy/neighbor.c \
	mca/coll/symm/host_copy/progress.c mca/coll/symm/host_copy/progress.h \
	mca/coll/symm/host_copy/reduce.c \
	mca/coll/symm/host_copy/request.c mca/coll/symm/host_copy/request.h \
	mca/coll/symm/host_copy/make.h \
	mca/coll/symm/host_copy/request_state.h \
	mca/coll/symm/host_copy/rooted.c \
	mca/coll/symm/host_copy/warn.c mca/coll/symm/host_copy/warn.h \
	mca/coll/symm/host_copy/ucx.c mca/coll/symm/host_copy/ucx.h \
	mca/coll/symm/nodes/allgather.c \
	mca/coll/symm/nodes/allreduce.c \
	mca/coll/symm/nodes/alltoall.c \
	mca/coll/symm/nodes/barrier.c \
	mca/coll/symm/nodes/bcast.c \
	mca/coll/symm/nodes/calls.h \
	mca/coll/symm/nodes/entry.c mca/coll/symm/nodes/entry.h \
	mca/coll/symm/nodes/failures.c mca/coll/symm/nodes/failures.h \
	mca/coll/symm/nodes/make.c mca/coll/symm/nodes/make.h \
	mca/coll/symm/nodes/module.c mca/coll/symm/nodes/module.h \
	mca/coll/symm/nodes/plan.c mca/coll/symm/nodes/plan.h \
	mca/coll/symm/nodes/present.c mca/coll/symm/nodes/present.h \
	mca/coll/symm/nodes/rail.c \
	mca/coll/symm/nodes/reduce.c \
	mca/coll/symm/nodes/reduce_scatter.c \
	mca/coll/symm/nodes/request.c mca/coll/symm/nodes/request.h \
	mca/coll/symm/nodes/slices.c mca/coll/symm/nodes/slices.h \
	mca/coll/symm/nodes/steps.c mca/coll/symm/nodes/steps.h \
	mca/coll/symm/nodes/topology.c mca/coll/symm/nodes/topology.h \
	mca/coll/symm/path/path.c mca/coll/symm/path/path.h \
	mca/coll/symm/progress_thread/thread.c mca/coll/symm/progress_thread/thread.h \
	mca/coll/symm/progress_thread/safe_steps.c mca/coll/symm/progress_thread/safe_steps.h \
	mca/coll/symm/request/queue.c mca/coll/symm/request/queue.h \
	mca/coll/symm/request/request.c mca/coll/symm/request/request.h \
	mca/coll/symm/request/request_state.h \
	mca/coll/symm/entry/allgather.c \
	mca/coll/symm/entry/allreduce.c \
	mca/coll/symm/entry/allgatherv.c \
	mca/coll/symm/entry/alltoall.c \
	mca/coll/symm/entry/alltoallv.c \
	mca/coll/symm/entry/alltoallw.c \
	mca/coll/symm/entry/exchange.c mca/coll/symm/entry/exchange.h \
	mca/coll/symm/entry/reduce_scatter.c \
	mca/coll/symm/entry/reduction.c mca/coll/symm/entry/reduction.h \
	mca/coll/symm/entry/scan.c \
	mca/coll/symm/entry/barrier.c \
	mca/coll/symm/entry/bcast.c \
	mca/coll/symm/entry/gather.c \
	mca/coll/symm/entry/gatherv.c \
	mca/coll/symm/entry/reduce.c \
	mca/coll/symm/entry/scatter.c \
	mca/coll/symm/entry/scatterv.c \
	mca/coll/symm/entry/rooted.h \
	mca/coll/symm/entry/entry.c mca/coll/symm/entry/entry.h

mca_mpool_symm_la_CPPFLAGS = $(component_cppflags)
mca_mpool_symm_la_LDFLAGS = $(component_ldflags)
mca_mpool_symm_la_LIBADD = libsymm.la $(OMPI_LIBS)
mca_mpool_symm_la_SOURCES = \
	mca/built_for.c mca/built_for.h \
	mca/help.c mca/help.h mca/ompi_comms.h mca/ompi_compat.h mca/ompi_info.h \
	mca/ompi_ulfm.h \
	mca/old_words.c mca/old_words.h \
	mca/once.c mca/once.h \
	mca/parameter.c mca/parameter.h \
	mca/release.c mca/release.h mca/sizes.h \
	mca/mpool/symm/mpool_symm.h \
	mca/mpool/symm/mpool_symm_component.c \
	mca/mpool/symm/mpool_symm_device.c \
	mca/mpool/symm/mpool_symm_hints.c \
	mca/mpool/symm/mpool_symm_module.c \
	mca/mpool/symm/mpool_symm_refusal.c

dist_help_DATA += \
	mca/help-symm.txt \
	mca/coll/symm/help-coll-symm.txt \
	mca/mpool/symm/help-mpool-symm.txt

# Components that are used from the build tree find the texts beside themselves (help.h), which is
# where libtool has put them. Nothing of it is installed, and `make clean` removes libtool's folder.
help_copies = .libs/help-symm.txt .libs/help-coll-symm.txt .libs/help-mpool-symm.txt
noinst_DATA += $(help_copies)
.libs/help-symm.txt: mca/help-symm.txt
.libs/help-coll-symm.txt: mca/coll/symm/help-coll-symm.txt
.libs/help-mpool-symm.txt: mca/mpool/symm/help-mpool-symm.txt
$(help_copies):
	$(AM_V_GEN)$(MKDIR_P) .libs && cp $? $@ && chmod u+w $@

EXTRA_DIST += mca/shim/ompi/mpi/fortran/base/fint_2_int.h
dist_man_MANS += mca/ompi-symm.7
