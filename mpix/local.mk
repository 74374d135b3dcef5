# mpix/local.mk - libsymm_mpix: collectives on CUDA streams, for programs of MPI.

include_HEADERS += mpix/symm_mpix.h

lib_LTLIBRARIES += libsymm_mpix.la
libsymm_mpix_la_CPPFLAGS = $(base_cppflags) $(MPI_CFLAGS)
libsymm_mpix_la_LIBADD = libsymm.la $(MPI_LIBS) $(PTHREAD_LIBS)
# Attributes of MPI point into it, and the driver calls libsymm back for its graphs: both stay when
# a program closes this one. CONTRIBUTING.md says when the numbers change.
libsymm_mpix_la_LDFLAGS = -version-info 0:0:0 -no-undefined -Wl,-z,nodelete \
	-Wl,--version-script=$(srcdir)/mpix/symm_mpix.map
libsymm_mpix_la_SOURCES = \
	mpix/comm.c \
	mpix/enqueue.c \
	mpix/enqueue_int.c \
	mpix/errors.c \
	mpix/host.h \
	mpix/host_calls.c \
	mpix/host_path.c \
	mpix/host_tasks.c \
	mpix/host_thread.c \
	mpix/host_words.c \
	mpix/lanes.c \
	mpix/memory.c \
	mpix/mpix.h \
	mpix/process.c \
	mpix/stream.c \
	mpix/symm_mpix.h \
	mpix/tell.c \
	mpix/types.c
EXTRA_libsymm_mpix_la_DEPENDENCIES = mpix/symm_mpix.map
EXTRA_DIST += mpix/symm_mpix.map

pkgconfig_DATA += mpix/symm_mpix.pc

dist_man_MANS += mpix/symm_mpix.3
