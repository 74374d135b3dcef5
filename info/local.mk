# info/local.mk - symm_info, which says whether ompi-symm works here, and if not why.
#
# It is linked neither with Open MPI, which it opens while it runs, nor with the shared libsymm: it
# has to start where those are missing. What it needs of libsymm is inside it.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

bin_PROGRAMS += info/symm_info

info_symm_info_CPPFLAGS = $(base_cppflags) $(MPI_CFLAGS) \
	-DSYMM_COMPONENT_DIR='"$(componentdir)"' \
	-DOMPI_BUILT_FOR='"$(OMPI_VERSION)"' \
	-DOMPI_PREFIX='"$(OMPI_PREFIX)"' \
	-DOMPI_LIBDIR='"$(OMPI_LIBDIR)"' \
	-DOMPI_PKGLIBDIR='"$(OMPI_PKGLIBDIR)"' \
	-DOMPI_SYSCONFDIR='"$(OMPI_SYSCONFDIR)"'
info_symm_info_LDFLAGS = $(OMPI_RUNPATH)
info_symm_info_LDADD = libsymm_core.la -ldl
info_symm_info_SOURCES = \
	info/symm_info.c \
	info/calls.c info/calls.h \
	info/child.c info/child.h \
	info/components.c info/components.h \
	info/counters.c info/counters.h \
	info/finding.c info/finding.h \
	info/folders.c info/folders.h \
	info/gpus.h \
	info/job.c info/job.h \
	info/limits.c info/system.h \
	info/machine.c info/machine.h \
	info/merge.c info/merge.h \
	info/mpi_library.c info/mpi_library.h \
	info/obstacles.c info/settings.h \
	info/ompi.c info/ompi.h \
	info/options.c info/options.h \
	info/print.c info/print.h \
	info/served.c info/served.h \
	info/settings.c \
	info/system.c \
	info/watch.c info/watch.h
if CUDA
info_symm_info_SOURCES += info/gpus.c info/links.c info/links.h
else
info_symm_info_SOURCES += info/gpus_absent.c
endif

dist_man_MANS += info/symm_info.1
