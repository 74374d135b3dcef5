# python/local.mk - the Python package, as pip installs it: PREFIX/share/ompi-symm/python. It
# records where libsymm_mpix is installed.

python_sources = \
	python/ompi_symm/__init__.py \
	python/ompi_symm/allocators.py \
	python/ompi_symm/backend.cpp \
	python/ompi_symm/backend.h \
	python/ompi_symm/blocking.py \
	python/ompi_symm/distributed.py \
	python/ompi_symm/driver.py \
	python/ompi_symm/elements.py \
	python/ompi_symm/lane.cpp \
	python/ompi_symm/library.py \
	python/ompi_symm/memory.py \
	python/ompi_symm/module.cpp \
	python/ompi_symm/py.typed \
	python/ompi_symm/streams.py \
	python/ompi_symm/work.cpp
EXTRA_DIST += $(python_sources)

pythondir = $(pkgdatadir)/python
python_DATA = python/pyproject.toml
python_packagedir = $(pythondir)/ompi_symm
python_package_DATA = $(python_sources) python/ompi_symm/_paths.py

python/ompi_symm/_paths.py: Makefile
	$(AM_V_GEN)$(MKDIR_P) python/ompi_symm && \
		echo 'LIBRARY = "$(libdir)/libsymm_mpix.so.0"' >$@
CLEANFILES += python/ompi_symm/_paths.py
