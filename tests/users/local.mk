# tests/users/local.mk - what users see: scripts, longest first, the programs that they run, and
# what they put beside the benchmark.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

users_tests = \
	tests/users/bench_gpu.tap \
	tests/users/bench.tap \
	tests/users/configure.tap \
	tests/users/plot.tap \
	tests/users/overlap.tap \
	tests/users/table.tap \
	tests/users/info.tap \
	tests/users/slurm.tap \
	tests/users/manual.tap \
	tests/users/selection.tap \
	tests/users/quickstart.tap \
	tests/users/report.tap \
	tests/users/scale.tap \
	tests/users/old_words.tap \
	tests/users/parameters.tap \
	tests/users/nvtx.tap \
	tests/users/installed.tap \
	tests/users/counters.tap \
	tests/users/results.tap \
	tests/users/exports.tap \
	tests/users/packaging.tap \
	tests/users/verbose.tap

users_programs = \
	tests/users/check_counters \
	tests/users/known_calls \
	tests/users/malloc_calls \
	tests/users/one_call

TESTS += $(users_tests)
dist_check_SCRIPTS += $(users_tests)
check_PROGRAMS += $(users_programs)
EXTRA_DIST += tests/users/bench.sh tests/users/plot/check_pictures.py \
	tests/users/plot/drawn_pictures.py tests/users/check_results.py \
	tests/users/raw_results.py tests/users/read_recipes.py

# Doubles of libraries, which the benchmark loads at run time.
check_LTLIBRARIES += tests/users/doubles/cublas_double.la tests/users/doubles/nccl_double.la \
	tests/users/doubles/staging.la

if NVTX
check_LTLIBRARIES += tests/users/doubles/nvtx_double.la
tests_users_doubles_nvtx_double_la_SOURCES = tests/users/doubles/nvtx_double.c
tests_users_doubles_nvtx_double_la_LDFLAGS = $(loaded_ldflags)
endif

tests_users_doubles_cublas_double_la_SOURCES = tests/users/doubles/cublas_double.c \
	tests/users/doubles/driver.h
tests_users_doubles_cublas_double_la_LDFLAGS = $(loaded_ldflags)
tests_users_doubles_nccl_double_la_SOURCES = tests/users/doubles/nccl_double.c \
	tests/users/doubles/driver.h
tests_users_doubles_nccl_double_la_LDFLAGS = $(loaded_ldflags)
tests_users_doubles_staging_la_SOURCES = tests/users/doubles/staging.c \
	tests/users/doubles/driver.h
tests_users_doubles_staging_la_LDFLAGS = $(loaded_ldflags)
