# The examples: data-parallel training on handwritten digits, its data and its comparison script, a
# two-dimensional Fourier transform, reading counters, and arrays in Python. They are plain MPI and
# link nothing of this project. Nothing of them is installed.

noinst_PROGRAMS += examples/counters examples/digits_training examples/fft2d

examples_counters_CFLAGS = $(AM_CFLAGS) $(SYMM_CFLAGS) $(MPI_CFLAGS)
examples_counters_LDADD = $(MPI_LIBS)

examples_digits_training_SOURCES = \
	examples/arguments.c \
	examples/arguments.h \
	examples/collectives.c \
	examples/collectives.h \
	examples/dataset.c \
	examples/dataset.h \
	examples/device.c \
	examples/device.h \
	examples/digits_training.c \
	examples/exchange.c \
	examples/exchange.h \
	examples/memory.c \
	examples/memory.h \
	examples/network.c \
	examples/network.h \
	examples/options.c \
	examples/options.h \
	examples/training.c \
	examples/training.h
# The default of --data, so that the program finds its data from any folder and in VPATH builds.
examples_digits_training_CPPFLAGS = $(AM_CPPFLAGS) \
	-DDIGITS_FILE='"$(abs_top_srcdir)/examples/data/digits.csv"'
examples_digits_training_CFLAGS = $(AM_CFLAGS) $(SYMM_CFLAGS) $(MPI_CFLAGS)
examples_digits_training_LDADD = $(MPI_LIBS) -lm -ldl

examples_fft2d_SOURCES = \
	examples/arguments.c \
	examples/arguments.h \
	examples/device.c \
	examples/device.h \
	examples/direct.c \
	examples/direct.h \
	examples/fft.c \
	examples/fft.h \
	examples/fft2d.c \
	examples/fft2d_options.c \
	examples/fft2d_options.h \
	examples/matrix.c \
	examples/matrix.h \
	examples/memory.c \
	examples/memory.h \
	examples/transpose.c \
	examples/transpose.h
examples_fft2d_CFLAGS = $(AM_CFLAGS) $(SYMM_CFLAGS) $(MPI_CFLAGS)
examples_fft2d_LDADD = $(MPI_LIBS) -lm -ldl

nobase_dist_doc_DATA += examples/README.md examples/data/README.md
EXTRA_DIST += \
	examples/compare \
	examples/data/digits.csv \
	examples/python/collectives.py \
	examples/python/decode.py \
	examples/python/sharded.py
