# mca/local.mk - the components of Open MPI.

# The headers of 5.0 use what C11 alone does not have, and rely on being the first to be included.
component_cppflags = -D_GNU_SOURCE $(AM_CPPFLAGS) $(OMPI_CPPFLAGS) \
	-isystem $(top_srcdir)/mca/shim
component_ldflags = -module -avoid-version -shared $(symm_libdir_rpath)

component_LTLIBRARIES += mca_coll_symm.la mca_mpool_symm.la

mca_coll_symm_la_CPPFLAGS = $(component_cppflags)
mca_coll_symm_la_LDFLAGS = $(component_ldflags)
mca_coll_symm_la_LIBADD = libsymm.la $(OMPI_LIBS)
mca_coll_symm_la_SOURCES = \
	mca/help.h mca/ompi_compat.h mca/once.c mca/once.h mca/parameter.c mca/parameter.h \
	mca/coll/symm/coll_symm.h \
	mca/coll/symm/coll_symm_agree.c mca/coll/symm/coll_symm_agree.h \
	mca/coll/symm/coll_symm_allgather.c \
	mca/coll/symm/coll_symm_allreduce.c \
	mca/coll/symm/coll_symm_below.c mca/coll/symm/coll_symm_below.h \
	mca/coll/symm/coll_symm_call.h \
	mca/coll/symm/coll_symm_choose.c mca/coll/symm/coll_symm_choose.h \
	mca/coll/symm/coll_symm_component.c \
	mca/coll/symm/coll_symm_counters.c mca/coll/symm/coll_symm_counters.h \
	mca/coll/symm/coll_symm_cuda_types.c \
	mca/coll/symm/coll_symm_device.c mca/coll/symm/coll_symm_device.h \
	mca/coll/symm/coll_symm_drive.c \
	mca/coll/symm/coll_symm_elsewhere.c mca/coll/symm/coll_symm_elsewhere.h \
	mca/coll/symm/coll_symm_host_copy.c mca/coll/symm/coll_symm_host_copy.h \
	mca/coll/symm/coll_symm_layer.c mca/coll/symm/coll_symm_layer.h \
	mca/coll/symm/coll_symm_leave.c mca/coll/symm/coll_symm_leave.h \
	mca/coll/symm/coll_symm_line.h \
	mca/coll/symm/coll_symm_mismatch.c \
	mca/coll/symm/coll_symm_modex.c mca/coll/symm/coll_symm_modex.h \
	mca/coll/symm/coll_symm_model.c mca/coll/symm/coll_symm_model.h \
	mca/coll/symm/coll_symm_module.c \
	mca/coll/symm/coll_symm_multicast.c \
	mca/coll/symm/coll_symm_multicast.h \
	mca/coll/symm/coll_symm_operation.c mca/coll/symm/coll_symm_operation.h \
	mca/coll/symm/coll_symm_pack.c mca/coll/symm/coll_symm_pack.h \
	mca/coll/symm/coll_symm_packed.c mca/coll/symm/coll_symm_packed.h \
	mca/coll/symm/coll_symm_parameters.c \
	mca/coll/symm/coll_symm_post.c \
	mca/coll/symm/coll_symm_pvars.c \
	mca/coll/symm/coll_symm_reach.c \
	mca/coll/symm/coll_symm_recognise.c mca/coll/symm/coll_symm_recognise.h \
	mca/coll/symm/coll_symm_report.c mca/coll/symm/coll_symm_report.h \
	mca/coll/symm/coll_symm_runs.c mca/coll/symm/coll_symm_runs.h \
	mca/coll/symm/coll_symm_scratch.c mca/coll/symm/coll_symm_scratch.h \
	mca/coll/symm/coll_symm_select.c \
	mca/coll/symm/coll_symm_shortage.c mca/coll/symm/coll_symm_shortage.h \
	mca/coll/symm/coll_symm_single_copy.c mca/coll/symm/coll_symm_single_copy.h \
	mca/coll/symm/coll_symm_staged_all.c \
	mca/coll/symm/coll_symm_staged_neighbor.c \
	mca/coll/symm/coll_symm_staged_reduce.c \
	mca/coll/symm/coll_symm_staged_rooted.c \
	mca/coll/symm/coll_symm_staging.c mca/coll/symm/coll_symm_staging.h \
	mca/coll/symm/coll_symm_table.c mca/coll/symm/coll_symm_table.h \
	mca/coll/symm/coll_symm_table_file.c mca/coll/symm/coll_symm_table_file.h \
	mca/coll/symm/coll_symm_table_open.c \
	mca/coll/symm/coll_symm_verbose.c mca/coll/symm/coll_symm_verbose.h \
	mca/coll/symm/coll_symm_vote.c mca/coll/symm/coll_symm_vote.h \
	mca/coll/symm/coll_symm_words.c mca/coll/symm/coll_symm_words.h

mca_mpool_symm_la_CPPFLAGS = $(component_cppflags)
mca_mpool_symm_la_LDFLAGS = $(component_ldflags)
mca_mpool_symm_la_LIBADD = libsymm.la $(OMPI_LIBS)
mca_mpool_symm_la_SOURCES = \
	mca/help.h mca/ompi_compat.h mca/once.c mca/once.h mca/parameter.c mca/parameter.h \
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
